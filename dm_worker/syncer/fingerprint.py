"""Whether a statement has run in the target, told by its tables: as they were before it, and as they are.

Behind a barrier nobody else changes these tables, so that what they are tells.  A structure shows every DDL whose
repetition does harm but two: EXCHANGE PARTITION, told by the identities that the server gives to tables and
partitions, and columns that take over the names of others and leave the same structure (`is_blind`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from dm_worker.syncer.servers import Downstream
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.alter import AddColumn, AddForeignKey, AddIndex, ChangeColumn, PartitionChange, RenameIndex
from pkg.schema.clause_order import takes_over_names
from pkg.schema.statement import DATABASE_KINDS, Ddl, DdlKind, TableName
from pkg.schema.table import Table

UNKNOWN = "unknown"
_COUNTERS = re.compile(r"\b(AUTO_INCREMENT|AUTO_RANDOM_BASE)=\d+")
_CHECK = re.compile(r"\bCHECK\b", re.IGNORECASE)
_PLAIN = re.compile(r"[\x00-\x7f]+")
_REFUSED = frozenset({1044, 1142, 1227})  # to accounts that may not read identities
_TABLES = {"mariadb": "innodb_sys_tables", "mysql": "innodb_tables"}


def fingerprint(downstream: Downstream, piece: Ddl, routed: Callable[[TableName], TableName]) -> str:
    """Of the tables, or the database, that a statement changes; it has another one behind it.  Raises DMError.

    What the server itself prints otherwise after an upgrade, or in another sql_mode, cannot be compared.
    """
    if piece.kind in DATABASE_KINDS:
        parts = [downstream.shown_as_is(f"DATABASE {routed(piece.subject).quoted()}")]
    else:
        names = [routed(name) for name in concerned(piece)]
        parts = [_COUNTERS.sub("", downstream.shown_as_is(f"TABLE {name.quoted()}")) for name in names]
        if exchanges_partition(piece):
            parts.append(_identities(downstream, names))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{downstream.prints_by} {UNKNOWN if UNKNOWN in parts else digest}"


def concerned(piece: Ddl) -> list[TableName]:
    """The tables that a statement changes, and the names that it gives."""
    others = piece.tables[1:] if any(map(_takes_table, piece.alterations)) else ()
    return [piece.subject, *(new for _, new in piece.renames), *others]


def is_changed(before: str, now: str) -> bool | None:
    """Whether a statement has run in between; None where that cannot be told."""
    if before.endswith(UNKNOWN) or before.rpartition(" ")[0] != now.rpartition(" ")[0]:
        return None
    return before != now


def exchanges_partition(piece: Ddl) -> bool:
    return any(isinstance(one, PartitionChange) and one.action == "EXCHANGE" for one in piece.alterations)


def is_blind(piece: Ddl, before: Table | None, after: Table | None) -> bool:
    """Whether the target's structure may be the same before and behind a statement that must not run twice.

    ``before``, ``after``: the upstream's.  The target's columns may have another order, and lack what tells
    those apart (a default that it has not, an equal type for two).
    """
    is_same = before is None or after is None or _names(before) == _names(after)
    return is_same and not piece.renames and takes_over_names(piece) and any(map(_places_column, piece.alterations))


def must_run_once(ddl: Ddl) -> bool:
    """Whether a statement that is repeated could do harm, and the target would not refuse it as done before."""
    renames = ddl.renames
    swaps = bool({old for old, _ in renames} & {new for _, new in renames})
    adds_check = ddl.kind is DdlKind.ALTER_TABLE and _CHECK.search(ddl.text) is not None
    return swaps or adds_check or any(map(_adds_again, ddl.alterations))


def _adds_again(one: object) -> bool:
    if isinstance(one, PartitionChange):
        return one.action != "TRUNCATE"
    if isinstance(one, AddIndex):
        return not one.index.name and not one.index.primary
    return isinstance(one, AddForeignKey | RenameIndex)


def _names(table: Table) -> set[str]:
    return {column.name.lower() for column in table.columns}


def _places_column(one: object) -> bool:
    """Whether a column comes to stand elsewhere; where none does, exchanged names show in their order."""
    return isinstance(one, AddColumn) or (isinstance(one, ChangeColumn) and one.place is not None)


def _takes_table(one: object) -> bool:
    return isinstance(one, PartitionChange) and one.moves_rows


def _identities(downstream: Downstream, names: Iterable[TableName]) -> str:
    """The numbers of tables and their partitions; UNKNOWN where they are hidden."""
    found = []
    try:
        for name in names:
            sql = _tidb_identities(name) if downstream.server.flavor == "tidb" else _identities_sql(downstream, name)
            found.append(sorted((str(one), str(number)) for one, number in downstream.rows(sql)) if sql else [])
    except DMError as exc:
        if errno_of(exc) not in _REFUSED:
            raise
        return UNKNOWN
    return str(found) if all(found) else UNKNOWN


def _tidb_identities(name: TableName) -> str:
    where = f"WHERE table_schema = {_text(name.schema)} AND table_name = {_text(name.table)}"
    return (
        f"SELECT '', tidb_table_id FROM information_schema.tables {where} UNION ALL "
        f"SELECT partition_name, tidb_partition_id FROM information_schema.partitions {where}"
    )


def _identities_sql(downstream: Downstream, name: TableName) -> str:
    """Of InnoDB, which names its tables in a character set of file names; "" for names that we cannot say in it."""
    if not _PLAIN.fullmatch(name.schema + name.table):
        return ""
    file = f"{_file_name(name.schema)}/{_file_name(name.table)}"
    partitions = file.replace("_", "|_") + "#p#%"
    source = f"information_schema.{_TABLES[downstream.server.flavor]}"
    return (
        f"SELECT name, table_id FROM {source} WHERE name = {_text(file)} "
        f"OR LOWER(name) LIKE {_text(partitions.lower())} ESCAPE '|'"
    )


def _file_name(name: str) -> str:
    return "".join(one if re.fullmatch(r"\w", one, re.ASCII) else f"@{ord(one):04x}" for one in name)


def _text(value: str) -> str:
    """A literal of digits, which no character set and no sql_mode changes."""
    return f"CONVERT(0x{value.encode().hex()} USING utf8mb4)"
