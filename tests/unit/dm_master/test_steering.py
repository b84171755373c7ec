"""What operators decide: which place is meant, what is refused before any server is asked, what is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.coordinator import Coordinator
from dm_master.observed import Observation, ObservedSubtask, Outcome, Picture
from dm_master.scheduler import (
    CreateSources,
    Input,
    OperateTask,
    StartTask,
    TaskOrder,
    WorkerJoined,
    WorkerLeft,
    decide,
)
from dm_master.steering import (
    BAD_POSITION,
    NO_FAILING_STATEMENT,
    STATEMENTS_WANTED,
    WHICH_SOURCE,
    BinlogOrder,
    Done,
    SteeringVerbs,
    _left_alone,
    _outcome,
    _refuse_passed,
    failing_position,
)
from dm_master.structures import (
    BAD_STRUCTURE,
    NOT_PAUSED,
    StructureOrder,
    StructureRequest,
    StructureVerbs,
    read_structure,
    refuse_running,
)
from dm_master.tasks import late_outcome
from pkg.adapters.clock import Clock
from pkg.adapters.metastore.engine import sqlite_url
from pkg.adapters.metastore.store import MetaStore
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind
from pkg.facts import SourceFact, SubtaskFact, TaskFact, WorkerFact
from pkg.schema.charset import Charset
from pkg.task import SubtaskConfig, TaskMode
from pkg.task.connection import ConnectionConfig
from tests.servers.ports import free_port

AT = Position("bin.000003", 1274)
LATER = Position("bin.000004", 4)
ERROR = {"ErrCode": 36108, "Message": "no", "location": str(AT)}
ROWS_ERROR = {"ErrCode": 36027, "Message": "rows", "location": ""}


def wire(source: str = "s1") -> str:
    nowhere = ConnectionConfig(host="127.0.0.1", port=free_port(), user="root")
    subtask = SubtaskConfig(
        task_name="t", source_id=source, task_mode=TaskMode.ALL, upstream=nowhere, flavor="mysql", target=nowhere
    )
    return subtask.to_wire().decode()


def events(*sources: str) -> list[Input]:
    return [
        CreateSources(tuple(SourceFact(name, "", "") for name in sources)),
        *(WorkerJoined(WorkerFact(f"w-{name}", "h:1"), 1000.0) for name in sources),
        StartTask(TaskFact("t", ""), {name: wire(name) for name in sources}),
    ]


def cluster(*more: Input) -> Cluster:
    found = Cluster()
    for event in [*events("s1"), *more]:
        found = decide(found, event, Moment(0.0, 5)).cluster
    return found


def subtask(stage: str, *errors: Any, revision: int = 99, **status: Any) -> ObservedSubtask:
    shown = {"name": "t", "stage": stage, "unit": "Sync", "result": {"errors": list(errors)}, **status}
    return ObservedSubtask(revision, shown)


def picture(observed: ObservedSubtask | None, *more: Input) -> Picture:
    seen = {} if observed is None else {"t": observed}
    return Picture(cluster(*more), {"w-s1": Observation(9, "s1", 5, {}, seen)})


def fact_of(found: Picture) -> SubtaskFact:
    return found.cluster.subtasks["t", "s1"]


@pytest.mark.parametrize(
    ("observed", "position"),
    [
        (None, None),
        (subtask("Running"), None),
        (subtask("Paused", ROWS_ERROR), None),
        (subtask("Paused", ERROR), AT),
        (subtask("Paused", ROWS_ERROR, ERROR), AT),
        (subtask("Paused", {"ErrCode": 1}), None),
    ],
)
def test_the_place_is_that_of_the_error(observed: ObservedSubtask | None, position: Position | None) -> None:
    assert failing_position(observed) == position


@pytest.mark.parametrize(
    ("position", "stand", "stands_at", "reason"),
    [
        (AT, None, None, ""),
        (AT, Position("bin.000003", 1000), AT, ""),
        (LATER, Position("bin.000003", 1000), AT, ""),
        (AT, AT, None, "replication has passed it and stands at (bin.000003, 1274)"),
        (Position("bin.000002", 9999), AT, None, "replication has passed it"),
        (Position("bin.000003", 1100), Position("bin.000003", 1000), AT, "everything before it is done"),
        (Position("mysql.000003", 1274), AT, None, "called like bin.000003"),
    ],
)
def test_places_where_no_statement_comes_by(
    position: Position, stand: Position | None, stands_at: Position | None, reason: str
) -> None:
    fact = fact_of(picture(None))
    if not reason:
        _refuse_passed(position, stand, stands_at, fact)
        return
    with pytest.raises(DMError, match="is no place") as caught:
        _refuse_passed(position, stand, stands_at, fact)
    assert reason in caught.value.message


@pytest.mark.parametrize(
    ("observed", "outcome"),
    [
        (None, None),
        (subtask("Resuming"), None),
        (subtask("Running", sync={"syncerBinlog": "(bin.000003, 1000)"}), None),
        (subtask("Running"), None),
        (subtask("Running", sync={"syncerBinlog": str(AT)}), Outcome(True)),
        (subtask("Running", sync={"syncerBinlog": str(LATER)}), Outcome(True)),
        (subtask("Paused", ERROR, revision=1), None),  # has not acted on the order yet
        (subtask("Finished"), Outcome(True, "the subtask has finished")),
    ],
)
def test_a_resumed_subtask_is_waited_for_until_it_is_past(
    observed: ObservedSubtask | None, outcome: Outcome | None
) -> None:
    found = picture(observed, OperateTask(TaskOrder.RESUME, "t", ()))
    assert _outcome(found, fact_of(found), Done(fact_of(found), AT, AT, is_paused=True)) == outcome


def test_a_subtask_that_fails_again_is_a_refusal() -> None:
    found = picture(subtask("Paused", ERROR))
    outcome = _outcome(found, fact_of(found), Done(fact_of(found), AT, AT, is_paused=True))
    assert outcome is not None
    assert (outcome.done, "36108" in outcome.message) == (False, True)


@pytest.mark.parametrize(
    ("stands_at", "is_paused", "resumes"),
    [(AT, True, True), (LATER, True, False), (None, True, True), (None, False, False)],
)
def test_who_stands_at_another_statement_is_not_resumed(
    stands_at: Position | None, is_paused: bool, resumes: bool
) -> None:
    found = picture(subtask("Paused" if is_paused else "Running"))
    done = Done(fact_of(found), AT, stands_at, is_paused)
    assert done.resumes is resumes
    if stands_at == LATER:
        assert "stays paused at another statement, which ends at (bin.000004, 4)" in _left_alone(found, done)


@pytest.fixture
def coordinator(tmp_path: Path) -> Iterator[Coordinator]:
    """One that leads, with a task on two sources whose target is nowhere."""
    store = MetaStore(sqlite_url(tmp_path / "meta.db"))
    found = Coordinator(store, Clock(), "m1", "h:8261")
    found.start()
    found.wait(lambda now: now.leader, 60)
    for event in events("s1", "s2"):
        found.give(event)
    yield found
    found.request_stop()
    found.join(60)
    store.close()


@pytest.mark.parametrize(
    ("order", "sources", "position", "sqls", "kind", "text"),
    [
        (BinlogOrder.SKIP, (), "bin.000003:4", (), WHICH_SOURCE, "s1, s2"),
        (BinlogOrder.SKIP, ("s1",), "there", (), BAD_POSITION, "'there'"),
        (BinlogOrder.REPLACE, (), "", (), STATEMENTS_WANTED, "none was given"),
        (BinlogOrder.INJECT, (), "", (" ; ",), STATEMENTS_WANTED, "none was given"),
    ],
)
def test_refused_as_a_whole(
    coordinator: Coordinator,
    order: BinlogOrder,
    sources: tuple[str, ...],
    position: str,
    sqls: tuple[str, ...],
    kind: ErrorKind,
    text: str,
) -> None:
    with pytest.raises(DMError) as caught:
        SteeringVerbs(coordinator).binlog(order, "t", sources, position, sqls)
    assert caught.value.is_a(kind)
    assert text in caught.value.message


@pytest.mark.parametrize(("task", "sources", "text"), [("u", (), "not exist"), ("t", ("s9",), "s9")])
def test_what_dm_master_does_not_know(coordinator: Coordinator, task: str, sources: tuple[str, ...], text: str) -> None:
    with pytest.raises(DMError, match=text):
        SteeringVerbs(coordinator).binlog(BinlogOrder.SKIP, task, sources, "", ())
    with pytest.raises(DMError, match=text):
        StructureVerbs(coordinator).operate(StructureRequest(StructureOrder.LIST, task, "d", "x"), sources)


def test_one_answer_for_each_source(coordinator: Coordinator) -> None:
    body = SteeringVerbs(coordinator).binlog(BinlogOrder.SKIP, "t", (), "", ())
    assert [(one["source"], one["worker"], one["result"]) for one in body["sources"]] == [
        ("s1", "w-s1", False),
        ("s2", "w-s2", False),
    ]
    assert all(f"code={NO_FAILING_STATEMENT.code}" in one["msg"] for one in body["sources"])
    [answer] = SteeringVerbs(coordinator).binlog(BinlogOrder.LIST, "t", ("s2",), "", ())["sources"]
    assert (answer["result"], answer["operators"]) == (False, [])
    assert "cannot be reached" in answer["msg"]


def test_a_structure_belongs_to_one_source(coordinator: Coordinator) -> None:
    request = StructureRequest(StructureOrder.DELETE, "t", "d", "x")
    with pytest.raises(DMError) as caught:
        StructureVerbs(coordinator).operate(request, ())
    assert caught.value.is_a(WHICH_SOURCE)
    [answer] = StructureVerbs(coordinator).operate(request, ("s1",))["sources"]
    assert "has not reported" in answer["msg"]


PAUSE = OperateTask(TaskOrder.PAUSE, "t", ())


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (picture(subtask("Paused")), ""),
        (picture(subtask("Paused", ROWS_ERROR)), ""),
        (picture(subtask("Finished")), ""),
        (picture(None, PAUSE), ""),
        (picture(subtask("Paused", unit="")), ""),
        (picture(None), "about to start"),
        (picture(subtask("Running")), "the subtask is Running"),
        (picture(subtask("Resuming")), "the subtask is Resuming"),
        (picture(subtask("Pausing"), PAUSE), "the subtask is Pausing"),
        (picture(subtask("Paused", ERROR, nextTry="2026-01-31T08:00:00Z")), "tried again by itself at 2026"),
        (picture(subtask("Paused", unit="Load")), "the full migration is not done yet"),
        (Picture(cluster(), {}), "w-s1 has not reported"),
    ],
)
def test_structures_change_only_while_nothing_runs(found: Picture, reason: str) -> None:
    if not reason:
        refuse_running(found, fact_of(found))
        return
    with pytest.raises(DMError) as caught:
        refuse_running(found, fact_of(found))
    assert caught.value.is_a(NOT_PAUSED)
    assert reason in caught.value.message
    assert "pause-task t -s s1" in caught.value.workaround


def test_a_text_leaves_to_the_upstream_what_it_does_not_say() -> None:
    latin1 = Charset("latin1", "latin1_swedish_ci")
    mysql, mariadb = Server.from_version_text("9.1.0"), Server.from_version_text("10.11.6-MariaDB")
    text = "CREATE TABLE x (a INT, b VARCHAR(9), j JSON);\n"
    table = read_structure(text, "d", latin1, mysql)
    assert (table.schema, table.collation, table.columns[2].type) == ("d", "latin1_swedish_ci", "json")
    assert read_structure(text, "d", latin1, mariadb).columns[2].type == "longtext"
    named = "CREATE TABLE x (a INT) CHARSET=utf8mb4"
    assert read_structure(named, "d", latin1, mysql).collation == "utf8mb4_0900_ai_ci"
    assert read_structure(named, "d", latin1, mariadb).collation == "utf8mb4_general_ci"
    for wrong in (
        "",
        "DROP TABLE x",
        "CREATE TABLE x (a)",
        "CREATE TABLE x LIKE y",
        "CREATE TABLE x (a INT); SELECT 1",
    ):
        with pytest.raises(DMError) as caught:
            read_structure(wrong, "d", latin1, mysql)
        assert caught.value.is_a(BAD_STRUCTURE)


def test_an_order_that_is_late_says_that_the_worker_is_silent() -> None:
    found = picture(subtask("New", revision=1))
    assert "it is New; the order stands" in late_outcome(found, fact_of(found)).message
    silent = replace(found, ages={"w-s1": 9.0})
    assert "dm-worker w-s1 of source s1 has not answered for 9 s" in late_outcome(silent, fact_of(silent)).message


def test_an_order_that_is_late_says_that_the_source_has_moved() -> None:
    moved = picture(None, WorkerJoined(WorkerFact("w2", "h:2"), 1000.0), WorkerLeft("w-s1"))
    said = late_outcome(moved, fact_of(moved)).message
    assert "source s1 has moved to dm-worker w2 from w-s1, which was lost; the order stands" in said
