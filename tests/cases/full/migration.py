"""What the tests of the full migration share: a subtask to run, and tables to compare."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pymysql

from pkg.crashpoints import VARIABLE
from pkg.task.blocks import BlockAllowListConfig, RouteRule, SparkConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.secret import REVEAL
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.forks import ROOT, Forked
from tests.servers import RunningServer

_BINARY = frozenset(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit", "geometry", "point"))
_FLOATS = frozenset(("float", "double"))
AT_ONCE = SparkConfig(start="at-once")  # else threads copy what is small


def connection(server: RunningServer, database: str | None = None) -> Any:
    return pymysql.connect(
        host=server.host,
        port=server.port,
        user="root",
        database=database,
        charset="utf8mb4",
        autocommit=True,
        ssl_disabled=True,
    )


def execute(server: RunningServer, *statements: str, database: str | None = None) -> None:
    with connection(server, database) as link, link.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'")
        for statement in statements:
            cursor.execute(statement)


def query(server: RunningServer, sql: str, database: str | None = None) -> list[tuple[Any, ...]]:
    with connection(server, database) as link, link.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00'")
        cursor.execute(sql)
        return list(cursor.fetchall())


def subtask(
    source: RunningServer, target: RunningServer, schema: str, *, source_id: str = "src", **settings: Any
) -> SubtaskConfig:
    """A subtask that migrates one schema; the task and its meta schema are named like it."""
    routes = tuple(RouteRule.model_validate(route) for route in settings.pop("routes", ()))
    return SubtaskConfig(
        task_name=schema,
        source_id=source_id,
        task_mode=TaskMode.ALL,
        upstream=ConnectionConfig(host=source.host, port=source.port, user=settings.pop("user", "root")),
        target=ConnectionConfig(host=target.host, port=target.port, user="root"),
        meta_schema=f"{schema}_meta",
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": [schema]}),
        routes=routes,
        **settings,
    )


def start(config: SubtaskConfig, bind_epoch: int = 1, crashpoints: str = "") -> Forked:
    """The migration as a process that is under way."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: crashpoints}
    process = Forked("tests.cases.full.run_unit", str(bind_epoch), environment=environment)
    assert process.stdin is not None
    process.stdin.write(config.model_dump_json(context=REVEAL, by_alias=True) + "\n")
    process.stdin.flush()
    return process


def outcome(process: Forked, seconds: float = 300) -> dict[str, Any]:
    """What the process said at its end; ``exit`` is its return code, ``log`` what it logged."""
    output, errors = process.communicate(timeout=seconds)
    said = json.loads(output.splitlines()[-1]) if output.strip() else {}
    return {**said, "exit": process.returncode, "log": errors}


def migrate(config: SubtaskConfig, bind_epoch: int = 1) -> dict[str, Any]:
    """Run to the end; the last status."""
    ended = outcome(start(config, bind_epoch))
    assert ended["exit"] == 0, ended["log"]
    return ended


def contents(server: RunningServer, schema: str, table: str, columns: Iterable[str] | None = None) -> Counter[Any]:
    """All rows: text as hexadecimal UTF-8, bytes as hexadecimal, floats and JSON by value."""
    types = query(
        server,
        "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS "
        f"WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{table}' ORDER BY ORDINAL_POSITION",
    )
    wanted = None if columns is None else set(columns)
    shown = [_shown(name, kind) for name, kind in types if wanted is None or name in wanted]
    return Counter(map(_comparable, query(server, f"SELECT {', '.join(shown)} FROM `{schema}`.`{table}`")))


def _shown(name: str, kind: str) -> str:
    column = f"`{name}`"
    if kind == "bit":
        return f"CAST({column} AS UNSIGNED)"
    if kind.endswith("int"):
        return column
    if kind in _BINARY:
        return f"HEX({column})"
    if kind in _FLOATS:
        return f"{column} * 1e0"
    if kind == "json":
        return f"CONCAT('JSON', {column})"
    return f"HEX(CONVERT({column} USING utf8mb4))"


def _comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        json.dumps(json.loads(value[4:]), sort_keys=True) if isinstance(value, str) and value[:4] == "JSON" else value
        for value in row
    )


def assert_same(
    source: RunningServer,
    target: RunningServer,
    schema: str,
    tables: Iterable[str],
    columns: Iterable[str] | None = None,
) -> None:
    for table in tables:
        here, there = contents(source, schema, table, columns), contents(target, schema, table, columns)
        assert here == there, (
            f"{table}: missing {list((here - there).items())[:3]}, extra {list((there - here).items())[:3]}"
        )
