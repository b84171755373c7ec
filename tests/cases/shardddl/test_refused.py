"""A DDL that the target refuses, and every way out of that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.cases.shardddl.world import TARGET, TASK, Sources, World
from tests.servers import RunningServer
from tests.workload.shop import connect

LOCK = f"merge-{TARGET}"
UNIQUE = "ALTER TABLE t1 ADD UNIQUE KEY u (a)"
PLAIN = "ALTER TABLE db1.t1 ADD KEY u (a)"

pytestmark = pytest.mark.crossed("refused")


@pytest.fixture(params=["mariadb", "tidb"])
def refused(sources: Sources, request: pytest.FixtureRequest) -> Iterator[World]:
    """Both sources wait: rows of one have the values that rows of the other have, so the target takes no UNIQUE key."""
    target = request.getfixturevalue(request.param)
    with World(*sources, target, tables={"s1": ["t1"], "s2": ["t1"]}).running() as world:
        for source in ("s1", "s2"):
            world.insert(source, "t1")
        world.wait_merged("id, a")
        world.run("s1", UNIQUE)
        world.wait_waiting("s1")
        world.run("s2", UNIQUE)
        world.cluster.wait(lambda: "the target refuses a DDL" in world.cluster.errors(TASK), "the target refuses it")
        yield world


def go_on(world: World) -> None:
    world.cluster.wait(lambda: world.cluster.expect("shard-ddl-lock", "list", TASK)["locks"] == [], "no lock")
    world.wait_resolved()
    for source in ("s1", "s2"):
        world.insert(source, "t1", values=f"'of {source}'")
    world.wait_merged("id, a")


def keys(world: World) -> set[str]:
    with closing(connect(world.target)) as connection, connection.cursor() as cursor:
        cursor.execute(f"SHOW INDEX FROM {TARGET}")
        return {f"{row[2]} {'plain' if row[1] else 'unique'}" for row in cursor.fetchall()}


def test_it_is_passed_over(refused: World) -> None:
    refused.cluster.expect("binlog", "skip", TASK, "-s", "s1")
    go_on(refused)
    assert keys(refused) == {"PRIMARY unique"}


def test_another_one_runs_in_its_place(refused: World) -> None:
    """First one that is refused, too; the subtask stands at the same statement again."""
    refused.cluster.ask("binlog", "replace", TASK, PLAIN.replace("KEY", "UNIQUE KEY"), "-s", "s1")
    refused.cluster.wait(
        lambda: "the target refuses a DDL" in refused.cluster.errors(TASK), "the target refuses that, too"
    )
    refused.cluster.expect("binlog", "replace", TASK, PLAIN, "-s", "s1")
    go_on(refused)
    assert keys(refused) == {"PRIMARY unique", "u plain"}


@pytest.mark.crossed("target")
@pytest.mark.parametrize("target", ["mariadb", "tidb"])
@pytest.mark.parametrize("there", ["VARCHAR(5)", "INT NOT NULL DEFAULT 3"])
def test_another_one_runs_before_it(sources: Sources, there: str, target: str, request: pytest.FixtureRequest) -> None:
    """The target has a column of the name, of another type or with another default: its rows have other values."""
    tables = {"s1": ["t1"], "s2": ["t1"]}
    with World(*sources, request.getfixturevalue(target), tables=tables).running() as world:
        for source in ("s1", "s2"):
            world.insert(source, "t1")
        world.wait_merged("id, a")
        world.sql_downstream(f"ALTER TABLE {TARGET} ADD COLUMN b {there}")
        for source in ("s1", "s2"):
            world.run(source, "ALTER TABLE t1 ADD COLUMN b INT NOT NULL DEFAULT 7")
        world.cluster.wait(lambda: "the target refuses a DDL" in world.cluster.errors(TASK), "the target refuses it")
        (owner,) = [one["owner"] for one in world.cluster.expect("shard-ddl-lock", "list", TASK)["locks"]]
        drop = f"ALTER TABLE db{owner[1:]}.t1 DROP COLUMN b"
        world.cluster.expect("binlog", "inject", TASK, drop, "-s", owner)
        go_on(world)
        assert world.type_of("b").startswith("int")
        world.wait_merged("id, a, b")


@pytest.mark.crossed("target")
@pytest.mark.parametrize("target", ["mariadb", "tidb"])
def test_a_different_ddl_of_a_source_that_waits_is_replaced(
    sources: Sources, target: str, request: pytest.FixtureRequest
) -> None:
    tables = {"s1": ["t1"], "s2": ["t1"]}
    with World(*sources, request.getfixturevalue(target), tables=tables).running() as world:
        world.run("s1", "ALTER TABLE t1 ADD KEY k (a)")
        world.wait_waiting("s1")
        world.run("s2", "ALTER TABLE t1 ADD KEY k (a, id)")
        world.wait_waiting("s2")
        world.cluster.expect("binlog", "replace", TASK, "ALTER TABLE db2.t1 ADD KEY k (a)", "-s", "s2")
        go_on(world)
        assert keys(world) == {"PRIMARY unique", "k plain"}


def test_the_lock_is_unlocked(refused: World) -> None:
    said = refused.cluster.ask("shard-ddl-lock", "unlock", LOCK)
    assert said.code == 1
    assert "binlog skip|replace|inject -s s1" in said.out
    refused.cluster.expect("shard-ddl-lock", "unlock", LOCK, "--action", "skip")
    go_on(refused)
    assert keys(refused) == {"PRIMARY unique"}


def test_the_rows_are_mended_and_another_owner_runs_it(refused: World) -> None:
    refused.sql_downstream(f"UPDATE {TARGET} SET a = 'other' ORDER BY id LIMIT 1")
    refused.run("s1", "UPDATE t1 SET a = 'other'")
    refused.cluster.expect("shard-ddl-lock", "unlock", LOCK, "--owner", "s2")
    go_on(refused)
    assert keys(refused) == {"PRIMARY unique", "u unique"}


def test_a_lock_that_is_removed_comes_back(refused: World) -> None:
    cluster = refused.cluster
    removed = cluster.expect("shard-ddl-lock", "unlock", LOCK, "--force-remove")
    assert "who still waits with the DDL makes a new one: s1, s2" in removed["msg"]

    def owner() -> str:
        locks = cluster.expect("shard-ddl-lock", "list", TASK)["locks"]
        return next((one["owner"] for one in locks if one["synced"] == ["s1", "s2"]), "")

    cluster.wait(lambda: bool(owner()) and refused.statuses()[owner()]["stage"] == "Paused", "it is refused again")
    cluster.expect("binlog", "skip", TASK, "-s", owner())
    cluster.expect("resume-task", TASK)
    go_on(refused)


def test_a_ddl_that_only_some_tables_of_a_source_have_is_passed_over(sources: Sources, mariadb: RunningServer) -> None:
    with World(*sources, mariadb, tables={"s1": ["t1", "t2"], "s2": ["t1"]}).running() as world:
        cluster = world.cluster
        world.run("s1", "ALTER TABLE t1 ADD KEY k (a)")
        cluster.wait(lambda: bool(world.unresolved("s1")), "t1 waits for t2")
        world.insert("s1", "t1")
        (group,) = world.unresolved("s1")
        place = group["firstLocation"].strip("()").replace(", ", ":")
        (said,) = cluster.expect("binlog", "skip", TASK, "-s", "s1", "-b", place)["sources"]
        assert "pause-task and resume-task take it over" in said["msg"]
        (listed,) = cluster.expect("binlog", "list", TASK, "-s", "s1")["sources"]
        assert [one["binlogPos"] for one in listed["operators"]] == [place]
        cluster.expect("pause-task", TASK, "-s", "s1")
        cluster.expect("resume-task", TASK, "-s", "s1")
        go_on(world)
        assert keys(world) == {"PRIMARY unique"}
