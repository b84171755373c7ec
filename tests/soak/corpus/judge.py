"""Compares one table on three servers: upstream, the native replica, and the target of the task.

The native replica is the judge: what it has as the upstream has, the target must have, too.  Where the replica itself
differs, nothing is expected of the target; where the target has what either of them has, it is equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pymysql

from tests.cases.replicate.comparing import Column, Server, TableName, alike, contents, indexes, structures

MOST_ROWS = 100_000  # of a table whose values are compared one by one; of larger ones the number of rows
SHOWN = 5
META = "corpus_meta"  # the task's own schema in the target
SYSTEM = ("mysql", "information_schema", "performance_schema", "metrics_schema", "sys")
# Rows that were inserted and deleted in one batch leave no trace in AUTO_INCREMENT; how a table is stored is the target's
# own matter (docs/ddl.md).
_NOT_COMPARED = (*SYSTEM, META)
_VOLATILE = re.compile(
    r" (AUTO_INCREMENT|ENGINE|ROW_FORMAT|CHECKSUM|PAGE_CHECKSUM|DELAY_KEY_WRITE|TRANSACTIONAL|PACK_KEYS|KEY_BLOCK_SIZE|"
    r"MAX_ROWS|MIN_ROWS|AVG_ROW_LENGTH|INSERT_METHOD|STATS_\w+)=\w+|(?<=USING )(BTREE|HASH)| UNION=\(.*?\)"
)


@dataclass(frozen=True)
class Picture:
    """A table on one server; ``text`` is its definition, where servers of one kind are compared."""

    columns: list[Column]
    indexes: list[Any]
    text: str
    rows: Counter[Any] | str  # or the error that reading them gives


@dataclass(frozen=True)
class Difference:
    table: TableName
    kind: str  # "rows", "table", "structure" or "schema"
    native: str
    target: str

    def __str__(self) -> str:
        return f"{self.kind} of {'.'.join(self.table)}: native {self.native} | target {self.target}"


@dataclass
class Judge:
    upstream: Server
    native: Server
    target: Server

    def differences(self, tables: Iterable[TableName]) -> tuple[list[Difference], list[Difference]]:
        """(what differs between native replica and target; what the native replica itself has otherwise)."""
        ours: list[Difference] = []
        natives: list[Difference] = []
        for table in tables:
            here, judge, there = (picture(one, table, self._model(table)) for one in self._ends)
            found = None if isinstance(judge, str) else _difference(table, judge, there, self._kinds)
            if found is None or _difference(table, here, there, self._kinds) is None:
                continue
            wrong = _difference(table, here, judge, ("mariadb", "mariadb")) if here != "locked" else None
            (ours if wrong is None else natives).append(found if wrong is None else wrong)
        return ours, natives

    @property
    def _ends(self) -> tuple[Server, Server, Server]:
        return self.upstream, self.native, self.target

    @property
    def _kinds(self) -> tuple[str, str]:
        return self.native.kind, self.target.kind

    def _model(self, table: TableName) -> list[Column]:
        """The columns by which the rows are read on all sides: the native replica's."""
        return structures(self.native, *table).get(table, [])

    def schemas(self, server: Server) -> dict[str, str]:
        """Databases of users, with their collations."""
        found = server.query("SELECT SCHEMA_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA")
        return {name: collation for name, collation in found if name.lower() not in _NOT_COMPARED}

    def tables(self) -> set[TableName]:
        """All base tables that any of the three has."""
        names: set[TableName] = set()
        for server in self._ends:
            found = server.query(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE IN "
                "('BASE TABLE', 'SYSTEM VERSIONED') AND LOWER(TABLE_SCHEMA) NOT IN "
                f"({', '.join(map(repr, _NOT_COMPARED))})"
            )
            names.update(found)
        return names

    def of_schemas(self) -> list[Difference]:
        """Databases that native replica and target do not both have, or with another collation."""
        here, judge, there = (self.schemas(one) for one in self._ends)
        return [
            Difference((name, "*"), "schema", str(judge.get(name)), str(there.get(name)))
            for name in sorted(judge.keys() | there.keys())
            if (judge.get(name) is None) != (there.get(name) is None)
            or (self.target.kind == "mariadb" and judge.get(name) != there.get(name) != here.get(name))
        ]


def picture(server: Server, table: TableName, model: list[Column]) -> Picture | str | None:
    """What the server has; None: no such table; "locked": somebody holds it."""
    try:
        columns = structures(server, *table).get(table)
        if columns is None:
            return None
        text = _definition(server, table) if server.kind == "mariadb" else ""
        return Picture(columns, indexes(server, *table).get(table, []), text, _rows(server, table, model or columns))
    except pymysql.err.MySQLError as exc:
        return "locked" if exc.args[0] == 1205 else f"error {exc.args[0]}: {exc.args[-1]}"


def _definition(server: Server, table: TableName) -> str:
    name = ".".join(f"`{part.replace('`', '``')}`" for part in table)
    return _VOLATILE.sub("", str(server.query(f"SHOW CREATE TABLE {name}")[0][1]))


def _rows(server: Server, table: TableName, columns: list[Column]) -> Counter[Any] | str:
    name = ".".join(f"`{part.replace('`', '``')}`" for part in table)
    try:
        count = int(server.query(f"SELECT COUNT(*) FROM {name}")[0][0])
        if count > MOST_ROWS or not columns:
            return Counter({count: 1})
        return contents(server, table, columns)
    except pymysql.err.MySQLError as exc:
        if exc.args[0] == 1205:
            raise
        return f"error {exc.args[0]}"


def _difference(
    table: TableName, one: Picture | str | None, other: Picture | str | None, kinds: tuple[str, str]
) -> Difference | None:
    if not isinstance(one, Picture) or not isinstance(other, Picture):
        same = one == other or "locked" in (one, other)
        return None if same else Difference(table, "table", _brief(one), _brief(other))
    if one.rows != other.rows:
        return Difference(table, "rows", *_row_difference(one.rows, other.rows))
    if kinds == ("mariadb", "mariadb"):
        pair: tuple[Any, Any] = (one.text, other.text)
    else:
        pair = ((alike(one.columns, *kinds), one.indexes), (alike(other.columns, *kinds), other.indexes))
    return None if pair[0] == pair[1] else Difference(table, "structure", *_apart(*pair))


def _brief(one: Picture | str | None) -> str:
    if isinstance(one, Picture):
        return "has it"
    return one or "has none"


def _row_difference(one: Counter[Any] | str, other: Counter[Any] | str) -> tuple[str, str]:
    if isinstance(one, str) or isinstance(other, str):
        return _rows_text(one), _rows_text(other)
    return _rows_text(one - other), _rows_text(other - one)


def _rows_text(rows: Counter[Any] | str) -> str:
    if isinstance(rows, str):
        return rows
    shown = [repr(row) for row in list(rows)[:SHOWN]]
    return f"{rows.total()} rows " + " ".join(shown)[:400]


def _apart(one: Any, other: Any) -> tuple[str, str]:
    """The lines or items in which they differ."""
    if isinstance(one, str):
        ours, theirs = one.splitlines(), other.splitlines()
    else:
        ours, theirs = ([*map(repr, part[0]), *map(repr, part[1])] for part in (one, other))
    here = [item.strip() for item in ours if item not in theirs]
    there = [item.strip() for item in theirs if item not in ours]
    return " ".join(here)[:600] or "the same in another order", " ".join(there)[:600]
