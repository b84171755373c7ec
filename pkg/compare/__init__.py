"""What "the same data" means: comparing the two ends of a migration."""
