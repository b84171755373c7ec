"""Which row a change is for, as a condition that the target cannot misread.

Servers differ in what they make of literals beside a column.  All of this was tried on MariaDB 10.11, MySQL 9 and
TiDB 8:

- A FLOAT is compared as a double, so `k = 1.1` finds nothing; the double that the FLOAT is finds it everywhere.
- TiDB rounds a DOUBLE(M,D) to the double that is nearest to the digits that show; MariaDB and MySQL may hold another
  one, whose literal finds nothing there.
- The largest value of a FLOAT(M,D) is more than M digits can say where the FLOAT is rounded up: MySQL and TiDB cut the
  literal to these digits and find nothing, but for `k + 0e0 = …`.
- `(a, k) IN ((1, 'ä'), …)` finds nothing in MariaDB where k's character set is not Unicode (it compares the bytes of
  both), and in MariaDB and MySQL where labels of an ENUM stand beside the number of one; `a = 1 AND k = 'ä' OR …` does.
  TiDB reads the row form right, and the other one wrong for some ENUMs.
- Bytes that are no text in the column's character set, x'81', are compared by bytes: MySQL refuses to convert them, and
  beside text in one IN or CASE they turn that text into bytes of utf8mb4.  A column that holds some cannot be converted
  in a condition either, so the literal is.
- Values of JSON are equal that are not the same (1 and 1.0, 0 and -0.0; in TiDB also large numbers of which one is a
  double); their texts differ.  The target makes text of both sides, since it may print a number otherwise.
- `k = 5` beside a column of texts or bytes compares numbers: it finds '05', too, no index serves it, and a text that is
  no number is a warning, which ends an UPDATE or DELETE.
- To find the one row of many that is not as it should be, `k = 1 AND NOT v = 'a' OR k = 2 …` is tried with each row in
  all its parts; `CONCAT_WS(…) NOT IN ('1,a', …)` is looked up.
- Beside `k = 'a '` TiDB calculates every other condition on k with 'a ' instead of the row's value, where literal and
  column have one collation: `k = 'a ' AND HEX(k) = '6120'` holds for 'a', too.  `k BETWEEN 'a ' AND 'a '` finds the
  same rows by the same index, and leaves the other condition as it is.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from functools import partial

from pkg.binlog.charset import is_lossless
from pkg.binlog.vector import vector_condition
from pkg.rows.held_values import NUMBER_TYPES, as_text
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES, LABEL_TYPES, fixed_digits
from pkg.schema.table import Column

_LARGEST = re.compile(r"float\((\d+),\s*(\d+)\)", re.ASCII)
_CUT = b"CAST("
_BETWEEN, _NULL = b"\x01", b"\x02"  # values of one row's text, and what stands for NULL there
_SAME_TEXT = frozenset({"decimal", "date", "time", "datetime", "timestamp", "year"})
_QUOTE = ord("'")
_PLAIN = frozenset(b"'-0123456789")  # how a literal begins that is neither a function nor bytes
_TEXTS = CHARACTER_TYPES | BINARY_TYPES  # beside which a number is compared as a number
_MOST_ASKED_TWICE = 1000  # bytes of a literal
_UNICODE = frozenset({None, "binary", "ascii", "utf8", "utf8mb3", "utf8mb4"})


def has_several_kinds(column: Column) -> bool:
    """Whether literals of a column's values may be of several kinds: text, bytes that are none, numbers of labels."""
    return column.base_type in LABEL_TYPES or may_be_bytes(column)


def may_be_bytes(column: Column) -> bool:
    """Whether a text of the column may be written as bytes, since it is none in its character set."""
    return column.base_type in CHARACTER_TYPES and column.charset not in _UNICODE


def has_own_forms(column: Column) -> bool:
    """Whether some values of a key's column are compared in a form of their own, which ``is_apart`` knows."""
    return may_be_bytes(column) or _LARGEST.match(column.type) is not None


def is_apart(literal: bytes) -> bool:
    """Whether the literal of a key's value stands in a condition by itself."""
    return is_bytes(literal) or literal.startswith(_CUT)


def compares_apart(columns: Sequence[Column], flavor: str) -> bool:
    """Whether keys of several columns are compared column by column, since a row of literals is misread."""
    if len(columns) < 2:
        return False
    return any(_LARGEST.match(one.type) or (flavor != "tidb" and has_several_kinds(one)) for one in columns)


def key_writer(
    above: Sequence[Column], columns: Sequence[Column], flavor: str
) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]] | None:
    """How the literals of a key are written to be compared on a server of this flavour; None: as they are.

    ``above`` are the upstream's columns, whose literals these are.
    """
    writers = [_writer(one, column, flavor) for one, column in zip(above, columns, strict=True)]
    if not any(writers):
        return None
    return lambda key: tuple([write(v) if write else v for v, write in zip(key, writers, strict=True)])


def _writer(above: Column, column: Column, flavor: str) -> Callable[[bytes], bytes] | None:
    if column.base_type in _TEXTS:
        return as_text if above.base_type in NUMBER_TYPES else None
    if column.base_type == "float":
        return partial(_single, column.type)
    _, behind = fixed_digits(column.type)
    return partial(as_shown, behind=behind) if flavor == "tidb" and behind >= 0 else None


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
    return _double(stored)


def _single(column_type: str, value: bytes) -> bytes:
    """The same of a column of this type; marked where it is more than the digits of a FLOAT(M,D) can say."""
    literal = single_precision(value)
    digits = _LARGEST.match(column_type)
    if digits is None or value == b"NULL" or abs(float(literal)) < 10.0 ** (int(digits[1]) - int(digits[2])):
        return literal
    return _CUT + literal + b" AS DOUBLE)"


def as_shown(value: bytes, behind: int) -> bytes:
    """The double that is nearest to so many decimals of ``value``, as a floating-point literal."""
    return value if value == b"NULL" else _double(float(f"{float(value):.{behind}f}"))


def _double(value: float) -> bytes:
    text = repr(value)
    return (text if "e" in text else text + "e0").encode()


def equals(column: Column, name: bytes, value: bytes) -> bytes:
    """A condition that holds for ``value`` as the column's collation compares it: what an index finds."""
    if column.base_type in _TEXTS:
        value = as_text(value)
    if column.base_type in CHARACTER_TYPES and is_bytes(value):
        return b"CAST(" + name + b" AS BINARY)=" + value
    if column.base_type == "float":
        written = value if value.startswith(_CUT) else _single(column.type, value)
        return name + (b"+0e0=" if written.startswith(_CUT) else b"=") + written
    if column.base_type == "double" and "(" in column.type:
        return _equals_rounded(column, name, value)
    return name + b"=" + value


def _equals_rounded(column: Column, name: bytes, value: bytes) -> bytes:
    """The value of a DOUBLE(M,D), which the target may have rounded once more."""
    held = sorted({float(value), float(as_shown(value, fixed_digits(column.type)[1]))})
    if len(held) == 1:
        return name + b"=" + _double(held[0])
    return name + b" BETWEEN " + _double(held[0]) + b" AND " + _double(held[1])


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
        value = as_text(value)
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


def row_texts(above: Sequence[Column], below: Sequence[Column], names: Sequence[bytes]) -> bytes:
    """What makes one text of these columns of the target, as ``row_text`` does of literals of the upstream's.

    b"" where a value may be written in two ways.
    """
    if not all(map(_has_one_text, above, below)):
        return b""
    parts = b",".join([_shown(one, name) for one, name in zip(below, names, strict=True)])
    return b"CAST(CONCAT_WS('" + _BETWEEN + b"'," + parts + b") AS BINARY)"


def _shown(column: Column, name: bytes) -> bytes:
    is_text = column.base_type in CHARACTER_TYPES
    return (
        b"IFNULL(" + (b"CONVERT(%b USING utf8mb4)" if is_text else b"CAST(%b AS CHAR)") % name + b",'" + _NULL + b"')"
    )


def row_text(literals: Sequence[bytes]) -> bytes | None:
    """The literal of that text; None for literals of bytes, and for texts with the bytes that part them."""
    parts = []
    for literal in literals:
        if literal == b"NULL":
            parts.append(_NULL)
        elif literal[0] not in _PLAIN or _BETWEEN in literal or _NULL in literal:
            return None
        else:
            parts.append(literal[1:-1] if literal[0] == _QUOTE else literal)
    return b"'" + _BETWEEN.join(parts) + b"'"


def _has_one_text(above: Column, below: Column) -> bool:
    """Whether the literal of an upstream's value is what the target's column shows."""
    if above.base_type in INTEGER_TYPES and below.base_type in INTEGER_TYPES:
        return "zerofill" not in above.type + below.type
    if above.base_type in CHARACTER_TYPES and below.base_type in CHARACTER_TYPES:
        return not may_be_bytes(above) and not may_be_bytes(below)
    return above.type == below.type and above.base_type in _SAME_TEXT
