"""What is checked before a task starts, one file per group of checks."""
