"""Binary logs: positions, GTID sets, events, and the compiled row codec."""
