"""How many rows of a table are one chunk, by the task's settings and the server's statistics.  Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

TARGET_ROWS: Final = 50_000
_LEAST_ROWS: Final = 5_000
_CHUNKS_PER_LANE: Final = 4  # so that lanes end at about the same time


@dataclass(frozen=True, slots=True)
class TableSize:
    """What the server's statistics say of a table."""

    rows: int
    row_bytes: int

    @property
    def bytes(self) -> int:
        return self.rows * self.row_bytes


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """What the task says of the size of chunks; ``rows`` 0: by bytes."""

    rows: int
    bytes: int
    lanes: int
    most_rows: int = TARGET_ROWS


def rows_per_chunk(size: ChunkSize, table: TableSize, total_rows: int) -> int:
    """Rows of one chunk: the task's number, else what ``bytes`` holds, and enough chunks for all lanes."""
    if size.rows:
        return size.rows
    by_bytes = size.bytes // max(table.row_bytes, 1) if table.row_bytes else TARGET_ROWS
    fair = max(ceil(total_rows / (size.lanes * _CHUNKS_PER_LANE)), _LEAST_ROWS)
    return max(1, min(size.most_rows, by_bytes, fair))


def chunks_of(size: ChunkSize, table: TableSize, total_rows: int, *, has_key: bool) -> int:
    """About how many chunks a table is cut into; one without a key is never cut."""
    if not has_key or table.rows <= 0:
        return 1
    return ceil(table.rows / rows_per_chunk(size, table, total_rows))
