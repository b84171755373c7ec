"""One replicating task that an operator steers: its cluster, its servers, and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pkg.binlog.position import Position
from tests.cases.e2e.job import binlog_position, source_text
from tests.cluster import Cluster, Result
from tests.servers import RunningServer

SOURCE, TASK, SCHEMA = "one", "steered", "steer_up"
TARGET = "steer_down"  # where the route leads


@dataclass
class Steered:
    """`steer_up` of an upstream, replicated as `steer_down` of a target."""

    cluster: Cluster
    upstream: RunningServer
    target: RunningServer

    def run(self, *statements: str) -> None:
        """Statements upstream, in one session."""
        run_on(self.upstream, SCHEMA, *statements)

    def run_on_target(self, *statements: str) -> None:
        run_on(self.target, TARGET, *statements)

    def column_types(self, table: str) -> dict[str, str]:
        """Of the target's table."""
        rows = query(self.target, f"SHOW COLUMNS FROM {TARGET}.{table}")
        return {str(row[0]): str(row[1]) for row in rows}

    def rows(self, table: str) -> list[Any]:
        return query(self.target, f"SELECT * FROM {TARGET}.{table} ORDER BY 1")

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.cluster.subtasks(TASK).get(SOURCE, {})
        return found

    def errors(self) -> list[dict[str, Any]]:
        return list((self.status().get("result") or {}).get("errors") or ())

    def wait_paused(self, code: int) -> Position:
        """Until the subtask stands at an error of this number; where its statement ends."""
        self.cluster.wait(lambda: [one["ErrCode"] for one in self.errors()] == [code], f"a pause by error {code}")
        text = self.errors()[0]["location"]
        return Position.parse(text) if text else Position("", 0)

    def wait_in_step(self) -> None:
        written = binlog_position(self.upstream)

        def is_there() -> bool:
            status = self.status()
            applied = (status.get("sync") or {}).get("syncerBinlog")
            return status.get("stage") == "Running" and bool(applied) and Position.parse(str(applied)) >= written

        self.cluster.wait(is_there, "the task is in step")

    def steer(self, *words: str) -> Result:
        return self.cluster.ask("binlog", *words)

    def expect(self, *words: str) -> dict[str, Any]:
        """The answer about the source; anything but success fails."""
        answer: dict[str, Any] = self.cluster.expect("binlog", *words)["sources"][0]
        return answer

    def refused(self, *words: str) -> str:
        """Why a command is refused."""
        result = self.cluster.ask(*words)
        assert result.code == 1, f"{words}: exit {result.code}\n{result.out}{result.err}"
        return message_of(result)

    def pause(self) -> None:
        self.cluster.expect("pause-task", TASK, "--wait")

    def start_processes(self) -> None:
        self.cluster.start_master()
        self.cluster.start_worker("worker")
        self.cluster.wait(lambda: '"worker"' in self.cluster.ask("list-member", "--worker").out, "the worker is there")


def message_of(result: Result) -> str:
    """What an answer says, of the whole or of its source."""
    body = result.json
    return str(body["msg"]) + "".join(str(one["msg"]) for one in body["sources"])


def place(position: Position) -> str:
    """As dmctl takes it."""
    return f"{position.name}:{position.offset}"


def run_on(server: RunningServer, schema: str, *statements: str) -> None:
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(f"USE {schema}")
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


def query(server: RunningServer, sql: str) -> list[Any]:
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


@contextmanager
def steered_task(folder: Path, upstream: RunningServer, target: RunningServer, tables: int) -> Iterator[Steered]:
    """A running task over tables t0, t1 … with two rows each."""
    with Cluster(folder) as cluster:
        task = Steered(cluster, upstream, target)
        for server, statement in ((upstream, f"CREATE DATABASE {SCHEMA}"),):
            with closing(server.connect()) as connection, connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
                cursor.execute(statement)
        for number in range(tables):
            task.run(
                f"CREATE TABLE t{number} (id INT PRIMARY KEY, v VARCHAR(20), KEY v (v)) DEFAULT CHARSET=utf8mb4",
                f"INSERT INTO t{number} VALUES (1, 'one'), (2, 'two')",
            )
        (folder / "source.yaml").write_text(source_text(SOURCE, upstream))
        (folder / "task.yaml").write_text(_task_text(target))
        task.start_processes()
        cluster.expect("operate-source", "create", str(folder / "source.yaml"), "--wait")
        cluster.expect("start-task", str(folder / "task.yaml"), "--until", "synced")
        try:
            yield task
        finally:
            cluster.close()
            for server, schemas in ((upstream, (SCHEMA,)), (target, (TARGET, "dm_meta"))):
                for schema in schemas:
                    query(server, f"DROP DATABASE IF EXISTS {schema}")


def _task_text(target: RunningServer) -> str:
    return f"""name: {TASK}
task-mode: all
target-database:
  host: {target.host}
  port: {target.port}
  user: root
  password: ""
mysql-instances:
  - source-id: {SOURCE}
    route-rules: [down]
    block-allow-list: mine
routes:
  down:
    schema-pattern: {SCHEMA}
    target-schema: {TARGET}
block-allow-list:
  mine:
    do-dbs: [{SCHEMA}]
"""
