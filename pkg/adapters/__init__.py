"""All input and output: databases, binlog streams, RPC, Spark, files, clock, log."""
