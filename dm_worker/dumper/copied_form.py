"""What of a table's structure the chunks that were read of it depend on; pure.

Rows that were read of one structure and rows that were read of another one belong together where the change lets every
value be what it was, and every key be where it was among the others: new columns, longer texts, larger integers.
Replication brings the DDL again, for all rows alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from dm_worker.dumper.chunks import Key
from pkg.schema.letter_case import small
from pkg.schema.table import Column, Table

COLUMNS_GONE: Final = "columns that are gone"
_BYTES: Final = {"tinyint": 1, "smallint": 2, "mediumint": 3, "int": 4, "bigint": 8}
_TEXTS: Final = frozenset(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"))
_BLOBS: Final = frozenset(("varbinary", "tinyblob", "blob", "mediumblob", "longblob"))
_LABELLED: Final = frozenset(("enum", "set"))


@dataclass(frozen=True, slots=True)
class CopiedColumn:
    """A column as chunks read it; ``exact`` is all that is said of its values."""

    name: str  # in lower case
    kind: str
    labels: tuple[str, ...]
    exact: tuple[str, str | None, str | None, str]
    counts: bool  # AUTO_INCREMENT


@dataclass(frozen=True, slots=True)
class CopiedForm:
    """A table as its chunks read it."""

    columns: tuple[CopiedColumn, ...]
    key: tuple[Column, ...]  # the columns whose values are the bounds of chunks
    has_identity: bool
    is_exact: bool  # rows that were changed before they are read do not come again: nothing may differ

    @property
    def loose(self) -> CopiedForm:
        """The same for rows of which all changes come again, or that are of one moment with all others."""
        return replace(self, is_exact=False)

    def differences(self, now: Table) -> Iterator[tuple[str, list[str]]]:
        """What has happened to which columns so that rows read ``now`` do not belong to those that were read."""
        there = copied_form(now)
        by_name = {column.name: column for column in there.columns}
        both = [(column, by_name[column.name]) for column in self.columns if column.name in by_name]
        gone = [column.name for column in self.columns if column.name not in by_name]
        known = {column.name for column in self.columns}
        new = [column.name for column in now.columns if self.is_exact and small(column.name) not in known]
        order = [name for name in by_name if name in known]
        counted = {one.name for one in self.columns if one.counts}
        counters = [one.name for one in there.columns if one.counts and one.name not in counted]
        moved = [one.name for one in self.key if not _keeps_order(one, now.column(one.name))]
        for what, names in (
            (COLUMNS_GONE, gone),
            ("new columns", new),
            ("a new counter, which numbers rows by the others", counters),
            ("columns in another order", [] if order == [one.name for one, _ in both] else order),
            ("columns with other values", [one.name for one, other in both if not self._keeps(one, other)]),
            ("a key that is in another order", moved),
            ("no key that tells rows apart", [now.name] if self.has_identity and not there.has_identity else []),
        ):  # fmt: skip
            if names:
                yield what, names

    def _keeps(self, one: CopiedColumn, other: CopiedColumn) -> bool:
        if self.is_exact:
            return one.exact == other.exact
        return one.kind == other.kind and other.labels[: len(one.labels)] == one.labels


def copied_form(table: Table, key: Key | None = None) -> CopiedForm:
    """The form of ``table``, of which chunks are ranges of ``key``."""
    columns = tuple(_copied(column) for column in table.columns if not column.generated)
    of_key = tuple(table.columns[table.ordinal(name)] for name in key.columns) if key is not None else ()
    has_identity = bool(table.identity_key)
    return CopiedForm(columns, of_key, has_identity, not has_identity)


def _copied(column: Column) -> CopiedColumn:
    labels = column.labels if column.base_type in _LABELLED else ()
    exact = column.type, column.charset, column.collation, column.generated
    return CopiedColumn(small(column.name), _kind(column), labels, exact, column.auto_increment)


def _kind(column: Column) -> str:
    """Equal where a change from one type to the other lets values be, or does the same when it is made twice."""
    if column.base_type in _BYTES:
        return "integer"
    if column.base_type in _TEXTS:
        return f"text in {column.charset}"
    if column.base_type in _BLOBS:
        return "bytes"
    return f"{column.base_type} in {column.charset}" if column.base_type in _LABELLED else column.base_type


def _keeps_order(planned: Column, now: Column | None) -> bool:
    """Whether each value of a key is still the same, and between the same others."""
    if now is None:
        return False
    if planned.base_type in _BYTES and now.base_type in _BYTES:
        return _holds(now, planned)
    if planned.base_type in _TEXTS and planned.base_type == now.base_type:
        same = planned.charset, planned.collation
        return same == (now.charset, now.collation) and (now.length or 0) >= (planned.length or 0)
    return (planned.type, planned.charset, planned.collation) == (now.type, now.charset, now.collation)


def _holds(larger: Column, smaller: Column) -> bool:
    """Whether an integer type has all values of another one."""
    sizes = _BYTES[larger.base_type], _BYTES[smaller.base_type]
    if larger.unsigned == smaller.unsigned:
        return sizes[0] >= sizes[1]
    return not larger.unsigned and sizes[0] > sizes[1]
