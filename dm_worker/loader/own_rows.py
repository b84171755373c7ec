"""Rows of a table that has its target for itself, where the target holds some of them equal to rows that it has.

A chunk is written once, so a row there is either the same row, of an earlier copy, and gives way, or another one.  Two
rows of one upstream table that the target holds equal (a coarser collation, a unique key over a generated column that
has another value there) cannot both arrive: that is an error.  In a lock-free copy a unique value may only have moved
from one row to the other meanwhile; so the upstream is asked for both rows as they are at one moment, and these
are tried in the target.  Neither a key's expression nor its collation has to be understood for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final, TypeAlias

from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.rows import read_statements
from dm_worker.loader.statement_rows import Row, rows_of, shown
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import DUPLICATE
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.conditions import asked_before
from pkg.rows.held_values import as_text
from pkg.rows.text_protocol import StatementBuilder
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES
from pkg.schema.letter_case import small
from pkg.schema.table import Table

ROWS_MADE_ONE = ErrorKind(
    34210,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{target} cannot hold two rows of {source}, which its keys hold equal: {text}; one row: {row}; the other: {other}",
    workaround="compare the unique keys of the two tables (collations; generated columns, which the target calculates "
    "in its own way), drop or alter the target's, then resume-task; on-duplicate-logical: replace keeps the row that "
    "comes last",
)
Values: TypeAlias = tuple[Any, ...]
_BEFORE_STATEMENT: Final = "dm_statement"
_BEFORE_PAIR: Final = "dm_pair"
_NO_LIMIT: Final = 1 << 24  # bytes of a statement


class OwnRows:
    """Writes INSERT statements in the transaction that is open on ``connection``.

    ``structure`` is the target's; ``open_upstream`` None: there is nobody to ask (rows come from a dump), and other
    rows that the target holds equal are an error.
    """

    def __init__(
        self,
        connection: Connection,
        table: TableCopy,
        structure: Table,
        open_upstream: Callable[[], Connection] | None,
        run: Callable[[bytes], bool],
    ) -> None:
        self._connection = connection
        self._table = table
        self._open_upstream = open_upstream
        self._run = run  # a statement; whether there are warnings
        self._prefix = table.insert_prefix("INSERT").encode()
        names = table.identity
        self._key = tuple(quoted(name) for name in names)
        places = {name: place for place, name in enumerate(table.names)}
        self._places = tuple(places.get(small(name), -1) for name in names)
        self._knows_keys = bool(names) and -1 not in self._places
        columns = [structure.column(name) for name in names]
        self._is_text = tuple(one is not None and one.base_type in CHARACTER_TYPES for one in columns)
        self._is_bytes = tuple(one is not None and one.base_type in BINARY_TYPES for one in columns)

    def write(self, statement: bytes) -> bool:
        """Write a statement that met a duplicate; whether there are warnings.  Raises ROWS_MADE_ONE."""
        rows = list(rows_of(statement, self._prefix))
        if not self._knows_keys:
            return self._row_by_row(rows)
        self._connection.query(f"SAVEPOINT {_BEFORE_STATEMENT}")
        self._connection.query(b"DELETE FROM %b WHERE %b" % (self._target, b" OR ".join(map(self._same, rows))))
        try:
            return self._run(statement)
        except DMError as exc:
            if not DUPLICATE.matches(exc):
                raise
        self._connection.query(f"ROLLBACK TO SAVEPOINT {_BEFORE_STATEMENT}")
        return self._row_by_row(rows)

    @property
    def _target(self) -> bytes:
        return self._table.downstream_name.encode()

    def _same(self, row: Row) -> bytes:
        """True of the target's row with the same key, byte by byte."""
        parts = []
        for name, place, is_text, is_bytes in zip(self._key, self._places, self._is_text, self._is_bytes, strict=True):
            column, value = name.encode(), as_text(row[place]) if is_text or is_bytes else row[place]
            if is_text and value.startswith(b"'"):
                exact = b"CAST(CONVERT(%b USING utf8mb4) AS BINARY)=CAST(%b AS BINARY)" % (column, value)
                parts.append(asked_before(column, value) + exact)
            else:
                parts.append(b"%b=%b" % (column, value))
        return b"(" + b" AND ".join(parts) + b")"

    def _row_by_row(self, rows: Sequence[Row]) -> bool:
        warned = [self._write(row) for row in rows]
        return any(warned)

    def _write(self, row: Row) -> bool:
        statement = self._statement(row)
        if self._knows_keys:
            self._connection.query(b"DELETE FROM %b WHERE %b" % (self._target, self._same(row)))
        others: list[Values] = []
        while True:
            try:
                warned = self._run(statement)
                break
            except DMError as exc:
                if not DUPLICATE.matches(exc):
                    raise
                others.append(self._removed(row, exc))
        if others:
            self._refuse_if_both_live(row, others)
        return warned

    def _statement(self, row: Row) -> bytes:
        return self._prefix + b"(" + b",".join(row) + b")"

    def _removed(self, row: Row, met: DMError) -> Values:
        """The key of the target's row that ``row`` meets, once that is gone."""
        if not self._knows_keys:
            raise self._error(row, "unknown: the upstream's table has no key", met)
        marks = [f"@dm_{number}" for number in range(len(self._key))]
        self._connection.query("SET " + ", ".join(f"{mark} = NULL" for mark in marks))
        first = self._key[0]
        # Names without VALUES() are those of the row that is there; what is assigned is the column itself.
        seen = " OR ".join(f"LENGTH({mark} := {name}) < 0" for mark, name in zip(marks, self._key, strict=True))
        probe = f" ON DUPLICATE KEY UPDATE {first} = IF({seen}, {first}, {first})"
        self._connection.query(self._statement(row) + probe.encode())
        cursor: Any
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(marks)}")
            values: Values = tuple(cursor.fetchone())
            if None in values:
                raise self._error(row, "not found", met)
            where = " AND ".join(f"{name} = {mark}" for name, mark in zip(self._key, marks, strict=True))
            if cursor.execute(f"DELETE FROM {self._table.downstream_name} WHERE {where}") != 1:
                raise self._error(row, self._shown_key(values), met)
        if self._open_upstream is None:
            raise self._error(row, self._shown_key(values), met)
        return values

    def _refuse_if_both_live(self, row: Row, others: Sequence[Values]) -> None:
        """Whether the target holds the rows equal as the upstream has them at one moment, too."""
        if self._open_upstream is None:
            return
        mine = b" AND ".join(
            b"%b=%b" % (name.encode(), row[place]) for name, place in zip(self._key, self._places, strict=True)
        )
        with closing(self._open_upstream()) as upstream:
            theirs = [self._is_there(upstream, values) for values in others]
            condition = b" OR ".join(b"(" + one + b")" for one in (mine, *theirs))
            statements = list(self._now(upstream, condition.decode()))
        self._connection.query(f"SAVEPOINT {_BEFORE_PAIR}")
        self._connection.query(b"DELETE FROM %b WHERE %b" % (self._target, self._same(row)))
        try:
            for statement in statements:
                self._connection.query(statement)
        except DMError as exc:
            if not DUPLICATE.matches(exc):
                raise
            raise self._error(row, "; ".join(map(self._shown_key, others)), exc) from exc
        self._connection.query(f"ROLLBACK TO SAVEPOINT {_BEFORE_PAIR}")

    def _is_there(self, upstream: Connection, values: Values) -> bytes:
        pairs = zip(self._key, values, strict=True)
        return b" AND ".join(b"%b=%b" % (name.encode(), _literal(upstream, value)) for name, value in pairs)

    def _now(self, upstream: Connection, condition: str) -> Iterator[bytes]:
        expressions = ", ".join(self._table.expressions)
        sql = f"SELECT {expressions} FROM {self._table.upstream_name} WHERE {condition}"
        builder = StatementBuilder(self._prefix, 1000, _NO_LIMIT)
        for statement, _ in read_statements(upstream, sql, builder):
            yield bytes(statement)

    def _shown_key(self, values: Values) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in zip(self._key, values, strict=True))

    def _error(self, row: Row, other: str, cause: DMError) -> DMError:
        return ROWS_MADE_ONE.error(
            source=self._table.upstream_name,
            target=self._table.downstream_name,
            text=str(cause.fields.get("text", "")),
            row=shown(self._table.columns, row, self._key),
            other=other,
            cause=cause,
        )


def _literal(connection: Connection, value: Any) -> bytes:
    if isinstance(value, bytes):
        return b"x'%b'" % value.hex().encode() if value else b"''"
    driver: Any = connection  # its stubs know less of it
    literal: str = driver.escape(value, driver.encoders)
    return literal.encode("utf-8", "surrogateescape")
