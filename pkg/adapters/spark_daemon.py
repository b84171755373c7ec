"""The parent of the Python processes of ``local[*]``'s executors.

PySpark forks a process for each task slot from a daemon.  Ours imports what they run beforehand, so it is
imported once instead of once in each, and they share its memory.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

MODULE: Final = "pkg.adapters.spark_daemon"
IMPORTED: Final = "SPARK_DM_EXECUTOR_MODULE"  # an environment variable that names what to import


def main() -> None:
    importlib.import_module(os.environ[IMPORTED])
    from pyspark import daemon

    manager: Any = daemon.manager
    manager()


if __name__ == "__main__":
    main()
