"""How the rows of a chunk are compared with what became of them: sums over the same key range on both servers.

Pure.  ``Compared`` says it for one upstream table; it travels to executors beside ``TableCopy``.  A target table
into which several upstream tables go can be compared only where columns of the route tell their rows apart, and a
range only where both servers order the key alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dm_worker.dumper.chunks import WHOLE, Range, condition
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.compared_columns import Form, Part, form_of, mapped_form, part_of
from pkg.adapters.meta_tables import quoted
from pkg.binlog.charset import UTF8
from pkg.rules.column_rules import TableColumnRules, is_text
from pkg.schema.letter_case import small
from pkg.schema.table import Column, Table

SHARED: Final = "rows of other tables go to the same target table, and no column of the route tells them apart"
NO_SNAPSHOT: Final = "its engine has no snapshots, so it may have changed since it was read"
MOST_NOTES: Final = 200
_BOUNDS_OF_TIDB: Final = UTF8 | {"ascii"}  # sets in whose bytes bounds may be written: of others it reads them as UTF-8

FormPair = tuple[Form, Form]


@dataclass(frozen=True, slots=True)
class Compared:
    """One table; ``forms`` are of its written columns: upstream and in the target."""

    forms: tuple[FormPair | None, ...]  # None: of a column that the route adds, which is a condition
    flavors: tuple[str, str]
    own: str = ""  # the condition of the target's rows that are this table's
    index: str = ""  # of the target, quoted: the one in which key ranges lie
    only_whole: bool = False  # ranges of the key are not the same rows on both servers

    def takes(self, chunk: Range) -> bool:
        return chunk == WHOLE or not self.only_whole


def plan_compared(
    copy: TableCopy,
    structure: Table,
    target: Table,
    rules: TableColumnRules,
    flavors: tuple[str, str],
    *,
    is_cut: bool,
    keeps_collations: bool = True,
) -> tuple[Compared, list[str]]:
    """How, and what is to be said of it; ``is_cut`` into several chunks.

    ``keeps_collations``: the target orders text by its collation, as TiDB does not where clusters of old stay so.
    """
    extracted = {small(one.name): one.value for one in rules.extracted}
    mapped = {small(one.target) for one in rules.mapped}
    forms: list[FormPair | None] = []
    notes = []
    for column in copy.columns:
        name = _plain(column)
        there = target.column(name)
        assert there is not None, "a target that lacks a column is refused before"
        if small(name) in extracted:
            forms.append(None)
            continue
        here = structure.columns[structure.ordinal(name)]
        up = mapped_form(is_text=is_text(here)) if small(name) in mapped else form_of(here)
        forms.append((up, form_of(there)))
        if note := part_of(column, column, up, form_of(there), flavors).note:
            notes.append(note)
    own = " AND ".join(_holds(target, name, value) for name, value in extracted.items())
    reason = _why_no_ranges(copy, structure, target, mapped, flavors[1], keeps_collations) if is_cut else ""
    if reason:
        notes.append(reason)
    return Compared(tuple(forms), flavors, own, _index(copy, target), bool(reason)), notes


def _holds(target: Table, name: str, value: str) -> str:
    """The condition of rows that hold an extracted value; TiDB takes hex digits beside a number for one."""
    column = target.column(name)
    if column is not None and not is_text(column) and value.isascii() and value.isdecimal():
        return f"{quoted(name)} = {value}"
    return f"{quoted(name)} = _utf8mb4 X'{value.encode().hex()}'"


def _why_no_ranges(
    copy: TableCopy, structure: Table, target: Table, mapped: set[str], flavor: str, keeps_collations: bool
) -> str:
    for name in copy.key.columns if copy.key is not None else ():
        here, there = structure.column(name), target.column(name)
        if small(name) in mapped:
            return f"chunks are not compared: the key {name} is mapped"
        if here is None or there is None or not _same_order(here, there, flavor, keeps_collations):
            return f"chunks are not compared: the two servers may order the key {name} differently"
    return ""


def _same_order(here: Column, there: Column, flavor: str, keeps_collations: bool) -> bool:
    up, down = form_of(here), form_of(there)
    if "text" in (up.family, down.family):
        collation = _collation(here)
        is_kept = keeps_collations or collation.endswith("_bin")
        is_read = flavor != "tidb" or here.charset in _BOUNDS_OF_TIDB
        return up.family == down.family and collation == _collation(there) and is_kept and is_read
    return up.family == down.family or {up.family, down.family} <= {"integer", "decimal"}


def _collation(column: Column) -> str:
    """Its name; those of the two UTF-8s order alike what both can hold."""
    return re.sub("^utf8(mb3)?_", "utf8mb4_", column.collation or "")


def _index(copy: TableCopy, target: Table) -> str:
    if copy.key is None:
        return ""
    wanted = tuple(small(name) for name in copy.key.columns)
    for index in (one for one in target.indexes if not one.hidden):
        if index.name == copy.key.index and tuple(small(name) for name in index.columns[: len(wanted)]) == wanted:
            return quoted(index.name)
    return ""


# -- statements


@dataclass(frozen=True, slots=True)
class Side:
    """One server's part of the comparison of one chunk."""

    table: str
    where: str
    parts: tuple[str, ...]
    key: tuple[str, ...]  # quoted

    def sums(self) -> str:
        """How many rows there are, and the sum of their checksums.

        CRC32 of a CRC32's digits: the CRC32s of two rows that are changed in the same bits differ by the same bits.
        """
        row = f"CRC32(CRC32(CONCAT_WS('#', {', '.join(self.parts) or '0'})))"
        return f"SELECT COUNT(*), COALESCE(SUM({row}), 0) FROM {self.table}{self.where}"

    def has_rows(self) -> str:
        return f"SELECT 1 FROM {self.table}{self.where} LIMIT 1"

    def rows(self, most: int) -> str:
        """Keys and checksums of single rows, in the order of the key."""
        row = f"CRC32(CONCAT_WS('#', {', '.join(self.parts) or '0'}))"
        key = ", ".join(self.key)
        return f"SELECT {key}, {row} FROM {self.table}{self.where} ORDER BY {key} LIMIT {most}"

    def row(self) -> str:
        """The parts of the row with one key: the key's values are the statement's arguments."""
        where = self.where or " WHERE TRUE"
        equal = "".join(f" AND {name.replace('%', '%%')} = %s" for name in self.key)
        escaped = [text.replace("%", "%%") for text in (", ".join(self.parts) or "0", self.table, where)]
        return f"SELECT {escaped[0]} FROM {escaped[1]}{escaped[2]}{equal} LIMIT 1"


def sides_of(copy: TableCopy, compared: Compared, chunk: Range) -> tuple[Side, Side, list[str]]:
    """Upstream, downstream, and the columns that their parts are of (quoted)."""
    names, parts = _parts(copy, compared)
    key = tuple(quoted(name) for name in copy.key.columns) if copy.key is not None else ()
    ranged = condition(key, chunk) if key else ""
    upstream = copy.upstream_name
    if ranged and copy.key is not None:
        upstream += f" FORCE INDEX ({quoted(copy.key.index)})"
    downstream = copy.downstream_name + (f" FORCE INDEX ({compared.index})" if ranged and compared.index else "")
    return (
        Side(upstream, _where(ranged), tuple(part.upstream for part in parts), key),
        Side(downstream, _where(ranged, compared.own), tuple(part.downstream for part in parts), key),
        names,
    )


def _parts(copy: TableCopy, compared: Compared) -> tuple[list[str], list[Part]]:
    names, parts = [], []
    for column, value, forms in zip(copy.columns, copy.expressions, compared.forms, strict=True):
        if forms is None:
            continue
        part = part_of(value, column, *forms, compared.flavors)
        if part.upstream:
            names.append(column)
            parts.append(part)
    return names, parts


def _where(*conditions: str) -> str:
    wanted = [one for one in conditions if one]
    return f" WHERE {' AND '.join(wanted)}" if wanted else ""


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`")


def difference(names: Sequence[str], here: Sequence[object], there: Sequence[object]) -> list[str]:
    """The columns whose parts differ."""
    return [name for name, mine, theirs in zip(names, here, there, strict=True) if _text(mine) != _text(theirs)]


def _text(value: object) -> str:
    """Servers differ in what they call text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def merged(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The summaries of an interrupted run and of the one that went on."""
    if not before or not now:
        return dict(now or before)
    listed = [*before["notCompared"], *now["notCompared"]]
    return {
        "comparedChunks": now["comparedChunks"],  # of both
        "seconds": round(before["seconds"] + now["seconds"], 3),
        "notCompared": list(dict.fromkeys(listed))[:MOST_NOTES],
    }
