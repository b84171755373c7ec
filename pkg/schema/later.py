"""A CREATE TABLE without what is better made when the rows are there: foreign keys, plain secondary indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pkg.schema.create import Element
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import ForeignKeySpec, IndexSpec, chosen_name
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Edit, edited
from pkg.schema.table import ForeignKey


@dataclass(frozen=True, slots=True)
class LaterIndex:
    """An index that is left out of its table for now; ``clause`` is what ADD takes."""

    name: str
    clause: str


@dataclass(frozen=True, slots=True)
class CutTable:
    """A CREATE TABLE that is cut, and the indexes that come later."""

    sql: str
    indexes: tuple[LaterIndex, ...] = ()


def cut_create(sql: str, *, indexes: bool) -> CutTable:
    """``sql``, of one table in quoted names, without foreign keys and, if asked, without ``indexes``.

    Unique keys stay, since they find duplicates while rows come in, and so does an index that the server
    needs for AUTO_INCREMENT.  A full-text or spatial one stays, too: servers make only one of those at a time.
    """
    ddl = parse_ddl(sql, default_schema="any")  # which one is in the text, and does not matter
    sql, spec = ddl.text, ddl.create
    assert spec is not None, "it is a CREATE TABLE"
    named = [key.name for key in spec.keys if key.name]
    spellings = {small(column.name): column.name for column in spec.columns}
    counters = {small(column.name) for column in spec.columns if column.auto_increment}
    kept_out: list[Element] = []
    later: list[LaterIndex] = []
    for element in spec.elements:
        item = element.item
        if isinstance(item, ForeignKeySpec):
            kept_out.append(element)
        elif indexes and isinstance(item, IndexSpec) and _can_wait(item, counters):
            text = sql[element.clause.start : element.clause.end]
            kept_out.append(element)
            later.append(LaterIndex(chosen_name(item, [*named, *(one.name for one in later)], spellings), text))
    gone = {id(element) for element in kept_out}
    edits = list(_removals(spec.elements, gone))
    return CutTable(edited(sql, edits), tuple(later))


def _can_wait(index: IndexSpec, counters: set[str]) -> bool:
    if index.unique or index.primary or index.kind:
        return False
    return not any(small(name) in counters for name, _ in index.parts)


def _removals(elements: Iterable[Element], gone: set[int]) -> Iterable[Edit]:
    """Each with the comma before it."""
    before: Element | None = None
    for element in elements:
        if id(element) in gone:
            assert before is not None, "a table begins with a column"
            yield before.clause.end, element.clause.end, ""
        before = element


def add_indexes(table: str, indexes: Iterable[LaterIndex]) -> str:
    """One ALTER TABLE for all of a table; ``table`` is quoted."""
    return f"ALTER TABLE {table} " + ", ".join(f"ADD {one.clause}" for one in indexes)


def foreign_key_clause(key: ForeignKey) -> str:
    """What ADD takes."""
    columns, above = _listed(key.columns), _listed(key.ref_columns)
    actions = "".join(
        f" ON {what} {action}" for what, action in (("DELETE", key.on_delete), ("UPDATE", key.on_update)) if action
    )
    parent = f"{quote_name(key.ref_schema)}.{quote_name(key.ref_table)}"
    return f"CONSTRAINT {quote_name(key.name)} FOREIGN KEY ({columns}) REFERENCES {parent} ({above}){actions}"


def orphans(child: str, key: ForeignKey, limit: int) -> str:
    """The query for values of ``key`` that no row of its parent has; ``child`` is quoted.

    A key of which a part is NULL refers to nothing.
    """
    parent = f"{quote_name(key.ref_schema)}.{quote_name(key.ref_table)}"
    mine = [f"c.{quote_name(name)}" for name in key.columns]
    pairs = zip(mine, key.ref_columns, strict=True)
    same = " AND ".join(f"{one} = p.{quote_name(other)}" for one, other in pairs)
    known = " AND ".join(f"{one} IS NOT NULL" for one in mine)
    return (
        f"SELECT {', '.join(mine)} FROM {child} c WHERE {known} "
        f"AND NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same}) LIMIT {limit}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quote_name, names))
