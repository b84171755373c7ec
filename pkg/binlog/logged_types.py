"""Whether the types that a table map logs are those of the columns that are known.

A row is read by what its table map says: digits of a DECIMAL, of seconds, lengths.  Where these are not the tracked
column's, the table was changed where the binlog does not say so (sql_log_bin=0, another server), and what is written
by the tracked column may lose digits without a word.  A native replica compares the same and stops (error 1677).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pkg.binlog.column_plan import ENUM, SET, STRING, ColumnLike, logged_charset, real_type, string_length
from pkg.binlog.events import TableMap
from pkg.schema.charset import MAX_BYTES, charset_name
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES

_DIGITS = re.compile(r"\((\d+)(?:,(\d+))?\)")
_LENGTH_BYTES = {"tiny": 1, "medium": 3, "long": 4}  # of blobs and texts, by how the type's name begins
_USUAL_LENGTH_BYTES = 2
_VARCHAR, _BLOB, _DECIMAL, _BIT = 15, 252, 246, 16
_WITH_FRACTION = frozenset({17, 18, 19})
_FEW_LABELS = 255  # whose numbers are a byte


def unlike_column(columns: Sequence[ColumnLike], table_map: TableMap) -> str:
    """The first column of another type than is logged, with both; "" for none.

    The numbers of columns, and their types' own names, are compared by ``plan_columns``.
    """
    for place, column in enumerate(columns[: len(table_map.types)]):
        code, meta = real_type(table_map.types[place], table_map.metadata[place])
        said = _logged(code, meta, place, column, table_map)
        if said:
            return f"{column.name} {column.type} is {said} in the binlog"
    return ""


def _logged(code: int, meta: int, place: int, column: ColumnLike, table_map: TableMap) -> str:
    """What is logged, in words, where it is not the column's; "" for the same, and where it does not tell."""
    base = column.base_type
    if code == _DECIMAL and base == "decimal":
        precision, scale = meta & 255, meta >> 8
        found = _DIGITS.search(column.type)
        known = (int(found[1]), int(found[2] or 0)) if found else (10, 0)
        return "" if known == (precision, scale) else f"decimal({precision},{scale})"
    if code in _WITH_FRACTION and base in ("datetime", "timestamp", "time"):
        return "" if meta == column.fsp else f"{base}({meta})"
    if code == _BIT and base == "bit":
        bits = (meta >> 8) * 8 + (meta & 255)
        return "" if column.length in (None, bits) else f"bit({bits})"
    if code in (ENUM, SET) and base in ("enum", "set"):
        return "" if meta == _label_bytes(code, len(column.labels)) else f"{base} of {meta} bytes"
    if base in CHARACTER_TYPES | BINARY_TYPES:
        return _logged_text(code, meta, place, column, table_map)
    return ""


def _label_bytes(code: int, count: int) -> int:
    if code == ENUM:
        return 1 if count <= _FEW_LABELS else 2
    size = (count + 7) // 8
    return size if size <= 4 else 8


def _logged_text(code: int, meta: int, place: int, column: ColumnLike, table_map: TableMap) -> str:
    base = column.base_type
    charset = "binary" if base in BINARY_TYPES else charset_name(logged_charset(place, column, table_map) or "")
    kind = "" if charset == "binary" else "char"
    if code == _BLOB:
        known = next((size for name, size in _LENGTH_BYTES.items() if base.startswith(name)), _USUAL_LENGTH_BYTES)
        is_alike = base.endswith(("text", "blob")) and meta == known
        return "" if is_alike else f"a {'text' if kind else 'blob'} with {meta} length bytes"
    if code not in (_VARCHAR, STRING) or column.length is None:
        return ""
    is_varying, size = code == _VARCHAR, meta if code == _VARCHAR else string_length(meta)
    is_alike = base in (("varchar", "varbinary") if is_varying else ("char", "binary"))
    if is_alike and size == column.length * MAX_BYTES.get(charset, 1):
        return ""
    return f"{'var' * is_varying}{kind or 'binary'} of {size} bytes"
