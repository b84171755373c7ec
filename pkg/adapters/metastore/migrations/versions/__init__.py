"""One file per change of the metastore's tables."""
