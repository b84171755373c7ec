"""Where dm-master keeps its facts: a SQL database, by default an SQLite file in its data directory."""
