"""MySQL's binary JSON as JSON text.

Layout: WL#8132 and the MySQL source's `json_binary.h`: a type byte, then a scalar, or an object or
array with a table of offsets counted from its own start.  Every offset is checked.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

MAX_DEPTH = 100  # the server's own limit
_LITERALS = {0: "null", 1: "true", 2: "false"}
_TYPE_DECIMAL, _TYPE_TIMESTAMP, _TYPE_DATE, _TYPE_TIME, _TYPE_DATETIME = 246, 7, 10, 11, 12
_NEWDECIMAL_DIGIT_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


class BadJson(ValueError):
    """The bytes are no binary JSON."""


def json_text(raw: bytes) -> str:
    """The document as compact JSON text; an empty value is the null that servers write for it."""
    if not raw:
        return "null"
    try:
        return _value(raw[0], raw, 1, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as exc:
        raise BadJson(f"binary JSON is cut off or damaged: {exc}") from exc


def _value(kind: int, raw: bytes, at: int, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise BadJson("binary JSON is nested too deeply")
    if kind in (0, 1, 2, 3):
        return _container(raw, at, large=kind in (1, 3), is_object=kind in (0, 1), depth=depth)
    reader = _SCALARS.get(kind)
    if reader is None:
        raise BadJson(f"binary JSON has the unknown type {kind}")
    return reader(raw, at)


def _container(raw: bytes, at: int, *, large: bool, is_object: bool, depth: int) -> str:
    unsigned, width = ("<I", 4) if large else ("<H", 2)
    count, size = _unpack(unsigned, raw, at), _unpack(unsigned, raw, at + width)
    if at + size > len(raw) or count * (1 + width) > size:
        raise BadJson("binary JSON is larger than its value")
    values = at + 2 * width
    keys: list[str] = []
    if is_object:
        for number in range(count):
            entry = values + number * (width + 2)
            start = at + _unpack(unsigned, raw, entry)
            keys.append(json.dumps(_slice(raw, start, _unpack("<H", raw, entry + width)).decode(), ensure_ascii=False))
        values += count * (width + 2)
    items = [_entry(raw, at, values + number * (1 + width), large, depth) for number in range(count)]
    if is_object:
        return "{" + ", ".join(f"{key}: {item}" for key, item in zip(keys, items, strict=True)) + "}"
    return "[" + ", ".join(items) + "]"


def _entry(raw: bytes, base: int, at: int, large: bool, depth: int) -> str:
    kind = raw[at]
    inlined = kind in (4, 5, 6) or (large and kind in (7, 8))
    if inlined:
        return _value(kind, raw, at + 1, depth + 1)
    return _value(kind, raw, base + _unpack("<I" if large else "<H", raw, at + 1), depth + 1)


def _unpack(form: str, raw: bytes, at: int) -> int:
    return int(struct.unpack_from(form, raw, at)[0])


def _slice(raw: bytes, at: int, length: int) -> bytes:
    if at + length > len(raw):
        raise BadJson("binary JSON is cut off")
    return raw[at : at + length]


def _integer(form: str) -> Callable[[bytes, int], str]:
    return lambda raw, at: str(_unpack(form, raw, at))


def _literal(raw: bytes, at: int) -> str:
    return _LITERALS[raw[at]] if raw[at] in _LITERALS else _bad(f"literal {raw[at]}")


def _bad(what: str) -> str:
    raise BadJson(f"binary JSON has an unknown {what}")


def _double(raw: bytes, at: int) -> str:
    text = repr(struct.unpack_from("<d", raw, at)[0])
    return text if any(mark in text for mark in ".en") else text + ".0"


def _length(raw: bytes, at: int) -> tuple[int, int]:
    """A length of 7-bit groups, lowest first, and where it ends."""
    length = shift = 0
    for place in range(at, at + 5):
        length |= (raw[place] & 0x7F) << shift
        if not raw[place] & 0x80:
            return length, place + 1
        shift += 7
    raise BadJson("binary JSON has an endless length")


def _string(raw: bytes, at: int) -> str:
    length, start = _length(raw, at)
    return json.dumps(_slice(raw, start, length).decode(), ensure_ascii=False)


def _opaque(raw: bytes, at: int) -> str:
    kind = raw[at]
    length, start = _length(raw, at + 1)
    value = _slice(raw, start, length)
    if kind == _TYPE_DECIMAL:
        return decimal_text(value[2:], value[0], value[1])
    if kind in (_TYPE_DATE, _TYPE_DATETIME, _TYPE_TIMESTAMP, _TYPE_TIME):
        packed = int(struct.unpack("<q", value)[0])
        return json.dumps(_time_text(packed) if kind == _TYPE_TIME else _datetime_text(packed, kind == _TYPE_DATE))
    raise BadJson(f"binary JSON holds an opaque value of type {kind}")


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
    head, whole_groups = _NEWDECIMAL_DIGIT_BYTES[integral % 9], integral // 9
    fraction_groups, tail = scale // 9, _NEWDECIMAL_DIGIT_BYTES[scale % 9]
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


_SCALARS: dict[int, Callable[[bytes, int], str]] = {
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
