"""Which row a change is for, as a condition that the target cannot misread.

Servers differ in what they make of literals beside a column.  All of this was tried on MariaDB 10.11, MySQL 9 and
TiDB 8:

- A FLOAT is compared as a double, so `k = 1.1` finds nothing; the double that the FLOAT is finds it everywhere.
- `(a, k) IN ((1, 'ä'), …)` finds nothing in MariaDB where k's character set is not Unicode (it compares the bytes of
  both), and in MariaDB and MySQL where labels of an ENUM stand beside the number of one; `a = 1 AND k = 'ä' OR …` does.
  TiDB reads the row form right, and the other one wrong for some ENUMs.
- Bytes that are no text in the column's character set, x'81', are compared by bytes: MySQL refuses to convert them, and
  beside text in one IN or CASE they turn that text into bytes of utf8mb4.  A column that holds some cannot be converted
  in a condition either, so the literal is.
- Values of JSON are equal that are not the same (1 and 1.0, 0 and -0.0; in TiDB also large numbers of which one is a
  double); their texts differ.  The target makes text of both sides, since it may print a number otherwise.
- Beside `k = 'a '` TiDB calculates every other condition on k with 'a ' instead of the row's value, where literal and
  column have one collation: `k = 'a ' AND HEX(k) = '6120'` holds for 'a', too.  `k BETWEEN 'a ' AND 'a '` finds the
  same rows by the same index, and leaves the other condition as it is.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from pkg.binlog.charset import is_lossless
from pkg.binlog.vector import vector_condition
from pkg.schema.column_types import CHARACTER_TYPES, LABEL_TYPES
from pkg.schema.table import Column

_MOST_ASKED_TWICE = 1000  # bytes of a literal
_UNICODE = frozenset({None, "binary", "ascii", "utf8", "utf8mb3", "utf8mb4"})


def has_several_kinds(column: Column) -> bool:
    """Whether literals of a column's values may be of several kinds: text, bytes that are none, numbers of labels."""
    return column.base_type in LABEL_TYPES or may_be_bytes(column)


def may_be_bytes(column: Column) -> bool:
    """Whether a text of the column may be written as bytes, since it is none in its character set."""
    return column.base_type in CHARACTER_TYPES and column.charset not in _UNICODE


def compares_apart(columns: Sequence[Column], flavor: str) -> bool:
    """Whether keys of several columns are compared column by column, since a row of literals is misread."""
    return len(columns) > 1 and flavor != "tidb" and any(map(has_several_kinds, columns))


def key_writer(columns: Sequence[Column]) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]] | None:
    """How the literals of a key are written to be compared; None: as they are."""
    if all(column.base_type != "float" for column in columns):
        return None
    is_float = [column.base_type == "float" for column in columns]
    return lambda key: tuple([single_precision(v) if f else v for v, f in zip(key, is_float, strict=True)])


def is_bytes(literal: bytes) -> bool:
    """Whether the literal of a text is one of bytes."""
    return literal.startswith(b"x'")


def kind_of(literal: bytes) -> bytes:
    """Which literals of a column may stand in one expression: b"'" for text and NULL, b"x" for bytes, else b"0"."""
    if is_bytes(literal):
        return b"x"
    return b"'" if literal[:1] == b"'" or literal == b"NULL" else b"0"


def single_precision(value: bytes) -> bytes:
    """The double that a FLOAT column holding ``value`` is compared as, as a floating-point literal."""
    if value == b"NULL":
        return value
    stored: float = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    text = repr(stored)
    return (text if "e" in text else text + "e0").encode()


def equals(column: Column, name: bytes, value: bytes) -> bytes:
    """A condition that holds for ``value`` as the column's collation compares it: what an index finds."""
    if column.base_type in CHARACTER_TYPES and is_bytes(value):
        return b"CAST(" + name + b" AS BINARY)=" + value
    if column.base_type == "float":
        return name + b"=" + single_precision(value)
    return name + b"=" + value


def asked_before(name: bytes, value: bytes) -> bytes:
    """What an index finds of a text, as the start of a condition that goes on with a stricter one on the column."""
    return name + b" BETWEEN " + value + b" AND " + value + b" AND "


def exactly(column: Column, name: bytes, value: bytes) -> bytes:
    """A condition that holds for exactly the stored ``value``: no collation, no rounding.

    Where equal texts are equal by every collation, that is asked first: an index finds it, and it costs less.
    """
    if value == b"NULL":
        return name + b" IS NULL"
    if column.base_type in CHARACTER_TYPES and not is_bytes(value):
        is_asked = len(value) <= _MOST_ASKED_TWICE and is_lossless(column.charset or "utf8mb4")
        alike = asked_before(name, value) if is_asked else b""
        if column.charset in _UNICODE:
            return alike + b"CAST(CONVERT(" + name + b" USING utf8mb4) AS BINARY)=CAST(" + value + b" AS BINARY)"
        stored = b"CONVERT(" + value + b" USING " + str(column.charset).encode() + b")"
        return alike + b"CAST(" + name + b" AS BINARY)=CAST(" + stored + b" AS BINARY)"
    if column.base_type == "vector":
        return vector_condition(name, value)
    if column.base_type == "json":
        return b"CAST(" + name + b" AS BINARY)=CAST(CAST(" + value + b" AS JSON) AS BINARY)"
    return equals(column, name, value)
