"""The binlog event filter on real servers: what stays out, what pauses."""
