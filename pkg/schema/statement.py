"""A statement of the binlog: what it is, which tables it names, and how its text is edited.

Text is never generated anew (DESIGN.md §4.9): names are replaced where they stand and everything else
stays as the user wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from pkg.schema.alter import Alteration, AlterClause, RenameTo
from pkg.schema.create import TableOptions, TableSpec
from pkg.schema.cursor import NameSpan
from pkg.schema.lexer import quote_name


class DdlKind(Enum):
    CREATE_TABLE = "create table"
    CREATE_TABLE_LIKE = "create table like"
    CREATE_TABLE_SELECT = "create table select"
    ALTER_TABLE = "alter table"
    DROP_TABLE = "drop table"
    RENAME_TABLE = "rename table"
    TRUNCATE_TABLE = "truncate table"
    CREATE_INDEX = "create index"
    DROP_INDEX = "drop index"
    CREATE_DATABASE = "create database"
    ALTER_DATABASE = "alter database"
    DROP_DATABASE = "drop database"
    NOT_REPLICATED = "not replicated"  # views, routines, users …: `note` says what
    DML_TEXT = "dml"  # rows as a statement's text instead of row images
    BEGIN = "begin"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    SAVEPOINT = "savepoint"  # also ROLLBACK TO and RELEASE
    XA = "xa"


DATABASE_KINDS = frozenset({DdlKind.CREATE_DATABASE, DdlKind.ALTER_DATABASE, DdlKind.DROP_DATABASE})
TRANSACTION_KINDS = frozenset({DdlKind.BEGIN, DdlKind.COMMIT, DdlKind.ROLLBACK, DdlKind.SAVEPOINT, DdlKind.XA})
CREATIONS = frozenset({DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_LIKE})
TABLE_KINDS = frozenset(DdlKind) - DATABASE_KINDS - TRANSACTION_KINDS - {DdlKind.NOT_REPLICATED, DdlKind.DML_TEXT}


@dataclass(frozen=True, slots=True)
class TableName:
    """A table; ``table`` "" stands for the database itself."""

    schema: str
    table: str

    def quoted(self) -> str:
        schema = quote_name(self.schema)
        return f"{schema}.{quote_name(self.table)}" if self.table else schema


Edit = tuple[int, int, str]
"""From where to where in the text, and what comes there instead."""
Renaming = Callable[[TableName], TableName]


@dataclass(frozen=True, slots=True)
class Ddl:
    """One statement, understood.

    ``tables`` are all tables that it names, the one that it is about first; ``options`` those of a
    CREATE or ALTER DATABASE.  ``pieces()`` gives it as statements about one table each.
    """

    kind: DdlKind
    text: str
    default_schema: str
    spans: tuple[NameSpan, ...] = ()
    note: str = ""
    if_exists: bool = False  # IF EXISTS or IF NOT EXISTS
    or_replace: tuple[int, int] | None = None  # where MariaDB's OR REPLACE stands
    create: TableSpec | None = None
    clauses: tuple[AlterClause, ...] = ()
    options: TableOptions | None = None
    suffix: str = ""  # what follows the names of a DROP or RENAME TABLE
    edits: tuple[Edit, ...] = ()  # to be made in the text beside the names (translate.py)

    @property
    def is_schema_change(self) -> bool:
        return self.kind in TABLE_KINDS or self.kind in DATABASE_KINDS

    @property
    def alterations(self) -> tuple[Alteration, ...]:
        """What an ALTER TABLE, CREATE INDEX or DROP INDEX does, clause after clause."""
        return tuple(alteration for clause in self.clauses for alteration in clause.alterations)

    @property
    def tables(self) -> tuple[TableName, ...]:
        if self.kind in DATABASE_KINDS:
            return ()
        return tuple(self._resolved(span) for span in self.spans)

    @property
    def subject(self) -> TableName:
        """The table, or database, that the statement is about; the first of several."""
        return self._resolved(self.spans[0])

    @property
    def renames(self) -> tuple[tuple[TableName, TableName], ...]:
        """(old, new) of each table that the statement gives another name."""
        tables = self.tables
        if self.kind is DdlKind.RENAME_TABLE:
            return tuple(zip(tables[::2], tables[1::2], strict=True))
        named = [self._resolved(change.name) for change in self.alterations if isinstance(change, RenameTo)]
        return tuple((tables[0], name) for name in named[-1:])  # the last one counts

    def name_behind(self, name: TableName) -> TableName:
        """The name that a table has behind an ALTER TABLE … RENAME TO."""
        is_its_own = self.kind is DdlKind.ALTER_TABLE and name == self.subject
        return self.renames[-1][1] if is_its_own and self.renames else name

    def _resolved(self, span: NameSpan) -> TableName:
        if self.kind in DATABASE_KINDS:
            return TableName(span.name, "")
        schema = span.schema or (self.spans[0].schema if span.is_parent else None)
        return TableName(schema or self.default_schema, span.name)

    def rename(self, mapping: Renaming) -> str:
        """The text with every name mapped and qualified, so that it runs with any default database."""
        edits = [(span.start, span.end, mapping(self._resolved(span)).quoted()) for span in self.spans]
        names = [
            (start, end, name if end > start else f" {name}")
            for start, end, name in edits
            if not any(first <= start and end <= last and first < last for first, last, _ in self.edits)  # goes with it
        ]
        return edited(self.text, [*names, *self.edits])

    def pieces(self) -> tuple[Ddl, ...]:
        """Statements about one table each, in the order in which they have to run."""
        if self.or_replace and self.kind in (DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_LIKE, DdlKind.CREATE_DATABASE):
            return self._drop_and_create(self.or_replace)
        if self.kind is DdlKind.DROP_TABLE and len(self.spans) > 1:
            head = "DROP TABLE IF EXISTS" if self.if_exists else "DROP TABLE"
            return tuple(self._piece(head, "", (span,)) for span in self.spans)
        if self.kind is DdlKind.RENAME_TABLE and len(self.spans) > 2:
            head = "RENAME TABLE IF EXISTS" if self.if_exists else "RENAME TABLE"
            pairs = zip(self.spans[::2], self.spans[1::2], strict=True)
            return tuple(self._piece(head, " TO ", pair) for pair in pairs)
        return (self,)

    def dropped_if_exists(self, count: int | None = None) -> Ddl:
        """The first ``count`` of its tables (None: all), dropped if they are there."""
        dropped = self._piece("DROP TABLE IF EXISTS", ", ", self.spans[:count])
        return replace(dropped, kind=DdlKind.DROP_TABLE, if_exists=True, create=None, options=None)

    def _drop_and_create(self, words: tuple[int, int]) -> tuple[Ddl, ...]:
        """CREATE OR REPLACE of a table or a database in words that every target knows."""
        start, end = words
        text = self.text[:start] + " " * (end - start) + self.text[end:]  # places in the text stay as they are
        created = replace(self, text=text, or_replace=None)
        if self.kind is not DdlKind.CREATE_DATABASE:
            return self.dropped_if_exists(1), created
        drop = self._piece("DROP DATABASE IF EXISTS", "", self.spans[:1])
        return replace(drop, kind=DdlKind.DROP_DATABASE, if_exists=True, create=None, options=None), created

    def _piece(self, head: str, between: str, spans: tuple[NameSpan, ...]) -> Ddl:
        text, placed = head + " ", []
        for number, span in enumerate(spans):
            text += between if number else ""
            name = self._resolved(span)
            schema, table = (name.schema, name.table) if name.table else (None, name.schema)
            placed.append(NameSpan(schema, table, len(text), len(text) + len(name.quoted())))
            text += name.quoted()
        text += f" {self.suffix}" if self.suffix else ""
        return replace(self, text=text, spans=tuple(placed), or_replace=None, edits=())


def edited(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with each (start, end, replacement) made; they must not overlap."""
    parts, position = [], 0
    for start, end, new in sorted(edits):
        parts += [text[position:start], new]
        position = end
    return "".join(parts) + text[position:]
