"""A subtask's units in a process of their own, to be killed: `python -m tests.cases.sync.crash_run WIRE_FILE EPOCH`.

Runs what dm-worker's child runs, the full migration and then replication, until standard input ends.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
import threading
from pathlib import Path

from dm_worker.loader.unit import FullMigration
from dm_worker.syncer.unit import Syncer
from pkg.task.subtask import SubtaskConfig


def main() -> None:
    faulthandler.register(signal.SIGUSR1)  # a test that waits in vain asks what everybody does
    config = SubtaskConfig.from_wire(Path(sys.argv[1]).read_bytes())
    epoch = int(sys.argv[2])
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
    if config.task_mode.has_full:
        FullMigration(config, epoch).run(stop)
    if not stop.is_set():
        Syncer(config, epoch).run(stop)


if __name__ == "__main__":
    main()
