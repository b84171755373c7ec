"""How much of a column a key sees: also when the column is altered, or dropped and added again, in one statement.

A server keeps the length of the key's part.  Of a column that comes again it is the former one in characters, or in
bytes where the column was no text (measured on MariaDB 10.11 and MySQL 9.7: `a INT, KEY (a)` becomes `KEY (a(4))`
by `DROP a, ADD a VARCHAR(40)`).  A statement whose new column is shorter than that is refused upstream.
"""

from __future__ import annotations

from math import inf

from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, FIXED_BYTES, decimal_scale, is_bulky
from pkg.schema.table import Column

_WITH_PARTS = CHARACTER_TYPES | BINARY_TYPES
_DIGITS_IN_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)  # of a decimal, beside each nine of them in four bytes

TINY = 255  # bytes of a TINYTEXT and TINYBLOB, of which MySQL takes no more into a key


def key_bytes(column: Column, prefix: int | None, width: int, flavor: str) -> float:
    """What a key keeps of a column, at most; 0 for what is no text and no bytes, which is never long.

    ``width``: bytes of a character, at most; ``flavor``: the server's.
    """
    if is_bulky(column.base_type):
        size = inf if prefix is None else prefix * width
        return inf if flavor == "mysql" and column.base_type.startswith("tiny") and size > TINY else size
    return (prefix or column.length or 0) * width if column.base_type in _WITH_PARTS else 0


def covers(column: Column, prefix: int) -> bool:
    """Whether a part of ``prefix`` characters is the whole column, and SHOW CREATE TABLE leaves it out.

    Of what is no text a server takes a part only where it has the column's bytes (`b DATE, KEY (b(3))`).
    """
    return column.length == prefix or column.base_type in (*FIXED_BYTES, "bit", "decimal")


def altered_part(prefix: int | None, new: Column) -> int | None:
    """The length for a column that has become ``new`` by CHANGE or MODIFY; None is all of it."""
    if prefix is None or new.base_type not in _WITH_PARTS:
        return None
    return None if new.length is not None and new.length < prefix else prefix


def part_again(prefix: int | None, old: Column, base_type: str, length: int | None) -> int | None:
    """The length for a column that is dropped and added with another type; None is all of it."""
    kept = prefix if prefix is not None else _length(old)
    return None if base_type not in _WITH_PARTS or kept == length else kept


def _length(column: Column) -> int | None:
    """Of a whole column in a key, in characters or bytes; None for labels, which are kept whole."""
    base = column.base_type
    if base in _WITH_PARTS:
        return column.length
    if base == "bit":
        return ((column.length or 1) + 7) // 8
    if base == "decimal":
        return _decimal_bytes(column)
    size = FIXED_BYTES.get(base)
    return size + (column.fsp + 1) // 2 if size is not None else None


def _decimal_bytes(column: Column) -> int:
    scale = decimal_scale(column.type)
    digits = int(column.type.partition("(")[2].partition(",")[0].rstrip(")"))
    return sum(part // 9 * 4 + _DIGITS_IN_BYTES[part % 9] for part in (digits - scale, scale))
