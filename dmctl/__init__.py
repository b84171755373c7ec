"""The command line: reads files, asks dm-master, prints its answers.  It has no rule of its own."""
