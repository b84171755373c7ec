"""Row images as tuples of SQL literals: the compiled inner loop of the codec.

Cython's pure Python mode: the same source runs uncompiled, slowly.  Layouts: MySQL source
`log_event.h`, `my_time.cc`, `decimal.c`; MariaDB knowledge base "Rows_event".  Nothing is read
before its length was checked against the event's end.
"""

from __future__ import annotations

import struct
from array import array
from binascii import hexlify
from collections.abc import Sequence
from typing import Any, Protocol

import cython

from pkg.binlog.charset import UTF8, decode, is_known
from pkg.binlog.errors import COLUMN_MISMATCH, UNSUPPORTED_TYPE
from pkg.binlog.events import TableMap
from pkg.binlog.json_binary import BadJson, decimal_text, json_text

NULL = b"NULL"


class Truncated(ValueError):
    """The row image does not fit the event: lengths in it are damaged."""


class ColumnLike(Protocol):
    """What of a tracked column the codec needs."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def base_type(self) -> str: ...

    @property
    def unsigned(self) -> bool: ...

    @property
    def charset(self) -> str | None: ...

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def length(self) -> int | None: ...


# How a column is read.  The order is that of the tests in `_value`: the most frequent come first.
INT = 1  # size in bytes; meta: 1 when unsigned
TEXT = 2  # meta: bytes of the length prefix
BINARY = 3  # the same; extra: the width to pad to, or 0
DATETIME2 = 4  # meta: fractional digits
TIMESTAMP2 = 5
DECIMAL = 6  # meta: precision << 8 | scale
DOUBLE = 7
FLOAT = 8
DATE = 9
TIME2 = 10
YEAR = 11
ENUM = 12  # size: bytes of the index
SET = 13  # size: bytes of the bitmap
BIT = 14  # size: bytes
JSON = 15  # meta: bytes of the length prefix
OLD_DATETIME = 16
OLD_TIMESTAMP = 17
OLD_TIME = 18

_INT_TYPES = {1: 1, 2: 2, 9: 3, 3: 4, 8: 8}
_TEXT_BASES = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})
_BINARY_BASES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
_GEOMETRY_BASES = frozenset(
    {"geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"}
    | {"geometrycollection", "geomcollection"}
)
_INT_BASES = frozenset({"tinyint", "smallint", "mediumint", "int", "integer", "bigint"})
_TWO = [b"%02d" % number for number in range(100)]
_FOUR = [b"%04d" % number for number in range(10_000)]


@cython.cclass
class RowPlan:
    """How to read the rows of one table map.  Made by `build`, used by one thread at a time."""

    _count = cython.declare(cython.int)
    _kinds = cython.declare(bytes)
    _sizes = cython.declare(bytes)
    _meta: cython.int[::1]
    _extra = cython.declare(list)
    _buf = cython.declare(bytes)
    _pos = cython.declare(cython.Py_ssize_t)
    _end = cython.declare(cython.Py_ssize_t)

    def __init__(self, kinds: bytes, sizes: bytes, meta: Sequence[int], extra: list[object]) -> None:
        self._count = len(kinds)
        self._kinds = kinds
        self._sizes = sizes
        self._meta = array("i", meta or [0])
        self._extra = extra
        self._buf = b""
        self._pos = 0
        self._end = 0

    @staticmethod
    def build(columns: Sequence[ColumnLike], table_map: TableMap) -> RowPlan:
        """The plan for `columns` (the table's structure at this place) and the event's own layout.

        Raises DMError: COLUMN_MISMATCH when the two do not fit, UNSUPPORTED_TYPE by column and type.
        """
        if len(columns) != len(table_map.types):
            raise _mismatch(columns, table_map)
        parts = [
            _column_plan(column, table_map.types[i], table_map.metadata[i], i, columns, table_map)
            for i, column in enumerate(columns)
        ]
        return RowPlan(
            bytes([part[0] for part in parts]),
            bytes([part[1] for part in parts]),
            [part[2] for part in parts],
            [part[3] for part in parts],
        )

    def decode(self, buf: bytes, start: int, end: int) -> list[tuple[bytes, ...]]:
        """The row images in `buf[start:end]`.  Raises Truncated, BadJson, UnicodeDecodeError."""
        rows: list[Any] = []
        self._buf = buf
        self._pos = start
        self._end = end
        while self._pos < self._end:
            rows.append(self._row())
        return rows

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _row(self) -> tuple[bytes, ...]:
        i: cython.int
        bitmap: cython.Py_ssize_t = self._take((self._count + 7) >> 3)
        row: list[bytes] = [NULL] * self._count
        buf: bytes = self._buf
        for i in range(self._count):
            if not buf[bitmap + (i >> 3)] & (1 << (i & 7)):
                row[i] = self._value(i)
        return tuple(row)

    @cython.cfunc
    @cython.inline
    def _take(self, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Move past `size` bytes; where they start."""
        start: cython.Py_ssize_t = self._pos
        if size > self._end - start:
            raise Truncated("a value reaches beyond the end of its event")
        self._pos = start + size
        return start

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _little(self, start: cython.Py_ssize_t, size: cython.int) -> cython.ulonglong:
        value: cython.ulonglong = 0
        byte: cython.ulonglong
        i: cython.int
        for i in range(size):
            byte = self._buf[start + i]
            value |= byte << (8 * i)
        return value

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _big(self, start: cython.Py_ssize_t, size: cython.int) -> cython.ulonglong:
        value: cython.ulonglong = 0
        i: cython.int
        for i in range(size):
            value = value << 8 | self._buf[start + i]
        return value

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _value(self, i: cython.int) -> bytes:
        kind: cython.int = self._kinds[i]
        if kind == INT:
            return self._integer(self._sizes[i], self._meta[i])
        if kind == TEXT:
            return self._text(self._meta[i], self._extra[i])
        if kind == DATETIME2:
            return self._datetime(self._meta[i])
        if kind == TIMESTAMP2:
            return self._timestamp(self._meta[i])
        if kind == DECIMAL:
            return self._decimal(self._sizes[i], self._meta[i])
        if kind == BINARY:
            return self._binary(self._meta[i], self._extra[i])
        return self._rare(kind, i)

    @cython.cfunc
    def _rare(self, kind: cython.int, i: cython.int) -> bytes:
        size: cython.int = self._sizes[i]
        if kind == DOUBLE:
            return repr(struct.unpack_from("<d", self._buf, self._take(8))[0]).encode()
        if kind == FLOAT:
            return shortest_float(self._buf[self._take(4) : self._pos])
        if kind == DATE:
            return self._date()
        if kind == TIME2:
            return self._time(self._meta[i])
        if kind == YEAR:
            return self._year()
        if kind == ENUM:
            return self._enum(size, self._extra[i])
        if kind == SET:
            return self._set(size, self._extra[i])
        if kind == BIT:
            return str(self._big(self._take(size), size)).encode()
        if kind == JSON:
            start: cython.Py_ssize_t = self._prefixed(self._meta[i])
            return quote_text(json_text(self._buf[start : self._pos]).encode())
        return self._old_time(kind)

    @cython.cfunc
    def _integer(self, size: cython.int, unsigned: cython.int) -> bytes:
        value: cython.ulonglong = self._little(self._take(size), size)
        signed: cython.longlong
        if not unsigned and (value >> (8 * size - 1)) & 1:
            # Two's complement of `size` bytes: what is missing to the next power of two, below zero.
            value = (~value) & (0xFFFFFFFFFFFFFFFF >> (64 - 8 * size))
            signed = cython.cast(cython.longlong, value)
            return f"{-signed - 1}".encode("ascii")
        return f"{value}".encode("ascii")

    @cython.cfunc
    def _prefixed(self, prefix: cython.int) -> cython.Py_ssize_t:
        """Where a value with a length prefix of that many bytes starts; it ends at `_pos`."""
        length: cython.ulonglong = self._little(self._take(prefix), prefix)
        return self._take(cython.cast(cython.Py_ssize_t, length))

    @cython.cfunc
    def _text(self, prefix: cython.int, charset: Any) -> bytes:
        start: cython.Py_ssize_t = self._prefixed(prefix)
        raw: bytes = self._buf[start : self._pos]
        if charset is None:
            return quote_text(raw) if raw.isascii() or _is_utf8(raw) else hex_literal(raw)
        try:
            return quote_text(decode(raw, charset).encode())
        except UnicodeDecodeError:
            return hex_literal(raw)

    @cython.cfunc
    def _binary(self, prefix: cython.int, width: Any) -> bytes:
        start: cython.Py_ssize_t = self._prefixed(prefix)
        raw: bytes = self._buf[start : self._pos]
        return hex_literal(raw.ljust(width, b"\0") if width else raw)

    @cython.cfunc
    def _fraction(self, digits: cython.int) -> bytes:
        """The fractional seconds behind a time: big-endian, in units of the next even number of digits."""
        if digits == 0:
            return b""
        size: cython.int = (digits + 1) >> 1
        value: cython.ulonglong = self._big(self._take(size), size)
        return f".{value:0{size * 2}d}"[: digits + 1].encode("ascii")

    @cython.cfunc
    def _datetime(self, digits: cython.int) -> bytes:
        low: cython.ulonglong = 0x7FFFFFFF  # the highest of the 40 bits is a sign that is always set
        packed: cython.ulonglong = self._big(self._take(5), 5) & (low << 8 | 0xFF)
        months: cython.ulonglong = packed >> 22
        day: cython.int = (packed >> 17) & 31
        hour: cython.int = (packed >> 12) & 31
        minute: cython.int = (packed >> 6) & 63
        second: cython.int = packed & 63
        year: cython.int = months // 13
        month: cython.int = months % 13
        if year > 9999:
            raise Truncated("a DATETIME is out of bounds")
        pieces = (b"'", _FOUR[year], b"-", _TWO[month], b"-", _TWO[day], b" ")
        clock = (_TWO[hour], b":", _TWO[minute], b":", _TWO[second], self._fraction(digits), b"'")
        return b"".join(pieces + clock)

    @cython.cfunc
    def _timestamp(self, digits: cython.int) -> bytes:
        seconds: cython.longlong = cython.cast(cython.longlong, self._big(self._take(4), 4))
        return _utc(seconds) + self._fraction(digits) + b"'"

    @cython.cfunc
    def _time(self, digits: cython.int) -> bytes:
        size: cython.int = (digits + 1) >> 1
        packed: cython.longlong = cython.cast(cython.longlong, self._big(self._take(3 + size), 3 + size))
        packed -= cython.cast(cython.longlong, 0x800000) << (8 * size)
        sign: str = ""
        if packed < 0:
            sign = "-"
            packed = -packed
        whole: cython.longlong = packed >> (8 * size)
        text: str = f"'{sign}{(whole >> 12) & 0x3FF:02d}:{(whole >> 6) & 63:02d}:{whole & 63:02d}"
        if digits:
            fraction: cython.longlong = packed & ((cython.cast(cython.longlong, 1) << (8 * size)) - 1)
            text += f".{fraction:0{size * 2}d}"[: digits + 1]
        return f"{text}'".encode("ascii")

    @cython.cfunc
    def _date(self) -> bytes:
        packed: cython.int = cython.cast(cython.int, self._little(self._take(3), 3))
        return f"'{packed >> 9:04d}-{(packed >> 5) & 15:02d}-{packed & 31:02d}'".encode("ascii")

    @cython.cfunc
    def _year(self) -> bytes:
        year: cython.int = self._buf[self._take(1)]
        return f"{1900 + year if year else 0:04d}".encode("ascii")

    @cython.cfunc
    def _decimal(self, size: cython.int, meta: cython.int) -> bytes:
        start: cython.Py_ssize_t = self._take(size)
        scale: cython.int = meta & 255
        if (meta >> 8) - scale > 18 or scale > 18 or meta >> 8 == scale:
            return decimal_text(self._buf[start : self._pos], meta >> 8, scale).encode("ascii")
        # Groups of 9 digits in 4 bytes, fewer digits in fewer bytes; a negative number has all bits flipped.
        negative: cython.bint = not self._buf[start] & 0x80
        whole: cython.ulonglong = self._digits(start, (meta >> 8) - scale, negative, True)
        text: str = f"-{whole}" if negative else f"{whole}"
        if scale == 0:
            return text.encode("ascii")
        fraction: cython.ulonglong = self._digits(self._pos - _packed_size(scale), scale, negative, False)
        return f"{text}.{str(fraction).zfill(scale)}".encode("ascii")

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _digits(
        self, at: cython.Py_ssize_t, digits: cython.int, negative: cython.bint, integral: cython.bint
    ) -> cython.ulonglong:
        """Up to 18 digits; a part that is no whole group stands first in the integral part, last in the other."""
        value: cython.ulonglong = 0
        rest: cython.int = digits % 9
        groups: cython.int = digits // 9
        if rest and integral:
            # The sign is the first bit of the first byte, flipped.
            mask: cython.ulonglong = cython.cast(cython.ulonglong, 0x80) << (8 * (_packed_size(rest) - 1))
            value = self._group(at, _packed_size(rest), negative, mask)
            at += _packed_size(rest)
        for _ in range(groups):
            first: cython.bint = integral and rest == 0 and value == 0 and _ == 0
            value = value * 1_000_000_000 + self._group(at, 4, negative, 0x80000000 if first else 0)
            at += 4
        if rest and not integral:
            value = value * _power_of_ten(rest) + self._group(at, _packed_size(rest), negative, 0)
        return value

    @cython.cfunc
    def _group(
        self, at: cython.Py_ssize_t, size: cython.int, negative: cython.bint, mask: cython.ulonglong
    ) -> cython.ulonglong:
        value: cython.ulonglong = self._big(at, size) ^ mask
        if negative:
            value ^= (cython.cast(cython.ulonglong, 1) << (8 * size)) - 1
        return value

    @cython.cfunc
    def _enum(self, size: cython.int, labels: Any) -> bytes:
        index: cython.ulonglong = self._little(self._take(size), size)
        if index > cython.cast(cython.ulonglong, len(labels)):
            raise Truncated(f"an ENUM has the index {index} of {len(labels)} labels")
        return labels[index - 1] if index else b"0"

    @cython.cfunc
    def _set(self, size: cython.int, labels: Any) -> bytes:
        bits: cython.ulonglong = self._little(self._take(size), size)
        chosen = [label[1:-1] for number, label in enumerate(labels) if (bits >> number) & 1]
        return b"'" + b",".join(chosen) + b"'"

    @cython.cfunc
    def _old_time(self, kind: cython.int) -> bytes:
        value: cython.longlong
        if kind == OLD_DATETIME:
            value = cython.cast(cython.longlong, self._little(self._take(8), 8))
            date, clock = value // 1_000_000, value % 1_000_000
            day = f"{date // 10000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"
            return f"'{day} {clock // 10000:02d}:{clock // 100 % 100:02d}:{clock % 100:02d}'".encode("ascii")
        if kind == OLD_TIMESTAMP:
            return _utc(cython.cast(cython.longlong, self._little(self._take(4), 4))) + b"'"
        value = cython.cast(cython.longlong, self._little(self._take(3), 3))
        sign = ""
        if value & 0x800000:
            sign, value = "-", 0x1000000 - value
        return f"'{sign}{value // 10000:02d}:{value // 100 % 100:02d}:{value % 100:02d}'".encode("ascii")


@cython.ccall
def quote_text(raw: bytes) -> bytes:
    """UTF-8 text as a literal."""
    if b"\\" in raw:
        raw = raw.replace(b"\\", b"\\\\")
    if b"'" in raw:
        raw = raw.replace(b"'", b"\\'")
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"\\0")
    return b"'" + raw + b"'"


@cython.ccall
def hex_literal(raw: bytes) -> bytes:
    """Any bytes as a literal."""
    return b"x'" + hexlify(raw) + b"'" if raw else b"''"


def shortest_float(raw: bytes) -> bytes:
    """The shortest text from which a 4-byte float comes back with the same bits."""
    value: float = struct.unpack("<f", raw)[0]
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == raw:
            break
    return text.encode("ascii")


@cython.cfunc
def _utc(seconds: cython.longlong) -> bytes:
    """Seconds since 1970 as an opened DATETIME literal; 0 is the zero date.  Civil calendar by Howard Hinnant."""
    if seconds == 0:
        return b"'0000-00-00 00:00:00"
    days: cython.longlong = seconds // 86400 + 719468
    rest: cython.longlong = seconds % 86400
    era: cython.longlong = days // 146097
    day_of_era: cython.longlong = days - era * 146097
    year_of_era: cython.longlong = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year: cython.longlong = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted: cython.longlong = (5 * day_of_year + 2) // 153
    day: cython.longlong = day_of_year - (153 * shifted + 2) // 5 + 1
    month: cython.longlong = shifted + 3 if shifted < 10 else shifted - 9
    year: cython.longlong = year_of_era + era * 400 + (1 if month <= 2 else 0)
    date = (b"'", _FOUR[year], b"-", _TWO[month], b"-", _TWO[day], b" ")
    return b"".join((*date, _TWO[rest // 3600], b":", _TWO[rest // 60 % 60], b":", _TWO[rest % 60]))


@cython.cfunc
@cython.inline
def _packed_size(digits: cython.int) -> cython.int:
    """Bytes of so many decimal digits."""
    rest: cython.int = digits % 9
    return digits // 9 * 4 + ((rest + 1) >> 1 if rest < 7 else 4)


@cython.cfunc
def _power_of_ten(exponent: cython.int) -> cython.ulonglong:
    value: cython.ulonglong = 1
    for _ in range(exponent):
        value *= 10
    return value


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


_Part = tuple[int, int, int, object]


def _column_plan(
    column: ColumnLike, code: int, meta: int, i: int, columns: Sequence[ColumnLike], table_map: TableMap
) -> _Part:
    base = column.base_type
    if code == 254 and meta >> 8 in (247, 248):
        code, meta = meta >> 8, meta & 255  # ENUM and SET travel as STRING
    if code in _INT_TYPES and base in _INT_BASES:
        unsigned = column.unsigned if table_map.unsigned is None else table_map.unsigned[i]
        return INT, _INT_TYPES[code], int(unsigned), None
    plan = _by_code(column, base, code, meta)
    if plan is not None:
        return plan
    if code in _KNOWN_CODES and base in _KNOWN_BASES:
        raise _mismatch(columns, table_map)
    name = f"{table_map.schema}.{table_map.table}"
    raise UNSUPPORTED_TYPE.error(column=column.name, table=name, type=column.type)


_PLAIN: dict[tuple[int, str], tuple[int, int]] = {
    (5, "double"): (DOUBLE, 8),
    (4, "float"): (FLOAT, 4),
    (10, "date"): (DATE, 3),
    (14, "date"): (DATE, 3),
    (13, "year"): (YEAR, 1),
    (18, "datetime"): (DATETIME2, 0),
    (17, "timestamp"): (TIMESTAMP2, 0),
    (19, "time"): (TIME2, 0),
    (12, "datetime"): (OLD_DATETIME, 8),
    (7, "timestamp"): (OLD_TIMESTAMP, 4),
    (11, "time"): (OLD_TIME, 3),
}
_KNOWN_CODES = frozenset({*_INT_TYPES, 4, 5, 7, *range(10, 20), *range(245, 249), 252, 253, 254})
_KNOWN_BASES = (
    _TEXT_BASES | _BINARY_BASES | _INT_BASES | {base for _, base in _PLAIN} | {"decimal", "enum", "set", "bit", "json"}
)


def _by_code(column: ColumnLike, base: str, code: int, meta: int) -> _Part | None:
    plain = _PLAIN.get((code, base))
    if plain is not None:
        return plain[0], plain[1], meta, None
    if code == 246 and base == "decimal":
        precision, scale = meta & 255, meta >> 8
        return DECIMAL, _decimal_size(precision, scale), precision << 8 | scale, None
    if code == 247 and base == "enum":
        return ENUM, meta, 0, _labels(column)
    if code == 248 and base == "set":
        return SET, meta, 0, _labels(column)
    if code == 16 and base == "bit":
        return BIT, (meta >> 8) + (1 if meta & 255 else 0), 0, None
    if code == 245 and base == "json":
        return JSON, 0, meta, None
    prefix = _length_prefix(code, meta)
    if prefix and base in _BINARY_BASES | _GEOMETRY_BASES:
        return BINARY, 0, prefix, column.length or 0 if base == "binary" else 0
    if prefix and base in _TEXT_BASES and (column.charset is None or is_known(column.charset)):
        if column.charset == "binary":
            return BINARY, 0, prefix, 0
        return TEXT, 0, prefix, None if column.charset is None or column.charset in UTF8 else column.charset
    return None


def _length_prefix(code: int, meta: int) -> int:
    """Bytes of a string's length prefix; 0 for a type that is no string."""
    if code in (15, 253):  # VARCHAR, VAR_STRING: the longest value's bytes
        return 2 if meta > 255 else 1
    if code == 254:  # STRING: the two missing bits of its length hide, inverted, in the real type's byte
        length = (((meta >> 4) & 0x300) ^ 0x300) + (meta & 255)
        return 2 if length > 255 else 1
    return meta if code in (249, 250, 251, 252, 255) else 0


def _decimal_size(precision: int, scale: int) -> int:
    left = (0, 1, 1, 2, 2, 3, 3, 4, 4)
    integral = precision - scale
    return integral // 9 * 4 + left[integral % 9] + scale // 9 * 4 + left[scale % 9]


def _labels(column: ColumnLike) -> tuple[bytes, ...]:
    return tuple(quote_text(label.encode()) for label in column.labels)


def _mismatch(columns: Sequence[ColumnLike], table_map: TableMap) -> Exception:
    return COLUMN_MISMATCH.error(
        table=f"{table_map.schema}.{table_map.table}",
        found=len(table_map.types),
        types=", ".join(str(code) for code in table_map.types),
        known=len(columns),
        columns=", ".join(f"{column.name} {column.type}" for column in columns),
    )


__all__ = ["BadJson", "RowPlan", "Truncated", "hex_literal", "quote_text", "shortest_float"]
