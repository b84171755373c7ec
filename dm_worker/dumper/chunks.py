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
from pkg.schema.table import Table
from pkg.task.chunk_size import TARGET_ROWS, ChunkSize, TableSize, rows_per_chunk

Bound = tuple[str, ...]

__all__ = [
    "TARGET_ROWS", "WHOLE", "Bound", "ChunkSize", "Key", "KeyProbe", "Range", "TableSize", "below", "best_key",
    "bound_from_text", "bound_to_text", "condition", "rows_per_chunk",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """The part of a table's identity key that chunks are ranges of."""

    index: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    is_integer: bool  # one column of integers: its values are numbers of rows, but for gaps


@dataclass(frozen=True, slots=True)
class Range:
    """``lower < key <= upper``; None has no bound on that side."""

    lower: Bound | None = None
    upper: Bound | None = None


WHOLE: Final = Range()


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

    def ordered(self, column: int, symbols: Sequence[str]) -> list[str]:
        """Characters in the order of the key's column, those that it takes for equal joined."""
        ...


def best_key(table: Table) -> Key | None:
    """The longest usable start of the table's identity key; None when there is none."""
    wanted = tuple(table.columns[ordinal].name for ordinal in table.identity_key)
    index = next((one for one in table.indexes if one.unique and one.columns == wanted), None)
    if index is None:
        return None
    usable: list[tuple[str, Kind]] = []
    for ordinal in table.identity_key:
        kind = kind_of(table.columns[ordinal])
        if kind is None:
            break
        usable.append((table.columns[ordinal].name, kind))
    if not usable:
        return None
    names, kinds = zip(*usable, strict=True)
    first = table.columns[table.identity_key[0]]
    return Key(index.name, names, kinds, len(wanted) == 1 and first.base_type in INTEGERS)


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
