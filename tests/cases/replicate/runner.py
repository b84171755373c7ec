"""Runs subtasks in a process of its own, one at a time: ``python -m tests.cases.replicate.runner``.

Each line on standard input is a request as JSON, answered by one line: ``{"start": WIRE, "epoch": N}``,
``{"status": true}``, ``{"stop": true}``.  The answer is the sync unit's status; ``error`` is how the unit ended.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from typing import Any

from dm_worker.syncer.unit import Syncer
from pkg.errors import as_dm_error
from pkg.task.subtask import SubtaskConfig


class Running:
    """A sync unit on a thread."""

    def __init__(self, wire: str, epoch: int) -> None:
        self._stop = threading.Event()
        self._error: dict[str, Any] | None = None
        self._unit = Syncer(SubtaskConfig.from_wire(wire), epoch)
        self._thread = threading.Thread(target=self._go)
        self._thread.start()

    def _go(self) -> None:
        try:
            self._unit.run(self._stop)
        except Exception as exc:
            logging.exception("the unit paused")
            error = as_dm_error(exc)
            place = str(error.fields.get("place", ""))
            self._error = {"text": str(error), "place": place, "resumes": error.resumable}

    def status(self) -> dict[str, Any]:
        error = self._error if not self._thread.is_alive() else None
        return {**self._unit.status(), "error": error}

    def stop(self) -> dict[str, Any]:
        self._stop.set()
        self._thread.join()
        return self.status()


def main() -> None:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    running: Running | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if "start" in request:
            running = Running(request["start"], request["epoch"])
        assert running is not None, "start comes first"
        answer = running.stop() if "stop" in request else running.status()
        print(json.dumps(answer, default=str), flush=True)
    if running is not None:
        running.stop()


if __name__ == "__main__":
    main()
