# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# mypy: disable-error-code="valid-type, untyped-decorator"
"""The packets of a MySQL text result set, for the builders that turn its rows into something to send.

Cython in pure Python mode (types for the compiler: text_result.pxd).  No I/O: the caller feeds what the
socket gave after COM_QUERY::

    count | column definition × count | EOF | row … row | EOF          (or ERR at any of these places)

A row comes whole, in one piece of memory; one that is larger than ``wide_bytes`` comes piece by piece as
its bytes arrive, so that no row's size is ever needed in memory.
"""

from __future__ import annotations

import cython

_WANT_COUNT: cython.int = 0
_WANT_COLUMNS: cython.int = 1
_WANT_EOF: cython.int = 2
_WANT_ROWS: cython.int = 3
_WIDE_ROW: cython.int = 4
_DONE: cython.int = 5

_LONGEST_PAYLOAD: cython.Py_ssize_t = 0xFFFFFF


class BrokenResult(Exception):
    """The server's bytes are not a text result set."""


class ServerError(Exception):
    """An ERR packet: the server's number and text."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(number, text)
        self.number = number
        self.text = text


@cython.cfunc
@cython.exceptval(check=False)
def length_size(first: cython.uchar) -> cython.Py_ssize_t:
    """Bytes that a value's length takes, itself included."""
    return 1 if first < 0xFB else 3 if first == 0xFC else 4 if first == 0xFD else 9


@cython.cfunc
@cython.exceptval(check=False)
def value_length(
    view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The length that stands at ``at``; -1 when it is cut short."""
    first: cython.uchar = view[at]
    if first < 0xFB:
        return first
    last: cython.Py_ssize_t = at + length_size(first) - 1
    if last >= end:
        return -1
    length: cython.Py_ssize_t = 0
    while last > at:
        length = (length << 8) | view[last]
        last -= 1
    return length


@cython.cclass
class TextResult:
    """Takes a result set's bytes; ``finished`` after its last packet.  What becomes of a row says a subclass."""

    def __init__(self, wide_bytes: int) -> None:
        self._pending = bytearray()
        self._needed = 4
        self._state = _WANT_COUNT
        self._columns = 0
        self._kinds: list[tuple[int, int]] = []
        self._wide_bytes = wide_bytes
        self._wide_left = 0
        self._wide_goes_on = False
        self.rows = 0
        self.value_bytes = 0

    @property
    def finished(self) -> bool:
        return bool(self._state == _DONE)

    # -- for subclasses

    @cython.cfunc
    @cython.exceptval(-1)
    def _columns_known(self) -> cython.int:
        """``_kinds`` has the type and collation of each column."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _row(self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """A whole row."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_piece(
        self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.int:
        """The next bytes of a wide row, cut anywhere."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _wide_end(self) -> cython.int:
        """The wide row's last byte has come."""
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _rows_end(self) -> cython.int:
        """There are no more rows."""
        return 0

    # -- packets

    @cython.cfunc
    @cython.exceptval(-1)
    def _take(self, data: bytes | bytearray | memoryview) -> cython.int:
        """Take what the socket gave, and all packets that are complete with it."""
        pending = self._pending
        pending += data
        end: cython.Py_ssize_t = len(pending)
        if end < self._needed:
            return 0
        at: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t
        view: cython.const[cython.uchar][::1] = memoryview(pending)
        while self._state != _DONE:
            if self._state == _WIDE_ROW:
                size = self._wide_packet(view, at, end)
                if size < 0:
                    break
                at += size
                continue
            if end - at < 4:
                self._needed = 4
                break
            size = view[at] | (view[at + 1] << 8) | (view[at + 2] << 16)
            if self._state == _WANT_ROWS and size > self._wide_bytes and end - at > 4:
                self._state = _WIDE_ROW
                self._wide_left = -1
                continue
            if end - at < 4 + size:
                self._needed = 4 + size
                break
            self._packet(view, at + 4, size)
            at += 4 + size
        del view
        del pending[:at]
        return 0

    @cython.cfunc
    @cython.exceptval(-2)
    def _wide_packet(
        self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The next header or bytes of a wide row: how many were used, or -1 (and what is needed) without any."""
        size: cython.Py_ssize_t
        if self._wide_left < 0:
            if end - at < 4:
                self._needed = 4
                return -1
            self._wide_left = view[at] | (view[at + 1] << 8) | (view[at + 2] << 16)
            self._wide_goes_on = self._wide_left == _LONGEST_PAYLOAD
            size = 4
        else:
            size = min(self._wide_left, end - at)
            if size == 0:
                self._needed = 1
                return -1
            self._wide_piece(view, at, at + size)
            self._wide_left -= size
            self.value_bytes += size
        if self._wide_left == 0:
            if self._wide_goes_on:
                self._wide_left = -1
            else:
                self._state = _WANT_ROWS
                self.rows += 1
                self._wide_end()
        return size

    def _packet(self, view: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> None:
        if size == 0:
            raise BrokenResult("an empty packet")
        first: cython.int = view[at]
        if first == 0xFF:
            raise _server_error(bytes(view[at : at + size]))
        if self._state == _WANT_ROWS:
            if first == 0xFE and size < 9:
                self._state = _DONE
                self._rows_end()
            else:
                self.rows += 1
                self.value_bytes += size
                self._row(view, at, at + size)
        elif self._state == _WANT_COLUMNS:
            self._kinds.append(_column_kind(bytes(view[at : at + size])))
            if len(self._kinds) == self._columns:
                self._columns_known()
                self._state = _WANT_EOF
        elif self._state == _WANT_EOF:
            if first != 0xFE:
                raise BrokenResult("no EOF packet after the column definitions")
            self._state = _WANT_ROWS
        else:
            self._columns = _column_count(bytes(view[at : at + size]))
            self._state = _WANT_COLUMNS


def _column_count(payload: bytes) -> int:
    if payload[0] in (0x00, 0xFB):
        raise BrokenResult("the statement gave no result set")
    return payload[0] if payload[0] < 0xFB else int.from_bytes(payload[1:3], "little")


def _server_error(payload: bytes) -> ServerError:
    text = payload[9:] if payload[3:4] == b"#" else payload[3:]
    return ServerError(int.from_bytes(payload[1:3], "little"), text.decode("utf-8", "replace"))


def _column_kind(payload: bytes) -> tuple[int, int]:
    """Type and collation of a column.

    catalog, schema, table, original table, name, original name: each with its length; then the fixed part.
    """
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
        return payload[at + 7], int.from_bytes(payload[at + 1 : at + 3], "little")
    raise BrokenResult("a column definition of an unknown form")
