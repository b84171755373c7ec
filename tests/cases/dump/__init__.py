"""Dumps to files, read back by other tools."""
