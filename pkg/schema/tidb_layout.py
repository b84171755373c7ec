"""TiDB's own table options in a CREATE TABLE that is translated for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkg.schema.columns import ColumnSpec
from pkg.schema.create import Element, TableSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import IndexSpec
from pkg.schema.letter_case import small
from pkg.schema.statement import Edit, edited

# What a dump of a TiDB says of the same things, in comments that only TiDB reads.
_TIDB_COMMENT = re.compile(
    r"/\*T!(?:\[(?:clustered_index|auto_rand|auto_rand_base)\] | (?:SHARD_ROW_ID_BITS|PRE_SPLIT_REGIONS))[^*]*\*/"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """What is asked for; 0 and "" leave a thing as it is."""

    shard_row_id_bits: int = 0
    pre_split_regions: int = 0
    auto_random: int = 0
    primary_key: str = ""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The statement, and a note on what of the layout does not fit this table."""

    sql: str
    note: str = ""


def with_layout(sql: str, layout: Layout, mapped: frozenset[str] = frozenset()) -> LaidOut:
    """``sql`` with the layout where the table allows it; ``mapped``: columns whose values are mapped, folded."""
    plain = _TIDB_COMMENT.sub("", sql)
    spec = parse_ddl(plain, default_schema="any").create
    assert spec is not None, "it is a CREATE TABLE"
    key = next((element for element in spec.elements if _is_primary(element)), None)
    note = _misfit(layout, spec, key, mapped)
    if note:
        return LaidOut(sql, note)
    return LaidOut(edited(plain, list(_edits(plain, layout, spec, key))))


def _is_primary(element: Element) -> bool:
    return isinstance(element.item, IndexSpec) and element.item.primary


def misfit(layout: Layout, key: Sequence[str], counter: str, mapped: frozenset[str] = frozenset()) -> str:
    """Why the layout does not fit a table, "" where it does.

    ``key`` is its primary key, ``counter`` its BIGINT column with AUTO_INCREMENT, "" for none.
    """
    if layout.auto_random:
        if len(key) != 1 or small(key[0]) != small(counter):
            return "AUTO_RANDOM needs a primary key that is one BIGINT with AUTO_INCREMENT"
        return "a column mapping makes the values of its primary key" if small(counter) in mapped else ""
    if layout.primary_key and not layout.shard_row_id_bits and not key:
        return "it has no primary key"
    if layout.shard_row_id_bits and key and layout.primary_key != "nonclustered":
        return "it has a primary key, which is clustered unless the rule says `primary-key: nonclustered`"
    return ""


def _misfit(layout: Layout, spec: TableSpec, key: Element | None, mapped: frozenset[str]) -> str:
    if any(one.primary for column in spec.columns for one in column.keys):
        return "its primary key is written with the column"
    names = [name for name, _ in key.item.parts] if key is not None and isinstance(key.item, IndexSpec) else []
    counters = [one.name for one in spec.columns if one.auto_increment and one.type.base == "bigint"]
    return misfit(layout, names, counters[0] if counters else "", mapped)


def _edits(sql: str, layout: Layout, spec: TableSpec, key: Element | None) -> Iterator[Edit]:
    clustered = "clustered" if layout.auto_random else layout.primary_key
    if key is not None and clustered:
        yield key.clause.end, key.clause.end, f" {clustered.upper()}"
    options = ""
    if layout.shard_row_id_bits:
        options += f" SHARD_ROW_ID_BITS={layout.shard_row_id_bits}"
    if layout.pre_split_regions:
        options += f" PRE_SPLIT_REGIONS={layout.pre_split_regions}"
    if layout.auto_random:
        counter = next(column for column in spec.columns if column.auto_increment)
        yield from _counter_edits(counter, layout.auto_random)
        for clause in spec.options.clauses:
            if clause.key == "AUTO_INCREMENT":
                value = re.sub(r"\D", "", sql[clause.start : clause.end], flags=re.ASCII)
                yield clause.start, clause.end, f"AUTO_RANDOM_BASE={value}"
    if options:
        yield spec.elements_end, spec.elements_end, f"{options} "


def _counter_edits(column: ColumnSpec, bits: int) -> Iterator[Edit]:
    for clause in column.clauses:
        if clause.key == "AUTO_INCREMENT":
            yield clause.start, clause.end, f"AUTO_RANDOM({bits})"
