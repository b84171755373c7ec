"""What is read from an upstream in a full migration: tables, chunks, snapshots of keyless tables."""
