"""How a table's rows are laid out in the events that follow its table map."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableMap:
    """How a table's rows are laid out in the events that follow; the optional parts are as the server logs them."""

    schema: str
    table: str
    types: bytes  # MySQL's type code of each column
    metadata: tuple[int, ...]  # of each column: lengths, precision, fractional digits
    unsigned: tuple[bool, ...] | None = None  # of each column
    collations: tuple[int | None, ...] | None = None  # of each column; None where it has no text
    column_names: tuple[str, ...] | None = None  # with binlog_row_metadata=FULL, as all below
    labels: tuple[tuple[bytes, ...] | None, ...] | None = None  # of each ENUM and SET column, in its character set
