"""The DDL sequences of this folder's ``*.sql`` files, and how one is run on a server and in the tracker.

A case begins with ``-- case: NAME``; ``-- only: mysql`` restricts it to one flavour.  A statement ends with
``;`` at the end of a line.  ``$DB`` stands for the case's own database, ``$DB_x`` for another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.ddl import DdlKind, parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column, Table
from pkg.schema.tracker import SchemaTracker

FOLDER = Path(__file__).parent
DATABASE = "schema_case"
DATABASES = (DATABASE, f"{DATABASE}_x", f"{DATABASE}_y")


@dataclass(frozen=True)
class Case:
    name: str
    only: str
    statements: tuple[str, ...]


def load_cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.sql")) for case in _cases_of(path.read_text(encoding="utf-8"))]


def _cases_of(text: str) -> Iterator[Case]:
    for block in re.split(r"^-- case: ", text, flags=re.MULTILINE)[1:]:
        name, _, body = block.partition("\n")
        only = ""
        if body.startswith("-- only: "):
            head, _, body = body.partition("\n")
            only = head.removeprefix("-- only: ")
        statements = [part.strip() for part in re.split(r";$", body, flags=re.MULTILINE)]
        yield Case(name, only, tuple(part.replace("$DB", DATABASE) for part in statements if part))


def run_case(cursor: Any, case: Case, flavor: str) -> tuple[list[str], list[str]]:
    """The structures of all tables, as the tracker has them and as the server shows them."""
    for database in DATABASES:
        cursor.execute(f"DROP DATABASE IF EXISTS {database}")
    cursor.execute(f"CREATE DATABASE {DATABASE}")
    cursor.execute(f"USE {DATABASE}")
    context = context_of(cursor, flavor)
    tracker = SchemaTracker({DATABASE: context.server.collation})
    for statement in case.statements:
        cursor.execute(statement)
        ddl = parse_ddl(statement, default_schema=DATABASE, flavor=flavor)
        if ddl.kind is not DdlKind.NOT_REPLICATED:
            tracker.apply(ddl, context)
    shown = _shown(cursor)
    if flavor != "mysql":  # which names CHECKs otherwise
        shown = [replace(table, checks=None) for table in shown]
    return _described(tracker.tables()), _described(shown)


def context_of(cursor: Any, flavor: str) -> DdlContext:
    cursor.execute("SELECT @@character_set_server, @@collation_server")
    charset, collation = cursor.fetchone()
    cursor.execute(
        "SELECT collation_name FROM information_schema.collations "
        "WHERE is_default = 'Yes' AND collation_name LIKE 'utf8mb4%'"
    )
    row = cursor.fetchone()
    overrides = {"utf8mb4": row[0]} if row else {}
    return DdlContext(flavor=flavor, server=Charset(charset, collation), default_collations=overrides)


def _shown(cursor: Any) -> list[Table]:
    cursor.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema IN (%s, %s, %s)", DATABASES
    )
    tables = []
    for schema, name in cursor.fetchall():
        cursor.execute(f"SHOW CREATE TABLE `{schema}`.`{name.replace('`', '``')}`")
        tables.append(parse_create_table(cursor.fetchone()[1], schema))
    return tables


def _described(tables: list[Table]) -> list[str]:
    """One line for each column, key and option, without what servers write each in their own way."""
    lines = []
    for table in tables:
        prefix = f"{table.schema}.{table.name}"
        lines.append(f"{prefix}: {table.charset}/{table.collation} versioned={table.system_versioned} {table.comment}")
        lines += [f"{prefix} {i}: {_plain(column)}" for i, column in enumerate(table.columns)]
        lines += [f"{prefix} key: {index}" for index in _canonical(table)]
        lines += [f"{prefix} reference: {replace(key, on_delete='', on_update='')}" for key in table.foreign_keys]
        lines += [f"{prefix} check: {one}" for one in table.checks or ()]
        lines.append(f"{prefix} identity: {table.identity_key}")
    return sorted(lines)


def _canonical(table: Table) -> list[Any]:
    """Keys with the text of expressions left out: servers write them anew.

    A key that a server made for a foreign key it also drops by itself, without a trace in any statement.
    """
    referring = {key.columns for key in table.foreign_keys}
    return [
        replace(index, columns=tuple("(…)" if column.startswith("(") else column for column in index.columns))
        for index in table.indexes
        if index.unique or index.columns not in referring
    ]


def _plain(column: Column) -> Column:
    width = r"\b(tinyint|smallint|mediumint|int|bigint)\(\d+\)"
    default = column.default
    if default is not None and default != "NULL":
        number = re.fullmatch(r"'(-?\d+(?:\.\d+)?)'", default)
        default = str(float(number.group(1))) if number else "expression" if "'" not in default else default
    # Servers write expressions anew, too; is_same_text (pkg/schema/expressions.py) compares them.
    return replace(column, type=re.sub(width, r"\1", column.type), default=default, expression="")
