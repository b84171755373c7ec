# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""From the bytes of a MySQL text result set to multi-row statements, without a Python value per cell.

Cython in pure Python mode: compiled at install time where there is a C compiler, the same (slow) where
there is none.  ``StatementBuilder`` does no I/O: the caller feeds what the socket gave after COM_QUERY
(its packets: text_result.py) and sends the statements that come out.

Each value is written by its column's definition: numbers as they are, text quoted (the connection's
``character_set_results`` is utf8mb4, so the upstream has converted it), bytes as hexadecimal.
"""

from __future__ import annotations

import cython

from pkg.binlog.vector import vector_literal
from pkg.rows.text_result import BrokenResult, ServerError

if cython.compiled:
    from cython.cimports.pkg.rows.text_result import TextResult, length_size, value_length
else:
    from pkg.rows.text_result import TextResult, length_size, value_length

__all__ = ["BrokenResult", "ServerError", "StatementBuilder", "column_mode"]

NUMBER = 0
TEXT = 1
BINARY = 2
VECTOR = 3
BITS = 4  # of a dump's file, whose columns say that they are such; column_mode reads them as BINARY

_NUMBER: cython.int = 0
_TEXT: cython.int = 1
_VECTOR: cython.int = 3
_NULL: cython.int = 0xFB
_COMMA: cython.int = 44
_OPEN: cython.int = 40
_CLOSE: cython.int = 41

_WIDE_BYTES: cython.Py_ssize_t = 1 << 20
_BINARY_COLLATION: cython.int = 63

# Column types of the protocol: integers, DECIMAL and YEAR are numbers.  FLOAT and DOUBLE are not: the
# literal -0 is the integer 0, the text '-0' is what it says.
_NUMBER_TYPES = frozenset((0, 1, 2, 3, 8, 9, 13, 246))
_TIME_TYPES = frozenset((4, 5, 7, 10, 11, 12, 14, 17, 18, 19))
_BINARY_TYPES = frozenset((16, 255))  # BIT, GEOMETRY
_VECTOR_TYPE, _JSON_TYPE = 242, 245


def _escape_table() -> bytes:
    table = bytearray(256)
    for byte, letter in ((0, "0"), (10, "n"), (13, "r"), (26, "Z"), (39, "'"), (92, "\\")):
        table[byte] = ord(letter)
    return bytes(table)


_ESCAPES = _escape_table()
_HEX_DIGITS = b"0123456789ABCDEF"


def column_mode(type_code: int, collation: int) -> int:
    """How values of a column with this definition are written."""
    if type_code in _NUMBER_TYPES:
        return NUMBER
    if type_code in _BINARY_TYPES:
        return BINARY
    if type_code == _VECTOR_TYPE:
        return VECTOR
    if type_code in _TIME_TYPES or type_code == _JSON_TYPE:
        return TEXT
    return BINARY if collation == _BINARY_COLLATION else TEXT


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_null(out: cython.uchar[::1], o: cython.Py_ssize_t) -> cython.Py_ssize_t:
    out[o] = 78
    out[o + 1] = 85
    out[o + 2] = 76
    out[o + 3] = 76
    return o + 4


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_number(
    out: cython.uchar[::1],
    o: cython.Py_ssize_t,
    view: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    while at < stop:
        out[o] = view[at]
        o += 1
        at += 1
    return o


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_text(
    out: cython.uchar[::1],
    o: cython.Py_ssize_t,
    view: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    escapes: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    escape: cython.uchar
    out[o] = 39
    o += 1
    while at < stop:
        escape = escapes[view[at]]
        if escape:
            out[o] = 92
            out[o + 1] = escape
            o += 2
        else:
            out[o] = view[at]
            o += 1
        at += 1
    out[o] = 39
    return o + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_binary(
    out: cython.uchar[::1],
    o: cython.Py_ssize_t,
    view: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    digits: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    out[o] = 120
    out[o + 1] = 39
    o += 2
    while at < stop:
        out[o] = digits[view[at] >> 4]
        out[o + 1] = digits[view[at] & 15]
        o += 2
        at += 1
    out[o] = 39
    return o + 1


@cython.cfunc
@cython.exceptval(-1)
def _put_vector(
    out: cython.uchar[::1],
    o: cython.Py_ssize_t,
    view: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    try:
        literal: bytes = vector_literal(bytes(view[at:stop]))
    except ValueError as exc:
        raise BrokenResult(str(exc)) from exc
    if len(literal) > len(out) - o:
        raise BrokenResult("a vector is longer than there is room for")
    place: cython.Py_ssize_t
    for place in range(len(literal)):
        out[o + place] = literal[place]
    return o + len(literal)


@cython.cclass
class StatementBuilder(TextResult):
    """Bytes of one result set in, complete statements out; ``finished`` after its last packet."""

    _prefix: bytes
    _max_rows: cython.Py_ssize_t
    _max_bytes: cython.Py_ssize_t
    _out: bytearray
    _length: cython.Py_ssize_t
    _rows_in_statement: cython.Py_ssize_t
    _mode_bytes: bytes
    _growth: cython.Py_ssize_t  # bytes that a byte of a value may become
    _wide: bytearray
    _ready: list[tuple[bytes, int]]
    _escapes: cython.const[cython.uchar][::1]
    _hex: cython.const[cython.uchar][::1]

    def __init__(self, prefix: bytes, max_rows: int, max_bytes: int) -> None:
        TextResult.__init__(self, _WIDE_BYTES)
        self._prefix = prefix
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._out = bytearray(max(4096, 2 * len(prefix)))
        self._length = 0
        self._rows_in_statement = 0
        self._mode_bytes = b""
        self._growth = 2
        self._wide = bytearray()
        self._ready = []
        self._escapes = _ESCAPES
        self._hex = _HEX_DIGITS

    def feed(self, data: bytes | bytearray | memoryview) -> list[tuple[bytes, int]]:
        """Take what the socket gave; the statements that it completed, each with its number of rows."""
        self._take(data)
        ready = self._ready
        self._ready = []
        return ready

    @cython.cfunc
    @cython.exceptval(-1)
    def _columns_known(self) -> cython.int:
        self._mode_bytes = bytes([column_mode(type_code, collation) for type_code, collation in self._kinds])
        self._growth = 8 if VECTOR in self._mode_bytes else 2
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_piece(
        self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.int:
        self._wide += view[at:end]
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_end(self) -> cython.int:
        self._row(self._wide, 0, len(self._wide))
        self._wide = bytearray()
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _rows_end(self) -> cython.int:
        self._finish_statement()
        return 0

    @cython.cfunc
    def _reserve(self, more: cython.Py_ssize_t) -> cython.void:
        needed: cython.Py_ssize_t = self._length + more
        if needed > len(self._out):
            self._out.extend(bytes(max(needed - len(self._out), len(self._out))))

    @cython.cfunc
    @cython.exceptval(-1)
    def _row(self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        size: cython.Py_ssize_t = end - at
        if self._rows_in_statement and self._length + size > self._max_bytes:
            self._finish_statement()
        # Room for the worst case, once a row: a byte may become two, an element of a vector in four bytes 24 of text
        # and eight digits; a value gets quotes and a comma, a vector the 31 bytes of its function.
        self._reserve(len(self._prefix) + self._growth * size + 8 * self._growth * self._columns + 4)
        if self._rows_in_statement == 0:
            self._out[0 : len(self._prefix)] = self._prefix
            self._length = len(self._prefix)
        out: cython.uchar[::1] = memoryview(self._out)
        modes: cython.const[cython.uchar][::1] = self._mode_bytes
        o: cython.Py_ssize_t = self._length
        column: cython.Py_ssize_t
        length: cython.Py_ssize_t
        for column in range(self._columns):
            out[o] = _COMMA if column or self._rows_in_statement else _OPEN
            o += 1
            if column == 0 and self._rows_in_statement:
                out[o] = _OPEN
                o += 1
            if at >= end:
                raise BrokenResult("a row has too few values")
            if view[at] == _NULL:
                at += 1
                o = _put_null(out, o)
                continue
            length = value_length(view, at, end)
            at += length_size(view[at])
            if length < 0 or length > end - at:
                raise BrokenResult("a value reaches beyond its row")
            if modes[column] == _NUMBER:
                o = _put_number(out, o, view, at, at + length)
            elif modes[column] == _TEXT:
                o = _put_text(out, o, view, at, at + length, self._escapes)
            elif modes[column] == _VECTOR:
                o = _put_vector(out, o, view, at, at + length)
            else:
                o = _put_binary(out, o, view, at, at + length, self._hex)
            at += length
        if at != end:
            raise BrokenResult("a row has too many values")
        out[o] = _CLOSE
        del out
        self._row_done(o + 1)
        return 0

    @cython.cfunc
    @cython.exceptval(check=True)
    def _row_done(self, length: cython.Py_ssize_t) -> cython.void:
        self._length = length
        self._rows_in_statement += 1
        if self._rows_in_statement >= self._max_rows or length >= self._max_bytes:
            self._finish_statement()

    def _finish_statement(self) -> None:
        if self._rows_in_statement:
            self._ready.append((bytes(self._out[: self._length]), self._rows_in_statement))
        self._rows_in_statement = 0
        self._length = 0
