"""Shard DDL between sources: who waits, who runs it, and every row once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests.cases.shardddl.world import TARGET, TASK, Sources, World
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

Factory = Callable[..., RunningServer]


@pytest.mark.parametrize(("upstreams", "target"), [(("mariadb", "mysql"), "tidb"), (("mariadb", "mariadb"), "mariadb")])
def test_a_column_added_to_all_shards(
    server_factory: Factory, tmp_path: Path, upstreams: tuple[str, str], target: str
) -> None:
    servers = {f"s{number}": server_factory(kind) for number, kind in enumerate(upstreams, 1)}
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, servers, server_factory(target))
        world.begin()
        for source in servers:
            world.insert(source, "t1")
            world.insert(source, "t2")
        add = "ADD COLUMN b INT NOT NULL DEFAULT 7"
        world.run("s1", f"ALTER TABLE t1 {add}")
        world.insert("s1", "t1", "id, a, b", "'new', 1")
        world.insert("s1", "t2")
        cluster.wait(lambda: bool(world.unresolved("s1")), "the group waits")
        (group,) = world.unresolved("s1")
        assert (group["synced"], group["unsynced"]) == (["`db1`.`t1`"], ["`db1`.`t2`"])
        world.run("s1", f"ALTER TABLE t2 {add}")
        world.insert("s1", "t2", "id, a, b", "'new', 2")
        world.wait_waiting("s1")
        world.run("s2", f"ALTER TABLE t1 {add}")
        world.insert("s2", "t1", "id, a, b", "'new', 3")
        world.insert("s2", "t2")
        world.run("s2", f"ALTER TABLE t2 {add}")
        world.insert("s2", "t2", "id, a, b", "'new', 4")
        world.wait_merged("id, a, b")
        world.wait_resolved()


@pytest.fixture
def two(sources: Sources, mariadb: RunningServer) -> Iterator[World]:
    """Two sources of one table each, replicating into a MariaDB."""
    with World(*sources, mariadb, tables={"s1": ["t1"], "s2": ["t1"]}).running() as world:
        yield world


ADD = "ALTER TABLE t1 ADD COLUMN b INT NOT NULL DEFAULT 7"
LOCK = f"merge-{TARGET}"


def test_a_lock_is_shown_and_explained(two: World) -> None:
    two.run("s1", ADD)
    two.wait_waiting("s1")
    (lock,) = two.cluster.expect("shard-ddl-lock", "list", TASK)["locks"]
    assert (lock["ID"], lock["owner"], lock["synced"], lock["unsynced"]) == (LOCK, "s1", ["s1"], ["s2"])
    assert two.statuses()["s1"]["unresolvedDDLLockID"] == LOCK
    (lock,) = two.cluster.expect("shard-ddl-lock", "explain", TASK)["locks"]
    assert "s2 has read all that its upstream has written" in lock["why"]
    assert "its tables have not had the DDL: run it there, or decide below; where an event filter" in lock["why"]
    assert [part["state"] for part in lock["parts"]] == ["waits", "awaited"]
    assert f'shard-ddl-lock unlock "{LOCK}" --action exec' in str(lock["remedies"])
    drawn = two.cluster.ask("shard-ddl-lock", "explain", TASK, "--output", "table").out
    assert "s1 (owner)" in drawn
    two.run("s2", ADD)
    two.wait_resolved()
    assert two.cluster.expect("show-ddl-locks", TASK)["msg"] == "no DDL lock exists"


def test_different_ddls_are_named_and_mended(two: World) -> None:
    two.run("s1", ADD)
    two.run("s2", "ALTER TABLE t1 ADD COLUMN c INT")
    two.wait_waiting("s1")
    two.wait_waiting("s2")
    first, second = two.cluster.expect("shard-ddl-lock", "explain", TASK)["locks"]
    assert "different DDLs" in first["why"]
    assert "different DDLs" in second["why"]
    two.cluster.expect("unlock-ddl-lock", LOCK)  # the one of s1 is run; s2 skips it when it comes there
    two.cluster.expect("unlock-ddl-lock", f"{LOCK}#2")
    two.run("s1", "ALTER TABLE t1 ADD COLUMN c INT")
    two.run("s2", ADD)
    two.wait_resolved()
    two.insert("s1", "t1", "id, a, b, c", "'one', 1, 2")
    two.insert("s2", "t1", "id, a, b, c", "'two', 1, 2")
    two.wait_merged("id, a, b, c")


def test_the_same_ddl_in_another_time_zone_is_another_one(two: World) -> None:
    """One counts as the other by an operator; a statement that has nothing to do with the zone runs as ever."""
    zones = {source: f"SET time_zone = '+0{number}:00'" for number, source in enumerate(("s1", "s2"))}
    for source, zone in zones.items():
        two.insert(source, "t1")
        two.run(source, zone, "ALTER TABLE t1 ADD c INT DEFAULT 3, ADD d DATETIME DEFAULT '2020-01-01 10:00:00'")
    two.wait_merged("id, a, c, d")
    two.wait_resolved()
    default = "ADD ts TIMESTAMP NOT NULL DEFAULT '2020-01-01 10:00:00'"
    for source, zone in zones.items():
        two.run(source, zone, f"ALTER TABLE t1 {default}")
        two.wait_waiting(source)
    two.cluster.wait(lambda: len(two.cluster.expect("shard-ddl-lock", "list", TASK)["locks"]) == 2, "two locks")
    for lock in two.cluster.expect("shard-ddl-lock", "explain", TASK)["locks"]:
        assert "the same DDL under settings" in lock["why"]
        assert "time_zone +00:00 in s1" in lock["why"]
        assert "time_zone +01:00 in s2" in lock["why"]
    two.cluster.expect("binlog", "replace", TASK, f"ALTER TABLE db2.t1 {default}", "-s", "s2")
    two.wait_resolved()
    two.run("s2", "SET time_zone = '+01:00'", "UPDATE t1 SET ts = '2020-01-01 11:00:00'")
    two.wait_merged("id, a, c, d, ts")


def test_who_had_no_rows_does_not_know_the_zone_of_the_others(two: World) -> None:
    """Of a table without rows no server says in which time zone it was altered."""
    two.insert("s2", "t1")
    for source in ("s1", "s2"):
        two.run(source, "ALTER TABLE t1 ADD d DATETIME DEFAULT '2020-01-01 10:00:00'")
    two.wait_merged("id, a, d")
    two.wait_resolved()
    for source in ("s1", "s2"):
        two.run(source, "SET time_zone = '+05:00'", "ALTER TABLE t1 MODIFY d TIMESTAMP NULL")
        two.wait_waiting(source)
    two.cluster.wait(
        lambda: "did not say in which zone it ran" in two.cluster.errors(TASK), "the owner is s1, which has no rows"
    )
    two.cluster.expect("shard-ddl-lock", "unlock", LOCK, "--owner", "s2")
    two.wait_resolved()
    two.insert("s1", "t1")
    two.wait_merged("id, a, d")


def test_a_counter_that_numbers_the_rows_of_several_sources(two: World) -> None:
    """The merged table has both sources' rows: neither the first nor the second run of it may number them."""
    for source in ("s1", "s2"):
        two.insert(source, "t1")
        two.run(source, "ALTER TABLE t1 ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY n (n)")
    two.cluster.wait(lambda: "numbers rows of" in two.cluster.errors(TASK), "the counter is refused")
    two.cluster.expect("binlog", "skip", TASK)
    two.wait_resolved()


def test_the_owner_dies_while_it_executes(sources: Sources, tidb: RunningServer) -> None:
    cluster, servers = sources
    with World(cluster, servers, tidb).running() as world:
        for round_number in range(2):
            for source in servers:
                for table in ("t1", "t2"):
                    world.run(source, f"ALTER TABLE {table} ADD COLUMN c{round_number} INT DEFAULT {round_number}")
                    world.insert(source, table, f"id, a, c{round_number}", "'x', 5")
                    if table == "t1":
                        cluster.kill_subtasks(f"w-{source}")
            cluster.kill_subtasks("w-s1")
            world.wait_merged(f"id, a, c{round_number}")
        world.wait_resolved()


def test_columns_that_exchange_names_by_change(sources: Sources, tidb: RunningServer) -> None:
    """TiDB gets it in parts, with a name between that no upstream table has."""
    cluster, servers = sources
    with World(cluster, servers, tidb).running() as world:
        for source in servers:
            for table in ("t1", "t2"):
                world.run(source, f"ALTER TABLE {table} ADD x INT DEFAULT 1, ADD y INT DEFAULT 2")
                world.insert(source, table, "id, a, x, y", "'x', 5, 6")
        for source in servers:
            for table in ("t1", "t2"):
                world.run(source, f"ALTER TABLE {table} CHANGE x y INT, CHANGE y x INT")
                world.insert(source, table, "id, a, x, y", "'y', 7, 8")
        world.wait_merged("id, a, x, y")
        world.wait_resolved()


def test_sources_that_say_the_same_in_other_words(two: World) -> None:
    two.insert("s1", "t1")
    two.run("s1", "ALTER TABLE t1 ADD b INT DEFAULT 7")
    two.insert("s1", "t1", "id, a, b", "'new', 1")
    two.wait_waiting("s1")
    two.run("s2", "ALTER TABLE t1 ENGINE=InnoDB")  # nobody waits for it
    two.run("s2", "alter table `t1` add column `b` integer null default '7'")
    two.insert("s2", "t1", "id, a, b", "'new', 2")
    two.wait_merged("id, a, b")
    two.wait_resolved()


def test_a_source_that_never_gets_it_is_passed(two: World) -> None:
    two.run("s1", ADD)
    two.wait_waiting("s1")
    refused = two.cluster.ask("shard-ddl-lock", "unlock", LOCK, "--owner", "s2")
    assert refused.code == 1
    assert "does not wait there" in refused.out
    two.cluster.expect("shard-ddl-lock", "unlock", LOCK)
    two.cluster.wait(lambda: not two.unresolved("s1"), "s1 goes on")
    two.insert("s1", "t1", "id, a, b", "'new', 1")
    two.insert("s2", "t1")
    two.cluster.wait(lambda: len(two.rows(two.target, TARGET, "id, b")) == 2, "both rows")
    two.run("s2", ADD)  # much later: it is skipped
    two.insert("s2", "t1", "id, a, b", "'new', 3")
    two.wait_merged("id, a, b")
    two.wait_resolved()


@pytest.mark.crossed("target")
@pytest.mark.parametrize("target", ["mariadb", "tidb"])
def test_a_lock_that_was_unlocked_takes_no_later_ddl_for_its_own(
    sources: Sources, target: str, request: pytest.FixtureRequest
) -> None:
    """What looks like the DDL that a source never had is a new one when another one has run since."""
    cluster, servers = sources
    tables, columns = {"s1": ["t1"], "s2": ["t1"]}, "id INT PRIMARY KEY, a VARCHAR(20), n INT"
    with World(cluster, servers, request.getfixturevalue(target), tables=tables, columns=columns).running() as world:
        modify = "ALTER TABLE t1 MODIFY n {}".format
        world.run("s1", modify("VARCHAR(30)"))
        world.wait_waiting("s1")
        cluster.expect("shard-ddl-lock", "unlock", LOCK)
        cluster.wait(lambda: not world.unresolved("s1"), "s1 goes on")
        for source in servers:
            world.run(source, modify("VARCHAR(40)"))
        cluster.wait(lambda: world.type_of("n") == "varchar(40)", "both have it")
        world.wait_resolved()
        world.run("s2", modify("VARCHAR(30)"))
        world.wait_waiting("s2")
        assert [one["owner"] for one in cluster.expect("shard-ddl-lock", "list", TASK)["locks"]] == ["s1", "s2"]
        (why,) = [
            one["why"] for one in cluster.expect("shard-ddl-lock", "explain", TASK)["locks"] if one["owner"] == "s2"
        ]
        assert "another one has run since" in why
        world.run("s1", modify("VARCHAR(30)"))
        world.insert("s2", "t1", "id, a, n", "'x', 5")
        world.wait_merged("id, a, n")
        assert world.type_of("n") == "varchar(30)"
        assert cluster.expect("shard-ddl-lock", "list", TASK)["msg"] == "no DDL lock exists"


def test_a_source_that_left_the_task_comes_back_to_its_lock(two: World) -> None:
    two.run("s1", ADD)
    two.wait_waiting("s1")
    (stopped,) = two.cluster.expect("stop-task", TASK, "-s", "s2", "--wait")["sources"]
    assert "other sources do not wait for its DDL" in stopped["msg"]
    two.cluster.wait(lambda: not two.unresolved("s1"), "s1 goes on")
    assert two.cluster.expect("shard-ddl-lock", "list", TASK)["msg"] == "no DDL lock exists"
    two.run("s2", ADD)
    two.insert("s2", "t1", "id, a, b", "'back', 1")
    two.cluster.expect("start-task", str(two.cluster.folder / "task.yaml"), "-s", "s2")
    two.wait_merged("id, a, b")
    two.wait_resolved()


def test_a_task_that_begins_anew_knows_no_locks(two: World) -> None:
    """One that was unlocked before would swallow the first such DDL of a source that has been copied since."""
    two.run("s1", ADD)
    two.wait_waiting("s1")
    two.cluster.expect("shard-ddl-lock", "unlock", LOCK)
    two.cluster.wait(lambda: not two.unresolved("s1"), "s1 goes on")
    two.cluster.expect("stop-task", TASK, "--wait")
    two.run("s1", "ALTER TABLE t1 DROP COLUMN b")
    with closing(connect(two.target)) as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE `all`")
    two.start_task("--remove-meta")
    two.run("s2", ADD)
    two.wait_waiting("s2")
    two.run("s1", ADD)
    two.insert("s2", "t1", "id, a, b", "'new', 3")
    two.wait_merged("id, a, b")


def test_tables_that_keep_their_names(sources: Sources, mariadb: RunningServer) -> None:
    """One that a source has alone is nobody's to wait for; one that both have under one name is merged all the same."""
    cluster, servers = sources
    for server in servers.values():
        with closing(connect(server)) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE dbx")
            cursor.execute("CREATE TABLE dbx.same (id INT PRIMARY KEY)")
    with World(cluster, servers, mariadb, tables={"s1": ["t1", "alone"], "s2": ["t1"]}).running("dbx") as world:
        world.run("s1", "ALTER TABLE alone ADD COLUMN b INT DEFAULT 5", "INSERT INTO alone (id) VALUES (1)")
        cluster.wait(lambda: _rows(world, "db1.alone", "id, b") == [(1, 5)], "the table of one source goes on")
        add = "ALTER TABLE same ADD COLUMN b INT DEFAULT 6"
        world.run("s1", "INSERT INTO same VALUES (1)", add, "INSERT INTO same VALUES (2, 7)", schema="dbx")
        world.run("s2", "INSERT INTO same VALUES (3)", schema="dbx")
        cluster.wait(lambda: _rows(world, "dbx.same", "id") == [(1,), (3,)], "rows in the old shape")
        world.run("s2", add, "INSERT INTO same VALUES (4, 8)", schema="dbx")
        everything = [(1, 6), (2, 7), (3, 6), (4, 8)]
        cluster.wait(lambda: _rows(world, "dbx.same", "id, b") == everything, "all rows")


@pytest.mark.crossed("target")
@pytest.mark.parametrize("target", ["mariadb", "tidb"])
def test_two_tables_are_altered_in_opposite_order(
    sources: Sources, target: str, request: pytest.FixtureRequest
) -> None:
    cluster, servers = sources
    for server in servers.values():
        with closing(connect(server)) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE dbx")
            cursor.execute("CREATE TABLE dbx.same (id INT PRIMARY KEY)")
    other, tables = "ALTER TABLE dbx.same ADD COLUMN c INT DEFAULT 6", {"s1": ["t1"], "s2": ["t1"]}
    with World(cluster, servers, request.getfixturevalue(target), tables=tables).running("dbx") as world:
        world.run("s1", ADD)
        world.wait_waiting("s1")
        world.run("s2", other, "INSERT INTO dbx.same VALUES (1, 1)")
        cluster.wait(lambda: len(cluster.expect("shard-ddl-lock", "list", TASK)["locks"]) == 2, "both wait")
        locks = cluster.expect("shard-ddl-lock", "explain", TASK)["locks"]
        assert all("wait for each other" in lock["why"] for lock in locks), locks
        world.insert("s1", "t1", "id, a, b", "'new', 1")
        world.run("s1", "INSERT INTO dbx.same VALUES (2)", other, "INSERT INTO dbx.same VALUES (3, 3)")
        everything = [(1, 1), (2, 6), (3, 3)]
        cluster.wait(lambda: _rows(world, "dbx.same", "id, c") == everything, "the second table goes on")
        cluster.kill_subtasks("w-s1")
        world.insert("s2", "t1")
        world.run("s2", ADD)
        world.insert("s2", "t1", "id, a, b", "'new', 2")
        world.wait_merged("id, a, b")
        world.wait_resolved()


def _rows(world: World, table: str, columns: str) -> list[tuple[Any, ...]]:
    try:
        return world.rows(world.target, table, columns)
    except pymysql.Error:  # not there yet
        return []


def test_a_table_created_like_another_shard_joins(two: World) -> None:
    two.insert("s1", "t1")
    two.run("s1", "CREATE TABLE t2 LIKE t1")
    two.tables["s1"].append("t2")
    two.insert("s1", "t2")
    two.run("s1", ADD)
    two.run("s2", ADD)
    two.run("s1", ADD.replace("t1", "t2"))
    for source, table in (("s1", "t1"), ("s1", "t2"), ("s2", "t1")):
        two.insert(source, table, "id, a, b", "'new', 3")
    two.wait_merged("id, a, b")
    two.wait_resolved()


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
def test_a_source_that_comes_late_passes_what_the_others_have_had(
    request: pytest.FixtureRequest, sources: Sources, target: str
) -> None:
    """Its first table was made with the old columns; where the target filled its rows otherwise, an operator decides."""
    server = request.getfixturevalue(target)
    with World(*sources, server, tables={"s1": ["t1", "t2"], "s2": []}).running() as world:
        for table in ("t1", "t2"):
            world.insert("s1", table)
            world.run(
                "s1", f"ALTER TABLE {table} ADD b INT DEFAULT 7, ADD c VARCHAR(9) NOT NULL DEFAULT 'c', ADD KEY (b)"
            )
            world.run("s1", f"INSERT INTO {table} (id, a, b) VALUES ({table[1]}00, 'new', 1)")
        world.wait_merged("id, a, b, c")
        _late_table(world, "t4")
        world.run("s2", "ALTER TABLE t4 ADD b INT DEFAULT 7, ADD c VARCHAR(9) NOT NULL DEFAULT 'c', ADD INDEX (b)")
        world.insert("s2", "t4", "id, a, b", "'new', 2")
        world.wait_merged("id, a, b, c")
        world.wait_resolved()
        assert world.cluster.expect("show-ddl-locks", TASK)["msg"] == "no DDL lock exists"
        world.run("s2", "DROP TABLE t4")
        world.tables["s2"].clear()
        for table in ("t1", "t2"):
            world.run("s1", f"ALTER TABLE {table} ADD d DATETIME DEFAULT CURRENT_TIMESTAMP")
        world.cluster.wait(lambda: bool(_rows(world, TARGET, "id, d")), "d is there")
        _late_table(world, "t5", ", b INT DEFAULT 7, c VARCHAR(9) NOT NULL DEFAULT 'c', KEY (b)")
        world.run("s2", "ALTER TABLE t5 ADD d DATETIME DEFAULT CURRENT_TIMESTAMP")
        world.wait_waiting("s2")
        world.cluster.wait(lambda: "has what the DDL does already" in _why(world), "explain says that it comes late")
        assert f"dmctl binlog skip {TASK} -s s2" in str(world.cluster.expect("shard-ddl-lock", "explain", TASK))
        world.cluster.expect("binlog", "skip", TASK, "-s", "s2")
        world.wait_resolved()
        world.cluster.wait(lambda: world.cluster.expect("show-ddl-locks", TASK)["locks"] == [], "no lock")


def _late_table(world: World, table: str, more: str = "") -> None:
    world.run("s2", f"CREATE TABLE {table} ({world.columns}{more})")
    world.tables["s2"].append(table)
    world.insert("s2", table)


def _why(world: World) -> str:
    return "".join(lock["why"] for lock in world.cluster.expect("shard-ddl-lock", "explain", TASK)["locks"])


def test_shards_exchange_their_names_by_one_that_leads_elsewhere(sources: Sources, mariadb: RunningServer) -> None:
    with World(*sources, mariadb, tables={"s1": ["t1", "t2"], "s2": ["t1"]}).running() as world:
        for table in ("t1", "t2"):
            world.insert("s1", table)
        world.run("s1", "RENAME TABLE t1 TO zq, t2 TO t1, zq TO t2", "UPDATE t1 SET a = 'now t1'")
        world.run("s1", "UPDATE t2 SET a = 'now t2'", "ALTER TABLE t1 ADD b INT", "UPDATE t1 SET b = 1")
        world.run("s1", "ALTER TABLE t2 ADD b INT", "UPDATE t2 SET b = 2")
        world.run("s2", "ALTER TABLE t1 ADD b INT")
        world.wait_merged("id, a, b")
        world.wait_resolved()


def test_a_ddl_that_differs_is_replaced(server_factory: Factory, tmp_path: Path) -> None:
    """Two tables of one source had different DDLs: the operator makes them the same, and the group goes on."""
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, {"s1": server_factory("mariadb")}, server_factory("mariadb"))
        world.begin()
        world.run("s1", ADD, "ALTER TABLE t2 ADD COLUMN b BIGINT NOT NULL DEFAULT 7")
        cluster.wait(lambda: "do not have the same DDLs" in cluster.errors(TASK), "the different DDLs are named")
        cluster.expect("binlog", "replace", TASK, "ALTER TABLE db1.t2 ADD COLUMN b INT NOT NULL DEFAULT 7")
        world.insert("s1", "t1", "id, a, b", "'one', 1")
        world.insert("s1", "t2", "id, a, b", "'two', 2")
        world.wait_merged("id, a, b")
        world.wait_resolved()


def test_a_shard_that_had_the_ddl_in_another_time_zone_counts_as_the_others(
    sources: Sources, mariadb: RunningServer
) -> None:
    default = "ADD ts TIMESTAMP NOT NULL DEFAULT '2020-01-01 10:00:00'"
    with World(*sources, mariadb, tables={"s1": ["t1", "t2"], "s2": ["t1"]}).running() as world:
        for source, table in (("s1", "t1"), ("s1", "t2"), ("s2", "t1")):
            world.insert(source, table)
        world.run("s1", "SET time_zone = '+00:00'", f"ALTER TABLE t1 {default}")
        world.run("s1", "SET time_zone = '+01:00'", f"ALTER TABLE t2 {default}")
        world.cluster.wait(lambda: "have the same DDL under settings" in world.cluster.errors(TASK), "36241")
        assert "with time_zone +01:00 and db1.t1 with time_zone +00:00" in world.cluster.errors(TASK)
        world.cluster.expect("binlog", "replace", TASK, f"ALTER TABLE db1.t2 {default}", "-s", "s1")
        world.run("s2", "SET time_zone = '+00:00'", f"ALTER TABLE t1 {default}")
        world.wait_resolved()
        world.run("s1", "SET time_zone = '+01:00'", "UPDATE t2 SET ts = '2020-01-01 11:00:00'")
        world.wait_merged("id, a, ts")
