"""What an ALTER makes of a key's value: literals of columns of unlike types, written so that one value is one text.

Two literals of two columns are the same value of a third one when both become the same bytes here.  What cannot be
known is None: what depends on a session (its zone, its strictness), and what servers print each in its own way.

Between tables that are merged held_values.py does as much for the types that they may have; an ALTER goes from any
type to any other one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from pkg.binlog.charset import as_bytes, as_held, decode
from pkg.binlog.rare_values import introduced
from pkg.rows.held_values import unescaped
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES
from pkg.schema.table import Column

Conversion = Callable[[bytes], bytes | None]
"""A literal of the one column as a value of the other; None: not known."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?", re.ASCII)
_SIZE = re.compile(r"\w+\((\d+)(?:,\s*(\d+))?\)", re.ASCII)
_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}


class _UnknownError(Exception):
    """What becomes of the value is not known."""


def is_unlike(one: Column, other: Column) -> bool:
    """Whether one value may have two literals in the two columns."""
    return (one.type, one.charset, one.labels) != (other.type, other.charset, other.labels)


def conversion(above: Column, below: Column) -> Conversion:
    """How literals of ``above`` are written as values of ``below``."""

    def convert(literal: bytes) -> bytes | None:
        try:
            return _converted(literal, above, below)
        except (_UnknownError, ValueError, ArithmeticError, IndexError):
            return None

    return convert


def _converted(literal: bytes, above: Column, below: Column) -> bytes:
    base = below.base_type
    if base in INTEGER_TYPES or base == "decimal":
        return _as_number(literal, above, below)
    if base in ("float", "double"):
        return _as_float(literal, above, below)
    if base in ("date", "datetime", "timestamp"):
        return _as_moment(literal, above, below)
    if base == "time" and above.base_type == "time":
        whole, _, fraction = unescaped(literal).partition(".")
        return f"{whole}.{_fraction(fraction, below)}".encode()
    if base in CHARACTER_TYPES:
        return _as_text(_text(literal, above, below), below)
    if base in BINARY_TYPES:
        return _as_bytes(literal, above, below)
    if base == "enum":
        text = _text(literal, above, below)
        if text and text not in below.labels:
            raise _UnknownError
        return text.encode()
    if is_unlike(above, below):
        raise _UnknownError
    return literal


def _as_number(literal: bytes, above: Column, below: Column) -> bytes:
    if above.base_type in ("float", "double"):
        value = Decimal(literal.decode())
        if value != value.to_integral_value():
            raise _UnknownError  # servers round halves of it each in its own way
    else:
        value = _number(literal, above)
    size, behind = _size(below)
    rounded = value.quantize(Decimal(1).scaleb(-behind), ROUND_HALF_UP)
    if below.base_type == "decimal":
        is_inside = abs(rounded) < Decimal(10) ** (size - behind)
    else:
        bits = _BITS[below.base_type]
        least, most = (0, 2**bits) if below.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        is_inside = least <= rounded < most
    if not is_inside or (below.unsigned and rounded < 0):
        raise _UnknownError
    return f"{rounded + 0:f}".encode()  # -0 + 0 is 0


def _number(literal: bytes, above: Column) -> Decimal:
    if above.base_type in INTEGER_TYPES or above.base_type in ("decimal", "year"):
        return Decimal(literal.decode().strip("'"))
    text = _text(literal, above, above) if above.base_type in CHARACTER_TYPES else ""
    if not _NUMBER.fullmatch(text):
        raise _UnknownError
    return Decimal(text)


def _as_float(literal: bytes, above: Column, below: Column) -> bytes:
    if "(" in above.type + below.type and is_unlike(above, below) and above.base_type in ("float", "double"):
        raise _UnknownError  # rounded to decimals
    value = float(_number(literal, above) if above.base_type not in ("float", "double") else literal)
    if "float" in (above.base_type, below.base_type):
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    if "(" in below.type and is_unlike(above, below):
        raise _UnknownError
    return repr(value + 0.0).encode()


def _as_moment(literal: bytes, above: Column, below: Column) -> bytes:
    zoned = (above.base_type == "timestamp") + (below.base_type == "timestamp")
    if zoned == 1 or above.base_type not in (*CHARACTER_TYPES, "date", "datetime", "timestamp"):
        raise _UnknownError  # the session's zone counts
    found = _MOMENT.fullmatch(_text(literal, above, above))
    if found is None:
        raise _UnknownError
    day, time, fraction = found[1], found[2] or "00:00:00", _fraction(found[3] or "", below)
    if below.base_type == "date":
        if time != "00:00:00":
            raise _UnknownError
        return day.encode()
    return f"{day} {time}.{fraction}".encode()


def _fraction(digits: str, below: Column) -> str:
    if digits[below.fsp :].strip("0"):
        raise _UnknownError  # MariaDB cuts it, MySQL rounds
    return digits.ljust(6, "0")


def _as_text(text: str, below: Column) -> bytes:
    if below.base_type == "char":
        text = text.rstrip(" ")
    size, _ = _size(below)
    if size and len(text) > size:
        raise _UnknownError
    return as_held(text, below.charset or "utf8mb4").encode("utf-8", "surrogatepass")


def _as_bytes(literal: bytes, above: Column, below: Column) -> bytes:
    if above.base_type in BINARY_TYPES:
        raw = _bytes(literal)
    else:
        raw = as_bytes(_text(literal, above, above), above.charset or "utf8mb4")
    size, _ = _size(below)
    if size and len(raw) > size:
        raise _UnknownError
    return raw.ljust(size, b"\0") if below.base_type == "binary" else raw


def _bytes(literal: bytes) -> bytes:
    return bytes.fromhex(literal[2:-1].decode()) if literal.startswith(b"x'") else unescaped(literal).encode()


def _text(literal: bytes, above: Column, below: Column) -> str:
    """A value as text."""
    base = above.base_type
    if base in BINARY_TYPES:
        return decode(_bytes(literal), below.charset or "utf8mb4")
    if literal.startswith(b"_"):
        found = introduced(literal)
        assert found is not None, "it begins with an introducer"
        return decode(found[1], found[0])
    if base == "enum" and not literal.startswith(b"'"):
        return ("", *above.labels)[int(literal)]
    if literal.startswith(b"'") and (base in CHARACTER_TYPES or base in ("enum", "set", "date", "datetime", "year")):
        return unescaped(literal)
    if base == "timestamp" and below is above:
        return unescaped(literal)
    if (base in INTEGER_TYPES or base == "decimal" or base == "year") and "zerofill" not in above.type:
        return f"{Decimal(literal.decode()):f}"
    raise _UnknownError


def _size(column: Column) -> tuple[int, int]:
    """The two numbers of a type; 0 for those that it has not."""
    found = _SIZE.match(column.type)
    if found is None:
        return (1 if column.base_type in ("char", "binary") else 0), 0
    return int(found[1]), int(found[2] or 0)
