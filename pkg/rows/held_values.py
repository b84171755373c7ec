"""Values of an upstream's column as literals of the target's column, whose type is another one.

Tables that are merged may have keys of unlike types: `7.5` of a DECIMAL(9,1) and `7.50` of a DECIMAL(9,2) are one value
in the target.  Which pairs of types there are at all is said by pkg/schema/inexact.py; of all others values are left as
they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from pkg.binlog.charset import UTF8
from pkg.binlog.rare_values import hex_literal, quote_text, utf8_literal
from pkg.schema.column_types import (
    BINARY_TYPES,
    CHARACTER_TYPES,
    GEOMETRY_TYPES,
    INTEGER_TYPES,
    decimal_scale,
)
from pkg.schema.table import Column

Form = Callable[[bytes], bytes]
_MOMENTS = frozenset({"date", "time", "datetime", "timestamp"})
NUMBER_TYPES = INTEGER_TYPES | {"bit", "year", "decimal"}
_BYTES = BINARY_TYPES | GEOMETRY_TYPES
_LEAST_BYTES = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}  # of a character; servers put zeros before fewer
_DAY = 10  # characters of a date
_ESCAPE = re.compile(r"\\(.)|''", re.DOTALL)
_CONTROLS = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a"}


def held_form(above: Column, below: Column) -> Form | None:
    """How a literal of the upstream's column becomes one of the target's type, as the codec writes the value that the
    target holds; None: the two are the same.  Exact: two literals become one where the target holds one value.
    """
    old, new = above.base_type, below.base_type
    if new == "decimal":
        digits = decimal_scale(below.type)
        held = decimal_scale(above.type) if old == "decimal" else 0
        return partial(_with_digits, digits=digits) if held != digits or old in CHARACTER_TYPES else None
    if new in _MOMENTS:
        is_same = above.fsp == below.fsp and (old == "date") == (new == "date")
        return None if is_same else partial(_moment, digits=below.fsp)
    if new in BINARY_TYPES:
        return None if old in _BYTES else _bytes
    if new in CHARACTER_TYPES:
        return partial(_text, charset=below.charset or "utf8mb4") if old in _BYTES | NUMBER_TYPES else None
    if new == "set" and (old == "enum" or "" in below.labels):
        return partial(_members, labels=below.labels)
    return None


def literal_class(column: Column) -> str:
    """What of an upstream's column decides its forms in any target; columns that agree have like literals."""
    base = column.base_type
    if base in _MOMENTS:
        return "date" if base == "date" else f"moment {column.fsp}"
    if base == "decimal":
        return f"decimal {decimal_scale(column.type)}"
    return "bytes" if base in _BYTES else "number" if base in NUMBER_TYPES else ""


def as_text(literal: bytes) -> bytes:
    """A number as a text: beside a column of texts or bytes, `5` would be compared as a number, and equal `'05'`."""
    return b"'" + literal + b"'" if _is_number(literal) else literal


def unescaped(literal: bytes) -> str:
    """The text of a literal in quotes."""
    return _ESCAPE.sub(_character, literal.decode("utf-8", "replace")[1:-1])


def _character(escape: re.Match[str]) -> str:
    return "'" if escape[1] is None else _CONTROLS.get(escape[1], escape[1])


def _is_number(literal: bytes) -> bool:
    return literal[:1].isdigit() or literal[:1] == b"-"


def _with_digits(literal: bytes, digits: int) -> bytes:
    whole, _, fraction = literal.strip(b"'").partition(b".")
    return whole + b"." + fraction.ljust(digits, b"0") if digits else whole


def _moment(literal: bytes, digits: int) -> bytes:
    whole, _, fraction = literal.strip(b"'").partition(b".")
    if len(whole) == _DAY and whole[4:5] == b"-":  # '-100:00:00' is as long
        whole += b" 00:00:00"
    return b"'" + whole + (b"." + fraction.ljust(digits, b"0") if digits else b"") + b"'"


def _bytes(literal: bytes) -> bytes:
    if literal[:1] == b"'":
        return hex_literal(unescaped(literal).encode("utf-8", "surrogatepass"))
    return hex_literal(literal) if _is_number(literal) else literal


def _text(literal: bytes, charset: str) -> bytes:
    if not literal.startswith(b"x'"):
        return as_text(literal)
    raw = bytes.fromhex(literal[2:-1].decode("ascii"))
    if charset in UTF8:
        return utf8_literal(raw)
    least = _LEAST_BYTES.get(charset, 1)
    return b"_%b %b" % (charset.encode(), hex_literal(raw.rjust(-(-len(raw) // least) * least, b"\0")))


def _members(literal: bytes, labels: tuple[str, ...]) -> bytes:
    """A SET's value, or the empty one of an ENUM, by its number."""
    if not literal.isdigit():
        return literal
    number = int(literal)
    return quote_text(",".join(label for place, label in enumerate(labels) if number >> place & 1).encode())
