"""``explain-rules``: reads the tables of the task's sources and says what the rules do to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from dm_master.explain import SourceRules
from dm_master.tasks import Prepared
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import structure_of
from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.system_schemas import is_system_schema
from pkg.task import SubtaskConfig

Body = dict[str, Any]

BAD_TABLE_NAME = ErrorKind(
    38079,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "{name!r} does not name a table",
    workaround="write schema.table",
)


def explain(prepared: Prepared, table: str, sql: str) -> Body:
    """For each source of the task its tables (or the one named), and what would become of ``sql``."""
    schema, name = _split(table)
    tables: list[Body] = []
    statements: list[Body] = []
    for subtask in prepared.subtasks:
        with closing(
            connect(ConnectionOptions.from_config(subtask.upstream, side="upstream"), side="upstream")
        ) as link:
            server = Server.probe(link)
            set_session(link, server.upstream_session())
            rules = SourceRules.of(subtask, server.gtid_flavor)
            if sql:
                statements.append(rules.statement(sql, schema, name, partial(structure_of, link)))
            if table or not sql:
                tables += [rules.table(*one) for one in _tables(link, subtask, schema, name)]
    return {"result": True, "msg": "", "tables": tables, "statements": statements}


def _split(table: str) -> tuple[str, str]:
    schema, dot, name = table.partition(".")
    if table and not (dot and schema and name):
        raise BAD_TABLE_NAME.error(name=table)
    return schema.strip("`"), name.strip("`")


def _tables(link: Connection, subtask: SubtaskConfig, schema: str, name: str) -> Iterator[tuple[str, str]]:
    """Base tables of the source, but the servers' own and the task's."""
    if name:
        yield schema, name  # also one that is still to come
        return
    with link.cursor() as cursor:
        cursor.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_type = 'BASE TABLE' ORDER BY 1, 2"
        )
        found: Sequence[Sequence[Any]] = cursor.fetchall()
    for owner, table in found:
        if not is_system_schema(str(owner)) and str(owner).lower() != subtask.meta_schema.lower():
            yield str(owner), str(table)
