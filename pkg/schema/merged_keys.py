"""Unique keys of a target that may hold two rows of one upstream table equal, which that table tells apart.

Where tables are merged the target has the keys of one of them, or its own.  A key of the target is safe for a table
where some unique key of the table says at least as much with the same columns: then rows that are equal in the
target's key were one row upstream.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pkg.schema.collation import may_join
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, LABEL_TYPES
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, LexicalError, tokenize
from pkg.schema.mapping import joins
from pkg.schema.table import Column, Index, Table, key_words

Part: TypeAlias = tuple[str, int | None, Column | None]
"""A column with how many of its characters the key sees (None: all), or an expression, which has no column."""


@dataclass(frozen=True, slots=True)
class CoarserKey:
    """A key of the target, as text, and the unique keys of the upstream's table, as text; "" where it has none."""

    key: str
    upstream: str
    is_alike: bool  # a key of the upstream's has the same columns
    is_by_collation: bool  # that key differs by nothing but what its columns hold equal
    is_calculated: bool  # it is over an expression or a generated column, whose text servers write in their own ways

    @property
    def whose(self) -> str:
        """What a message says of the upstream's table behind "whose"."""
        return f"keys are {self.upstream}" if self.upstream else "table has no unique key"


def unique_parts(table: Table) -> tuple[tuple[Part, ...], ...]:
    """The parts of each unique key: all that is asked of an upstream's table."""
    return tuple(_parts(table, index) for index in table.indexes if index.unique)


def coarser_keys(
    keys: Sequence[tuple[Part, ...]], target: Table, flavor: str, carried: Collection[str]
) -> Iterator[CoarserKey]:
    """The target's keys that may hold equal what a table with these unique ``keys`` holds different.

    ``flavor`` is the target's; ``carried`` are the columns that rows bring, in lower case.  A key over another column
    that numbers itself, or is NULL, in every new row joins nothing.
    """
    for index in target.indexes:
        parts = _parts(target, index)
        if not index.unique or any(_follows(key, parts, flavor) for key in keys) or _keeps_apart(parts, carried):
            continue
        is_calculated = any(column is None or column.generated for *_, column in parts)
        is_alike = any(_words(key) == _words(parts) for key in keys)
        is_by_collation = any(_columns(key) == _columns(parts) for key in keys)
        shown = ", ".join(map(_shown, keys))
        yield CoarserKey(_shown(parts), shown, is_alike, is_by_collation, is_calculated)


def _parts(table: Table, index: Index) -> tuple[Part, ...]:
    pairs = zip(index.columns, index.prefixes, strict=True)
    return tuple((name, prefix, table.column(name)) for name, prefix in pairs)


def _follows(key: tuple[Part, ...], parts: tuple[Part, ...], flavor: str) -> bool:
    """Whether rows that are equal in ``parts`` of the target are equal in ``key`` upstream."""
    return all(any(_is_finer(below, above, flavor) for below in parts) for above in key)


def _is_finer(below: Part, above: Part, flavor: str) -> bool:
    (name, seen, there), (own, needed, column) = below, above
    if column is None or there is None:
        return column is there and _same_expression(name, own)
    if small(name) != small(own) or (column.generated and there.expression != column.expression):
        return False
    is_whole = seen is None or (there.length is not None and seen >= there.length)
    sees_enough = is_whole or (needed is not None and seen is not None and seen >= needed)
    return sees_enough and not _joins(column, there, flavor)


def _joins(above: Column, below: Column, flavor: str) -> bool:
    """Whether the target's column may hold equal two values that are different upstream.

    Values that the column would change are another matter (pkg/schema/inexact.py).
    """
    if below.base_type not in CHARACTER_TYPES or above.base_type not in BINARY_TYPES | LABEL_TYPES:
        return joins(above, below, flavor)
    collation = "binary" if above.base_type in BINARY_TYPES else above.collation
    return may_join(collation or "", below.collation or "", flavor)


def _keeps_apart(parts: tuple[Part, ...], carried: Collection[str]) -> bool:
    """Whether one of the columns is the target's own, and tells every new row from all others."""
    own = (column for name, _, column in parts if column is not None and small(name) not in carried)
    return any(column.auto_increment or (column.default == "NULL" and column.nullable) for column in own)


def _same_expression(one: str, other: str) -> bool:
    """Whatever their parentheses, letters and names of character sets."""
    try:
        return one == other or _tokens(one) == _tokens(other)
    except LexicalError:
        return False


def _tokens(expression: str) -> list[str]:
    words = [one for one in tokenize(expression) if one.text not in ("(", ")") and not one.text.startswith("_")]
    return [one.text if one.kind is Kind.STRING else small(one.value) for one in words]


def _words(parts: tuple[Part, ...]) -> set[str]:
    try:
        return {small(word) for name, _, column in parts for word in ((name,) if column else key_words(name))}
    except LexicalError:
        return {small(name) for name, *_ in parts}


def _columns(parts: tuple[Part, ...]) -> set[tuple[str, int | None]]:
    return {(small(name), prefix) for name, prefix, _ in parts}


def _shown(parts: tuple[Part, ...]) -> str:
    return f"({', '.join(map(_shown_part, parts))})"


def _shown_part(part: Part) -> str:
    name, prefix, column = part
    collation = f" {column.collation}" if column is not None and column.collation else ""
    return f"{name}{'' if prefix is None else f'({prefix})'}{collation}"
