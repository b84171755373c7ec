"""What an upstream may set about its binlog, changed under a running task: every row arrives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.e2e.job import TASK, Job, Upstream
from tests.cases.e2e.test_goes_on import assert_log_rows, start_worker, wait_for, wait_for_sync
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect, shards
from tests.workload.traffic import Traffic

Factory = Callable[..., RunningServer]
ROWS = 100
SETTINGS = {
    "mariadb": (
        ("binlog_checksum", "NONE"),
        ("binlog_row_metadata", "FULL"),
        ("log_bin_compress", "ON"),
        ("binlog_row_metadata", "MINIMAL"),
        ("binlog_checksum", "CRC32"),
        ("binlog_row_metadata", "NO_LOG"),
        ("log_bin_compress", "OFF"),
    ),
    "mysql": (
        ("binlog_checksum", "NONE"),
        ("binlog_row_metadata", "FULL"),
        ("binlog_transaction_compression", "ON"),
        ("binlog_row_value_options", "PARTIAL_JSON"),
        ("binlog_row_metadata", "MINIMAL"),
        ("binlog_checksum", "CRC32"),
        ("binlog_transaction_compression", "OFF"),
    ),
}


@pytest.mark.parametrize(
    ("source", "target", "relay"),
    [("mariadb", "tidb", True), ("mysql", "tidb", False)],
)
def test_every_row_arrives_whatever_the_binlog_is_set_to(
    source: str, target: str, relay: bool, server_factory: Factory, tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        settings = SETTINGS[source]
        upstream = Upstream("one", server_factory(source), shards(1, len(settings), tables=1), True)
        job = Job(cluster, [upstream], server_factory(target), ROWS)
        job.prepare(31)
        if relay:
            job.files["one"].write_text(
                job.files["one"].read_text() + f"enable-relay: true\nrelay-dir: {tmp_path / 'relay'}\n"
            )
        cluster.start_master()
        start_worker(cluster)
        job.start()
        wait_for_sync(cluster)
        for (variable, value), shard in zip(settings, upstream.shards, strict=True):
            with connect(upstream.server) as connection, connection.cursor() as cursor:
                cursor.execute(f"SET GLOBAL {variable} = %s", (value,))
            # A writer of its own: sessions keep some of these from when they began.
            with Traffic(upstream.server, [shard], seed=31, rows=ROWS, extras=True) as writer:
                wait_for(cluster, writer, 30)
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)
        [status] = cluster.subtasks(TASK).values()
        assert status["sync"]["binlogType"] == ("local" if relay else "remote")
