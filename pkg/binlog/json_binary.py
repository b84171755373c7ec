"""MySQL's binary JSON as JSON text, or as a tree whose leaves are text.

Layout: WL#8132 and the MySQL source's `json_binary.h`: a type byte, then a scalar, or an object or
array with a table of offsets counted from its own start.  Every offset is checked.  Offsets could
name one value many times: a document may not use more bytes than it has.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

MAX_DEPTH: Final = 100  # the server's own limit
_LITERALS = {0: "null", 1: "true", 2: "false"}
_DECIMAL, _TIMESTAMP, _DATE, _TIME, _DATETIME = 246, 7, 10, 11, 12
_MOMENT_TYPES = {_TIMESTAMP: "DATETIME", _DATE: "DATE", _TIME: "TIME", _DATETIME: "DATETIME"}
_BASE64_LINE = 76  # characters; the server breaks lines behind them, as mail does
_DIGIT_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


_MANY_DIGITS = re.compile(r"[0-9][0-9.]{15}")  # a double keeps fifteen, whatever they are
_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)')


class BadJson(ValueError):
    """The bytes are no binary JSON."""


Node = str | list[Any] | dict[str, Any]
"""A scalar as text, or a container of nodes; the keys of objects are as they are, not quoted."""
OPAQUE_BYTE: Final = b"\x0f"  # stands in every document that has a value of an SQL type


class SqlScalar(str):
    """The text of a value whose type JSON text does not say; ``sql_type``: DECIMAL, DATE, DATETIME, TIME or BLOB."""

    __slots__ = ("sql_type",)
    sql_type: str

    @classmethod
    def of(cls, text: str, sql_type: str) -> SqlScalar:
        made = cls(text)
        made.sql_type = sql_type
        return made


def json_text(raw: bytes) -> str:
    """The document as the server prints it; an empty value is the null that servers write for it."""
    text: str = _read(raw, array_text, object_text)
    return text


def json_tree(raw: bytes) -> Node:
    """The same document to be changed."""
    node: Node = _read(raw, list, lambda keys, items: dict(zip(keys, items, strict=True)))
    return node


def array_text(items: list[str]) -> str:
    return "[" + ", ".join(items) + "]"


def object_text(keys: list[str], items: list[str]) -> str:
    return "{" + ", ".join([f"{quoted(key)}: {item}" for key, item in zip(keys, items, strict=True)]) + "}"


def _read(raw: bytes, array: Callable[[list[Any]], Any], object_: Callable[[list[str], list[Any]], Any]) -> Any:
    if not raw:
        return "null"
    try:
        return _Document(raw, array, object_).value(raw[0], 1, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as exc:
        raise BadJson(f"binary JSON is cut off or damaged: {exc}") from exc


class _Document:
    """One document while it is read; what its containers become is the caller's choice."""

    def __init__(
        self, raw: bytes, array: Callable[[list[Any]], Any], object_: Callable[[list[str], list[Any]], Any]
    ) -> None:
        self.raw = raw
        self._array = array
        self._object = object_
        self._left = len(raw)  # bytes that may still be used; invariant: every byte is used once at most

    def value(self, kind: int, at: int, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise BadJson("binary JSON is nested too deeply")
        if kind in (0, 1, 2, 3):
            return self._container(at, large=kind in (1, 3), is_object=kind in (0, 1), depth=depth)
        reader = _SCALARS.get(kind)
        if reader is None:
            raise BadJson(f"binary JSON has the unknown type {kind}")
        return reader(self, at)

    def use(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise BadJson("binary JSON uses a part of itself twice")

    def slice(self, at: int, length: int) -> bytes:
        self.use(length)
        if at + length > len(self.raw):
            raise BadJson("binary JSON is cut off")
        return self.raw[at : at + length]

    def number(self, form: str, at: int) -> int:
        return int(struct.unpack_from(form, self.raw, at)[0])

    def _container(self, at: int, *, large: bool, is_object: bool, depth: int) -> Any:
        unsigned, width = ("<I", 4) if large else ("<H", 2)
        count, size = self.number(unsigned, at), self.number(unsigned, at + width)
        entries = at + 2 * width
        key_bytes = (width + 2) * is_object
        if at + size > len(self.raw) or 2 * width + count * (1 + width + key_bytes) > size:
            raise BadJson("binary JSON is larger than its value")
        self.use(2 * width + count * (1 + width + key_bytes))
        values = entries + count * key_bytes
        items = [self._entry(at, values + number * (1 + width), large, depth) for number in range(count)]
        if not is_object:
            return self._array(items)
        keys = [self._key(at, entries + number * key_bytes, unsigned, width) for number in range(count)]
        return self._object(keys, items)

    def _key(self, base: int, at: int, unsigned: str, width: int) -> str:
        return self.slice(base + self.number(unsigned, at), self.number("<H", at + width)).decode()

    def _entry(self, base: int, at: int, large: bool, depth: int) -> Any:
        kind = self.raw[at]
        if kind in (4, 5, 6) or (large and kind in (7, 8)):  # small enough to stand in the table itself
            return self.value(kind, at + 1, depth + 1)
        return self.value(kind, base + self.number("<I" if large else "<H", at + 1), depth + 1)

    def length(self, at: int) -> tuple[int, int]:
        """A length of 7-bit groups, lowest first, and where it ends."""
        length = shift = 0
        for place in range(at, at + 5):
            length |= (self.raw[place] & 0x7F) << shift
            if not self.raw[place] & 0x80:
                return length, place + 1
            shift += 7
        raise BadJson("binary JSON has an endless length")


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _integer(form: str) -> Callable[[_Document, int], str]:
    return lambda document, at: str(document.number(form, at))


def _literal(document: _Document, at: int) -> str:
    text = _LITERALS.get(document.raw[at])
    if text is None:
        raise BadJson(f"binary JSON has the unknown literal {document.raw[at]}")
    return text


def _double(document: _Document, at: int) -> str:
    number = struct.unpack_from("<d", document.raw, at)[0]
    if not math.isfinite(number):
        raise BadJson("a number in binary JSON is not finite")
    return double_text(number)


def double_text(number: float) -> str:
    """As MySQL prints a double of a JSON (my_gcvt): the fewest digits that mean it, without an exponent up to 1e15.

    Python chooses the same digits, and another form for large integers and small fractions.
    """
    size = abs(number)
    if number == 0 or 1e-4 <= size < 1e15 or (size > 1 and not number.is_integer()):
        return repr(number)
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    figures = "".join(map(str, digits))
    power = int(exponent) + len(figures)  # the number is 0.FIGURES times 10 to the power of this
    minus = "-" if sign else ""
    if -15 < power <= 0:
        return f"{minus}0.{'0' * -power}{figures}"
    return f"{minus}{figures[0]}{'.' + figures[1:] if figures[1:] else ''}e{power - 1}"


def inexact_number(text: str) -> str:
    """The first number of a document that is another one as a double, and no integer of 64 bits; "" for none.

    Decimals of MySQL are such numbers: it alone keeps all their digits.
    """
    if _MANY_DIGITS.search(text) is None:
        return ""
    return next((found[1] for found in _NUMBERS.finditer(text) if found[1] and not _is_kept(found[1])), "")


def _is_kept(number: str) -> bool:
    if number.lstrip("-").isdigit() and -(1 << 63) <= int(number) < 1 << 64:
        return True
    return Decimal(number) == Decimal(repr(float(number)))


def _string(document: _Document, at: int) -> str:
    length, start = document.length(at)
    return quoted(document.slice(start, length).decode())


def _opaque(document: _Document, at: int) -> SqlScalar:
    """A value of an SQL type; what JSON has no notion of is printed as a string, as the server does."""
    kind = document.raw[at]
    length, start = document.length(at + 1)
    value = document.slice(start, length)
    if kind == _DECIMAL:
        return SqlScalar.of(decimal_text(value[2:], value[0], value[1]), "DECIMAL")
    if kind in _MOMENT_TYPES:
        packed = int(struct.unpack("<q", value)[0])
        text = _time_text(packed) if kind == _TIME else _datetime_text(packed, kind == _DATE)
        return SqlScalar.of(f'"{text}"', _MOMENT_TYPES[kind])
    code = base64.b64encode(value).decode("ascii")
    lines = "\\n".join(code[at : at + _BASE64_LINE] for at in range(0, len(code), _BASE64_LINE))
    return SqlScalar.of(f'"base64:type{kind}:{lines}"', "BLOB")


def _datetime_text(packed: int, only_date: bool) -> str:
    micros, whole = packed & 0xFFFFFF, packed >> 24
    year_month, day = (whole >> 22), (whole >> 17) & 31
    date = f"{year_month // 13:04d}-{year_month % 13:02d}-{day:02d}"
    if only_date:
        return date
    return f"{date} {(whole >> 12) & 31:02d}:{(whole >> 6) & 63:02d}:{whole & 63:02d}.{micros:06d}"


def _time_text(packed: int) -> str:
    sign, packed = ("-", -packed) if packed < 0 else ("", packed)
    micros, whole = packed & 0xFFFFFF, packed >> 24
    return f"{sign}{(whole >> 12) & 0x3FF:02d}:{(whole >> 6) & 63:02d}:{whole & 63:02d}.{micros:06d}"


def decimal_text(raw: bytes, precision: int, scale: int) -> str:
    """A packed DECIMAL(precision, scale): base-1e9 groups, big-endian, sign in the first bit."""
    integral = precision - scale
    head, whole_groups = _DIGIT_BYTES[integral % 9], integral // 9
    fraction_groups, tail = scale // 9, _DIGIT_BYTES[scale % 9]
    if len(raw) != head + 4 * (whole_groups + fraction_groups) + tail or not raw:
        raise BadJson("a decimal has the wrong length")
    negative = not raw[0] & 0x80
    digits = bytes((raw[0] ^ 0x80,)) + raw[1:]
    if negative:
        digits = bytes(byte ^ 0xFF for byte in digits)
    at = head
    text = str(int.from_bytes(digits[:head], "big")) if head else ""
    for _ in range(whole_groups):
        text += f"{int.from_bytes(digits[at : at + 4], 'big'):09d}"
        at += 4
    text = text.lstrip("0") or "0"
    if scale:
        text += "."
        for _ in range(fraction_groups):
            text += f"{int.from_bytes(digits[at : at + 4], 'big'):09d}"
            at += 4
        if tail:
            text += f"{int.from_bytes(digits[at:], 'big'):0{scale % 9}d}"
    return "-" + text if negative else text


_SCALARS: dict[int, Callable[[_Document, int], str]] = {
    4: _literal,
    5: _integer("<h"),
    6: _integer("<H"),
    7: _integer("<i"),
    8: _integer("<I"),
    9: _integer("<q"),
    10: _integer("<Q"),
    11: _double,
    12: _string,
    15: _opaque,
}
