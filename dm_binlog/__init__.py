"""dm-binlog: shows binlog and relay files to people.  Imports pkg only."""
