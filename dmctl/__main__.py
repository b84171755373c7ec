"""``dmctl`` (also ``python -m dmctl``).

The rest is imported inside, so that Ctrl-C ends it quietly also while that loads.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of the command line in ``words``, else of the process's own."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dmctl.arguments import split_sources
    from dmctl.run import run
    from dmctl.settings import Settings

    signal.signal(signal.SIGINT, _interrupt)
    settings = Settings(addresses=split_sources([os.environ.get("DM_MASTER_ADDR", "")]))
    return run(sys.argv[1:] if words is None else words, settings, sys.stdin, sys.stdout, sys.stderr)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
