"""Subtasks die or fail at every point of a shard DDL's way, and dm-master between reports and orders.

Two sources of two tables each; the second DDL comes to one table while the other waits for the first.
Every change counts itself, in the shards and beside them, and a keyless table has rows that are the same:
what was applied twice or not at all shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest

from pkg.crashpoints import VARIABLE
from tests.cases.shardddl.world import CHECKER, TARGET, TASK, World
from tests.cases.sync.test_crashpoints import points_of
from tests.cluster import Cluster
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("world")

POINTS = points_of("tests/cases/shardddl/test_crashpoints.py")
OWNERS = {"shard.marked", "shard.executed"}  # which nobody else passes
UPSTREAMS = {"s1": "mariadb", "s2": "mysql"}
WORLDS = {"to-tidb": ("s1", "tidb"), "to-mariadb": ("s2", "mariadb")}  # the source that comes first, the target
COUNTED = "UPDATE {table} SET n = n + 1"
DDLS = [
    ("ADD COLUMN b INT NOT NULL DEFAULT 7", "ADD INDEX kb (b)"),
    ("CHANGE COLUMN b d BIGINT", "ADD COLUMN c VARCHAR(20) DEFAULT 'c' AFTER id"),
    ("MODIFY COLUMN c VARCHAR(30)", "DROP COLUMN c"),
    ("DROP INDEX kb", "DROP COLUMN d"),
]


@dataclass
class Crashing(World):
    """A world whose workers die where `arm` says."""

    first: str = "s1"
    numbers: Iterator[int] = field(default_factory=count)
    ddls: Iterator[tuple[str, str]] = field(default_factory=lambda: cycle(DDLS))

    def armed(self, source: str) -> Path:
        return self.cluster.folder / f"{source}.armed"

    def arm(self, source: str, text: str) -> None:
        self.armed(source).write_text(text)

    @property
    def second(self) -> str:
        return next(source for source in self.servers if source != self.first)

    def start(self) -> None:
        self.create()
        self.start_task("--remove-meta")
        for number, source in enumerate(self.servers, 1):
            beside = f"db{number}_beside"
            self.run(source, f"CREATE DATABASE {beside} DEFAULT CHARACTER SET utf8mb4", schema="")
            self.run(source, "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)", schema=beside)
            self.run(source, "CREATE TABLE log (a INT)", "INSERT INTO log VALUES (1), (1)", schema=beside)
            self.run(source, "INSERT INTO counter VALUES (1, 0), (2, 0)", schema=beside)
            for table in self.tables[source]:
                self.insert(source, table)

    def change(self, source: str) -> None:
        """Something of everything, in one transaction."""
        number, beside = next(self.numbers), f"db{list(self.servers).index(source) + 1}_beside"
        for table in self.tables[source]:
            self.insert(source, table)
        changes = [COUNTED.format(table=table) for table in (*self.tables[source], f"{beside}.counter")]
        same = f"INSERT INTO {beside}.log VALUES ({number % 3}), ({number % 3})"
        self.run(source, "BEGIN", *changes, same, "COMMIT")

    def alter(self, source: str, table: str, *clauses: str) -> None:
        for clause in clauses:
            self.run(source, f"ALTER TABLE {table} {clause}")
            self.change(source)

    def cross(self, source: str, first: str, second: str) -> None:
        """Both DDLs on the first table before the other one has any."""
        one, other = self.tables[source]
        self.change(source)
        self.alter(source, one, first, second)
        self.alter(source, other, first, second)

    def contents(self) -> tuple[Any, Any]:
        """Of the target, and what it should be."""
        wanted: dict[str, Any] = {TARGET: sorted(self.expected("*"), key=repr)}
        found: dict[str, Any] = {TARGET: sorted(self.rows(self.target, TARGET, "*"), key=repr)}
        for number, server in enumerate(self.servers.values(), 1):
            for table in (f"db{number}_beside.counter", f"db{number}_beside.log"):
                wanted[table], found[table] = self.rows(server, table, "*"), self.rows(self.target, table, "*")
        return found, wanted

    def is_equal(self) -> bool:
        try:
            found, wanted = self.contents()
        except Exception:  # a table that is not there yet
            return False
        return bool(found == wanted)

    def assert_comes_together(self) -> None:
        self.cluster.wait(lambda: self.is_equal() and self.is_resolved(), "the merge of the sources")
        assert [self.armed(source).read_text() for source in self.servers] == ["", ""]

    def is_resolved(self) -> bool:
        statuses = self.statuses()
        syncs = [status.get("sync", {}) for status in statuses.values()]
        return len(syncs) == len(self.servers) and not any(sync.get("unresolvedGroups", [None]) for sync in syncs)

    def end(self) -> None:
        """Leave the cluster and the servers for the next one."""
        self.cluster.expect("stop-task", TASK)
        for number, source in enumerate(self.servers, 1):
            self.run(source, f"DROP DATABASE db{number}", f"DROP DATABASE db{number}_beside", schema="")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, dict[str, RunningServer]]]:
    """A cluster whose workers die where a file says."""
    with ExitStack() as stack:
        servers = {name: stack.enter_context(start_or_report(kind)) for name, kind in UPSTREAMS.items()}
        cluster = stack.enter_context(Cluster(tmp_path_factory.mktemp("cluster")))
        world = Crashing(cluster, servers, servers["s1"], source_more=CHECKER)
        for source in servers:
            world.arm(source, "")
            cluster.environment[f"w-{source}"] = {VARIABLE: f"@{world.armed(source)}"}
        world.start_cluster()
        yield cluster, servers


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest, sources: tuple[Cluster, dict[str, RunningServer]]) -> Iterator[Crashing]:
    first, target = WORLDS[request.param]
    with start_or_report(target) as merged:
        columns = "id INT PRIMARY KEY, a VARCHAR(20), n INT NOT NULL DEFAULT 0"
        world = Crashing(*sources, merged, columns, loads=False, first=first)
        world.start()
        yield world
        world.end()


def die(world: Crashing, action: str, points: Sequence[str]) -> None:
    """The first source owns the first DDL; the second one's owner is whoever is there first."""
    first, second = next(world.ddls)
    for source, passed in ((world.first, points), (world.second, [point for point in points if point not in OWNERS])):
        world.arm(source, ",".join(f"{point}={action}" for point in passed))
    world.cross(world.first, first, second)
    world.wait_waiting(world.first)
    world.cross(world.second, first, second)
    world.change(world.first)
    world.change(world.second)


def have_failed(world: Crashing) -> bool:
    """Whether all armed points have failed; a subtask that one of them has paused goes on."""
    for source, status in world.statuses().items():
        if status["stage"] == "Paused" and "CrashpointRaised" in str(status["result"]):
            world.cluster.ask("resume-task", TASK, "-s", source)
    return not any(world.armed(source).read_text() for source in world.servers)


@pytest.mark.servers
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("world", ["to-tidb"], indirect=True)
def test_killed_at(world: Crashing, point: str) -> None:
    die(world, "kill", [point])
    world.assert_comes_together()


@pytest.mark.servers
@pytest.mark.parametrize("world", WORLDS, indirect=True)
def test_killed_at_one_after_the_other(world: Crashing) -> None:
    die(world, "kill", POINTS)
    world.assert_comes_together()


@pytest.mark.servers
@pytest.mark.parametrize("world", WORLDS, indirect=True)
def test_failing_at_one_after_the_other(world: Crashing) -> None:
    die(world, "raise", POINTS)
    world.cluster.wait(lambda: have_failed(world), "failures at all points")
    world.cluster.wait(lambda: have_failed(world) and world.cluster.stages(TASK) == {"Running"}, "all go on")
    world.assert_comes_together()


@pytest.mark.servers
@pytest.mark.parametrize("world", WORLDS, indirect=True)
def test_dm_master_dies_between_reports_and_orders(world: Crashing) -> None:
    first, second = next(world.ddls)
    world.cross(world.first, first, second)
    world.wait_waiting(world.first)
    world.cluster.kill("master")
    world.cross(world.second, first, second)
    world.cluster.start_master()
    world.assert_comes_together()


@pytest.mark.servers
@pytest.mark.parametrize("world", WORLDS, indirect=True)
def test_dm_master_dies_while_the_owner_executes(world: Crashing) -> None:
    first, second = next(world.ddls)
    world.arm(world.first, "shard.marked=delay:60")  # it is killed long before
    world.cross(world.first, first, second)
    world.wait_waiting(world.first)
    world.cross(world.second, first, second)
    world.cluster.wait(lambda: not world.armed(world.first).read_text(), f"{world.first} executes")
    world.cluster.kill("master")
    world.cluster.kill_subtasks(f"w-{world.first}")
    world.cluster.start_master()
    world.assert_comes_together()
