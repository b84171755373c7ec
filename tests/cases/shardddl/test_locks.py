"""Shard DDL between sources: who waits, who runs it, and every row once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.shardddl.world import World
from tests.cluster import Cluster
from tests.servers import RunningServer

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
