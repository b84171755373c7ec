"""Each fault by its name, and how it is done to the real programs and servers."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pymysql

from tests.cluster import generations
from tests.servers import RunningServer
from tests.servers.running import sessions
from tests.soak.copy_harm import ordered
from tests.soak.sql.settings import MERGED, TASK, Settings
from tests.soak.sql.stage import KEEPALIVE_SECONDS, Stage
from tests.soak.sql.steps import FAULT, POINT, Step

LEASE_SECONDS = 5 * KEEPALIVE_SECONDS  # in which dm-master has seen that a worker is away
PAIRED = {  # what is undone by another one, some statements later
    "freeze-worker": "thaw", "freeze-daemon": "thaw", "freeze-subtask": "thaw", "freeze-master": "thaw", "freeze-target": "thaw", "pause": "resume",
    "stop-task": "start-task", "fill-disk": "empty-disk", "stop-target": "start-target", "hold-worker": "start-worker",
    "back-up-upstream": "restore-upstream",
}  # fmt: skip
RESET, RESTORE, SWITCH = "reset-upstream", "restore-upstream", "switch-upstream"  # after which all may be copied anew
_ORDERS = ("resume", "start-task")


@dataclass
class Harm:
    """What is done, and what of it is still to be undone."""

    stage: Stage
    settings: Settings
    own: Callable[[], set[int]]  # the writers' connections, which are not cut
    frozen: list[int] = field(default_factory=list)
    held: str = ""  # a worker that is not to come back yet
    undo: dict[str, Callable[[], None]] = field(default_factory=dict)  # by the name of what undoes it

    def do(self, step: Step) -> bool:
        """Whether there was something to do it to."""
        if self.stage.cluster.pid("master") in self.frozen:
            self._undo("thaw")  # else nothing could be asked
        if step.kind in self.undo:
            if step.kind in _ORDERS and "start-target" in self.undo:
                self._undo("start-target")  # which a task's start looks at
            self._undo(step.kind)
            return True
        way = FAULTS.get(step.kind)
        return way is not None and way(self, step.at) is not False

    def calm(self) -> None:
        """Nothing is frozen, stopped or full any more."""
        for name in sorted(self.undo, key=_ORDERS.__contains__):
            self._undo(name)

    def _undo(self, name: str) -> None:
        self.undo.pop(name)()

    # --- processes

    def kill_subtask(self, source: str) -> bool:
        worker = self.stage.worker_of(source)
        return bool(worker) and self.stage.cluster.kill_subtasks(worker) > 0

    def kill_worker(self, source: str) -> bool:
        """It comes back at once, as a service manager would have it."""
        worker = self.stage.worker_of(source)
        if not worker:
            return False
        self.stage.cluster.kill(worker)
        self.stage.start_worker(worker)
        return True

    def kill_family(self, source: str) -> bool:
        """The worker with all that it has started."""
        worker = self.stage.worker_of(source)
        if not worker:
            return False
        self._signal(self._family(worker), signal.SIGKILL)
        self.stage.cluster.kill(worker)
        self.stage.start_worker(worker)
        return True

    def hold_worker(self, source: str) -> bool:
        """It dies and comes back later: another one has the source by then."""
        worker = self.stage.worker_of(source)
        if not worker or "start-worker" in self.undo:
            return False
        self.held = worker
        self.stage.cluster.kill(worker)

        def again() -> None:
            self._away(worker)
            self.held = ""
            self.stage.start_worker(worker)

        self.undo["start-worker"] = again
        return True

    def move_source(self, source: str) -> bool:
        """Its worker is stopped in order; the source moves to a free one."""
        worker = self.stage.worker_of(source)
        if not worker or "start-worker" in self.undo:
            return False
        self.stage.cluster.stop(worker)
        self.stage.start_worker(worker)
        return True

    def kill_master(self, source: str) -> None:
        self._thaw()  # one that is frozen is another fault
        self.stage.cluster.kill("master")
        self.stage.cluster.start_master()

    def freeze_worker(self, source: str) -> bool:
        """The daemon with all below it, past its lease: another worker takes the source, then it goes on."""
        worker = self.stage.worker_of(source)
        if not worker or "thaw" in self.undo:
            return False
        self._freeze(self._family(worker), lambda: self._away(worker))
        return True

    def freeze_daemon(self, source: str) -> bool:
        """The daemon alone, while what it has started works on."""
        worker = self.stage.worker_of(source)
        if not worker or "thaw" in self.undo:
            return False
        self._freeze([self.stage.cluster.pid(worker)], lambda: self._away(worker))
        return True

    def freeze_subtask(self, source: str) -> bool:
        worker = self.stage.worker_of(source)
        pids = self.stage.cluster.subtask_pids(worker) if worker else []
        if not pids or "thaw" in self.undo:
            return False
        self._freeze(pids, lambda: time.sleep(KEEPALIVE_SECONDS))
        return True

    def freeze_master(self, source: str) -> bool:
        if "thaw" in self.undo:
            return False
        self._freeze([self.stage.cluster.pid("master")], lambda: time.sleep(2 * KEEPALIVE_SECONDS))
        return True

    def freeze_target(self, source: str) -> bool:
        if "thaw" in self.undo:
            return False
        self._freeze([self.stage.target.pid], lambda: time.sleep(KEEPALIVE_SECONDS))
        return True

    def _family(self, worker: str) -> list[int]:
        return [pid for family in generations(self.stage.cluster.pid(worker)) for pid in family]

    def _freeze(self, pids: list[int], past: Callable[[], None]) -> None:
        self.frozen = pids
        self._signal(pids, signal.SIGSTOP)

        def thaw() -> None:
            past()
            self._thaw()

        self.undo["thaw"] = thaw

    def _thaw(self) -> None:
        self.undo.pop("thaw", None)
        self._signal(self.frozen, signal.SIGCONT)
        self.frozen = []

    def _signal(self, pids: list[int], what: signal.Signals) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, what)

    def _away(self, worker: str) -> None:
        """Until dm-master has seen that the worker is away, and another one has what it had."""
        deadline = time.monotonic() + LEASE_SECONDS
        while time.monotonic() < deadline:
            bound = self.stage.bound()
            if worker not in bound and set(self.settings.names) <= set(bound.values()):
                return
            time.sleep(0.1)

    # --- servers and connections

    def cut_target(self, source: str) -> bool:
        return self._cut(self.stage.target)

    def cut_upstream(self, source: str) -> bool:
        return self._cut(self.stage.upstreams[source])

    def _cut(self, server: RunningServer) -> bool:
        """All of the toolkit's connections."""
        with server.connect() as connection, connection.cursor() as cursor:
            numbers = {one.number for one in sessions(cursor) if one.user == "root"} - self.own()
            for number in numbers:
                with suppress(pymysql.Error):  # it has just ended
                    cursor.execute(f"KILL {number}")
        return bool(numbers)

    def restart_upstream(self, source: str) -> None:
        self.stage.upstreams[source].restart()

    def kill_upstream(self, source: str) -> None:
        self.stage.upstreams[source].kill()
        self.stage.upstreams[source].restart()

    def reset_upstream(self, source: str) -> None:
        """Its binlog begins anew while nobody reads it: nothing that was read of it says where to go on."""
        self._cut(self.stage.upstreams[source])
        self.stage.upstream(source).reset()

    def back_up_upstream(self, source: str) -> None:
        self.stage.upstream(source).back_up()

    def restore_upstream(self, source: str) -> bool:
        """It has what it had at the backup, under the same name, and writes its binlog on from there."""
        return self.stage.upstream(source).restore()

    def switch_upstream(self, source: str) -> bool:
        """Another server answers at the source's address: a replica that has all, in a binlog of its own."""
        return self.stage.upstream(source).switch()

    def restart_target(self, source: str) -> None:
        self._thaw()
        self.stage.target.restart()

    def stop_target(self, source: str) -> bool:
        if {"thaw", "start-target"} & self.undo.keys():
            return False
        self.stage.target.stop()
        self.undo["start-target"] = lambda: self.stage.target.restart() and None
        return True

    def fill_disk(self, source: str) -> bool:
        """Of the relay logs."""
        if not (self.settings.relay and self.stage.has_small_disk) or "empty-disk" in self.undo:
            return False
        filler = self.stage.relays / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass
        self.undo["empty-disk"] = lambda: filler.unlink(missing_ok=True)
        return True

    # --- orders

    def pause(self, source: str) -> bool:
        if {"thaw", "start-task", "resume"} & self.undo.keys():
            return False
        ordered(self.stage.cluster, "pause-task", TASK)
        self.undo["resume"] = lambda: ordered(self.stage.cluster, "resume-task", TASK)
        return True

    def stop_task(self, source: str) -> bool:
        if {"thaw", "resume", "start-task", "start-worker", "start-target"} & self.undo.keys():
            return False
        ordered(self.stage.cluster, "stop-task", TASK)
        self.undo["start-task"] = lambda: ordered(self.stage.cluster, "start-task", str(self.stage.task_file))
        return True


FAULTS: dict[str, Callable[[Harm, str], bool | None]] = {
    name.replace("_", "-"): way
    for name, way in vars(Harm).items()
    if not name.startswith("_") and name not in ("do", "calm") and callable(way)
}
_WEIGHTS: dict[str, float] = {
    "kill-subtask": 4,
    "kill-worker": 2,
    "cut-target": 2,
    "cut-upstream": 2,
    "fill-disk": 2,  # possible only with a relay, on a small disk
    RESET: 2,  # not with merged tables
    "back-up-upstream": 2,  # the same
    SWITCH: 2,
}


POINTS = {  # by what passes them: a copy, a DDL, rows
    "copy": ("loader", "snapshot", "split", "later", "again", "views"),
    "ddl": ("ddl", "keys", "relay", "syncer.ddl"),
    "shard": ("shard", "shard", "ddl", "relay", "syncer.ddl"),
    "dml": ("relay", "syncer.before", "syncer.after"),
}


def drawn(settings: Settings, rng: random.Random, names: list[str]) -> list[Step]:
    """The faults of one stretch, each with what undoes it."""
    steps = []
    if settings.routes == MERGED:  # whose tables are not alike in the middle of a round, and so cannot be copied anew
        names = [name for name in names if PAIRED.get(name, name) not in (RESET, RESTORE, SWITCH)]
    for _ in range(rng.choice((0, 1, 2, 2, 3))):
        name = rng.choices(names, [_WEIGHTS.get(one, 1) for one in names])[0]
        source = rng.choice(settings.names)
        steps.append(Step(FAULT, source, name))
        if name in PAIRED:
            steps.append(Step(FAULT, source, PAIRED[name]))
    return steps


def drawn_point(what: str, rng: random.Random, points: list[str]) -> Step | None:
    """A crash point on the way of a copy, a DDL or rows; None: without one."""
    able = [point for point in points if point.startswith(POINTS[what])]
    if not able or rng.random() < 0.4:
        return None
    return Step(
        POINT,
        "-",
        rng.choice(able),
        f"@{rng.choice((1, 1, 1, 2, 3))}={rng.choice(('kill', 'kill', 'kill', 'delay:1'))}",
    )
