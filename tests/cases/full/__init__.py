"""The full migration on real servers, run as the process that dm-worker would start."""
