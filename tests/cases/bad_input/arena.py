"""One cluster, one upstream and one target that many wrong inputs are tried on, and what a person reads each time."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster import Cluster
from tests.servers import RunningServer

WORKERS = ("worker-1", "worker-2")
SOURCE = "main"


@dataclass
class Arena:
    """The names that `fresh` gives are used once, so that no test sees another's schemas, sources or tasks."""

    cluster: Cluster
    upstream: RunningServer
    target: RunningServer
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def fresh(self, stem: str) -> str:
        return f"{stem}{next(self._numbers)}"

    def write(self, name: str, text: str) -> Path:
        path = self.cluster.folder / name
        path.write_text(text)
        return path

    def source(self, source_id: str = "", **changes: Any) -> Path:
        """A source file that is right but for `changes` (port, user, password, more)."""
        source_id = source_id or self.fresh("src")
        login = _login(self.upstream, changes)
        return self.write(f"{source_id}.yaml", f"source-id: {source_id}\n{changes.get('more', '')}from:\n{login}")

    def task(self, schema: str, name: str = "", **changes: Any) -> Path:
        """A task file that takes `schema` and is right but for `changes` (port, user, password, mode, source, more)."""
        name = name or self.fresh("task")
        text = f"""name: {name}
task-mode: {changes.get("mode", "all")}
{changes.get("more", "")}target-database:
{_login(self.target, changes)}mysql-instances:
  - source-id: {changes.get("source", SOURCE)}
    block-allow-list: one
{changes.get("instance", "")}block-allow-list:
  one:
    do-dbs: [{schema}]
"""
        return self.write(f"{name}.yaml", text)

    def schema(self, *tables: str, server: RunningServer | None = None, name: str = "") -> str:
        """A new schema on the upstream (or `server`) with these tables, each `name (columns)`."""
        name = name or self.fresh("db")
        statements = [f"CREATE DATABASE {name}", *(f"CREATE TABLE {name}.{table}" for table in tables)]
        run(server or self.upstream, *statements)
        return name

    def user(self, server: RunningServer, *grants: str, password: str = "secret") -> str:
        """A new account with these grants (`PRIVILEGES ON object`) only."""
        name = self.fresh("user")
        run(
            server,
            f"CREATE USER '{name}'@'%' IDENTIFIED BY '{password}'",
            *(f"GRANT {grant} TO '{name}'@'%'" for grant in grants),
        )
        return name

    def here(self) -> str:
        """The `meta` block of a task that replicates from now on."""
        [row] = run(self.upstream, "SHOW MASTER STATUS")
        return f"    meta:\n      binlog-name: {row[0]}\n      binlog-pos: {row[1]}\n"

    def refused(self, *words: str, code: int = 1) -> str:
        """What dmctl says, as a table for people; it must end with `code` and without a traceback."""
        result = self.cluster.ask("--output", "table", *words)
        said = result.out + result.err
        assert result.code == code, f"exit {result.code}, not {code}:\n{said}\n{self.cluster.logs()}"
        assert "Traceback" not in said, said
        assert "secret" not in said, f"a password is shown:\n{said}"
        return " ".join(re.sub("[╭╮╰╯│─]", " ", said).split())


def _login(server: RunningServer, changes: dict[str, Any]) -> str:
    values = {"host": server.host, "port": server.port, "user": "root", "password": ""}
    values |= {key: value for key, value in changes.items() if key in values}
    return "".join(f'  {key}: "{value}"\n' if key != "port" else f"  port: {value}\n" for key, value in values.items())


def run(server: RunningServer, *statements: str) -> list[Any]:
    """Execute `statements` as root; the rows of the last one."""
    with server.connect() as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())
