"""Row changes on their way to the target: keys, order, compaction, statements."""
