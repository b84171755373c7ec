# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""From the text of a dump's data file (INSERT statements) to what the load path takes, without a Python value per cell.

Cython in pure Python mode, as ``text_protocol``.  ``InsertReader`` does no I/O: the caller feeds the file's
bytes, cut anywhere, and takes blocks of lines for LOAD DATA, or multi-row INSERT statements.  It holds one
row and what was fed last, however long the file and its statements are.

A row is read in two steps: its literals become plain values in a buffer, and these are written by the
column's mode.  A row that is not complete is read again when more has come.  Where reading stands between two
rows is a ``Place`` that another reader can go on from.
"""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_letters, digits

import cython

from pkg.rows.insert_text import BadData, BadValue, CutShort, Place, passed_over, read_head
from pkg.rows.row_writer import Block, Layout

if not cython.compiled:
    from pkg.rows.row_writer import RowWriter
else:
    from cython.cimports.pkg.rows.row_writer import RowWriter  # type: ignore[no-redef]

_IS_NULL: cython.int = 0
_IS_NUMBER: cython.int = 1
_IS_BYTES: cython.int = 2

_MORE: cython.Py_ssize_t = -1  # what is there is not enough
_LONGEST_STEP: cython.Py_ssize_t = 8 << 20
_LONGEST_HEAD: cython.Py_ssize_t = 4 << 20

_IN_FILE: cython.int = 0
_BEFORE_ROW: cython.int = 1
_AFTER_ROW: cython.int = 2


def _table(letters: str, values: tuple[int, ...] = ()) -> bytes:
    """For each letter its value, 1 where none is given."""
    table = bytearray(256)
    for place, letter in enumerate(letters):
        table[ord(letter)] = values[place] if values else 1
    return bytes(table)


# What a byte behind a backslash stands for (0: itself); \% and \_ keep their backslash.
_UNESCAPED = cython.declare(bytes, _table("bnrtZ", (8, 10, 13, 9, 26)))
_OF_NUMBER = cython.declare(bytes, _table("0123456789+-.eE"))
_HEX_VALUES = cython.declare(bytes, _table("0123456789abcdefABCDEF", tuple(range(1, 17)) + tuple(range(11, 17))))
_OF_WORD = cython.declare(bytes, _table(f"{ascii_letters}{digits}_"))
_AS_TEXT = frozenset((b"vec_fromtext", b"string_to_vector", b"to_vector"))
_AS_THEY_ARE = frozenset((b"binary", b"utf8mb4", b"utf8", b"utf8mb3", b"ascii"))
_DEEPEST: cython.int = 2
_LONGEST_USING: cython.Py_ssize_t = 100
_LONGEST_VECTOR: cython.Py_ssize_t = 1 << 20


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _past_space(p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while at < end and (p[at] == 32 or 9 <= p[at] <= 13):
        at += 1
    return at


@cython.cclass
class InsertReader(RowWriter):
    """Bytes of one data file in, blocks out; ``layout_of(table, columns, names)`` says how rows are written."""

    _layout_of: Callable[[str, tuple[str, ...] | None, str], Layout]
    _pending: bytearray
    _base: cython.longlong  # place in the file of the first byte that is pending
    _needed: cython.Py_ssize_t
    _ended: cython.bint
    _depth: cython.int
    _state: cython.int
    _names: str
    _table: str
    _columns: tuple[str, ...] | None

    def __init__(
        self,
        layout_of: Callable[[str, tuple[str, ...] | None, str], Layout],
        max_rows: int,
        max_bytes: int,
        place: Place | None = None,
    ) -> None:
        RowWriter.__init__(self, max_rows, max_bytes)
        self._layout_of = layout_of
        self._pending = bytearray()
        self._base = 0
        self._needed = 1
        self._ended = False
        self._depth = 0
        self._state = _IN_FILE
        self._names = "binary"
        self._table = ""
        self._columns = None
        if place is not None:
            self._go_on(place)

    def _go_on(self, place: Place) -> None:
        self._base, self._names, self.rows = place.offset, place.names, place.rows
        if place.table:
            self._begin(place.table, place.columns)
            self._state = _BEFORE_ROW if place.is_before_row else _AFTER_ROW

    @property
    def place(self) -> Place:
        """How far the file is read; all up to there is in the blocks after ``flush``."""
        if self._state == _IN_FILE:
            return Place(self._base, self._names, rows=self.rows)
        return Place(self._base, self._names, self._table, self._columns, self._state == _BEFORE_ROW, self.rows)

    def feed(self, data: bytes | bytearray | memoryview) -> list[Block]:
        """Take some bytes; the blocks that are complete."""
        self._pending += data
        if len(self._pending) >= self._needed:
            self._read()
        return self._taken()

    def finish(self) -> list[Block]:
        """The file has ended.  Raises BadData where it ends in the middle of a statement."""
        self._ended = True
        self._read()
        if self._state != _IN_FILE or self._pending:
            raise CutShort(self._base + len(self._pending), "the file ends in the middle of a statement")
        return self.flush()

    def _read(self) -> None:
        p: cython.p_const_uchar = self._pending
        end: cython.Py_ssize_t = len(self._pending)
        at: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t = 0
        if len(self._values) < end:
            self._values = bytearray(end)
        try:
            while stop != _MORE:
                at = _past_space(p, stop, end)
                if at >= end:
                    break
                if self._state == _BEFORE_ROW:
                    stop = self._row(p, at, end)
                elif self._state == _AFTER_ROW:
                    stop = self._after_row(p[at], at)
                else:
                    stop = self._statement(at)
        except BadValue as exc:
            raise BadData(self._base + at, str(exc)) from exc
        if at:
            del self._pending[:at]
            self._base += at
        left: cython.Py_ssize_t = end - at
        self._needed = left + min(max(left, 1), _LONGEST_STEP)

    @cython.cfunc
    @cython.exceptval(-2)
    def _after_row(self, byte: cython.uchar, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        if byte == 44:
            self._state = _BEFORE_ROW
        elif byte == 59:
            self._state = _IN_FILE
        else:
            raise BadData(self._base + at, f"{chr(byte)!r} where a comma or a semicolon is expected behind a row")
        return at + 1

    @cython.cfunc
    @cython.exceptval(-2)
    def _statement(self, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The next comment or statement but for its rows."""
        head = read_head(self._pending, at, self._base, self._ended)
        if head is None:
            if len(self._pending) - at > _LONGEST_HEAD:
                raise BadData(self._base + at, "a statement that is no INSERT and does not end")
            return _MORE
        if head.table:
            self._begin(head.table, head.columns)
            self._state = _BEFORE_ROW
        elif head.text:
            self._names = passed_over(head.text, self._names, self._base + at)
        return head.stop

    def _begin(self, table: str, columns: tuple[str, ...] | None) -> None:
        layout = self._layout_of(table, columns, self._names)
        self._table, self._columns = table, columns
        self._set_layout(layout)

    # -- a row's literals → values

    @cython.cfunc
    @cython.exceptval(-2)
    def _row(self, p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Behind the row that begins at ``at``, or _MORE; only a whole one is written."""
        column: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = at
        if p[at] != 40:
            raise BadData(self._base + at, f"{chr(p[at])!r} where a row is expected to begin")
        self._used = 0
        while True:
            at = _past_space(p, at + 1, end)
            if at >= end:
                return _MORE
            if column == self._count:
                raise BadData(self._base + at, f"a row has more values than its {self._count} columns")
            self._starts[column] = self._used
            at = self._value(p, at, end, column)
            if at == _MORE:
                return _MORE
            self._stops[column] = self._used
            column += 1
            at = _past_space(p, at, end)
            if at >= end:
                return _MORE
            if p[at] == 41:
                break
            if p[at] != 44:
                raise BadData(self._base + at, f"{chr(p[at])!r} where a comma is expected behind a value")
        if column != self._count:
            raise BadData(self._base + at, f"a row has {column} values and its statement {self._count} columns")
        self._put_row(at + 1 - size)
        self._state = _AFTER_ROW
        return at + 1

    @cython.cfunc
    @cython.exceptval(-2)
    def _value(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        column: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        byte: cython.uchar = p[at]
        if byte == 39 or byte == 34:
            self._kinds[column] = _IS_BYTES
            return self._string(p, at + 1, end, byte)
        of_number: cython.p_const_uchar = _OF_NUMBER
        if of_number[byte] and byte != 101 and byte != 69:
            if byte == 48:
                if at + 1 >= end:
                    return _MORE
                if p[at + 1] == 120 or p[at + 1] == 98:
                    self._kinds[column] = _IS_BYTES
                    return self._digits(p, at + 2, end, p[at + 1], 0)
            self._kinds[column] = _IS_NUMBER
            return self._number(p, at, end)
        return self._word(p, at, end, column)

    @cython.cfunc
    @cython.exceptval(-2)
    def _number(self, p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        values: cython.p_uchar = self._values
        of_number: cython.p_const_uchar = _OF_NUMBER
        used: cython.Py_ssize_t = self._used
        while at < end and of_number[p[at]]:
            values[used] = p[at]
            used += 1
            at += 1
        self._used = used
        return at if at < end else _MORE

    @cython.cfunc
    @cython.exceptval(-2)
    def _string(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        quote: cython.uchar,
    ) -> cython.Py_ssize_t:
        """The text that begins at ``at``, behind its quote; every byte of it becomes at most one."""
        values: cython.p_uchar = self._values
        unescaped: cython.p_const_uchar = _UNESCAPED
        used: cython.Py_ssize_t = self._used
        byte: cython.uchar
        while at < end:
            byte = p[at]
            if byte == quote:
                if at + 1 >= end:
                    return _MORE
                if p[at + 1] != quote:
                    self._used = used
                    return at + 1
                at += 1
            elif byte == 92:
                if at + 1 >= end:
                    return _MORE
                at += 1
                byte = p[at]
                if byte == 37 or byte == 95:
                    values[used] = 92
                    used += 1
                elif byte == 48:
                    byte = 0
                elif unescaped[byte]:
                    byte = unescaped[byte]
            values[used] = byte
            used += 1
            at += 1
        return _MORE

    @cython.cfunc
    @cython.exceptval(-2)
    def _digits(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        base: cython.uchar,
        quote: cython.uchar,
    ) -> cython.Py_ssize_t:
        """Bytes in hexadecimal or binary digits; ``quote`` ends them, else the first other byte."""
        values: cython.p_uchar = self._values
        hex_values: cython.p_const_uchar = _HEX_VALUES
        start: cython.Py_ssize_t = at
        bits: cython.Py_ssize_t = 1 if base == 98 or base == 66 else 4
        per_byte: cython.Py_ssize_t = 8 // bits
        digit: cython.int
        while at < end and hex_values[p[at]]:
            at += 1
        if at >= end:
            return _MORE
        count: cython.Py_ssize_t = at - start
        if quote and (p[at] != quote or (bits == 4 and count % 2)):
            raise BadData(self._base + at, "digits of bytes do not end as they should")
        if not quote and count == 0:
            raise BadData(self._base + at, "there are no digits of bytes")
        stop: cython.Py_ssize_t = at
        place: cython.Py_ssize_t = (per_byte - count % per_byte) % per_byte  # the first byte may be short of digits
        held: cython.int = 0
        for at in range(start, stop):
            digit = hex_values[p[at]] - 1
            if digit >= 1 << bits:
                raise BadData(self._base + at, f"{chr(p[at])!r} is no binary digit")
            held = ((held << bits) | digit) & 255
            place += 1
            if place == per_byte:
                values[self._used] = held
                self._used += 1
                place = held = 0
        return stop + 1 if quote else stop

    @cython.cfunc
    @cython.exceptval(-2)
    def _word(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        column: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """NULL, TRUE, a prefix of a literal (``x``, ``b``, ``_utf8mb4``), a function around one."""
        start: cython.Py_ssize_t = at
        words: cython.p_const_uchar = _OF_WORD
        while at < end and words[p[at]]:
            at += 1
        if at >= end:
            return _MORE
        word: bytes = bytes(p[start:at]).lower()
        byte: cython.uchar = p[at]
        if word == b"null":
            self._kinds[column] = _IS_NULL
            return at
        if word == b"true" or word == b"false":
            self._kinds[column] = _IS_NUMBER
            self._values[self._used] = 49 if word == b"true" else 48
            self._used += 1
            return at
        if (word == b"x" or word == b"b") and byte == 39:
            self._kinds[column] = _IS_BYTES
            return self._digits(p, at + 1, end, word[0], byte)
        at = _past_space(p, at, end)
        if at >= end:
            return _MORE
        if word[:1] == b"_":
            return self._introduced(p, at, end, column, word[1:])
        if p[at] == 40 and (word == b"convert" or word in _AS_TEXT):
            return self._called(p, at + 1, end, column, word == b"convert")
        if p[at] == 40 and word == b"coalesce":  # a vector in our own dumps: its text for TiDB in a comment, its bytes
            at = self._pending.find(b"*/", at, at + _LONGEST_VECTOR) + 2
            if at == 1 and end - start > _LONGEST_VECTOR:
                raise BadData(self._base + start, "a function of a form that dumps do not have")
            return _MORE if at == 1 else self._called(p, at, end, column, False)
        raise BadData(self._base + start, f"{word[:40].decode('latin-1')!r} is no value of a kind that dumps have")

    @cython.cfunc
    @cython.exceptval(-2)
    def _nested(
        self, p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t, column: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """A literal within another form, and the space behind it."""
        at = _past_space(p, at, end)
        if at >= end:
            return _MORE
        if self._depth == _DEEPEST:
            raise BadData(self._base + at, "functions of functions, which dumps do not have")
        self._depth += 1
        at = self._value(p, at, end, column)
        self._depth -= 1
        return at if at == _MORE else _past_space(p, at, end)

    @cython.cfunc
    @cython.exceptval(-2)
    def _introduced(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        column: cython.Py_ssize_t,
        charset: bytes,
    ) -> cython.Py_ssize_t:
        begun: cython.Py_ssize_t = self._used
        stop: cython.Py_ssize_t = self._nested(p, at, end, column)
        if stop != _MORE and charset not in _AS_THEY_ARE:
            self._recode(begun, charset.decode())
        return stop

    @cython.cfunc
    @cython.exceptval(-2)
    def _called(
        self,
        p: cython.p_const_uchar,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        column: cython.Py_ssize_t,
        wants_using: cython.bint,
    ) -> cython.Py_ssize_t:
        """``'…' USING utf8mb4)``, which tools write around JSON and text in digits, or ``'…')``."""
        stop: cython.Py_ssize_t = self._nested(p, at, end, column)
        if stop == _MORE or stop >= end:
            return _MORE
        close: cython.Py_ssize_t = self._pending.find(b")", stop, stop + _LONGEST_USING)
        if close < 0 and end - stop < _LONGEST_USING:
            return _MORE
        words = bytes(self._pending[stop : max(close, stop)]).split()
        if close < 0 or len(words) != (2 if wants_using else 0) or (wants_using and words[0].lower() != b"using"):
            raise BadData(self._base + stop, "a function of a form that dumps do not have")
        return close + 1
