"""How a table is cut into chunks: ranges of its best key, each about as large as one transaction should be.

A chunk is ``lower < key <= upper``; the first has no lower bound and the last no upper one, so that
together they hold every row, also those that arrive meanwhile.  Bounds are SQL literals, compared
column by column in the order of the key, as the index has it.  Where a table is cut, ``cutting`` decides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from dm_worker.dumper.key_values import INTEGERS, Kind, kind_of
from pkg.schema.table import Column, Index, Table
from pkg.task.chunk_size import TARGET_ROWS, ChunkSize, TableSize, rows_per_chunk

Bound = tuple[str, ...]

__all__ = [
    "TARGET_ROWS", "WHOLE", "Ascent", "Bound", "ChunkSize", "Key", "KeyProbe", "NotAscending", "Range", "TableSize",
    "below", "best_key", "bound_from_text", "bound_to_text", "condition", "rows_per_chunk",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """The part of a unique key that chunks of its table are ranges of."""

    index: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    is_integer: bool  # one column of integers: its values are numbers of rows, but for gaps
    charsets: tuple[str | None, ...] = ()  # of its columns
    is_whole: bool = True  # no two rows have the same values

    def __str__(self) -> str:
        return f"{self.index} ({', '.join(self.columns)})"


@dataclass(frozen=True, slots=True)
class Range:
    """``lower < key <= upper``; None has no bound on that side."""

    lower: Bound | None = None
    upper: Bound | None = None


WHOLE: Final = Range()


class NotAscending(Exception):
    """The upstream finds a key again behind itself: its index has another order than its comparisons."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.bound = bound


class Ascent:
    """Bounds of one table that were found one behind the other, so that no search goes on without an end."""

    def __init__(self) -> None:
        self._found: set[Bound] = set()

    def add(self, bound: Bound) -> bool:
        """Whether it is new."""
        is_new = bound not in self._found
        self._found.add(bound)
        return is_new

    def take(self, bound: Bound) -> Bound:
        """The same.  Raises NotAscending where it was found before."""
        if not self.add(bound):
            raise NotAscending(bound)
        return bound


class KeyProbe(Protocol):
    """Questions about the values of a key, answered by the upstream."""

    def extremes(self) -> tuple[Bound, Bound] | None:
        """First and last key; None for an empty table."""
        ...

    def estimates(self, chunks: Sequence[Range]) -> list[int]:
        """About how many rows each of the chunks has, from the index without reading it."""
        ...

    def count(self, chunk: Range) -> int:
        """Exactly how many rows the chunk has."""
        ...

    def nth(self, chunk: Range, n: int) -> Bound | None:
        """The key of the chunk's n-th row; None when there are fewer.  Passes over the keys before it."""
        ...

    def last_below(self, chunk: Range, value: Bound) -> Bound | None:
        """The chunk's last key whose first columns are less than ``value``; None when there is none."""
        ...

    def ordered(self, column: int, symbols: Sequence[str]) -> Sequence[Sequence[str]]:
        """Characters in the order of the key's column, those that it takes for equal together."""
        ...


def best_key(table: Table) -> Key | None:
    """The longest usable start of the table's identity key, else of another one that tells rows apart; None without."""
    return next(filter(None, (_key(table, one) for one in table.identifying_indexes if not one.hidden)), None)


def _key(table: Table, index: Index) -> Key | None:
    usable: list[tuple[Column, Kind]] = []
    for name in index.columns:
        column = table.columns[table.ordinal(name)]
        kind = kind_of(column)
        if kind is None:
            break
        usable.append((column, kind))
    if not usable:
        return None
    columns, kinds = zip(*usable, strict=True)
    is_whole = len(columns) == len(index.columns)
    is_integer = len(index.columns) == 1 and columns[0].base_type in INTEGERS
    names = tuple(column.name for column in columns)
    return Key(index.name, names, kinds, is_integer, tuple(column.charset for column in columns), is_whole)


def condition(columns: Sequence[str], chunk: Range) -> str:
    """The WHERE condition of a chunk, "" for all rows; ``columns`` are quoted.

    ``a > x OR (a = x AND b > y)`` instead of ``(a, b) > (x, y)``: servers use an index for the former only.
    """
    parts = []
    if chunk.lower is not None:
        parts.append(_compared(columns, chunk.lower, ">", ">"))
    if chunk.upper is not None:
        parts.append(_compared(columns, chunk.upper, "<", "<="))
    return " AND ".join(parts)


def below(columns: Sequence[str], value: Bound) -> str:
    """The condition of rows whose first columns are less than ``value``, which may have fewer of them."""
    return _compared(columns, value, "<", "<")


def _compared(columns: Sequence[str], bound: Bound, strict: str, last: str) -> str:
    column, value = columns[0], bound[0]
    if len(bound) == 1:
        return f"{column} {last} {value}"
    rest = _compared(columns[1:], bound[1:], strict, last)
    return f"({column} {strict} {value} OR ({column} = {value} AND {rest}))"


def bound_to_text(bound: Bound | None) -> str | None:
    """A bound as the chunk table keeps it."""
    return None if bound is None else json.dumps(bound, ensure_ascii=False)


def bound_from_text(text: str | None) -> Bound | None:
    return None if text is None else tuple(str(part) for part in json.loads(text))
