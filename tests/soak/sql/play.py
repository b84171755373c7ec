"""One round on a stage: its statements upstream, its faults, and what the target has in the end."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pymysql

from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.position import Position
from tests.cases.e2e.job import binlog_position
from tests.servers import RunningServer
from tests.servers.replica import logged
from tests.soak.sql.compare import differences
from tests.soak.sql.harm import RESET, RESTORE, SWITCH, Harm
from tests.soak.sql.onwards import ANEW, Onwards
from tests.soak.sql.settings import TASK, Settings
from tests.soak.sql.stage import Stage
from tests.soak.sql.steps import COMPARE, FAULT, POINT, SETTLE, SQL, START, Step
from tests.soak.sql.verdicts import (
    BROKEN,
    DIFFERENT,
    PAUSED,
    RESETS,
    RESTORES,
    STUCK,
    SWITCHES,
    Outcome,
    Pause,
    is_right,
    pause_of,
    progress,
    reasons,
)

STUCK_SECONDS = 60.0  # without any progress
POLL_SECONDS = 0.1
TRIES = (
    4  # of a statement whose connection was lost, or of a DDL that waits for a lock: shards that merge all take theirs
)
LOCKED = 1205
_LOST = (0, 1053, 1927, 2003, 2006, 2013, 2014, 4031)
_WAITS = {"mariadb": 1, "mysql": 1}  # seconds for a lock: the writers are one thread
_COPY = ["copy"]  # what is under way from the start on, until all is in step
_FAILS = "runtime error"  # of TiDB itself, at some first reading of a table
_OTHER_BINLOG = {RESET: RESETS, RESTORE: RESTORES, SWITCH: SWITCHES}  # with the errors that it may lead to
_BETWEEN = ("begin", "commit", "rollback", "savepoint", "set", "xa")


class _Enough(Exception):
    """The verdict is found."""


class Play:
    """`Play(stage, settings).run(steps)`."""

    def __init__(self, stage: Stage, settings: Settings) -> None:
        self._stage = stage
        self._settings = settings
        self._links: dict[str, Any] = {}
        self._harm = Harm(stage, settings, lambda: {link.thread_id() for link in self._links.values()})
        self._point: Step | None = None
        self._under_way: list[str] = []  # kinds of statements since the point was armed
        self._is_started = self._is_compared = False
        self._onwards = Onwards(stage, settings)
        self.outcome = Outcome()

    def run(self, steps: Sequence[Step]) -> Outcome:
        begun, outcome = time.monotonic(), self.outcome
        try:
            with self._spent("begin"):
                self._stage.begin(self._settings)
            for step in steps:
                self._do(step)
            if self._is_started:
                self._compare()
                self._close()
                with self._spent("begin"):
                    self._stage.end(self._settings)
        except _Enough:
            pass
        except Exception:
            outcome.verdict, outcome.detail = BROKEN, traceback.format_exc()
        finally:
            with suppress(Exception):
                self._harm.calm()
            self._close()
        outcome.seconds = time.monotonic() - begun
        return outcome

    def _do(self, step: Step) -> None:
        if step.what == SQL:
            if self._onwards.given_up and self._is_compared:
                self._begin_anew()
            with self._spent("sql"):
                self._execute(step)
        elif step.what == FAULT:
            with self._spent("faults"):
                self._stage.revive(self._harm.held)
                done = self._harm.do(step)
            self.outcome.faults[step.kind] += done
            if done and step.kind in _OTHER_BINLOG and self._is_started:
                self._behind_other_binlog(step.source, step.kind)
        elif step.what == POINT:
            self._arm(step)
        elif step.what == START:
            with self._spent("begin"):
                self._stage.start_task(self._settings)
            self._is_started = True
            self._under_way = list(_COPY)
        elif step.what == SETTLE and self._is_started:
            self._wait()
            self._look_at_point()
        elif step.what == COMPARE and self._is_started:
            self._compare()

    def _arm(self, step: Step) -> None:
        """What was done before has passed no point any more."""
        if self._is_started:
            self._wait()
        self._stage.armed.write_text(f"{step.kind}{step.text}")
        self._point, self._under_way = step, []

    def _look_at_point(self) -> None:
        """Note under which statements a process died, if one did."""
        if self._point is None:
            self._under_way = []
            return
        if not self._stage.armed.read_text():
            self.outcome.faults["point"] += 1
            self.outcome.met.update(f"{self._point.kind}/{kind}" for kind in self._under_way if kind not in _BETWEEN)
        self._stage.armed.write_text("")
        self._point, self._under_way = None, []

    # --- statements

    def _execute(self, step: Step) -> None:
        self.outcome.statements += 1
        self._onwards.heard(step.text)
        self._is_compared = False
        if self._under_way != _COPY:
            self._under_way.append(step.kind)
        for left in reversed(range(TRIES)):
            try:
                cursor = self._link(step).cursor()
                cursor.execute(step.text)
                cursor.fetchall()
                return
            except (pymysql.Error, OSError) as exc:
                code = exc.args[0] if isinstance(exc, pymysql.Error) and exc.args else 0
                if code in _LOST:  # the connection is opened anew
                    self._links.pop(step.at, None)
                elif code != LOCKED or not step.text.startswith("ALTER"):
                    left = 0
                if not left:
                    self.outcome.refused["lost" if code in _LOST else str(code)] += 1
                    return

    def _link(self, step: Step) -> Any:
        if step.at not in self._links:
            server = self._stage.upstreams[step.source]
            link = server.connect(read_timeout=60)
            with link.cursor() as cursor:
                wait = _WAITS[server.kind]
                cursor.execute(f"SET innodb_lock_wait_timeout = {wait}, lock_wait_timeout = {wait}")
            self._links[step.at] = link
        return self._links[step.at]

    def _close(self) -> None:
        for link in self._links.values():
            with suppress(pymysql.Error, OSError):
                link.close()
        self._links.clear()

    # --- the end

    def _compare(self) -> None:
        with self._spent("faults"):
            self._harm.calm()
        self._wait()
        self._look_at_point()
        with self._spent("compare"):
            found, rows = differences(self._stage, self._settings, self._onwards.unclear())
            if any(_FAILS in one.target for one in found):
                found, rows = differences(self._stage, self._settings, self._onwards.unclear())
        self.outcome.rows += rows
        self._is_compared = True
        if found:
            where = progress(self._stage.cluster.subtasks(TASK))
            self._end(DIFFERENT, found[0].kind, "\n".join([*map(str, found), f"at {where}"]))

    def _wait(self) -> None:
        """Until all that the sources have is applied."""
        begun, others = time.monotonic(), sum(self.outcome.spent.values())
        try:
            self._wait_on()
        finally:
            self.outcome.spent["wait"] += time.monotonic() - begun - (sum(self.outcome.spent.values()) - others)

    def _wait_on(self) -> None:
        written = self._written(by_gtid=self._settings.gtid)
        said, since = "", time.monotonic()
        while True:
            self._stage.revive(self._harm.held)
            statuses = self._stage.cluster.subtasks(TASK)
            if _have_applied(statuses, written):
                return
            if (pause := pause_of(statuses)) is not None:
                self._past(pause)
                said, since = "", time.monotonic()
                continue
            if (now := progress(statuses)) != said:
                said, since = now, time.monotonic()
            if time.monotonic() - since > STUCK_SECONDS:
                locks = self._stage.cluster.ask("shard-ddl-lock", "explain", TASK).out
                detail = f"at {said}\nwritten {written}\n{self._stage.cluster.errors(TASK)}\n{locks}"
                self._end(STUCK, reasons(statuses), detail)
            time.sleep(POLL_SECONDS)

    def _behind_other_binlog(self, source: str, fault: str) -> None:
        """A task whose upstream has another binlog goes on where that has all that was applied; else it has to say so."""
        with self._spent("faults"):
            self._harm.calm()
        self._close()  # a transaction that is open holds a table that the copy locks for a moment
        expected, by_gtid = _OTHER_BINLOG[fault], fault == SWITCH and self._settings.gtid
        if self._settings.relay and not by_gtid:
            self._begin_anew([source])  # the relay log says so, and begins anew, too
            return
        end = time.monotonic() + STUCK_SECONDS
        while time.monotonic() < end:
            self._stage.revive(self._harm.held)
            statuses = self._stage.cluster.subtasks(TASK)
            if (pause := pause_of(statuses, expected)) is not None:
                self._past(pause, expected)
                return
            written = self._written(by_gtid=by_gtid)  # MariaDB adds an event of its own, in its own time
            if _have_applied(statuses, written, is_same=True):
                return
            time.sleep(POLL_SECONDS)
        self._end(STUCK, fault, f"no pause: {progress(statuses)}, written {written}")

    def _written(self, *, by_gtid: bool) -> dict[str, _End]:
        """Where each source's binlog ends."""
        return {name: _End.of(self._stage.upstreams[name], by_gtid) for name in self._settings.names}

    def _past(self, pause: Pause, expected: Sequence[str] = ()) -> None:
        """Go on behind a pause that is documented, expected, or about what is given up; or end."""
        known = pause.code in expected or is_right(pause.code, self._settings.target)
        if not known and not self._onwards.is_about_given_up(pause):
            self._end(PAUSED, pause.code, pause.text)
        self.outcome.pauses[pause.code] += 1
        with self._spent("faults"):
            self._harm.calm()
        with self._spent("onwards"):
            way = self._onwards.past(pause)
        if not way:
            self._end(PAUSED, pause.code, pause.text)
        self.outcome.ways[way] += 1

    def _begin_anew(self, sources: Sequence[str] = ()) -> None:
        """What was given up is looked at again; ``sources``: whose binlogs began anew."""
        with self._spent("onwards"):
            assert self._onwards.anew(sources), f"the task does not begin anew: {self._stage.said}"
        self.outcome.ways[ANEW] += 1
        self._wait()

    @contextmanager
    def _spent(self, part: str) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:
            self.outcome.spent[part] += time.monotonic() - begun

    def _end(self, verdict: str, code: str, detail: str) -> None:
        self.outcome.verdict, self.outcome.code, self.outcome.detail = verdict, code, detail
        raise _Enough


@dataclass(frozen=True)
class _End:
    """Where a binlog ends; with its GTIDs, where those tell a task where it is."""

    position: Position
    gtids: GtidSet | None

    @classmethod
    def of(cls, server: RunningServer, by_gtid: bool) -> _End:
        return cls(binlog_position(server), parse_gtid_set(logged(server), server.kind) if by_gtid else None)

    def is_reached(self, sync: Mapping[str, Any], *, is_same: bool) -> bool:
        """A task that had all of another server's transactions before stays at the head of the file there."""
        place = Position.parse(sync["syncerBinlog"])
        if place == self.position or (place > self.position and not is_same):
            return True
        if self.gtids is None or place != Position(self.position.name, 4):
            return False
        return self.gtids == parse_gtid_set(sync["syncerBinlogGtid"], self.gtids.flavor)


def _have_applied(statuses: Mapping[str, Any], written: Mapping[str, _End], *, is_same: bool = False) -> bool:
    """Whether each source's subtask is at least (``is_same``: just) where ``written`` says, and holds no table back."""
    syncs = [statuses.get(name, {}).get("sync") or {} for name in written]
    if any(sync.get("unresolvedGroups", [None]) or not sync.get("syncerBinlog") for sync in syncs):
        return False
    return all(end.is_reached(sync, is_same=is_same) for sync, end in zip(syncs, written.values(), strict=True))
