"""``dm-binlog`` (also ``python -m dm_binlog``).

The rest is imported inside, so that Ctrl-C ends it quietly also while that loads.
"""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """The exit code of the process's command line."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it quietly
    from dm_binlog.cli import command

    command.main(prog_name="dm-binlog")
    return 0


if __name__ == "__main__":
    sys.exit(main())
