"""The product's main job as files and commands: sharded sources, one task, one merged table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pkg.binlog.position import Position
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload import shop
from tests.workload.compare import Difference, compare
from tests.workload.shop import Shard
from tests.workload.traffic import Traffic

TASK = "shop"


@dataclass
class Upstream:
    source_id: str
    server: RunningServer
    shards: list[Shard]
    extras: bool


@dataclass
class Job:
    """One task over all upstreams; the first one also has the extra tables."""

    cluster: Cluster
    upstreams: list[Upstream]
    target: RunningServer
    rows: int
    mode: str = "all"
    options: str = ""
    files: dict[str, Path] = field(default_factory=dict)

    def prepare(self, seed: int) -> None:
        """Create and fill the upstreams, write the files."""
        for number, upstream in enumerate(self.upstreams):
            shop.create(upstream.server, upstream.shards, extras=upstream.extras)
            shop.fill(upstream.server, upstream.shards, self.rows, seed + number)
            text = source_text(upstream.source_id, upstream.server)
            self.files[upstream.source_id] = self._write(f"{upstream.source_id}.yaml", text)
        text = task_text([one.source_id for one in self.upstreams], self.target, self.mode) + self.options
        self.files[TASK] = self._write("task.yaml", text)

    def _write(self, name: str, text: str) -> Path:
        path = self.cluster.folder / name
        path.write_text(text)
        return path

    def start(self, *options: str) -> None:
        for upstream in self.upstreams:
            self.cluster.expect("operate-source", "create", str(self.files[upstream.source_id]))
        self.cluster.expect("start-task", str(self.files[TASK]), *options)

    def traffic(self, seed: int, per_second: float = 50) -> list[Traffic]:
        """A writer per upstream, not started."""
        return [
            Traffic(
                one.server, one.shards, seed=seed + number, rows=self.rows, extras=one.extras, per_second=per_second
            )
            for number, one in enumerate(self.upstreams)
        ]

    def wait_in_step(self) -> None:
        """Until everything that the upstreams have committed by now is applied."""
        written = {one.source_id: binlog_position(one.server) for one in self.upstreams}
        self.cluster.wait(lambda: have_applied(self.cluster, TASK, written), "all sources are in step")

    def differences(self) -> list[Difference]:
        """The target against the upstreams, table by table."""
        merged = [(one.server, shard.name) for one in self.upstreams for shard in one.shards]
        found = [compare(merged, self.target, "shop.orders")]
        for one in self.upstreams:
            if one.extras:
                found += [compare([(one.server, table)], self.target, table) for table in shop.EXTRAS]
        return found

    def assert_equal(self) -> None:
        unequal = [str(difference) for difference in self.differences() if not difference.is_equal]
        assert not unequal, "\n".join(unequal) + "\n" + self.cluster.logs()


def have_applied(cluster: Cluster, task: str, written: Mapping[str, Position]) -> bool:
    """Whether each source's subtask is at least where `written` says."""
    statuses = cluster.subtasks(task)
    for source, position in written.items():
        applied = statuses.get(source, {}).get("sync", {}).get("syncerBinlog")
        if not applied or Position.parse(applied) < position:
            return False
    return True


def binlog_position(server: RunningServer) -> Position:
    """Where the server's binlog ends."""
    with shop.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW BINARY LOG STATUS" if server.kind == "mysql" else "SHOW MASTER STATUS")
        name, offset, *_ = cursor.fetchone()
    return Position(name, int(offset))


def source_text(source_id: str, server: RunningServer) -> str:
    return f"""source-id: {source_id}
from:
  host: {server.host}
  port: {server.port}
  user: root
  password: ""
"""


def task_text(sources: list[str], target: RunningServer, mode: str = "all") -> str:
    instances = "\n".join(
        f"""  - source-id: {source}
    route-rules: [orders]
    block-allow-list: shops
    syncer-config-name: sync"""
        for source in sources
    )
    return f"""name: {TASK}
task-mode: {mode}
target-database:
  host: {target.host}
  port: {target.port}
  user: root
  password: ""
mysql-instances:
{instances}
routes:
  orders:
    schema-pattern: "shop_*"
    table-pattern: "orders_*"
    target-schema: shop
    target-table: orders
block-allow-list:
  shops:
    do-dbs: ["shop_*", legacy, extras]
syncers:
  sync:
    checkpoint-flush-interval: 2
"""
