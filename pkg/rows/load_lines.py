# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""From the bytes of a MySQL text result set to the lines of LOAD DATA, without a Python value per cell.

Cython in pure Python mode.  Values pass as they are; tab, line feed and backslash get a backslash, NULL is
``\\N``, and a line ends with a line feed.  A vector is written as text where the target takes only that.
Memory is bounded whatever the size of a row: a wide one leaves piece by piece as it comes.
"""

from __future__ import annotations

import cython

from pkg.binlog.vector import vector_text
from pkg.rows.text_protocol import column_mode
from pkg.rows.text_result import BrokenResult

if cython.compiled:
    from cython.cimports.pkg.rows.text_result import TextResult, length_size, value_length
else:
    from pkg.rows.text_result import TextResult, length_size, value_length

_NULL: cython.int = 0xFB
_ERROR: cython.int = 0xFF
_TAB: cython.int = 9
_LINE_FEED: cython.int = 10
_BACKSLASH: cython.int = 92
_LETTER_N: cython.int = 78
_TEXT_OF_FLOAT: cython.Py_ssize_t = 8  # an element of a vector: four bytes become at most 24 characters and a comma

_WIDE_BYTES: cython.Py_ssize_t = 1 << 17
_VECTOR_TYPE = 242
_LONGEST_VALUE = 1 << 32  # bytes: of a LONGBLOB
_LONGEST_VECTOR: cython.Py_ssize_t = 1 << 20  # servers know at most 16,383 elements


def _escape_table() -> bytes:
    table = bytearray(256)
    for byte, letter in ((9, "t"), (10, "n"), (92, "\\")):
        table[byte] = ord(letter)
    return bytes(table)


_ESCAPES = _escape_table()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_escaped(
    out: cython.uchar[::1],
    o: cython.Py_ssize_t,
    view: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    escapes: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    escape: cython.uchar
    while at < stop:
        escape = escapes[view[at]]
        if escape:
            out[o] = _BACKSLASH
            out[o + 1] = escape
            o += 2
        else:
            out[o] = view[at]
            o += 1
        at += 1
    return o


@cython.cclass
class LineBuilder(TextResult):
    """Bytes of one result set in, blocks of lines out; ``finished`` after its last packet.

    A block is about ``block_bytes`` long, or what a piece fed makes of it.  After ``max_rows`` lines a
    block ends and says so: the statement that they belong to ends there, too.
    """

    _max_rows: cython.longlong
    _block_bytes: cython.Py_ssize_t
    _vectors_as_text: cython.bint
    _is_vector: bytes
    _has_vectors: cython.bint
    _out: bytearray
    _length: cython.Py_ssize_t
    _lines: cython.longlong  # of the statement that is being filled
    _column: cython.Py_ssize_t  # of a wide row
    _value_left: cython.Py_ssize_t
    _head: bytearray  # the bytes of a value's length, while they are not all there
    _vector: bytearray
    _blocks: list[tuple[bytes, bool]]
    _escapes: cython.const[cython.uchar][::1]

    def __init__(self, max_rows: int, block_bytes: int, vectors_as_text: bool) -> None:
        TextResult.__init__(self, _WIDE_BYTES)
        self._max_rows = max_rows
        self._block_bytes = block_bytes
        self._vectors_as_text = vectors_as_text
        self._is_vector = b""
        self._has_vectors = False
        self._out = bytearray(block_bytes + 4096)
        self._length = 0
        self._lines = 0
        self._column = 0
        self._value_left = 0
        self._head = bytearray()
        self._vector = bytearray()
        self._blocks = []
        self._escapes = _ESCAPES

    def feed(self, data: bytes | bytearray | memoryview) -> list[tuple[bytes, bool]]:
        """Take what the socket gave; blocks of lines, each with whether the statement ends with it."""
        self._take(data)
        if self._length >= self._block_bytes:
            self._finish_block(False)
        blocks = self._blocks
        self._blocks = []
        return blocks

    def modes(self) -> list[int]:
        """Of each column, as ``column_mode`` says; known before the first block."""
        return [column_mode(type_code, collation) for type_code, collation in self._kinds]

    @cython.cfunc
    @cython.exceptval(-1)
    def _columns_known(self) -> cython.int:
        as_text = self._vectors_as_text
        self._is_vector = bytes([as_text and type_code == _VECTOR_TYPE for type_code, _ in self._kinds])
        self._has_vectors = 1 in self._is_vector
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _rows_end(self) -> cython.int:
        if self._length:
            self._finish_block(True)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _row(self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        # Room for the worst case, once a row: a byte may become two, a vector's four 25; NULL is two bytes and a tab.
        self._reserve(_TEXT_OF_FLOAT * (end - at) if self._has_vectors else 2 * (end - at), 4 * self._columns)
        out: cython.uchar[::1] = memoryview(self._out)
        is_vector: cython.const[cython.uchar][::1] = self._is_vector
        escapes: cython.const[cython.uchar][::1] = self._escapes
        o: cython.Py_ssize_t = self._length
        column: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        first: cython.uchar
        for column in range(self._columns):
            if column:
                out[o] = _TAB
                o += 1
            if at >= end:
                raise BrokenResult("a row has too few values")
            first = view[at]
            if first == _NULL:
                at += 1
                out[o] = _BACKSLASH
                out[o + 1] = _LETTER_N
                o += 2
                continue
            if first < _NULL:
                stop = first
                at += 1
            else:
                stop = value_length(view, at, end)
                at += length_size(first)
            if stop < 0 or stop > end - at:
                raise BrokenResult("a value reaches beyond its row")
            stop += at
            if is_vector[column]:
                o = _put(out, o, _text_of_vector(bytes(view[at:stop])))
            else:
                o = _put_escaped(out, o, view, at, stop, escapes)
            at = stop
        if at != end:
            raise BrokenResult("a row has too many values")
        out[o] = _LINE_FEED
        del out
        self._length = o + 1
        self._line_done()
        return 0

    # -- a wide row, as its bytes come

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_piece(
        self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.int:
        size: cython.Py_ssize_t
        while at < end:
            if self._value_left == 0:
                self._wide_length(view[at])
                at += 1
                continue
            size = min(self._value_left, end - at)
            if self._is_vector[self._column]:
                if len(self._vector) + size > _LONGEST_VECTOR:
                    raise BrokenResult("a vector is longer than any server makes one")
                self._vector += view[at : at + size]
            else:
                self._escaped(view, at, at + size)
            self._value_left -= size
            at += size
            if self._value_left == 0:
                self._wide_value_done()
        return 0

    @cython.cfunc
    @cython.exceptval(check=True)
    def _wide_length(self, byte: cython.uchar) -> cython.void:
        """One more byte of the length before a value."""
        head = self._head
        if len(head) == 0:
            if self._column >= self._columns:
                raise BrokenResult("a row has too many values")
            if byte == _ERROR:
                raise BrokenResult("a value without a length")
            if self._column:
                self._append(b"\t")
            if byte == _NULL:
                self._append(b"\\N")
                self._column += 1
                return
        head.append(byte)
        if len(head) < length_size(head[0]):
            return
        length: int = head[0] if len(head) == 1 else int.from_bytes(head[1:], "little")
        if length > _LONGEST_VALUE:
            raise BrokenResult("a value reaches beyond its row")
        self._value_left = length
        del head[:]
        if self._value_left == 0:
            self._wide_value_done()

    @cython.cfunc
    @cython.exceptval(check=True)
    def _wide_value_done(self) -> cython.void:
        if self._is_vector[self._column]:
            self._append(_text_of_vector(bytes(self._vector)))
            del self._vector[:]
        self._column += 1

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_end(self) -> cython.int:
        if self._value_left or len(self._head):
            raise BrokenResult("a value reaches beyond its row")
        if self._column != self._columns:
            raise BrokenResult("a row has too few values")
        self._column = 0
        self._append(b"\n")
        self._line_done()
        return 0

    @cython.cfunc
    @cython.exceptval(check=True)
    def _escaped(
        self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.void:
        self._reserve(2 * (end - at), 0)
        out: cython.uchar[::1] = memoryview(self._out)
        self._length = _put_escaped(out, self._length, view, at, end, self._escapes)

    # -- blocks

    @cython.cfunc
    @cython.exceptval(check=True)
    def _append(self, piece: bytes) -> cython.void:
        self._reserve(len(piece), 0)
        self._length = _put(memoryview(self._out), self._length, piece)

    @cython.cfunc
    @cython.exceptval(check=True)
    def _reserve(self, more: cython.Py_ssize_t, fixed: cython.Py_ssize_t) -> cython.void:
        """Room for ``more`` and ``fixed`` bytes: what fills a block already makes room by leaving."""
        if self._length >= self._block_bytes:
            self._finish_block(False)
        needed: cython.Py_ssize_t = self._length + more + fixed + 4
        if needed > len(self._out):
            self._out.extend(bytes(needed - len(self._out)))

    @cython.cfunc
    @cython.exceptval(check=True)
    def _line_done(self) -> cython.void:
        self._lines += 1
        if self._lines >= self._max_rows:
            self._finish_block(True)

    @cython.cfunc
    @cython.exceptval(check=True)
    def _finish_block(self, ends_statement: cython.bint) -> cython.void:
        self._blocks.append((bytes(memoryview(self._out)[: self._length]), bool(ends_statement)))
        self._length = 0
        if ends_statement:
            self._lines = 0


@cython.cfunc
@cython.exceptval(-1)
def _put(out: cython.uchar[::1], o: cython.Py_ssize_t, piece: bytes) -> cython.Py_ssize_t:
    size: cython.Py_ssize_t = len(piece)
    if size > len(out) - o:
        raise BrokenResult("a value is longer than there is room for")
    place: cython.Py_ssize_t
    for place in range(size):
        out[o + place] = piece[place]
    return o + size


def _text_of_vector(raw: bytes) -> bytes:
    try:
        return vector_text(raw)
    except ValueError as exc:
        raise BrokenResult(str(exc)) from exc
