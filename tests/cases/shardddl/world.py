"""Sources with sharded tables and one task that merges them, on real servers and real processes.

A test says what each source does, in order, and compares the merged table with all that the sources hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.cases.e2e.job import source_text
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

TASK = "merge"
Sources = tuple[Cluster, dict[str, RunningServer]]
TARGET = "`all`.`t`"
CHECKER = "checker: {backoff-max: 1s}\n"  # of a source: what dies is started again at once, however often


def task_text(places: Mapping[str, str], target: RunningServer, more: str = "", sync: str = "") -> str:
    """`places` are those at which the sources' binlogs are to be read from on; "" where a full load comes first.

    ``sync``: more settings of replication.
    """
    instances = "\n".join(
        f"  - {{source-id: {source}, route-rules: [merge], block-allow-list: shards, syncer-config-name: sync{place}}}"
        for source, place in places.items()
    )
    return f"""name: {TASK}
task-mode: {"incremental" if any(places.values()) else "all"}
shard-mode: pessimistic
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances:
{instances}
routes:
  merge: {{schema-pattern: "db*", table-pattern: "t*", target-schema: all, target-table: t}}
block-allow-list:
  shards: {{do-dbs: ["db*"]}}
syncers:
  sync: {{checkpoint-flush-interval: 1, worker-count: 4{sync and f", {sync}"}}}
{more}"""


def place(server: RunningServer) -> str:
    """Where a server's binlog ends, as a task file says it."""
    with closing(connect(server)) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW BINARY LOG STATUS" if server.kind == "mysql" else "SHOW MASTER STATUS")
        name, offset, *_ = cursor.fetchone()
        return f"binlog-name: {name}, binlog-pos: {offset}"


@dataclass
class World:
    """Source `sN` has the database `dbN` with the tables t1, t2, …"""

    cluster: Cluster
    servers: dict[str, RunningServer]
    target: RunningServer
    columns: str = "id INT PRIMARY KEY, a VARCHAR(20)"
    tables: dict[str, list[str]] = field(default_factory=dict)  # by source; those not named have t1 and t2
    more: str = ""
    source_more: str = ""
    sync_more: str = ""  # settings of replication
    loads: bool = True  # first; else the merged table is made here, and replication starts behind the shards'
    _ids: int = 0

    def begin(self) -> None:
        """Create the tables, start everything, and wait until replication runs."""
        self.create()
        self.start_cluster()
        self.start_task()

    @contextmanager
    def running(self, *databases: str) -> Iterator[World]:
        """The task alone, in a cluster that runs with its sources; ends with nothing of it left, nor of ``databases``."""
        self.create()
        self.start_task("--remove-meta")
        try:
            yield self
        finally:
            self._end(databases)

    def _end(self, databases: Sequence[str]) -> None:
        self.cluster.expect("stop-task", TASK, "--wait")
        made = [f"db{number}" for number in range(1, len(self.servers) + 1)]
        for server in {id(one): one for one in (*self.servers.values(), self.target)}.values():
            with closing(connect(server)) as connection, connection.cursor() as cursor:
                for name in (*made, *databases, "all", "dm_meta"):
                    cursor.execute(f"DROP DATABASE IF EXISTS `{name}`")

    def create(self) -> None:
        for number, source in enumerate(self.servers, 1):
            self.tables.setdefault(source, ["t1", "t2"])
            self.run(
                source,
                f"CREATE DATABASE db{number} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                schema="",
            )
            for table in self.tables[source]:
                self.run(source, f"CREATE TABLE {table} ({self.columns})")
        if not self.loads:
            with closing(connect(self.target)) as connection, connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE `all` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
                cursor.execute(f"CREATE TABLE {TARGET} ({self.columns})")

    def start_cluster(self) -> None:
        self.cluster.start_master()
        for source, server in self.servers.items():
            self.cluster.start_worker(f"w-{source}")
            (self.cluster.folder / f"{source}.yaml").write_text(source_text(source, server) + self.source_more)
        self.cluster.wait(
            lambda: self.cluster.ask("list-member", "--worker").out.count('"free"') == len(self.servers), "workers"
        )
        for source in self.servers:
            self.cluster.expect("operate-source", "create", str(self.cluster.folder / f"{source}.yaml"))

    def start_task(self, *options: str) -> None:
        places = {source: "" if self.loads else f", meta: {{{place(one)}}}" for source, one in self.servers.items()}
        (self.cluster.folder / "task.yaml").write_text(task_text(places, self.target, self.more, self.sync_more))
        begun = self.cluster.ask("start-task", str(self.cluster.folder / "task.yaml"), *options)
        self.cluster.wait(self.is_replicating, f"replication, {begun.out}")  # a slow machine's begins later than asked
        if not self.loads:  # a table that it has not met has the structure of when it does
            for source in self.servers:
                for table in self.tables[source]:
                    self._ids += 1
                    self.run(source, f"INSERT INTO {table} (id) VALUES ({self._ids})")
            self.wait_merged("id")

    def is_replicating(self) -> bool:
        statuses = self.statuses()
        return len(statuses) == len(self.servers) and all("sync" in one for one in statuses.values())

    def statuses(self) -> dict[str, Any]:
        return self.cluster.subtasks(TASK)

    def sync(self, source: str) -> dict[str, Any]:
        found: dict[str, Any] = self.statuses().get(source, {}).get("sync", {})
        return found

    def run(self, source: str, *statements: str, schema: str | None = None) -> None:
        """Run statements upstream, in the source's own database."""
        number = list(self.servers).index(source) + 1
        with closing(connect(self.servers[source])) as connection, connection.cursor() as cursor:
            if schema != "":
                cursor.execute(f"USE {schema or f'db{number}'}")
            for statement in statements:
                cursor.execute(statement)

    def insert(self, source: str, table: str, columns: str = "id, a", values: str = "'x'") -> None:
        """One more row, with an id that no other row has."""
        self._ids += 1
        self.run(source, f"INSERT INTO {table} ({columns}) VALUES ({self._ids}, {values})")

    def rows(self, server: RunningServer, table: str, columns: str) -> list[tuple[Any, ...]]:
        with closing(connect(server)) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns} FROM {table} ORDER BY 1")
            return list(cursor.fetchall())

    def expected(self, columns: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for number, (source, server) in enumerate(self.servers.items(), 1):
            for table in self.tables[source]:
                found += self.rows(server, f"db{number}.{table}", columns)
        return sorted(found)

    def is_merged(self, columns: str) -> bool:
        try:
            return self.rows(self.target, TARGET, columns) == self.expected(columns)
        except Exception:  # a column that is not there yet
            return False

    def wait_merged(self, columns: str) -> None:
        self.cluster.wait(lambda: self.is_merged(columns), f"the merged table has all rows ({columns})")

    def sql_downstream(self, statement: str) -> None:
        """Run a statement in the target by hand."""
        with closing(connect(self.target)) as connection, connection.cursor() as cursor:
            cursor.execute(statement)

    def type_of(self, column: str) -> str:
        """Of the merged table's column."""
        with closing(connect(self.target)) as connection, connection.cursor() as cursor:
            cursor.execute(f"SHOW COLUMNS FROM {TARGET} LIKE '{column}'")
            return str(cursor.fetchone()[1])

    def unresolved(self, source: str) -> list[Any]:
        return list(self.sync(source).get("unresolvedGroups") or [])

    def wait_waiting(self, source: str) -> None:
        """Until all tables of the source have met a DDL and it waits for the others."""
        self.cluster.wait(lambda: bool(self.sync(source).get("blockingDDLs")), f"{source} waits for the others")

    def wait_resolved(self) -> None:
        self.cluster.wait(lambda: not any(self.unresolved(source) for source in self.servers), "no group waits")
