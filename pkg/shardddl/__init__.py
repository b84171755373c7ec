"""Coordination of DDL on merged tables: groups of tables in a worker (level 1), locks in the master (level 2)."""
