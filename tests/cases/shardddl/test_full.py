"""A task that ends where its copy ended does not end while a shard waits at a DDL of before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pkg.crashpoints import VARIABLE
from tests.cases.shardddl.world import TASK, World, task_text
from tests.cluster import Cluster
from tests.servers import RunningServer

ADD = "ALTER TABLE {} ADD COLUMN b INT NOT NULL DEFAULT 7"
LOCK_FREE = "mydumpers:\n  free: {consistency: none}\n"


def test_a_full_task_waits_for_its_shards_also_after_a_pause(
    server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        world = World(cluster, {"s1": server_factory("mariadb")}, server_factory("mariadb"))
        gate = tmp_path / "gate"
        gate.touch()
        cluster.environment["w-s1"] = {VARIABLE: f"loader.all_copied=hold:{gate}"}
        world.create()
        for table in ("t1", "t2"):
            world.insert("s1", table)
        world.start_cluster()
        file = cluster.folder / "full.yaml"
        text = task_text({"s1": ", mydumper-config-name: free"}, world.target, LOCK_FREE)
        file.write_text(text.replace("task-mode: incremental", "task-mode: full"))
        cluster.ask("start-task", str(file), "--remove-meta")
        cluster.wait(lambda: "loader.all_copied" in gate.read_text(), "all rows are copied")
        world.run("s1", ADD.format("t1"))
        world.insert("s1", "t1", "id, a, b", "'held back', 1")
        gate.unlink()
        cluster.wait(lambda: bool(world.unresolved("s1")), "t1 waits for t2")
        cluster.expect("pause-task", TASK, "--wait")
        cluster.expect("resume-task", TASK, "--wait")
        cluster.wait(lambda: bool(world.unresolved("s1")) or is_finished(world), "it goes on")
        assert not is_finished(world), "t1's row is held back"
        world.run("s1", ADD.format("t2"))
        cluster.wait(lambda: is_finished(world), "the task is done")
        assert world.is_merged("id, a, b")
        cluster.expect("stop-task", TASK, "--wait")


def is_finished(world: World) -> bool:
    return '"Finished"' in world.cluster.ask("query-status", TASK).out
