# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""From the bytes of a MySQL text result set to multi-row statements, without a Python value per cell.

Cython in pure Python mode: compiled at install time where there is a C compiler, the same (slow) where
there is none.  ``StatementBuilder`` does no I/O: the caller feeds what the socket gave after COM_QUERY
and sends the statements that come out::

    count | column definition × count | EOF | row … row | EOF          (or ERR at any of these places)

Each value is written by its column's definition: numbers as they are, text quoted (the connection's
``character_set_results`` is utf8mb4, so the upstream has converted it), bytes as hexadecimal.
"""

from __future__ import annotations

import cython

from pkg.binlog.vector import vector_literal

NUMBER = 0
TEXT = 1
BINARY = 2
VECTOR = 3

_NUMBER: cython.int = 0
_TEXT: cython.int = 1
_VECTOR: cython.int = 3
_NULL: cython.int = 0xFB
_COMMA: cython.int = 44
_OPEN: cython.int = 40
_CLOSE: cython.int = 41

_WANT_COUNT: cython.int = 0
_WANT_COLUMNS: cython.int = 1
_WANT_EOF: cython.int = 2
_WANT_ROWS: cython.int = 3
_DONE: cython.int = 4

_LONGEST_PAYLOAD: cython.Py_ssize_t = 0xFFFFFF
_BINARY_COLLATION: cython.int = 63

# Column types of the protocol: integers, DECIMAL and YEAR are numbers.  FLOAT and DOUBLE are not: the
# literal -0 is the integer 0, the text '-0' is what it says.
_NUMBER_TYPES = frozenset((0, 1, 2, 3, 8, 9, 13, 246))
_TIME_TYPES = frozenset((4, 5, 7, 10, 11, 12, 14, 17, 18, 19))
_BINARY_TYPES = frozenset((16, 255))  # BIT, GEOMETRY
_VECTOR_TYPE, _JSON_TYPE = 242, 245


class BrokenResult(Exception):
    """The server's bytes are not a text result set."""


class ServerError(Exception):
    """An ERR packet: the server's number and text."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(number, text)
        self.number = number
        self.text = text


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
def _length_size(first: cython.uchar) -> cython.Py_ssize_t:
    """Bytes that a value's length takes, itself included."""
    return 1 if first < 0xFB else 3 if first == 0xFC else 4 if first == 0xFD else 9


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _value_length(view: cython.uchar[::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The length that stands at ``at``; -1 when it is cut short."""
    first: cython.uchar = view[at]
    if first < 0xFB:
        return first
    last: cython.Py_ssize_t = at + _length_size(first) - 1
    if last >= end:
        return -1
    length: cython.Py_ssize_t = 0
    while last > at:
        length = (length << 8) | view[last]
        last -= 1
    return length


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
    view: cython.uchar[::1],
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
    view: cython.uchar[::1],
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
    view: cython.uchar[::1],
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
    view: cython.uchar[::1],
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
class StatementBuilder:
    """Bytes of one result set in, complete statements out; ``finished`` after its last packet."""

    _prefix: bytes
    _max_rows: cython.Py_ssize_t
    _max_bytes: cython.Py_ssize_t
    _pending: bytearray
    _needed: cython.Py_ssize_t
    _out: bytearray
    _length: cython.Py_ssize_t
    _rows_in_statement: cython.Py_ssize_t
    _state: cython.int
    _columns: cython.Py_ssize_t
    _modes: list[int]
    _mode_bytes: bytes
    _growth: cython.Py_ssize_t  # bytes that a byte of a value may become
    _ready: list[tuple[bytes, int]]
    _escapes: cython.const[cython.uchar][::1]
    _hex: cython.const[cython.uchar][::1]
    rows = cython.declare(cython.longlong, visibility="readonly")
    value_bytes = cython.declare(cython.longlong, visibility="readonly")

    def __init__(self, prefix: bytes, max_rows: int, max_bytes: int) -> None:
        self._prefix = prefix
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._pending = bytearray()
        self._needed = 4
        self._out = bytearray(max(4096, 2 * len(prefix)))
        self._length = 0
        self._rows_in_statement = 0
        self._state = _WANT_COUNT
        self._columns = 0
        self._modes = []
        self._mode_bytes = b""
        self._growth = 2
        self._ready = []
        self._escapes = _ESCAPES
        self._hex = _HEX_DIGITS
        self.rows = 0
        self.value_bytes = 0

    @property
    def finished(self) -> bool:
        return bool(self._state == _DONE)

    def feed(self, data: bytes | bytearray | memoryview) -> list[tuple[bytes, int]]:
        """Take what the socket gave; the statements that it completed, each with its number of rows."""
        self._pending += data
        if len(self._pending) >= self._needed:
            self._take_packets()
        ready = self._ready
        self._ready = []
        return ready

    def _take_packets(self) -> None:
        pending = self._pending
        end: cython.Py_ssize_t = len(pending)
        at: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t
        view: cython.uchar[::1] = memoryview(pending)
        while self._state != _DONE:
            if end - at < 4:
                self._needed = 4
                break
            size = view[at] | (view[at + 1] << 8) | (view[at + 2] << 16)
            if end - at < 4 + size:
                self._needed = 4 + size
                break
            if size == _LONGEST_PAYLOAD:
                size = self._long_packet(view, at, end)
                if size < 0:
                    break
                at += size
                continue
            self._packet(view, at + 4, size)
            at += 4 + size
        del view
        del pending[:at]

    def _long_packet(self, view: cython.uchar[::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """A payload over 16 MB: bytes used, or -1 (and what is needed) while it is not complete."""
        scan: cython.Py_ssize_t = at
        size: cython.Py_ssize_t = _LONGEST_PAYLOAD
        parts: list[tuple[int, int]] = []
        while size == _LONGEST_PAYLOAD:
            if end - scan < 4:
                self._needed = scan - at + 4
                return -1
            size = view[scan] | (view[scan + 1] << 8) | (view[scan + 2] << 16)
            if end - scan < 4 + size:
                self._needed = scan - at + 4 + size
                return -1
            parts.append((scan + 4, scan + 4 + size))
            scan += 4 + size
        whole = bytearray().join([self._pending[start:stop] for start, stop in parts])
        self._packet(memoryview(whole), 0, len(whole))
        return scan - at

    def _packet(self, view: cython.uchar[::1], at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> None:
        if size == 0:
            raise BrokenResult("an empty packet")
        first: cython.int = view[at]
        if first == 0xFF:
            raise self._server_error(bytes(view[at : at + size]))
        if self._state == _WANT_ROWS:
            if first == 0xFE and size < 9:
                self._finish_statement()
                self._state = _DONE
            else:
                self._row(view, at, at + size)
        elif self._state == _WANT_COLUMNS:
            self._modes.append(self._definition_mode(bytes(view[at : at + size])))
            if len(self._modes) == self._columns:
                self._mode_bytes = bytes(self._modes)
                self._growth = 8 if VECTOR in self._modes else 2
                self._state = _WANT_EOF
        elif self._state == _WANT_EOF:
            if first != 0xFE:
                raise BrokenResult("no EOF packet after the column definitions")
            self._state = _WANT_ROWS
        else:
            self._begin(bytes(view[at : at + size]))

    def _begin(self, payload: bytes) -> None:
        if payload[0] in (0x00, 0xFB):
            raise BrokenResult("the statement gave no result set")
        count = payload[0] if payload[0] < 0xFB else int.from_bytes(payload[1:3], "little")
        self._columns = count
        self._state = _WANT_COLUMNS

    def _server_error(self, payload: bytes) -> ServerError:
        text = payload[9:] if payload[3:4] == b"#" else payload[3:]
        return ServerError(int.from_bytes(payload[1:3], "little"), text.decode("utf-8", "replace"))

    def _definition_mode(self, payload: bytes) -> int:
        """catalog, schema, table, original table, name, original name: each with its length; then the fixed part."""
        at: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = len(payload)
        for _ in range(6):
            if at + 3 > end:
                raise BrokenResult("a column definition is cut short")
            if payload[at] < 0xFB:
                at += 1 + payload[at]
            else:
                at += 3 + (payload[at + 1] | payload[at + 2] << 8)
        # length of the fixed part (1), collation (2), column length (4), type (1), …
        if at + 8 > end:
            raise BrokenResult("a column definition is cut short")
        if payload[at] == 0x0C:
            return column_mode(payload[at + 7], int.from_bytes(payload[at + 1 : at + 3], "little"))
        raise BrokenResult("a column definition of an unknown form")

    @cython.cfunc
    def _reserve(self, more: cython.Py_ssize_t) -> cython.void:
        needed: cython.Py_ssize_t = self._length + more
        if needed > len(self._out):
            self._out.extend(bytes(max(needed - len(self._out), len(self._out))))

    @cython.cfunc
    @cython.exceptval(-1)
    def _row(self, view: cython.uchar[::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
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
            length = _value_length(view, at, end)
            at += _length_size(view[at])
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
        self._row_done(o + 1, size)
        return 0

    @cython.cfunc
    @cython.exceptval(check=True)
    def _row_done(self, length: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.void:
        self._length = length
        self._rows_in_statement += 1
        self.rows += 1
        self.value_bytes += size
        if self._rows_in_statement >= self._max_rows or length >= self._max_bytes:
            self._finish_statement()

    def _finish_statement(self) -> None:
        if self._rows_in_statement:
            self._ready.append((bytes(self._out[: self._length]), self._rows_in_statement))
        self._rows_in_statement = 0
        self._length = 0
