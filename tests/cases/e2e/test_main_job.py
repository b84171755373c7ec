"""Full migration and replication under writes, with `kill -9` of every process: every row equal at the end."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cases.e2e.job import TASK, Job, Upstream
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.compare import compare
from tests.workload.shop import connect, shards

PAIRS = {
    "mariadb-tidb": (("mariadb",), "tidb"),
    "mysql-tidb": (("mysql",), "tidb"),
    "mariadb+mysql-mariadb": (("mariadb", "mysql"), "mariadb"),
}
Factory = Callable[..., RunningServer]


def job_of(pair: str, factory: Factory, cluster: Cluster, *, rows: int, mode: str = "all") -> Job:
    kinds, target = PAIRS[pair]
    upstreams = [
        Upstream(f"{kind}-{number}", factory(kind), shards(2 * number + 1, 2 * number + 2, tables=2), number == 0)
        for number, kind in enumerate(kinds)
    ]
    return Job(cluster, upstreams, factory(target), rows, mode)


def one_kill(cluster: Cluster, rng: random.Random, workers: list[str]) -> str:
    """Kill something and bring it back, as its service manager would."""
    victim = rng.choice(["subtask", "worker", "master"])
    worker = rng.choice(workers)
    if victim == "subtask":
        cluster.kill_subtasks(worker)
    elif victim == "worker":
        cluster.kill(worker)
        cluster.start_worker(worker)
    else:
        cluster.kill("master")
        cluster.start_master()
    return victim


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=[pytest.mark.thorough] * (pair == "mysql-tidb")) for pair in PAIRS]
)
def test_every_row_arrives_whatever_is_killed(pair: str, server_factory: Factory, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    rng = random.Random(seed)
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = job_of(pair, server_factory, cluster, rows=3000)
        job.prepare(seed)
        cluster.start_master()
        workers = [f"worker-{number}" for number in range(len(job.upstreams))]
        for worker in workers:
            cluster.start_worker(worker)
        cluster.wait(lambda: cluster.ask("list-member", "--worker").out.count('"free"') == len(workers), "workers")
        traffic = job.traffic(seed)
        for writer in traffic:
            writers.enter_context(writer)
        job.start()
        for _ in range(4):
            before = sum(writer.transactions for writer in traffic)
            pause = rng.randrange(30, 120)
            cluster.wait(
                lambda before=before, pause=pause: sum(w.transactions for w in traffic) > before + pause, "writes"
            )
            print("killed", one_kill(cluster, rng, workers))
        for writer in traffic:
            writer.stop()
        job.wait_in_step()
        job.assert_equal()


def test_a_full_task_ends_with_the_rows_of_one_moment(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        job = job_of("mariadb-tidb", server_factory, cluster, rows=500, mode="full")
        job.prepare(1)
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        job.start()
        cluster.wait(lambda: cluster.stages(TASK) == {"Finished"}, "the task is finished")
        job.assert_equal()


def test_pause_stop_and_start_go_on_where_they_were(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = job_of("mariadb-tidb", server_factory, cluster, rows=500)
        job.prepare(2)
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        [writer] = job.traffic(2)
        writers.enter_context(writer)
        job.start()
        cluster.wait(
            lambda: bool(cluster.subtasks(TASK)) and "sync" in next(iter(cluster.subtasks(TASK).values())), "sync"
        )
        cluster.expect("pause-task", TASK, "--wait")
        assert cluster.stages(TASK) == {"Paused"}
        cluster.expect("resume-task", TASK, "--wait")
        cluster.expect("stop-task", TASK, "--wait")
        assert cluster.ask("query-status", TASK).code == 1
        cluster.expect("start-task", str(job.files[TASK]))
        writer.stop()
        job.wait_in_step()
        job.assert_equal()


def test_plain_ddl_is_replicated_and_ddl_on_shards_pauses(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        job = job_of("mariadb-tidb", server_factory, cluster, rows=50)
        job.prepare(3)
        server = job.upstreams[0].server
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        job.start()
        job.wait_in_step()
        with connect(server) as connection, connection.cursor() as cursor:
            for statement in (
                "ALTER TABLE extras.pairs ADD COLUMN extra VARCHAR(10) DEFAULT 'ä' AFTER a, ADD INDEX by_v (v)",
                "INSERT INTO extras.pairs (a, b, v) VALUES (1, 'x', 2)",
                "CREATE TABLE legacy.made (id INT PRIMARY KEY, implicit VARCHAR(20))",
                "INSERT INTO legacy.made VALUES (1, 'äöü€')",
                "RENAME TABLE legacy.made TO legacy.renamed",
                "TRUNCATE TABLE extras.log",
                "INSERT INTO extras.log VALUES (1, 'after', 0.5)",
                "DROP TABLE extras.names",
            ):
                cursor.execute(statement)
        job.wait_in_step()
        with connect(job.target) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT extra FROM extras.pairs")
            assert cursor.fetchall() == (("ä",),)
            cursor.execute("SELECT implicit FROM legacy.renamed")
            assert cursor.fetchall() == (("äöü€",),)
            cursor.execute("SELECT line FROM extras.log")
            assert cursor.fetchall() == (("after",),)
            cursor.execute("SHOW TABLES FROM extras LIKE 'names'")
            assert cursor.fetchall() == ()
        with connect(server) as connection, connection.cursor() as cursor:
            cursor.execute("ALTER TABLE shop_01.orders_0 ADD COLUMN extra INT")
        cluster.wait(lambda: cluster.stages(TASK) == {"Paused"}, "the task pauses")
        message = cluster.errors(TASK)
        assert "the sharded table shop_01.orders_0, which is merged into shop.orders, is changed at" in message
        assert "ALTER TABLE shop_01.orders_0 ADD COLUMN extra INT" in message
        alter_by_hand_and_go_on(job)


def alter_by_hand_and_go_on(job: Job) -> None:
    """What the message says: the same change downstream, then resume-task."""
    with connect(job.target) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER TABLE shop.orders ADD COLUMN extra INT")
    with connect(job.upstreams[0].server) as connection, connection.cursor() as cursor:
        for shard in job.upstreams[0].shards[1:]:
            cursor.execute(f"ALTER TABLE {shard.name} ADD COLUMN extra INT")
            cursor.execute(f"UPDATE {shard.name} SET extra = 5, note = 'after' LIMIT 3")
    job.cluster.expect("resume-task", TASK)
    job.wait_in_step()
    merged = [(job.upstreams[0].server, shard.name) for shard in job.upstreams[0].shards]
    assert compare(merged, job.target, "shop.orders").is_equal
