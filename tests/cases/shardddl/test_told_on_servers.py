"""The told cases of tests/unit/shardddl on real servers: MariaDB and MySQL 9 are merged, most of them into TiDB.

Each case has databases of its own, and goes its way beside the model that it is told to: after every step
dmctl must show what the model does, and at the end the rows, the structures and the statements that TiDB
has run must be the told ones.  All tables are written to between all steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from tests.cases.shardddl.told_task import Stage, ToldTask
from tests.conftest import start_or_report
from tests.crossing import parameters
from tests.servers import RunningServer
from tests.unit.shardddl.test_cases import LISTED, TOLD
from tests.unit.shardddl.text_case import Case

NOT_HERE = {  # why
    "a table of another database joins": "its text names the default of one kind of server",
    "add a timestamp": "rows that are there get the time at which each server adds it",
    "a partition is added": "rows of more than two tables do not fit its partitions",
    "a table without a route is renamed, in one source": "it is refused in a task of two sources",
    "the first table of a target is created in two sources": "dm-master learns of the second one a moment later",
    "some of a source's tables have met it, and pass over it": "the place of the DDL is to be named",
    "some of a source's tables have met it, and it is replaced": "",
    "a shard is made while the stream is read on": "",
}
LEFT_OUT = (  # of those that pause, which need a task each
    "one statement for two, and two statements",
    "another type, within a source",
    "another second DDL",
    "the engine is nothing to TiDB",
    "a table is renamed to another target",
    "a table is renamed into the group",
    "a text that differs by case within quotes is another one",
)
CROSSING = (  # kinds of DDL that come to two sources, besides all kinds within one
    "add a column behind another",
    "add a generated column",
    "rename a column and widen it",
    "reorder columns",
    "make a column NOT NULL",
    "drop a default",
    "a column's comment",
    "create a unique index",
    "a primary key comes",
    "all texts are converted",
    "several clauses in one statement",
    "add, fill a key, drop what was",
)
COME_AND_GO = ("! join", "! leave", "! stop", "! back")  # steps: this task has its two sources all along
INTERRUPTED = ("shard.resolved", "shard.resynced")  # before a re-sync begins, and before its end is stored


def is_here(case: Case) -> bool:
    is_played = case.name.split(":")[0] not in NOT_HERE and not case.late and not case.refuses
    return is_played and len(case.tables) < 3 and not any(step.what.startswith(COME_AND_GO) for step in case.steps)


def is_quiet(case: Case) -> bool:
    """Whether no source of it pauses at any time."""
    told = (fact for step in case.steps for fact in step.facts)
    return case.ends == "resolved" and not any(" paused " in fact for fact in told)


ALL = [case for case in (*TOLD, *LISTED) if is_here(case)]
ALONE = [case for case in ALL if len(case.tables) == 1 and is_quiet(case)]
BETWEEN = [case for case in ALL if len(case.tables) == 2 and is_quiet(case)]
LOUD = [case for case in ALL if not is_quiet(case) and case.name not in LEFT_OUT]
BATCH = 28  # cases that are played side by side


@dataclass(frozen=True)
class Group:
    """Cases of one task, of which each ``every``-th one is played where not all are asked for."""

    name: str
    target: str
    cases: Sequence[Case]
    one_by_one: bool = False
    dies_at: Sequence[str] = ()
    every: int = 1
    is_thorough: bool = False  # none is played then


def batches(cases: Sequence[Case]) -> Iterator[Group]:
    """All of them by turns, so that a batch has something of everything; the first is the sample."""
    number = -(-len(cases) // BATCH)
    for first in range(number):
        yield Group(f"alone{first}", "tidb", cases[first::number], is_thorough=first > 0)


GROUPS = [
    *batches([case for case in ALONE if case.target == "tidb"]),
    Group(
        "between",
        "tidb",
        [case for case in BETWEEN if case in TOLD or case.name.split(":")[0] in CROSSING],
        one_by_one=True,
        every=3,
    ),
    Group("dying", "tidb", [case for case in TOLD if case in ALONE][-30::3], dies_at=INTERRUPTED, every=2),
    Group(
        "dyingtwo",
        "tidb",
        [case for case in TOLD if case in BETWEEN][1:8:3],
        one_by_one=True,
        dies_at=INTERRUPTED,
        every=3,
    ),
    Group("tomysql", "mysql", [case for case in ALONE if case.target == "mysql"]),
    Group("tomariadb", "mariadb", [case for case in ALONE if case.target == "mariadb"]),
    *(
        Group(f"loud{number}", "tidb", [case], one_by_one=True, is_thorough=number % 2 == 1)
        for number, case in enumerate(LOUD)
    ),
]


class Played:
    """Cases that have been played, each when its test first asks: with the others of its group, or by itself."""

    def __init__(
        self, stage: Stage, targets: dict[str, RunningServer], open_tasks: ExitStack, chosen: set[tuple[str, str]]
    ) -> None:
        """``chosen``: (group, case) of all that are going to be asked for."""
        self._stage, self._targets, self._open_tasks, self._chosen = stage, targets, open_tasks, chosen
        self._tasks: dict[str, ToldTask | Exception] = {}
        self._done: set[tuple[str, str]] = set()

    def check(self, group: Group, case: str) -> None:
        task = self._task(group)
        placed = next(one for one in task.placed if one.case.name == case)
        if group.one_by_one and (group.name, case) not in self._done:
            self._done.add((group.name, case))
            task.play(placed)
        if placed.failure is not None:
            raise placed.failure

    def _task(self, group: Group) -> ToldTask:
        """The group's task; of one that did not begin the error, again and again."""
        if group.name not in self._tasks:
            self._open_tasks.close()  # one at a time
            try:
                self._tasks[group.name] = self._begun(group)
            except Exception as failure:
                self._tasks[group.name] = failure
        task = self._tasks[group.name]
        if isinstance(task, Exception):
            raise task
        return task

    def _begun(self, group: Group) -> ToldTask:
        target = self._targets[group.target]
        cases = [case for case in group.cases if (group.name, case.name) in self._chosen]
        task = self._open_tasks.enter_context(ToldTask(self._stage, group.name, target, cases, group.dies_at))
        if not group.one_by_one:
            task.side_by_side()
        return task


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    values = map(parameters, request.session.items)
    chosen = {(one["group"].name, one["case"]) for one in values if isinstance(one.get("group"), Group)}
    with ExitStack() as stack:
        servers = {name: stack.enter_context(start_or_report(kind)) for name, kind in UPSTREAMS.items()}
        tidb = stack.enter_context(start_or_report("tidb"))
        stage = stack.enter_context(Stage(servers, tmp_path_factory.mktemp("told")))
        targets = {"tidb": tidb, "mariadb": servers["s1"], "mysql": servers["s2"]}
        yield Played(stage, targets, stack.enter_context(ExitStack()), chosen)


UPSTREAMS = {"s1": "mariadb", "s2": "mysql"}
TESTS = [
    pytest.param(
        group,
        case.name,
        id=f"{group.name}-{case.name}",
        marks=[pytest.mark.thorough] if group.is_thorough or number % group.every else [],
    )
    for group in GROUPS
    for number, case in enumerate(group.cases)
]


@pytest.mark.servers
@pytest.mark.parametrize(("group", "case"), TESTS)
def test_told(played: Played, group: Group, case: str) -> None:
    played.check(group, case)


def test_there_are_enough() -> None:
    assert len({case for group in GROUPS for case in (one.name for one in group.cases)}) >= 150
