"""The relay log: a copy of the upstream's binlog on the worker's disk, that its subtasks read."""
