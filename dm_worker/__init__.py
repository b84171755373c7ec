"""The data plane: relay log, full migration, replication of one source."""
