"""While a shard waits at a DDL the task is stopped, and started with a file by which nobody would remember that."""

from __future__ import annotations

import json

import pytest

from pkg.adapters.meta_tables import RUN_BITS
from pkg.task import load_source, load_task, split_task
from pkg.task.kept import SHARDS_WAIT
from tests.cases.full.migration import outcome, query, start
from tests.cases.shardddl.world import TASK, Sources, World
from tests.servers import RunningServer

ADD = "ALTER TABLE t1 ADD COLUMN b INT NOT NULL DEFAULT 7"


@pytest.mark.parametrize(
    ("former", "changed", "words"),
    [
        ("shard-mode: pessimistic", 'shard-mode: ""', "the task has no shard-mode now"),
        ("target-table: t}", "target-table: u}", "their routes lead to other tables now"),
        ("task-mode: all", "task-mode: full", "the task-mode is full now"),
    ],
)
def test_rows_that_are_held_back_are_not_forgotten(
    sources: Sources, mariadb: RunningServer, former: str, changed: str, words: str
) -> None:
    with World(*sources, mariadb, tables={"s1": ["t1"], "s2": ["t1"]}).running() as world:
        cluster, file = world.cluster, world.cluster.folder / "task.yaml"
        world.run("s1", ADD)
        world.insert("s1", "t1", "id, a, b", "'held back', 1")
        world.wait_waiting("s1")
        cluster.expect("stop-task", TASK, "--wait")
        text = file.read_text()
        other = file.with_name("changed.yaml")
        other.write_text(text.replace(former, changed) + "ignore-checking-items: [all]\n")
        assert changed in other.read_text()
        for verb in ("check-task", "start-task"):
            refused = cluster.ask(verb, str(other))
            assert refused.code == 1
            for said in (f"source s1: {words}", "db1.t1", former if "route" not in words else "the former routes"):
                assert said in json.loads(refused.out)["msg"]
            assert "source s2" not in refused.out, "it has met no DDL"
        said = run_by_another_worker(world, other.read_text())
        assert (said["code"], words in said["text"]) == (SHARDS_WAIT.code, True)
        cluster.expect("start-task", str(file))
        world.run("s2", ADD)
        world.wait_merged("id, a, b")
        world.wait_resolved()
        if "full" not in words:
            assert cluster.ask("check-task", str(other)).code == 0, "nobody waits any more"


def run_by_another_worker(world: World, text: str) -> dict[str, str]:
    """What a worker says that gets s1 with this file."""
    ((epoch,),) = query(world.target, f"SELECT epoch FROM dm_meta.{TASK}_sparkdm_source WHERE source_id = 's1'")
    sources = {name: load_source((world.cluster.folder / f"{name}.yaml").read_text()) for name in world.servers}
    (subtask,) = split_task(load_task(text), sources, only_sources={"s1"})
    return outcome(start(subtask, int(epoch) >> RUN_BITS))
