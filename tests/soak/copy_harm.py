"""What the campaign of full copies does to a task that copies: it kills any of its processes, and more."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pymysql

from tests.cluster import EXECUTORS, Cluster, generations
from tests.servers import RunningServer
from tests.servers.running import sessions
from tests.soak.data import kill_something
from tests.workload.shop import connect

SPARK_SECONDS = 40.0
ORDER_SECONDS = 60.0


@dataclass
class Harm:
    """Everything of a task that can be harmed; its file has its name."""

    cluster: Cluster
    sources: dict[str, RunningServer]
    target: RunningServer
    task: str
    points: Sequence[str]
    rng: random.Random

    def do(self) -> str:
        """One thing; how it is called in the report, "" when there was nothing to harm."""
        kinds: list[tuple[Callable[[], str], int]] = [
            (self._kill, 3), (self._executor, 4), (self._jvm, 2), (self._group, 2), (self._point, 4), (self._pause, 2),
            (self._stop, 2), (self._connection, 3), (self._target, 1),
        ]  # fmt: skip
        ways, weights = zip(*kinds, strict=True)
        way: Callable[[], str] = self.rng.choices(ways, weights)[0]
        return way()

    def on_spark(self, is_copying: Callable[[], bool]) -> str:
        """Wait until Spark copies, which takes a while where much else runs, and kill a part of it."""
        deadline = time.monotonic() + SPARK_SECONDS
        while time.monotonic() < deadline and is_copying():
            if any(len(generations(pid)) > EXECUTORS for pid in self._subtasks()):
                time.sleep(self.rng.uniform(0, 2))
                return self.rng.choice((self._executor, self._executor, self._jvm, self._group, self._connection))()
            time.sleep(0.1)
        return ""

    def _subtasks(self) -> list[int]:
        return [pid for name in self.sources for pid in self.cluster.subtask_pids(f"w-{name}")]

    def calm(self) -> None:
        """No point is armed any more."""
        for name in self.sources:
            self._armed(name).unlink(missing_ok=True)

    def _worker(self) -> str:
        return f"w-{self.rng.choice(sorted(self.sources))}"

    def _kill(self) -> str:
        return kill_something(self.cluster, self.rng, [f"w-{name}" for name in self.sources])

    def _executor(self) -> str:
        """A process of Python that Spark runs chunks in."""
        return self._below(EXECUTORS, "executor")

    def _jvm(self) -> str:
        return self._below(1, "jvm")

    def _below(self, generation: int, name: str) -> str:
        families = [generations(pid) for pid in self._subtasks()]
        found = [pid for family in families if len(family) > generation for pid in family[generation]]
        if not found:
            return ""
        with suppress(ProcessLookupError):
            os.kill(self.rng.choice(found), signal.SIGKILL)
        return name

    def _group(self) -> str:
        """The worker with all that it has started, at the same time."""
        worker = self._worker()
        pids = [pid for family in generations(self.cluster.pid(worker)) for pid in family]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.cluster.kill(worker)
        self.cluster.start_worker(worker)
        return "worker and all below"

    def _point(self) -> str:
        """A source's process dies or is slow where it passes a point; a file that is there is left."""
        file = self._armed(self.rng.choice(sorted(self.sources)))
        if not file.exists() or not file.read_text():
            action = self.rng.choice(("kill", "kill", "delay:1"))
            file.write_text(f"{self.rng.choice(self.points)}@{self.rng.randint(1, 8)}={action}")
        return "at a point"

    def _armed(self, name: str) -> Path:
        return self.cluster.folder / name

    def _pause(self) -> str:
        self.cluster.ask("pause-task", self.task)
        time.sleep(self.rng.uniform(0, 1))
        ordered(self.cluster, "resume-task", self.task)
        return "pause"

    def _stop(self) -> str:
        ordered(self.cluster, "stop-task", self.task)
        ordered(self.cluster, "start-task", str(self.cluster.folder / f"{self.task}.yaml"))
        return "stop"

    def _connection(self) -> str:
        """One of the toolkit's: those of the writers are in a schema."""
        server = self.rng.choice([*self.sources.values(), self.target])
        with connect(server) as connection, connection.cursor() as cursor:
            numbers = sorted(one.number for one in sessions(cursor) if one.user == "root" and not one.schema)
            if not numbers:
                return ""
            with suppress(pymysql.Error):  # it has just ended
                cursor.execute(f"KILL {self.rng.choice(numbers)}")
        return "connection"

    def _target(self) -> str:
        self.target.restart()
        return "target"


def ordered(cluster: Cluster, *words: str) -> None:
    """An order that is repeated until it is taken; an answer may be late where much else runs."""
    answers = []

    def is_taken() -> bool:
        result = cluster.ask(*words)
        answers.append(f"{result.out}{result.err}")
        return result.code == 0 or "already exist" in answers[-1]

    try:
        cluster.wait(is_taken, "", ORDER_SECONDS)
    except AssertionError as exc:
        raise AssertionError(f"{' '.join(words)} is not taken: {_failures(answers[-1])}") from exc


def _failures(answer: str) -> str:
    """Of an answer of dmctl the checks that failed; the end of one without any."""
    _, _, rest = answer.partition("detail: ")
    with suppress(ValueError):
        checks, _ = json.JSONDecoder().raw_decode(rest.encode().decode("unicode_escape"))
        return json.dumps([check for check in checks["results"] if check["state"] == "fail"])
    return answer[-3000:]
