"""Replication as a test steers it: start a subtask, wait until it is past a place or paused, stop it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pkg.binlog.position import Position
from pkg.task.secret import REVEAL
from pkg.task.subtask import SubtaskConfig
from tests.forks import Forked
from tests.servers import RunningServer

WAIT_SECONDS = 180
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Pause:
    """The error that ended a run, and the place of the statement that it is about ("": of rows)."""

    text: str
    place: str
    resumes: bool = False  # a dm-worker tries again by itself


class SlowError(Exception):
    """Replication gets on, and is not there yet."""


class Replication:
    """A child process that runs one subtask after the other."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("w")
        self._epoch = 0
        self._process = Forked("tests.cases.replicate.runner", environment=os.environ, stderr=self._log)

    def start(self, config: SubtaskConfig) -> None:
        """Start a subtask and wait until it reads the stream, or is paused before it could."""
        self._epoch += 1
        wire = config.model_dump_json(context=REVEAL, by_alias=True)
        status = self._ask({"start": wire, "epoch": self._epoch})
        deadline = time.monotonic() + WAIT_SECONDS
        while status["error"] is None and "syncerBinlog" not in status and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            status = self._ask({"status": True})

    def stop(self) -> dict[str, Any]:
        return self._ask({"stop": True})

    def until(
        self, end: Position, patience: float = WAIT_SECONDS, poll: float = POLL_SECONDS, longest: float = float("inf")
    ) -> Pause | None:
        """Wait until all up to ``end`` is applied (None), or replication pauses; it may take long, but not stand still.

        Raises TimeoutError where nothing is applied for ``patience`` seconds, SlowError where all takes ``longest``.
        """
        deadline, seen, last = time.monotonic() + patience, ("", 0), time.monotonic() + longest
        while time.monotonic() < deadline:
            status = self._ask({"status": True})
            if status["error"] is not None:
                return Pause(**status["error"])
            applied = status.get("syncerBinlog", "")
            if applied and Position.parse(applied) >= end:
                return None
            if (done := (applied, status.get("totalRows", 0))) != seen:
                deadline, seen = time.monotonic() + patience, done
            if time.monotonic() > last:
                raise SlowError(f"replication is under way to {end}: {status}")
            time.sleep(poll)
        raise TimeoutError(f"replication did not come to {end}: {status}")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"replication ended, see {self._log.name}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(timeout=60)
        finally:
            self._process.kill()
            self._log.close()


def present_position(server: RunningServer) -> Position:
    """Where the server's binlog ends."""
    sql = "SHOW BINARY LOG STATUS" if server.kind == "mysql" else "SHOW MASTER STATUS"
    with server.connect(ssl_disabled=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        row = cursor.fetchone()
    return Position(row[0], int(row[1]))
