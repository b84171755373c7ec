"""What a task does with which upstream table: routing and filtering by name."""
