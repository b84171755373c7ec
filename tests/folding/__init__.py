"""Makes pkg/rows/folds.zip: what each collation of MySQL, MariaDB and TiDB calls equal, as the servers themselves say."""
