"""The clauses of ALTER TABLE, CREATE INDEX and DROP INDEX, read from text."""

from __future__ import annotations

from dataclasses import dataclass

from pkg.schema.columns import ColumnSpec, read_column
from pkg.schema.create import TableOptions, method_since, read_option
from pkg.schema.cursor import Clause, Cursor, NameSpan
from pkg.schema.defaults import read_default
from pkg.schema.indexes import (
    ForeignKeySpec,
    IndexSpec,
    read_key,
    read_key_options,
    read_method,
    read_parts,
    starts_key,
)
from pkg.schema.partition_list import NO_PARTITIONS, PartitionClause, read_clause, read_partitions

FIRST = "FIRST"


@dataclass(frozen=True, slots=True)
class AddColumn:
    column: ColumnSpec
    place: str | None = None  # FIRST, the name of the column before it as "AFTER x", or None: last
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """CHANGE, and MODIFY with the name unchanged."""

    old: str
    column: ColumnSpec
    place: str | None = None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    old: str
    new: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetDefault:
    name: str
    default: str | None  # None: DROP DEFAULT
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetVisibility:
    name: str
    invisible: bool


@dataclass(frozen=True, slots=True)
class SetNotNull:
    """Columns that a new period makes NOT NULL."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddIndex:
    index: IndexSpec


@dataclass(frozen=True, slots=True)
class DropIndex:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameIndex:
    old: str
    new: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddForeignKey:
    key: ForeignKeySpec


@dataclass(frozen=True, slots=True)
class DropForeignKey:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropConstraint:
    """A constraint of any kind: unique, foreign key, check."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTo:
    name: NameSpan


@dataclass(frozen=True, slots=True)
class SetOptions:
    options: TableOptions


@dataclass(frozen=True, slots=True)
class ConvertCharset:
    """CONVERT TO CHARACTER SET; charset None is the database's."""

    charset: str | None
    collation: str | None


@dataclass(frozen=True, slots=True)
class SetVersioning:
    versioned: bool


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """Something about partitions: ``action`` is its first word (ADD, DROP, TRUNCATE, EXCHANGE, BY, …).

    MariaDB's CONVERT is "CONVERT TABLE" or "CONVERT PARTITION"; its other table, and that of EXCHANGE, stands among
    the names.
    ``partitioning``: of BY, see Table; ``clause``: the partitions that it names and makes.
    """

    action: str
    partitioning: str = ""
    clause: PartitionClause = NO_PARTITIONS

    @property
    def converts(self) -> bool:
        return self.action.startswith("CONVERT")

    @property
    def moves_rows(self) -> bool:
        """Whether rows of one table are another one's behind it."""
        return self.action == "EXCHANGE" or self.converts


Alteration = (
    AddColumn
    | ChangeColumn
    | DropColumn
    | RenameColumn
    | SetDefault
    | SetVisibility
    | SetNotNull
    | AddIndex
    | DropIndex
    | RenameIndex
    | AddForeignKey
    | DropForeignKey
    | DropConstraint
    | RenameTo
    | SetOptions
    | ConvertCharset
    | SetVersioning
    | PartitionChange
)

_PARTITION_ACTIONS = frozenset(
    {"TRUNCATE", "REORGANIZE", "EXCHANGE", "COALESCE", "ANALYZE", "CHECK", "OPTIMIZE", "REBUILD", "REPAIR", "REMOVE",
     "UPGRADE", "DISCARD", "IMPORT"}
)  # fmt: skip
_BEHIND_PARTITION = frozenset({"BY", "IF", "ALL", "INTO", "PARTITIONS", "LOCAL", "NO_WRITE_TO_BINLOG", "WITH"})
_TABLE_OPTIONS = frozenset(
    {"ENGINE", "TYPE",
     "AUTO_INCREMENT", "AUTOEXTEND_SIZE", "AVG_ROW_LENGTH", "CHARSET", "CHARACTER", "CHAR", "CHECKSUM",
     "COLLATE", "COMMENT", "COMPRESSION", "CONNECTION", "DATA", "DEFAULT", "DELAY_KEY_WRITE", "ENCRYPTED", "ENCRYPTION",
     "ENCRYPTION_KEY_ID", "ENGINE_ATTRIBUTE", "IETF_QUOTES", "INDEX", "INSERT_METHOD", "KEY_BLOCK_SIZE", "MAX_ROWS",
     "MIN_ROWS", "PACK_KEYS", "PAGE_CHECKSUM", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "PASSWORD", "ROW_FORMAT",
     "SECONDARY_ENGINE", "SECONDARY_ENGINE_ATTRIBUTE", "STATS_AUTO_RECALC", "STATS_PERSISTENT", "STATS_SAMPLE_PAGES",
     "STORAGE", "TABLESPACE", "TABLE_CHECKSUM", "TRANSACTIONAL", "UNION"}
)  # fmt: skip
_WITHOUT_EFFECT = (
    ("FORCE",), ("DISABLE", "KEYS"), ("ENABLE", "KEYS"), ("DISCARD", "TABLESPACE"), ("IMPORT", "TABLESPACE"),
    ("WITH", "VALIDATION"), ("WITHOUT", "VALIDATION"), ("SECONDARY_LOAD",), ("SECONDARY_UNLOAD",),
    ("NOWAIT",), ("ONLINE",),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AlterClause:
    """One clause as it stands in the text, and what it does to the table."""

    clause: Clause
    alterations: tuple[Alteration, ...]


def read_alterations(cursor: Cursor, flavor: str) -> tuple[AlterClause, ...]:
    """All clauses behind the table's name."""
    found: list[AlterClause] = []
    while not cursor.at_end:
        start = cursor.position
        if not cursor.accept(","):
            alterations = tuple(_read_clause(cursor, flavor))
            found.append(AlterClause(cursor.clause_since(start), alterations))
    return tuple(found)


def _read_clause(cursor: Cursor, flavor: str) -> list[Alteration]:
    for words in _WITHOUT_EFFECT:
        if cursor.accept(*words):
            return []
    if cursor.at("PARTITION") or (cursor.key in _PARTITION_ACTIONS and cursor.key_after(1).startswith("PARTITION")):
        return [_read_partition_change(cursor)]
    match cursor.key:
        case "ADD":
            return _read_add(cursor, flavor)
        case "DROP":
            return [_read_drop(cursor)] if not _passes_drop(cursor) else []
        case "MODIFY" | "CHANGE":
            return _read_change(cursor, flavor)
        case "ALTER":
            return _read_alter_column(cursor)
        case "RENAME":
            return [_read_rename(cursor)]
        case "CONVERT":
            return [_read_convert(cursor)]
        case "ORDER":
            cursor.expect("ORDER", "BY")
            cursor.expression_to_end()
            return []
        case "ALGORITHM" | "LOCK" | "WAIT":
            cursor.next()
            cursor.accept("=")
            cursor.next()
            return []
    if cursor.key in _TABLE_OPTIONS or cursor.key_after(1) == "=":
        options = TableOptions()
        read_option(cursor, options)
        return [SetOptions(options)]
    raise cursor.unreadable("a clause of ALTER TABLE that we know")


def _read_partition_change(cursor: Cursor) -> PartitionChange:
    start = cursor.position
    action = cursor.next().key
    if action == "PARTITION":
        action = cursor.next().key
    _skip_partitions(cursor)
    tokens = cursor.tokens[start : cursor.position]
    if action == "BY":
        return PartitionChange(action, method_since(cursor, start), PartitionClause(made=read_partitions(tokens)))
    return PartitionChange(action, clause=read_clause(tokens))


def _read_partitions(action: str, cursor: Cursor, start: int) -> PartitionChange:
    _skip_partitions(cursor)
    return PartitionChange(action, clause=read_clause(cursor.tokens[start : cursor.position]))


def _skip_partitions(cursor: Cursor) -> None:
    """Partition clauses are always the last; what they may name is the table of an exchange."""
    while not cursor.at_end:
        if cursor.at("("):
            cursor.parenthesized()
        elif cursor.accept("WITH", "TABLE"):
            cursor.table_name()
        elif _starts_partition_name(cursor):
            cursor.name("a partition's name")
        else:
            cursor.next()


def _starts_partition_name(cursor: Cursor) -> bool:
    is_first = cursor.tokens[cursor.position - 1].key in ("PARTITION", "EXISTS", ",")
    return is_first and cursor.token.is_name and cursor.key not in _BEHIND_PARTITION


def _read_add(cursor: Cursor, flavor: str) -> list[Alteration]:
    start = cursor.position
    cursor.expect("ADD")
    if cursor.accept("PARTITION"):
        return [_read_partitions("ADD", cursor, start)]
    if cursor.accept("SYSTEM", "VERSIONING"):
        return [SetVersioning(True)]
    if starts_key(cursor):
        return _read_added_key(cursor, flavor)
    cursor.accept("COLUMN")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if not cursor.accept("("):
        column = read_column(cursor, flavor)
        return _with_keys(AddColumn(column, _place(cursor), if_not_exists), column, if_not_exists)
    found: list[Alteration] = []
    while not cursor.accept(")"):
        if starts_key(cursor):
            found.extend(_read_added_key(cursor, flavor))
        else:
            column = read_column(cursor, flavor)
            found.extend(_with_keys(AddColumn(column, None, if_not_exists), column, if_not_exists))
        cursor.accept(",")
    return found


def _read_added_key(cursor: Cursor, flavor: str) -> list[Alteration]:
    key = read_key(cursor, flavor)
    if isinstance(key, IndexSpec):
        return [AddIndex(key)]
    if isinstance(key, ForeignKeySpec):
        return [AddForeignKey(key)]
    return [SetNotNull(key.columns)] if key.columns else []


def _with_keys(alteration: Alteration, column: ColumnSpec, is_conditional: bool) -> list[Alteration]:
    """With the keys behind the column, which MariaDB adds under its condition, too."""
    for key in column.keys:
        key.if_not_exists = is_conditional
    references = [AddForeignKey(column.reference)] if column.reference else []
    return [alteration, *(AddIndex(key) for key in column.keys), *references]


def _place(cursor: Cursor) -> str | None:
    if cursor.accept(FIRST):
        return FIRST
    return f"AFTER {cursor.column_name()}" if cursor.accept("AFTER") else None


def _passes_drop(cursor: Cursor) -> bool:
    """DROP of a CHECK or a PERIOD, which are not tracked."""
    is_period = cursor.accept("DROP", "PERIOD", "FOR") or cursor.accept("DROP", "PERIOD", "IF", "EXISTS", "FOR")
    if is_period or cursor.accept("DROP", "CHECK"):
        cursor.accept("IF", "EXISTS")
        cursor.name()
        cursor.skip_item()
        return True
    return False


def _read_drop(cursor: Cursor) -> Alteration:
    start = cursor.position
    cursor.expect("DROP")
    if cursor.accept("PARTITION"):
        return _read_partitions("DROP", cursor, start)
    if cursor.accept("SYSTEM", "VERSIONING"):
        return SetVersioning(False)
    if cursor.accept("PRIMARY", "KEY"):
        return DropIndex("PRIMARY")
    if cursor.accept("FOREIGN", "KEY"):
        if_exists = cursor.accept("IF", "EXISTS")
        return DropForeignKey(cursor.name(), if_exists)
    if cursor.accept("CONSTRAINT"):
        if_exists = cursor.accept("IF", "EXISTS")
        return DropConstraint(cursor.name(), if_exists)
    if cursor.accept_any("INDEX", "KEY"):
        if_exists = cursor.accept("IF", "EXISTS")
        return DropIndex(cursor.name(), if_exists)
    cursor.accept("COLUMN")
    if_exists = cursor.accept("IF", "EXISTS")
    drop = DropColumn(cursor.column_name(), if_exists)
    cursor.accept_any("RESTRICT", "CASCADE")
    return drop


def _read_change(cursor: Cursor, flavor: str) -> list[Alteration]:
    word = cursor.next().key
    cursor.accept("COLUMN")
    if_exists = cursor.accept("IF", "EXISTS")
    old = cursor.column_name()
    column = read_column(cursor, flavor, name=old if word == "MODIFY" else None)
    return _with_keys(ChangeColumn(old, column, _place(cursor), if_exists), column, if_exists)


def _read_alter_column(cursor: Cursor) -> list[Alteration]:
    cursor.expect("ALTER")
    if cursor.accept_any("INDEX", "KEY", "CHECK", "CONSTRAINT"):  # visibility and enforcement
        cursor.accept("IF", "EXISTS")
        cursor.name()
        cursor.skip_item()
        return []
    cursor.accept("COLUMN")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.column_name()
    if cursor.accept("DROP", "DEFAULT"):
        return [SetDefault(name, None, if_exists)]
    cursor.expect("SET")
    visibility = cursor.accept_any("VISIBLE", "INVISIBLE")
    if visibility:
        return [SetVisibility(name, visibility == "INVISIBLE")]
    cursor.expect("DEFAULT")
    return [SetDefault(name, read_default(cursor), if_exists)]


def _read_rename(cursor: Cursor) -> Alteration:
    cursor.expect("RENAME")
    kind = cursor.accept_any("COLUMN", "INDEX", "KEY")
    if kind:
        if_exists = cursor.accept("IF", "EXISTS")
        old = cursor.name()
        cursor.expect("TO")
        new = cursor.name()
        return RenameColumn(old, new, if_exists) if kind == "COLUMN" else RenameIndex(old, new, if_exists)
    cursor.accept_any("TO", "AS", "=")
    return RenameTo(cursor.table_name())


def _read_convert(cursor: Cursor) -> Alteration:
    start = cursor.position
    cursor.expect("CONVERT")
    if cursor.accept("TABLE"):
        cursor.table_name()
        return _read_partitions("CONVERT TABLE", cursor, start)
    if cursor.accept("PARTITION"):
        cursor.name("a partition's name")
        cursor.expect("TO", "TABLE")
        cursor.table_name()
        return _read_partitions("CONVERT PARTITION", cursor, start)
    cursor.expect("TO")
    if not cursor.accept("CHARSET"):
        cursor.accept_any("CHARACTER", "CHAR")
        cursor.expect("SET")
    charset = None if cursor.accept("DEFAULT") else cursor.word_value()
    collation = cursor.word_value() if cursor.accept("COLLATE") else None
    return ConvertCharset(charset, collation)


def read_create_index(cursor: Cursor) -> AddIndex:
    """``[UNIQUE …] INDEX name ON table (parts) …``, behind CREATE."""
    kind = cursor.accept_any("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR")
    cursor.expect("INDEX")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    spec = IndexSpec(cursor.name("the index's name"), unique=kind == "UNIQUE", if_not_exists=if_not_exists)
    read_method(cursor, spec)
    cursor.expect("ON")
    cursor.table_name()
    spec.parts = read_parts(cursor, spec.descending)
    spec.kind = kind if kind != "UNIQUE" else ""
    read_key_options(cursor, spec)
    return AddIndex(spec)


def read_drop_index(cursor: Cursor) -> DropIndex:
    """``INDEX name ON table …``, behind DROP."""
    cursor.expect("INDEX")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.name("the index's name")
    cursor.expect("ON")
    cursor.table_name()
    return DropIndex(name, if_exists)
