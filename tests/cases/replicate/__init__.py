"""What replication must do with one statement after another: tables of SQL, run on real servers."""
