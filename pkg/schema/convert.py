"""CONVERT TO CHARACTER SET: what it makes of one column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pkg.schema.charset import MAX_BYTES, Charset
from pkg.schema.column_types import BLOB_OF, TEXT_TYPES
from pkg.schema.mapping import larger_text
from pkg.schema.table import Column, Table

_BYTES = {"tinytext": (1 << 8) - 1, "text": (1 << 16) - 1, "mediumtext": (1 << 24) - 1, "longtext": (1 << 32) - 1}


def grown(wanted: Table, present: Table) -> Iterator[Column]:
    """Columns of ``present`` whose text type is too small for what ``wanted`` may hold, with the larger type."""
    for column in present.columns:
        other = wanted.column(column.name)
        if other is None:
            continue
        base = larger_text(other, column.charset or "") or other.base_type
        if _BYTES.get(column.base_type, len(_BYTES) << 32) < _BYTES.get(base, 0):
            yield replace(column, type=base, base_type=base)


def converted(column: Column, charset: Charset) -> Column:
    """A text column in another character set; a text type grows where its characters take more bytes now."""
    if column.base_type not in TEXT_TYPES or column.charset == "binary":
        return column
    base = column.base_type
    if charset.name == "binary":
        base = BLOB_OF.get(base, base)
    elif base in _BYTES and column.charset:
        characters = _BYTES[base] // MAX_BYTES.get(column.charset, 1)
        needed = min(characters * MAX_BYTES.get(charset.name, 1), _BYTES["longtext"])
        base = max(base, next(name for name, size in _BYTES.items() if size >= needed), key=list(_BYTES).index)
    kind = base + column.type[len(column.base_type) :]
    return replace(column, type=kind, base_type=base, charset=charset.name, collation=charset.collation)
