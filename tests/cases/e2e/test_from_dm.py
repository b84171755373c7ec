"""A user moves from DM to here: DM's task file of mode `all`, its checkpoint in the target, and start-task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cases.e2e.job import binlog_position, source_text
from tests.cases.sync.dm_left import DmLeft
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

Factory = Callable[..., RunningServer]
TABLES = (
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT)",
    "CREATE TABLE shop.log (a INT)",
    "INSERT INTO shop.orders VALUES (1, 0), (2, 0)",
    "INSERT INTO shop.log VALUES (1), (1)",
)


def run(server: RunningServer, *statements: str) -> list[tuple[object, ...]]:
    with connect(server) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def contents(server: RunningServer) -> list[list[tuple[object, ...]]]:
    return [run(server, f"SELECT * FROM shop.{table} ORDER BY 1") for table in ("orders", "log")]


def test_a_task_of_dms_goes_on_here(server_factory: Factory, tmp_path: Path) -> None:
    source, target = server_factory("mariadb"), server_factory("tidb")
    for server in (source, target):
        run(server, *TABLES)
    place = binlog_position(source)
    with connect(target) as connection, connection.cursor() as cursor:
        at = (place.name.replace(".", "|000001."), place.offset, "")
        DmLeft(cursor, "dm_meta", "shop").checkpoint("one", at, exit_point=at)
        connection.commit()
    run(source, "UPDATE shop.orders SET n = n + 1", "INSERT INTO shop.log VALUES (1)", "COMMIT")
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        (cluster.folder / "source.yaml").write_text(source_text("one", source))
        (cluster.folder / "task.yaml").write_text(f"""name: shop
task-mode: all
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances: [{{source-id: one, block-allow-list: shop}}]
block-allow-list: {{shop: {{do-dbs: [shop]}}}}
""")
        cluster.expect("operate-source", "create", str(cluster.folder / "source.yaml"))
        cluster.expect("start-task", str(cluster.folder / "task.yaml"))
        cluster.wait(lambda: contents(source) == contents(target), "what came after DM arrives once")
        assert cluster.subtasks("shop")["one"]["unit"] == "Sync", "nothing was copied again"
        cluster.expect("stop-task", "shop", "--wait")
        refused = cluster.ask("start-task", str(cluster.folder / "task.yaml"), "--remove-meta")
        assert "`shop`.`log`, `shop`.`orders`; rows that the upstream has no longer would stay" in refused.out
        run(target, "TRUNCATE shop.log", "TRUNCATE shop.orders")
        run(source, "INSERT INTO shop.orders VALUES (3, 0)", "COMMIT")
        cluster.expect("start-task", str(cluster.folder / "task.yaml"), "--remove-meta")
        cluster.wait(lambda: contents(source) == contents(target), "--remove-meta forgets DM, too: all is copied anew")
        assert run(target, "SELECT COUNT(*) FROM dm_meta.shop_syncer_checkpoint") == [(0,)]
