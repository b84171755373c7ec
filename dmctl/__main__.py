"""``dmctl`` (also ``python -m dmctl``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from dmctl.arguments import split_sources
from dmctl.run import run
from dmctl.settings import Settings


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of the command line in ``words``, else of the process's own."""
    settings = Settings(addresses=split_sources([os.environ.get("DM_MASTER_ADDR", "")]))
    return run(sys.argv[1:] if words is None else words, settings, sys.stdin, sys.stdout, sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
