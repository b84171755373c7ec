"""Shard DDL: the pure machines."""
