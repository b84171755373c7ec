# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""Rows of plain values as lines for LOAD DATA, or as multi-row INSERT statements.

Cython in pure Python mode.  Whoever reads rows leaves the values of one in a buffer, with where each begins
and ends and what kind it is, and calls ``_put_row``.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import cython

from pkg.binlog.charset import decode
from pkg.binlog.vector import vector_text
from pkg.rows.insert_text import BadValue

TEXT = 0
BINARY = 1
LEFT_OUT = 2  # a value that is in the file and goes nowhere
BITS = 3  # bytes, or a number that stands for them

VECTOR_TEXT = "vector"  # in the place of a charset: bytes of a vector become its text

_BINARY: cython.int = 1
_LEFT_OUT: cython.int = 2
_BITS: cython.int = 3

_IS_NULL: cython.int = 0
_IS_NUMBER: cython.int = 1
_IS_BYTES: cython.int = 2

Block = tuple[int, bytes, int]  # number of the layout, lines or one statement, rows


@dataclass(frozen=True, slots=True)
class Layout:
    """How the values of one statement's rows are written, column by column."""

    modes: bytes
    charsets: tuple[str, ...]  # what a text is to be converted from; "" leaves it as it is
    prefix: bytes = b""  # of an INSERT statement; empty: lines for LOAD DATA
    tail: bytes = b""  # what each row ends with: values of columns that the file does not have, as they are written


def _table(pairs: Sequence[tuple[int, int]]) -> bytes:
    table = bytearray(256)
    for byte, letter in pairs:
        table[byte] = letter
    return bytes(table)


_LINE_ESCAPES = cython.declare(bytes, _table(((0, 48), (9, 116), (10, 110), (13, 114), (92, 92))))
_SQL_ESCAPES = cython.declare(bytes, _table(((0, 48), (10, 110), (13, 114), (26, 90), (39, 39), (92, 92))))
_HEX_DIGITS = cython.declare(bytes, b"0123456789ABCDEF")
_NEVER_AS_IT_IS = frozenset(("ucs2", "utf16", "utf16le", "utf32", VECTOR_TEXT))  # the sets have wide characters only


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _escaped(
    out: cython.p_uchar,
    o: cython.Py_ssize_t,
    p: cython.p_const_uchar,
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    escapes: cython.p_const_uchar,
) -> cython.Py_ssize_t:
    byte: cython.uchar
    while at < stop:
        byte = p[at]
        if escapes[byte]:
            out[o] = 92
            o += 1
            byte = escapes[byte]
        out[o] = byte
        o += 1
        at += 1
    return o


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _copied(
    out: cython.p_uchar, o: cython.Py_ssize_t, p: cython.p_const_uchar, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    at: cython.Py_ssize_t
    for at in range(size):
        out[o + at] = p[at]
    return o + size


@cython.cclass
class RowWriter:
    """Takes rows by the layout that is set; blocks come out."""

    def __init__(self, max_rows: int, max_bytes: int) -> None:
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._layout: Layout | None = None
        self._layout_number = -1
        self._count = 0
        self._converts = False
        self._values = bytearray(4096)
        self._used = 0
        self._out = bytearray(4096)
        self._length = 0
        self._rows_in_block = 0
        self._ready: list[Block] = []
        self.rows = 0

    def flush(self) -> list[Block]:
        """The blocks that are complete, and the one that is begun."""
        self._finish_block()
        return self._taken()

    def _taken(self) -> list[Block]:
        ready = self._ready
        self._ready = []
        return ready

    def _set_layout(self, layout: Layout) -> None:
        if layout == self._layout:
            return
        self._finish_block()
        self._layout = layout
        self._layout_number += 1
        self._count = len(layout.modes)
        self._modes = layout.modes
        self._charsets = layout.charsets
        self._prefix = layout.prefix
        self._tail = layout.tail
        self._converts = any(layout.charsets)
        self._starts = array("q", bytes(8 * self._count))
        self._stops = array("q", bytes(8 * self._count))
        self._kinds = bytearray(self._count)

    def _recode(self, begun: int, charset: str) -> None:
        """The value that begins there, converted to utf8mb4."""
        text = _to_utf8(bytes(self._values[begun : self._used]), charset)
        self._values[begun : self._used] = text  # grows by as much as the value does
        self._used = begun + len(text)

    def _convert(self) -> None:
        """Texts whose character set is another become utf8mb4, behind the other values."""
        for column, charset in enumerate(self._charsets):
            if not charset or self._kinds[column] != _IS_BYTES:
                continue
            value = bytes(self._values[self._starts[column] : self._stops[column]])
            if charset not in _NEVER_AS_IT_IS and value.isascii():
                continue
            text = _vector_text(value) if charset == VECTOR_TEXT else _to_utf8(value, charset)
            self._starts[column] = self._used
            self._values[self._used : self._used + len(text)] = text
            self._used += len(text)
            self._stops[column] = self._used

    @cython.cfunc
    @cython.exceptval(-2)
    def _put_row(self, size: cython.Py_ssize_t) -> cython.int:
        if self._converts:
            self._convert()
        if self._rows_in_block and self._length + size > self._max_bytes:
            self._finish_block()
        needed: cython.Py_ssize_t = (
            self._length + 2 * self._used + 24 * self._count + len(self._prefix) + len(self._tail) + 8
        )
        if needed > len(self._out):
            self._out.extend(bytes(max(needed - len(self._out), len(self._out))))
        if self._prefix:
            self._put_sql()
        else:
            self._put_line()
        self.rows += 1
        self._rows_in_block += 1
        if self._rows_in_block >= self._max_rows or self._length >= self._max_bytes:
            self._finish_block()
        return 0

    @cython.cfunc
    @cython.exceptval(-2)
    def _put_line(self) -> cython.int:
        out: cython.p_uchar = self._out
        values: cython.p_const_uchar = self._values
        modes: cython.p_const_uchar = self._modes
        o: cython.Py_ssize_t = self._length
        column: cython.Py_ssize_t
        first: cython.bint = True
        for column in range(self._count):
            if modes[column] == _LEFT_OUT:
                continue
            if not first:
                out[o] = 9
                o += 1
            first = False
            if self._kinds[column] == _IS_NULL:
                out[o] = 92
                out[o + 1] = 78
                o += 2
                continue
            if modes[column] == _BITS and self._kinds[column] == _IS_NUMBER:
                self._bits_of_number(column)
            o = _escaped(out, o, values, self._starts[column], self._stops[column], _LINE_ESCAPES)
        o = _copied(out, o, self._tail, len(self._tail))
        out[o] = 10
        self._length = o + 1
        return 0

    def _bits_of_number(self, column: int) -> None:
        """A BIT that is written as a number becomes its bytes, in place."""
        start = self._starts[column]
        text = bytes(self._values[start : self._stops[column]])
        try:
            value = int(text).to_bytes(8, "big").lstrip(b"\0") or b"\0"
        except (ValueError, OverflowError):
            raise BadValue(f"{text!r} is no value of a BIT") from None
        self._values[start : start + len(value)] = value  # no number has fewer digits than bytes
        self._stops[column] = start + len(value)

    @cython.cfunc
    @cython.exceptval(-2)
    def _put_sql(self) -> cython.int:
        if self._rows_in_block == 0:
            self._out[0 : len(self._prefix)] = self._prefix
            self._length = len(self._prefix)
        out: cython.p_uchar = self._out
        o: cython.Py_ssize_t = self._length
        column: cython.Py_ssize_t
        opened: cython.bint = False
        if self._rows_in_block:
            out[o] = 44
            o += 1
        for column in range(self._count):
            if self._modes[column] != _LEFT_OUT:
                out[o] = 44 if opened else 40
                opened = True
                o = self._put_literal(o + 1, column)
        o = _copied(out, o, self._tail, len(self._tail))
        out[o] = 41
        self._length = o + 1
        return 0

    @cython.cfunc
    @cython.exceptval(-2)
    def _put_literal(self, o: cython.Py_ssize_t, column: cython.Py_ssize_t) -> cython.Py_ssize_t:
        out: cython.p_uchar = self._out
        values: cython.p_const_uchar = self._values
        digits: cython.p_const_uchar = _HEX_DIGITS
        at: cython.Py_ssize_t = self._starts[column]
        stop: cython.Py_ssize_t = self._stops[column]
        if self._kinds[column] == _IS_NULL:
            out[o] = 78
            out[o + 1] = 85
            out[o + 2] = out[o + 3] = 76
            return o + 4
        if self._kinds[column] == _IS_NUMBER:
            while at < stop:
                out[o] = values[at]
                o += 1
                at += 1
            return o
        is_bits: cython.bint = self._modes[column] == _BITS and at < stop
        if self._modes[column] == _BINARY or self._modes[column] == _BITS:
            out[o] = 48 if is_bits else 120  # 0x35 is 53 where a number is wanted, x'35' is the text 5 in MariaDB
            out[o + 1] = 120 if is_bits else 39
            o += 2
            while at < stop:
                out[o] = digits[values[at] >> 4]
                out[o + 1] = digits[values[at] & 15]
                o += 2
                at += 1
            if is_bits:
                return o
        else:
            out[o] = 39
            o = _escaped(out, o + 1, values, at, stop, _SQL_ESCAPES)
        out[o] = 39
        return o + 1

    def _finish_block(self) -> None:
        if self._rows_in_block:
            self._ready.append((self._layout_number, bytes(self._out[: self._length]), self._rows_in_block))
        self._rows_in_block = 0
        self._length = 0


def _to_utf8(value: bytes, charset: str) -> bytes:
    try:
        return decode(value, charset).encode()
    except (UnicodeDecodeError, KeyError):
        raise BadValue(f"a value is no text in {charset}: {value[:40]!r}") from None


def _vector_text(value: bytes) -> bytes:
    if value.startswith(b"[") and value.endswith(b"]"):
        return value
    try:
        return bytes(vector_text(value))
    except ValueError as exc:
        raise BadValue(f"a value is no vector: {exc}") from None
