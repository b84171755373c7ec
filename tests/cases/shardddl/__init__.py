"""Shard DDL on real servers."""
