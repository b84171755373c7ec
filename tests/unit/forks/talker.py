"""Says what a process knows: for `test_forks.py`."""

from __future__ import annotations

import atexit
import os
import sys

from pkg.crashpoints import crashpoint

atexit.register(print, "at exit")
lines = sys.stdin.readlines()
print(sys.argv[1:], dict(os.environ), lines)
print("to stderr", file=sys.stderr)
sys.stdout.flush()
crashpoint("talker.spoke")
sys.exit(3)
