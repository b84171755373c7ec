"""Whether a statement has run in the target, told by its tables: as they were before it, and as they are.

Behind a barrier nobody else writes these tables, and their columns stay as they are; but whoever has paused the
task may give a table a key or a comment.  So each statement is told by what it changes itself: whether there is
a table, its columns, keys, checks or partitions.  Two are told otherwise: EXCHANGE PARTITION by the numbers that
the server gives to tables and partitions, and what empties a table by nothing, for it is run again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dm_worker.syncer.downstream import Downstream
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropForeignKey,
    DropIndex,
    PartitionChange,
    RenameColumn,
    RenameIndex,
    SetDefault,
    SetNotNull,
    SetOptions,
    SetVisibility,
)
from pkg.schema.clause_order import moves_columns, takes_over_names
from pkg.schema.letter_case import small
from pkg.schema.partition_list import PartitionClause
from pkg.schema.statement import CREATIONS, DATABASE_KINDS, Ddl, DdlKind, TableName
from pkg.schema.table import Table

_CHECK = re.compile(r"\bCHECK\b", re.IGNORECASE)
_PLAIN = re.compile(r"[\x00-\x7f]+")
_REFUSED = frozenset({1044, 1142, 1227})  # to accounts that may not read identities
_TABLES = {"mariadb": "innodb_sys_tables", "mysql": "innodb_tables"}

_COLUMNS, _KEYS, _CHECKS, _PARTITIONS = _PRINTED = ("columns", "keys", "checks", "partitions")
_OF_COLUMNS = (AddColumn, ChangeColumn, DropColumn, RenameColumn, SetDefault, SetNotNull, SetVisibility)
_OF_KEYS = (AddIndex, DropIndex, RenameIndex, AddForeignKey, DropForeignKey)
_OF_PARTITIONS = (PartitionChange, PartitionClause)
_REPEATABLE = (SetOptions, ConvertCharset)
_Numbers = list[list[tuple[str, str]]]
"""By table, the number of each of its parts."""


def fingerprint(downstream: Downstream, piece: Ddl, routed: Callable[[TableName], TableName]) -> str:
    """Of the tables, or the database, that a statement changes, as a document.  Raises DMError."""
    if piece.kind in DATABASE_KINDS:
        return json.dumps({"there": [bool(downstream.shown_as_is(f"DATABASE {routed(piece.subject).quoted()}"))]})
    names = [routed(name) for name in concerned(piece)]
    shown = [downstream.shown_as_is(f"TABLE {name.quoted()}") for name in names]
    document: dict[str, Any] = {"there": [bool(one) for one in shown], "by": downstream.prints_by}
    parts = [parts_of(one) for one in shown]
    for aspect in _PRINTED:
        document[aspect] = hashlib.sha256("\0".join(part[aspect] for part in parts).encode()).hexdigest()
    if exchanges_partition(piece):
        document["numbers"] = _numbers(downstream, names)
    return json.dumps(document)


def parts_of(shown: str) -> dict[str, str]:
    """What SHOW CREATE TABLE prints, by what it is about; the table's options are left out."""
    found: dict[str, list[str]] = {aspect: [] for aspect in _PRINTED}
    lines = shown.splitlines()
    end = max((number for number, line in enumerate(lines) if line.startswith(")")), default=len(lines))
    found[_PARTITIONS] = lines[end + 1 :]
    aspect = _COLUMNS
    for line in lines[1:end]:
        if line.startswith("  "):  # else it goes on
            aspect = _COLUMNS if line[2:3] in ("`", '"') else _CHECKS if _CHECK.search(line) else _KEYS
        found[aspect].append(line.rstrip(","))  # which no last line has
    return {aspect: "\n".join(lines) for aspect, lines in found.items()}


def concerned(piece: Ddl) -> list[TableName]:
    """The tables that a statement changes, and the names that it gives."""
    others = piece.tables[1:] if any(map(_takes_table, piece.alterations)) else ()
    return [piece.subject, *(new for _, new in piece.renames), *others]


def has_run(piece: Ddl, known: tuple[Table | None, Table | None], then: str, now: str) -> bool | None:
    """Whether a statement has run between two fingerprints; None where they do not tell.

    ``known``: the table upstream before the statement and behind it.  False also for one that is to run again
    whether it did or not.
    """
    if is_repeatable(piece):
        return False
    if is_blind(piece, *known) or not then.startswith("{"):  # the text of an earlier version
        return None
    before, after = json.loads(then), json.loads(now)
    if exchanges_partition(piece):
        return is_exchanged(before["numbers"], after["numbers"])
    telling = _telling(piece, *known)
    if telling != ["there"] and before["by"] != after["by"]:
        return None
    return any(before[one] != after[one] for one in telling)


def is_repeatable(piece: Ddl) -> bool:
    """Whether a statement may run twice, as no row is written in between."""
    if piece.kind is DdlKind.TRUNCATE_TABLE or piece.or_replace or piece.kind is DdlKind.ALTER_DATABASE:
        return True
    return bool(piece.alterations) and all(
        isinstance(one, _REPEATABLE) or (isinstance(one, PartitionChange) and one.action == "TRUNCATE")
        for one in piece.alterations
    )


def _telling(piece: Ddl, before: Table | None, after: Table | None) -> Sequence[str]:
    """What shows that a statement has run."""
    if piece.renames or piece.kind in CREATIONS or piece.kind is DdlKind.DROP_TABLE or piece.kind in DATABASE_KINDS:
        return ["there"]
    of_columns = any(isinstance(one, _OF_COLUMNS) for one in piece.alterations)
    if of_columns and before is not None and after is not None and _names(before) != _names(after):
        return [_COLUMNS]
    found = [_COLUMNS] * of_columns
    found += [_KEYS] * any(isinstance(one, _OF_KEYS) for one in piece.alterations)
    found += [_PARTITIONS] * any(isinstance(one, _OF_PARTITIONS) for one in piece.alterations)
    return [*found, _CHECKS] if _CHECK.search(piece.text) else found or _PRINTED


def exchanges_partition(piece: Ddl) -> bool:
    return any(isinstance(one, PartitionChange) and one.action == "EXCHANGE" for one in piece.alterations)


def is_exchanged(before: _Numbers | None, now: _Numbers | None) -> bool | None:
    """Whether a table and a partition of another have exchanged their numbers; None where neither has those of before.

    Whoever alters one of them by hand may give it another number.
    """
    if before is None or now is None:
        return None
    then, found = ([dict(table) for table in tables] for tables in (before, now))
    if then == found:
        return False
    [parts, [number]], [parts_now, [number_now]] = ((one[0], [*one[1].values()][:1]) for one in (then, found))
    moved = {part for part in parts if parts_now.get(part) != parts[part]}
    given = {(parts[part], parts_now.get(part)) for part in moved}
    return True if given == {(number_now, number)} else None


def is_blind(piece: Ddl, before: Table | None, after: Table | None) -> bool:
    """Whether the target's structure may be the same before and behind a statement that must not run twice.

    ``before``, ``after``: the upstream's.  The target's columns may have another order, and lack what tells
    those apart (a default that it has not, an equal type for two).
    """
    is_same = before is None or after is None or _names(before) == _names(after)
    return is_same and not piece.renames and takes_over_names(piece) and moves_columns(piece)


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
    return {small(column.name) for column in table.columns}


def _takes_table(one: object) -> bool:
    return isinstance(one, PartitionChange) and one.moves_rows


def _numbers(downstream: Downstream, names: Iterable[TableName]) -> _Numbers | None:
    """The numbers of tables and their partitions; None where they are hidden."""
    found: _Numbers = []
    try:
        for name in names:
            sql = _tidb_numbers(name) if downstream.server.flavor == "tidb" else _numbers_sql(downstream, name)
            found.append(sorted((str(one), str(number)) for one, number in downstream.rows(sql)) if sql else [])
    except DMError as exc:
        if errno_of(exc) not in _REFUSED:
            raise
        return None
    return found if all(found) else None


def _tidb_numbers(name: TableName) -> str:
    where = f"WHERE table_schema = {_text(name.schema)} AND table_name = {_text(name.table)}"
    return (
        f"SELECT '', tidb_table_id FROM information_schema.tables {where} UNION ALL "
        f"SELECT partition_name, tidb_partition_id FROM information_schema.partitions {where}"
    )


def _numbers_sql(downstream: Downstream, name: TableName) -> str:
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
