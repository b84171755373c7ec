"""Online DDL on tables that are merged: the target gets each change once, when all shards have had their exchange."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cases.onlineddl import tools
from tests.cases.shardddl.world import TASK, World
from tests.cluster import Cluster
from tests.servers import RunningServer

Factory = Callable[..., RunningServer]
CREATE = ["id INT PRIMARY KEY", "a VARCHAR(20)"]
ALTER = "ADD COLUMN b INT NOT NULL DEFAULT 7"
SECOND = "ADD COLUMN c INT DEFAULT 8 AFTER id, DROP COLUMN b"


def swap(world: World, source: str, table: str, alter: str, columns: str, *more: str) -> None:
    """A whole run of gh-ost, with rows while it is at work, and with ``more`` alterations of the shadow table."""
    schema = f"db{list(world.servers).index(source) + 1}"
    *before, copy, drop, rename = tools.gh_ost(schema, table, alter, columns)
    world.run(source, *before, *(f"ALTER TABLE {schema}._{table}_gho {one}" for one in more))
    world.insert(source, table)
    world.run(source, copy, drop, rename, tools.swept(schema, table))


def swap_by_pt(world: World, source: str, table: str, alter: str, columns: str) -> None:
    schema = f"db{list(world.servers).index(source) + 1}"
    create, *more = tools.pt(schema, table, CREATE, alter, columns)
    world.run(source, create, *more[:2])
    world.insert(source, table)
    world.run(source, *more[2:])


def test_both_tools_on_shards_of_two_sources(server_factory: Factory, tmp_path: Path) -> None:
    servers = {"s1": server_factory("mariadb"), "s2": server_factory("mysql")}
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, servers, server_factory("tidb"))
        world.begin()
        for source in servers:
            for table in ("t1", "t2"):
                world.insert(source, table)
        swap(world, "s1", "t1", ALTER, "id, a")
        world.insert("s1", "t1", "id, a, b", "'new', 1")
        world.insert("s1", "t2")
        cluster.wait(lambda: bool(world.unresolved("s1")), "the group waits")
        (group,) = world.unresolved("s1")
        assert (group["synced"], group["unsynced"]) == (["`db1`.`t1`"], ["`db1`.`t2`"])
        world.run("s1", f"ALTER TABLE t2 {ALTER}")  # plainly: the same change all the same
        world.wait_waiting("s1")
        swap_by_pt(world, "s2", "t1", ALTER, "id, a")
        world.insert("s2", "t1", "id, a, b", "'new', 3")
        swap_by_pt(world, "s2", "t2", ALTER, "id, a")
        world.insert("s2", "t2", "id, a, b", "'new', 4")
        world.wait_merged("id, a, b")
        world.wait_resolved()
        # An exchange of tables that is none of the tools': the target's rows of this shard are known upstream alone.
        world.run("s1", "CREATE TABLE _t1_new LIKE t1", "RENAME TABLE t1 TO _t1_old, _t1_new TO t1")
        words = "the shadow table has 0 rows, and there are"
        cluster.wait(lambda: words in cluster.errors(TASK), "the exchange is refused")


def test_a_second_change_while_processes_die(server_factory: Factory, tmp_path: Path) -> None:
    servers = {"s1": server_factory("mariadb"), "s2": server_factory("mariadb")}
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, servers, server_factory("mariadb"))
        world.begin()
        for source in servers:
            for table in ("t1", "t2"):
                swap(world, source, table, ALTER, "id, a")
                world.insert(source, table, "id, a, b", "'first', 1")
                cluster.kill_subtasks(f"w-{source}")
                swap(world, source, table, SECOND, "id, a", "ADD KEY ka (a)", "ADD COLUMN d INT DEFAULT 6")
                world.insert(source, table, "id, a, c", "'second', 2")
        cluster.kill_subtasks("w-s1")
        world.wait_merged("id, c, a, d")
        world.wait_resolved()
