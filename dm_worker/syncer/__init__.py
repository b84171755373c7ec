"""Replication: the stream of an upstream becomes transactions of the target, exactly once."""
