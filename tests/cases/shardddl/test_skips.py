"""Statements about merged tables that an operator passes over, while the group waits and while it does not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.cases.shardddl.world import TARGET, TASK, World, place
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

Factory = Callable[..., RunningServer]
ADD = "ALTER TABLE {} ADD COLUMN b INT NOT NULL DEFAULT 7"


def test_skipped_renames_and_drops(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        tables = {"s1": ["t1", "t2", "t3"]}
        world = World(cluster, {"s1": server_factory("mariadb")}, server_factory("mariadb"), tables=tables)
        world.begin()
        for table in tables["s1"]:
            world.insert("s1", table)
        world.run("s1", ADD.format("t1"), "RENAME TABLE t1 TO t9")
        cluster.wait(lambda: "its rows wait for a DDL of the other shards" in cluster.errors(TASK), "the rename pauses")
        cluster.expect("binlog", "skip", TASK)
        world.insert("s1", "t9", "id, a, b", "'renamed', 1")
        cluster.wait(lambda: bool(world.unresolved("s1")), "the group waits")
        (group,) = world.unresolved("s1")
        assert (group["synced"], group["unsynced"]) == (["`db1`.`t9`"], ["`db1`.`t2`", "`db1`.`t3`"])
        gone = world.rows(world.servers["s1"], "db1.t3", "id, a")
        cluster.expect("pause-task", TASK)
        world.run("s1", "DROP TABLE t3")
        name, offset = (part.split(": ")[1] for part in place(world.servers["s1"]).split(", "))
        cluster.expect("binlog", "skip", TASK, "-s", "s1", "-b", f"{name}:{offset}")
        cluster.expect("resume-task", TASK)
        world.run("s1", ADD.format("t2"))
        world.insert("s1", "t2", "id, a, b", "'last', 2")
        tables["s1"][:] = ["t9", "t2"]
        world.wait_resolved()
        wanted = sorted([*world.expected("id, a, b"), *((*row, 7) for row in gone)])
        cluster.wait(lambda: world.rows(world.target, TARGET, "id, a, b") == wanted, "every row, those of t3 too")


def test_a_skipped_rename_out_of_the_group(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, {"s1": server_factory("mariadb")}, server_factory("mariadb"))
        world.begin()
        world.insert("s1", "t1")
        world.run("s1", "RENAME TABLE t1 TO apart")
        cluster.wait(lambda: "does not lead to the same target" in cluster.errors(TASK), "the rename pauses")
        cluster.expect("binlog", "skip", TASK)
        world.run("s1", "INSERT INTO apart (id, a) VALUES (1000, 'apart')")
        cluster.wait(lambda: "rows of db1.apart go to db1.apart" in cluster.errors(TASK), "its rows have no table")
        with closing(connect(world.target)) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE IF NOT EXISTS db1")
            cursor.execute(f"CREATE TABLE db1.apart ({world.columns})")
        cluster.expect("resume-task", TASK)
        world.insert("s1", "t2")
        cluster.wait(lambda: world.rows(world.target, "db1.apart", "id, a") == [(1000, "apart")], "its row is there")
        cluster.wait(lambda: len(world.rows(world.target, TARGET, "id")) == 2, "the merged table goes on")
