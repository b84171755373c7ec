"""Runs one FullMigration (or the unit of another task-mode) in a process of its own: a SubtaskConfig on standard input, its end on standard output.

``python -m tests.cases.full.run_unit BIND_EPOCH < wire``: prints the last status as JSON, or the error's
code and text; a line on standard input after the first one stops it.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from google.protobuf.json_format import ParseDict

from dm_worker.runner import make_unit
from dm_worker.subtask import units_for
from pkg.adapters.mysql.errors import SERVER_BUSY
from pkg.adapters.rpc import dm_pb2
from pkg.errors import DMError, as_dm_error
from pkg.task.subtask import SubtaskConfig
from pkg.unit import Unit, UnitName

BUSY_TIMES = 5  # that a server (TiDB beside many others on one machine) may refuse work for the moment


def main() -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    stop = threading.Event()
    config = SubtaskConfig.from_wire(sys.stdin.readline())
    name = units_for(config.task_mode, "")[0]
    threading.Thread(target=lambda: sys.stdin.readline() and stop.set(), daemon=True).start()
    try:
        unit = _run(name, config, stop)
    except Exception as exc:
        logging.exception("the unit failed")
        error = as_dm_error(exc)
        print(json.dumps({"code": error.code, "resumable": error.resumable, "text": str(error)}))
        return 1
    ParseDict(dict(unit.status()), getattr(dm_pb2, f"{name}Status")())  # fails for what no message carries to dm-master
    threads = sorted(thread.name for thread in threading.enumerate() if not thread.daemon)
    print(json.dumps({**unit.status(), "stopped": stop.is_set(), "threads": threads, "jvms": _children()}))
    return 0


def _run(name: UnitName, config: SubtaskConfig, stop: threading.Event) -> Unit:
    """Run a unit to its end, and as the worker does again where a server is busy; the last one."""
    for failures in count(1):
        unit = make_unit(name, config, int(sys.argv[1]), "")
        try:
            unit.run(stop)
            return unit
        except DMError as exc:
            if not SERVER_BUSY.matches(exc) or failures == BUSY_TIMES:
                raise
            logging.warning("it runs again: %s", exc)
            time.sleep(1)
    raise AssertionError("unreachable")


def _children() -> list[str]:
    """Programs that this process has left running."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread, or a child, that has just ended
            for pid in (task / "children").read_text().split():
                found.append(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


if __name__ == "__main__":
    sys.exit(main())
