"""A target without a server: it follows the DDL that it is sent, answers as TiDB does, and counts rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import STATEMENT_FAILED
from pkg.errors import DMError
from pkg.schema.alter import AddColumn, AddIndex, ChangeColumn, DropColumn, DropIndex, RenameColumn, SetDefault
from pkg.schema.charset import Charset
from pkg.schema.ddl import parse_ddl
from pkg.schema.name_exchange import exchanged_names
from pkg.schema.reflection import same_columns
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import PRIMARY, Table
from pkg.schema.tracker import SchemaTracker
from pkg.schema.translate import TranslatedDdl, translate_ddl

VERSIONS = {"tidb": "8.0.11-TiDB-v8.5.0", "mysql": "8.4.0", "mariadb": "10.11.6-MariaDB"}
COLLATIONS = frozenset({"utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "latin1_bin"})
_CREATIONS = (DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_LIKE)
_ALTERS = (DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX)


class Wrong(AssertionError):
    """Something that must never be."""


@dataclass(frozen=True)
class Row:
    """A row of the upstream, with the structure that its table had there."""

    source: str
    place: int
    structure: Table

    def __str__(self) -> str:
        return f"the row of {self.source}'s {self.structure.name} at {self.place}"


class NoJobs:
    """TiDB's own connection, which knows of no DDL job that still runs."""

    @contextmanager
    def cursor(self) -> Iterator[NoJobs]:
        yield self

    def execute(self, sql: str, arguments: object = None) -> None:
        pass

    def fetchall(self) -> list[Any]:
        return []


class TextTarget:
    """What a `Downstream` is for DDL, and rows; ``loose``: the target may have other columns than the shards.

    A statement with the words ``refuses`` fails there.
    """

    folds_names = False

    def __init__(self, flavor: str, *, loose: bool = False, refuses: str = "") -> None:
        self.server = Server.from_version_text(VERSIONS[flavor])
        self.collations = COLLATIONS
        self.tracker = SchemaTracker({"all": "utf8mb4_bin", "d": "utf8mb4_bin"})
        self.executed: list[str] = []
        self.rows: set[tuple[str, int]] = set()
        self._loose = loose
        self._refuses = refuses
        self.checks_keys = False

    def execute_ddl(self, sql: str, variables: Mapping[str, str]) -> None:
        """Raises DMError as the server would."""
        sent = sql.rstrip()
        if sql.startswith("BATCH "):
            self.executed.append(sent)
            return
        ddl = parse_ddl(sql, default_schema="", flavor=self.server.flavor)
        number = self._refusal(ddl)
        if number:
            raise _refused(number, sql)
        is_there = ddl.kind in _CREATIONS and self.table(ddl.subject.schema, ddl.subject.table) is not None
        self.tracker.apply(ddl)
        if not is_there:  # IF NOT EXISTS
            self.executed.append(sent)

    def table(self, schema: str, table: str) -> Table | None:
        return self.tracker.table(schema, table)

    def kind_of(self, schema: str, table: str) -> str:
        return "" if self.table(schema, table) is None else "BASE TABLE"

    def shown_table(self, name: TableName) -> str:
        table = self.table(name.schema, name.table)
        checks = (table.checks or ()) if table is not None else ()
        return "\n".join(f"  CONSTRAINT `{one.name}` CHECK ({', '.join(one.columns)})," for one in checks)

    def shown_as_is(self, what: str) -> str:
        kind, *names = re.findall(r"\w+", what)
        if kind == "DATABASE":
            return str(self.tracker.database(*names) or "")
        table = self.table(*names)
        if table is None:
            return ""
        found = table.to_json()
        columns = [f"  `{one['name']}` {json.dumps(one)}" for one in found.pop("columns")]
        keys = [f"  KEY {json.dumps(one)}" for one in found.pop("indexes")]
        partitions = [json.dumps([found.pop("partitioning"), found.pop("partitions")])]
        return "\n".join(["CREATE TABLE (", *columns, *keys, f") {json.dumps(found)}", *partitions])

    @property
    def prints_by(self) -> str:
        return self.server.version_text

    def missing_database(self, name: str) -> str:
        return ""

    def is_empty(self, name: TableName) -> bool:
        return not self.rows

    def column_comment(self, name: TableName, column: str) -> str:
        return ""

    def columns_set_by_updates(self, name: TableName) -> list[str]:
        return []

    def translated(self, ddl: Ddl, structure: Table | None, database: Charset, target: TableName) -> TranslatedDdl:
        present = self.table(target.schema, target.table)
        return translate_ddl(
            ddl, structure, flavor=self.server.flavor, collations=self.collations, database=database, present=present
        )

    def own(self) -> NoJobs:
        return NoJobs()

    def write(self, row: Row, known: Table, name: TableName) -> None:
        """A row arrives, read by the structure ``known``.  Raises Wrong."""
        there = self.tracker.table(name.schema, name.table)
        if (row.source, row.place) in self.rows:
            raise Wrong(f"{row} is applied twice")
        if known.columns != row.structure.columns:
            raise Wrong(f"{row} is read as {known.columns}, was written as {row.structure.columns}")
        if there is None:
            raise Wrong(f"{row} has no target")
        if not self._fits(row.structure, there):
            raise Wrong(f"{row} ({_shown(row.structure)}) is applied to ({_shown(there)})")
        self.rows.add((row.source, row.place))

    def _fits(self, structure: Table, there: Table) -> bool:
        if self._loose:
            return all(there.column(column.name) is not None for column in structure.columns)
        return same_columns(structure, there)

    def _refusal(self, ddl: Ddl) -> int:
        """The error's number; 0: it runs."""
        if self._refuses and self._refuses in ddl.text:
            return 1062
        table = self.tracker.table(ddl.subject.schema, ddl.subject.table)
        if ddl.kind in _CREATIONS:
            return 1050 if table is not None and not ddl.if_exists else 0
        if ddl.kind is DdlKind.DROP_TABLE:
            return 1051 if table is None and not ddl.if_exists else 0
        if exchanged_names(ddl) and self.server.flavor == "tidb":
            return 1060
        if ddl.kind in _ALTERS:
            return 1146 if table is None else _alter_refusal(ddl, table)
        return 0


def _alter_refusal(ddl: Ddl, table: Table) -> int:
    columns = {column.name.lower() for column in table.columns}
    keys = {index.name.lower() for index in table.indexes}
    for one in ddl.alterations:
        number = _clause_refusal(one, columns, keys, has_primary=table.index(PRIMARY) is not None)
        if number:
            return number
    return 0


def _clause_refusal(one: object, columns: set[str], keys: set[str], *, has_primary: bool) -> int:
    """The sets become what they are behind the clause."""
    match one:
        case AddColumn(column, _, if_not_exists):
            number = 1060 if column.name.lower() in columns and not if_not_exists else 0
            columns.add(column.name.lower())
            return number
        case DropColumn(name, if_exists):
            return 1091 if name.lower() not in columns and not if_exists else 0
        case ChangeColumn(old=old) | RenameColumn(old=old):
            number = 0 if old.lower() in columns else 1054
            columns.add((one.column.name if isinstance(one, ChangeColumn) else one.new).lower())
            return number
        case SetDefault(name=name):
            return 0 if name.lower() in columns else 1054
        case AddIndex(index) if index.primary:
            return 1068 if has_primary and "primary" in keys else 0
        case AddIndex(index):
            return 1061 if (index.name or "").lower() in keys else 0
        case DropIndex(name, if_exists):
            number = 0 if name.lower() in keys or if_exists else 1091
            keys.discard(name.lower())
            return number
    return 0


def _refused(number: int, sql: str) -> DMError:
    return STATEMENT_FAILED.downstream.error(address="the target", text=f"refused: {sql}", errno=number)


def _shown(table: Table) -> str:
    keys = ", ".join(f"{index.name} ({', '.join(index.columns)})" for index in table.indexes)
    return ", ".join(f"{one.name} {one.type} {one.default}" for one in table.columns) + f"; {keys}"
