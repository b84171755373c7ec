"""Runs the cases: those that go through all at once, those that pause each in a subtask of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.operators import store_operator
from pkg.binlog.position import Position
from pkg.task.blocks import BlockAllowListConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.operators import Op, Operator
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.cases import Case
from tests.cases.replicate.replication import Pause, Replication, present_position
from tests.servers import RunningServer

SOURCE_ID = "cases"
PAUSING = "pausing"  # the task of all cases that pause: each is a source of it, so that they share its meta tables
BOTH_COLLATIONS = "utf8mb4_general_ci"  # of schemas that are made on both sides
_RESUMES = 3  # of a run that a dm-worker would try again by itself
LOADED = Path(__file__).with_name("loaded.csv")


@dataclass(frozen=True)
class Pair:
    upstream: RunningServer
    target: RunningServer

    @property
    def name(self) -> str:
        return f"{self.upstream.kind}_{self.target.kind}"


def schema_of(case: Case, upstream: RunningServer, target: RunningServer | None = None) -> str:
    """The case's own schema; a case that pauses has one for each target."""
    suffix = "" if target is None else target.kind[0]
    return f"c_{upstream.kind[:2]}_{case.number:04d}{suffix}"


def run_sql(server: RunningServer, statements: Iterable[str], schema: str) -> None:
    """In one session, which stands in ``schema``."""
    with server.connect(schema, local_infile=True, ssl_disabled=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            sql = statement.replace("$DB", schema).replace("$OUT", f"out_{schema}").replace("$FILE", str(LOADED))
            _run_one(cursor, sql)


def _run_one(cursor: Any, sql: str) -> None:
    try:
        cursor.execute(sql)
        cursor.fetchall()
    except pymysql.err.MySQLError as exc:
        if "/*fails*/" not in sql:
            raise AssertionError(f"{exc} at: {sql[:500]}") from exc


def new_schema(server: RunningServer, schema: str, collation: str = "") -> None:
    """Create the schema in utf8mb4, with the server's collation for that if none is given."""
    with server.connect(ssl_disabled=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {schema} CHARACTER SET utf8mb4" + (collation and f" COLLATE {collation}"))


def subtask(pair: Pair, name: str, schemas: Iterable[str], source_id: str = SOURCE_ID) -> SubtaskConfig:
    """Replicates the schemas that begin like ``schemas``, from its first start on."""
    return SubtaskConfig(
        task_name=name,
        source_id=source_id,
        task_mode=TaskMode.INCREMENTAL,
        upstream=ConnectionConfig(host=pair.upstream.host, port=pair.upstream.port, user="root"),
        target=ConnectionConfig(
            host=pair.target.host, port=pair.target.port, user="root", session={"foreign_key_checks": "0"}
        ),
        meta_schema=f"{name}_meta",
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": [f"~^{schema}" for schema in schemas]}),
        sync={"worker-count": 4, "checkpoint-flush-interval": 1},
    )


@dataclass
class Upstream:
    """Cases that go through, written to one upstream; each target replicates those chosen for it afterwards."""

    server: RunningServer
    cases: list[Case]
    chosen: dict[str, set[int]]  # numbers of cases by kind of target
    name: str  # in the names of tasks
    end: Position | None = None
    refused: dict[int, str] = field(default_factory=dict)  # by number of the case
    ends: list[tuple[Position, int]] = field(default_factory=list)

    def write(self, targets: list[RunningServer], log: Path) -> None:
        """What stands on both sides before, a first start of each replication, and all statements."""
        early = [case for case in self.cases if any(step.place in ("before", "target") for step in case.steps)]
        for case in early:
            self._prepare(case, targets)
        for target in targets:
            replication = Replication(log)
            try:
                replication.start(self.subtask(target, self.wanted(target)))
                replication.stop()
            finally:
                replication.close()
        for case in self.cases:
            if case not in early:
                new_schema(self.server, schema_of(case, self.server))
            self._run(case, "upstream", self.server)
            self.ends.append((present_position(self.server), case.number))
        self.end = present_position(self.server)

    def wanted(self, target: RunningServer) -> list[int]:
        return [case.number for case in self.cases if case.number in self.chosen[target.kind]]

    def subtask(self, target: RunningServer, cases: list[int]) -> SubtaskConfig:
        pair = Pair(self.server, target)
        return subtask(
            pair, f"cases_{self.name}_{pair.name}", [f"c_{self.server.kind[:2]}_{number:04d}" for number in cases]
        )

    def _prepare(self, case: Case, targets: list[RunningServer]) -> None:
        for server in (self.server, *targets):
            new_schema(server, schema_of(case, self.server), BOTH_COLLATIONS)
        self._run(case, "before", self.server)
        for target in targets:
            if case.number in self.chosen[target.kind]:
                self._run(case, "target", target)

    def _run(self, case: Case, place: str, server: RunningServer) -> None:
        statements = [sql for step in case.steps if step.place == place for sql in step.what]
        try:
            run_sql(server, statements, schema_of(case, self.server))
        except AssertionError as exc:
            self.refused.setdefault(case.number, f"{server.kind} refuses: {exc}")

    def case_at(self, place: Position) -> int:
        return next((number for end, number in self.ends if end > place), -1)


def replicate_all(upstream: Upstream, target: RunningServer, log: Path) -> tuple[dict[int, Pause], dict[str, Any]]:
    """Replicate every case that is chosen; the unexpected pauses by number of the case, which is left out from there on."""
    paused: dict[int, Pause] = {}
    assert upstream.end is not None
    wanted = upstream.wanted(target)
    replication = Replication(log)
    left = _RESUMES
    try:
        while True:
            replication.start(upstream.subtask(target, wanted))
            pause = replication.until(upstream.end)
            status = replication.stop()
            if pause is None:
                return paused, status
            if pause.resumes and left:  # a server that is busy cuts the stream
                left -= 1
                continue
            guilty = _guilty(pause, upstream, status)
            assert guilty in wanted, f"replication pauses, and no case can be left out: {pause.text}"
            paused[guilty] = pause
            wanted.remove(guilty)
    finally:
        replication.close()


def _guilty(pause: Pause, upstream: Upstream, status: dict[str, Any]) -> int:
    """The case that the error names, else the one that was applied last but not whole."""
    named = re.search(rf"\bc_{upstream.server.kind[:2]}_(\d\d\d\d)", pause.text)
    if named is not None:
        return int(named[1])
    place = Position.parse(pause.place or status["syncerBinlog"])
    return upstream.case_at(Position(place.name, place.offset - 1) if pause.place else place)


def replicate_pausing(case: Case, pair: Pair, replication: Replication) -> None:
    """Run the steps of one case that pauses, each pause checked."""
    schema = schema_of(case, pair.upstream, pair.target)
    for server in (pair.upstream, pair.target):
        new_schema(server, schema, BOTH_COLLATIONS)
    first = next((number for number, step in enumerate(case.steps) if step.place not in ("before", "target")))
    for step in case.steps[:first]:
        run_sql(pair.upstream if step.place == "before" else pair.target, step.what, schema)
    config = subtask(pair, PAUSING, [schema], schema)
    replication.start(config)  # from here on
    replication.stop()  # what follows stands in the binlog, whole, when the stream is read
    paused: Pause | None = None
    for step in case.steps[first:]:
        if step.place == "upstream":
            run_sql(pair.upstream, step.what, schema)
            continue
        if step.place == "pauses":
            replication.start(config)
            paused = _paused(replication, pair, step.what[0].replace("$DB", schema))
        elif step.place == "target":
            run_sql(pair.target, step.what, schema)
        elif step.place == "operator":
            assert paused is not None, "an operator decides at a pause"
            _operate(pair, config, paused, step.what[0].replace("$DB", schema))
    if case.steps[-1].place != "pauses":
        replication.start(config)
        again = replication.until(present_position(pair.upstream))
        replication.stop()
        assert again is None, f"replication does not go on: {again}"


def _paused(replication: Replication, pair: Pair, words: str) -> Pause:
    paused = replication.until(present_position(pair.upstream))
    replication.stop()
    assert paused is not None, "replication goes on"
    for wanted in words.split(" … "):
        assert wanted in paused.text, f"{wanted!r} is not in {paused.text}"
    return paused


def _operate(pair: Pair, config: SubtaskConfig, paused: Pause, said: str) -> None:
    op, _, sql = said.partition(" ")
    operator = Operator(Position.parse(paused.place), Op(op), (sql,) if sql else ())
    with pair.target.connect(ssl_disabled=True) as connection:
        store_operator(connection, MetaTables(config.meta_schema, config.task_name), config.source_id, operator)
