"""Two orders to start one task, of which one hangs: neither removes what the other one's run writes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dm_master.stopped_runs import CLAIMED_MEANWHILE, forget
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables, claim_epoch
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.steering.steered import SCHEMA, SOURCE, TASK, message_of, query, steered_task
from tests.cluster import Result
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder

pytestmark = pytest.mark.crossed("target_kind")


def test_while_one_order_hangs_another_one_is_refused(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    with Forwarder(mariadb2.port) as forwarder, steered_task(tmp_path / "twice", mariadb, mariadb2, tables=1) as task:
        file = tmp_path / "twice" / "task.yaml"
        file.write_text(file.read_text().replace(f"port: {mariadb2.port}", f"port: {forwarder.port}"))
        order = ("start-task", str(file), "--remove-meta")
        task.cluster.expect("stop-task", TASK, "--wait")
        for database in ("steer_down",):
            query(mariadb2, f"DROP DATABASE {database}")
        forwarder.hold()
        answers: list[Result] = []
        orders = [threading.Thread(target=lambda: answers.append(task.cluster.ask(*order))) for _ in range(2)]
        for one in orders:
            one.start()
        task.cluster.wait(lambda: bool(answers), "one of them is refused")
        forwarder.release()
        for one in orders:
            one.join()
        assert "is being started by an order" in message_of(answers[0])
        assert answers[1].code == 0, answers[1].out
        task.wait_in_step()
        assert task.rows("t0") == query(mariadb, f"SELECT * FROM {SCHEMA}.t0 ORDER BY 1")


@pytest.mark.parametrize("target_kind", ["mariadb", "mysql", "tidb"])
def test_what_a_run_has_written_since_is_not_removed(target_kind: str, request: pytest.FixtureRequest) -> None:
    target: RunningServer = request.getfixturevalue(target_kind)
    address = ConnectionConfig(host=target.host, port=target.port, user="root")
    subtask = SubtaskConfig(
        task_name="twice", task_mode="all", source_id=SOURCE, meta_schema="twice_meta", upstream=address, target=address
    )
    tables = MetaTables("twice_meta", "twice")
    rows = f"SELECT epoch, load_status FROM {tables.source}"
    query(target, "DROP DATABASE IF EXISTS twice_meta")
    with connect(ConnectionOptions.from_config(address, side="downstream"), side="downstream") as connection:

        def begin() -> bool:
            """A run, between the look whether there is none and the removal."""
            create_meta_tables(connection, tables)
            claim_epoch(connection, tables, SOURCE, 1)
            connection.query(f"UPDATE {tables.source} SET load_status = 'running'")
            connection.commit()
            return True

        for _ in range(2):  # the first run, and a later one
            with pytest.raises(DMError) as raised:
                forget(subtask, begin)
            assert raised.value.is_a(CLAIMED_MEANWHILE)
            assert query(target, rows)[0][1] == "running"
    there = query(target, rows)
    with pytest.raises(DMError) as raised:
        forget(subtask, lambda: False)
    assert raised.value.is_a(CLAIMED_MEANWHILE)
    assert query(target, rows) == there
    forget(subtask, lambda: True)
    assert query(target, rows) == [(there[0][0] + 1, "")]
    query(target, "DROP DATABASE twice_meta")
