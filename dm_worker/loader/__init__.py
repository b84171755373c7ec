"""What is written to the target in a full migration: structures, chunks, and how far it is."""
