"""Cuts a binlog stream or file into runs of raw events, as they stand in the upstream's file.

What a relay log keeps: checksums are verified, transactions and GTIDs are followed, and not one byte is
changed.  A run holds all events that have come and follow each other; what is written nowhere (a server's
words to its replica) comes out between them.  At most one event larger than a run is in memory, twice.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import cython

from pkg.binlog.errors import CORRUPT, server_error
from pkg.binlog.event_bodies import (
    parse_format,
    parse_gtid_set,
    parse_heartbeat,
    parse_mariadb_gtid_list,
    parse_tagged_gtid,
    uncompress,
    uuid_text,
)
from pkg.binlog.events import event_name
from pkg.binlog.framing import BadFrame, NoEvent
from pkg.errors import DMError

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.pkg.binlog.checksum import Checksum
    from cython.cimports.pkg.binlog.framing import Frames
    from cython.cimports.pkg.binlog.literals import little
else:
    from pkg.binlog.checksum import Checksum
    from pkg.binlog.framing import Frames
    from pkg.binlog.literals import little

RUN_BYTES = 1 << 20
_RUN = cython.declare(cython.Py_ssize_t, RUN_BYTES)
_HEADER = cython.declare(cython.Py_ssize_t, 19)
_LONGEST_STATEMENT = cython.declare(cython.Py_ssize_t, 1024)  # of those that end a transaction
_DAMAGE = (ValueError, IndexError, OverflowError, zlib.error)
_ARTIFICIAL = cython.declare(cython.int, 0x20)
_ENDINGS = (b"COMMIT", b"ROLLBACK", b"XA COMMIT", b"XA ROLLBACK")
_BEGINNINGS = (b"BEGIN", b"XA START", b"XA BEGIN")
# Where a stream is in a transaction.
OUTSIDE, ANNOUNCED, INSIDE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class FileName:
    """The stream goes on in this file, at this offset."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Head:
    """The format description of a file in whose middle the stream begins."""

    event: bytes


@dataclass(frozen=True, slots=True)
class Beat:
    """Nothing happens; the upstream stands at this offset (its low 32 bits, where `is_low`)."""

    offset: int
    is_low: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Whole events at `start` of the file.  `data` is to be used before the next call only."""

    data: memoryview
    start: int
    end: int
    boundary: int  # behind the last transaction that ends in it; 0: none does
    next_file: str = ""  # its last event is a rotate to this file
    has_incident: bool = False  # its last event says that the upstream lost events


@dataclass(frozen=True, slots=True)
class Gtids:
    """Transactions that ended since the last time: behind `before`, if a file began meanwhile."""

    before: str | None
    ranges: list[tuple[str, int, int]]  # MySQL: source, first, last; MariaDB: domain-server, sequence, sequence


@cython.cclass
class RawEvents:
    """One stream's, or one file's; owned by one thread.

    `inside` is where the stream stood before in a transaction, when it goes on in its middle.
    """

    _frames: Frames
    _crc: Checksum
    _checksum: Any
    _mariadb: cython.bint
    _out: bytearray
    _filled: cython.Py_ssize_t
    _run_start: cython.longlong
    _at: cython.longlong  # 64-bit offset behind the last event of the file
    _boundary: cython.longlong
    _state: cython.int
    _source: Any  # of the GTID of the transaction that is open; None: it has none
    _number: cython.ulonglong
    _before: Any
    _ranges: dict
    _range_of: Any  # source of the last range, which is kept apart until another one comes
    _first: cython.ulonglong
    _last: cython.ulonglong
    _said: Any  # what the server says to its replica, behind the run
    _failed: Any
    _next_file: str
    _incident: cython.bint
    file_name = cython.declare(str, visibility="public")

    def __init__(
        self,
        *,
        framing: str,
        flavor: str,
        file_name: str,
        offset: int = 4,
        inside: int = OUTSIDE,
        checksum: bool | None = None,
    ) -> None:
        self._frames = Frames(framing == "packets")
        self._crc = Checksum()
        self._checksum = checksum
        self._mariadb = flavor == "mariadb"
        self._out = bytearray(RUN_BYTES)
        self._filled = 0
        self._run_start = self._at = offset
        self._boundary = 0
        self._state = inside
        self._source = self._range_of = None
        self._number = self._first = self._last = 0
        self._before = None
        self._ranges = {}
        self._said = None
        self._failed = None
        self._next_file = ""
        self._incident = False
        self.file_name = file_name

    @property
    def offset(self) -> int:
        """Behind the last event, 64-bit."""
        return self._at

    @property
    def inside(self) -> int:
        """OUTSIDE of a transaction, or not."""
        return self._state

    @property
    def checksum(self) -> bool | None:
        """Whether events have one, once that is known."""
        return self._checksum

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """More bytes, in order."""
        self._frames.feed(data)

    def take_gtids(self) -> Gtids:
        """The transactions that ended since the last time."""
        self._put_range()
        ranges: list = []
        for key, spans in self._ranges.items():
            source = _source_text(key)
            ranges.extend((source, first, last) for first, last in spans)
        taken = Gtids(self._before, ranges)
        self._before = None
        self._ranges = {}
        return taken

    def next(self) -> Run | FileName | Head | Beat | None:
        """What comes next in the bytes; None when more are needed.  Raises DMError."""
        while True:
            self._filled = 0
            self._boundary = 0
            self._run_start = self._at
            try:
                while self._said is None and self._failed is None and self._find():
                    if self._event():
                        break
            except DMError as exc:
                self._failed = exc  # told behind what is sound
            if self._filled:
                return self._run()
            if self._said is not None:
                said, self._said = self._said, None
                found = self._artificial(said[4], said)
                if found is not None:
                    return found
            elif self._failed is not None:
                raise self._failed
            else:
                return None

    @cython.cfunc
    def _run(self) -> object:
        run = Run(
            memoryview(self._out)[: self._filled],
            self._run_start,
            self._run_start + self._filled,
            self._boundary,
            self._next_file,
            self._incident,
        )
        self._next_file = ""
        self._incident = False
        return run

    @cython.cfunc
    def _find(self) -> cython.bint:
        try:
            return self._frames.find()
        except BadFrame as exc:
            raise self._corrupt(0, str(exc)) from exc
        except NoEvent as exc:
            raise server_error(exc.packet, self.file_name, self._at) from None

    # ---- one event

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _event(self) -> cython.bint:
        """Take the event that was found; whether the run ends with it."""
        source: bytes = self._frames.source
        at: cython.Py_ssize_t = self._frames.start
        end: cython.Py_ssize_t = self._frames.end
        size: cython.Py_ssize_t = end - at
        if size < _HEADER:
            raise self._corrupt(0, "an event is shorter than its header")
        p: cython.p_const_uchar = source
        code: cython.int = p[at + 4]
        if cython.cast(cython.Py_ssize_t, little(source, at + 9, 4)) != size:
            raise self._corrupt(code, f"an event of {size} bytes says that it has {little(source, at + 9, 4)}")
        flags: cython.int = p[at + 17] | p[at + 18] << 8
        low: cython.longlong = little(source, at + 13, 4)
        expected: cython.longlong = (self._at + size) & 0xFFFFFFFF
        if flags & _ARTIFICIAL or code == 27 or code == 41 or (low == 0 and expected != 0):
            self._said = source[at:end]
            return True
        if low != expected:
            return self._elsewhere(low - expected)
        end -= self._check(code, source, at, end)
        self._keep(source, at, size)
        self._follow(code, source, at + _HEADER, end)
        return self._filled >= _RUN or code == 4 or code == 26

    @cython.cfunc
    def _elsewhere(self, distance: cython.longlong) -> cython.bint:
        """An event at another offset than the one before ends.  Raises CORRUPT where the run would have a gap."""
        half: cython.longlong = 0x80000000
        if distance < -half:
            distance += 2 * half
        elif distance > half:
            distance -= 2 * half
        what = f"{distance} bytes are missing" if distance > 0 else f"{-distance} bytes come again"
        raise self._corrupt(0, f"the next event does not follow the one before: {what}")

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _check(
        self, code: cython.int, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """How many bytes the event's checksum has.  Raises CORRUPT where it is wrong."""
        if code == 15:
            try:
                self._checksum = parse_format(source[at:end])[2]
            except (ValueError, IndexError) as exc:
                raise self._corrupt(code, str(exc)) from exc
            self._state = OUTSIDE
            self._source = None
            return 4
        if self._checksum is None:
            self._checksum = self._is_sound(source, at, end)
        if not self._checksum:
            return 0
        if not self._is_sound(source, at, end):
            raise self._corrupt(code, "the checksum is wrong")
        return 4

    @cython.cfunc
    def _is_sound(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        if end - at < _HEADER + 4:
            return False
        return self._crc.of(source, at, end - 4) == little(source, end - 4, 4)

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _keep(self, source: bytes, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Put the event behind the others of the run."""
        if self._filled + size > len(self._out):
            larger = bytearray(self._filled + size)
            larger[: self._filled] = memoryview(self._out)[: self._filled]
            self._out = larger
        elif len(self._out) > _RUN + _RUN and self._filled == 0 and size < _RUN:
            self._out = bytearray(RUN_BYTES)  # a large event has gone
        if cython.compiled:
            p: cython.p_const_uchar = source
            out: cython.p_char = self._out
            memcpy(out + self._filled, p + at, size)
        else:
            self._out[self._filled : self._filled + size] = source[at : at + size]
        self._filled += size
        self._at += size
        return 0

    @cython.cfunc
    def _artificial(self, code: cython.int, event: bytes) -> Any:
        """What a server says to its replica and writes into no file."""
        body = event[_HEADER:]
        if self._is_sound(event, 0, len(event)):
            body = body[:-4]
        try:
            if code == 4:
                return self._file_name(body)
            if code == 15:
                self._checksum = parse_format(event)[2]
                return Head(event)
            if code == 27:
                return Beat(int.from_bytes(event[13:17], "little"), True)
            if code == 41:
                offset = parse_heartbeat(body)
                return Beat(offset, False) if offset else Beat(int.from_bytes(event[13:17], "little"), True)
        except _DAMAGE as exc:
            raise self._corrupt(code, str(exc)) from exc
        return None

    @cython.cfunc
    def _file_name(self, body: bytes) -> object:
        if len(body) < 9:
            raise ValueError("the event is cut off")
        offset = int.from_bytes(body[:8], "little") & 0x7FFFFFFFFFFFFFFF
        name = body[8:].decode()
        if name != self.file_name or offset != self._at:
            self.file_name = name
            self._at = offset
            self._run_start = offset
            self._state = OUTSIDE
            self._source = None
        return FileName(name, offset)

    # ---- transactions

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _follow(self, code: cython.int, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """See whether a transaction begins or ends with the event whose body is `source[at:end]`."""
        if 19 <= code <= 32 and code != 26 and code != 27:
            return 0  # rows and their table
        if code == 16 or code == 38 or code == 40:
            self._ended()
        elif code == 33 or code == 162:
            self._announced(code, source, at, end)
        elif code == 2 or code == 165:
            self._query(code, source, at, end)
        else:
            try:
                self._follow_rare(code, source[at:end])
            except _DAMAGE as exc:
                raise self._corrupt(code, str(exc)) from exc
        if self._state == OUTSIDE:
            self._boundary = self._at
        return 0

    @cython.cfunc
    def _follow_rare(self, code: cython.int, body: bytes) -> object:
        if code == 4:
            if len(body) < 9:
                raise ValueError("the event is cut off")
            self._next_file = body[8:].decode()
        elif code == 26:
            self._incident = True
        elif code == 34:
            self._state = ANNOUNCED
            self._source = None
        elif code == 42:
            source, _, number = parse_tagged_gtid(body)[0].rpartition(":")
            self._state = ANNOUNCED
            self._source, self._number = source, int(number)
        elif code == 35 or code == 163:
            self._before = parse_gtid_set(body) if code == 35 else parse_mariadb_gtid_list(body)
            self._ranges = {}
            self._range_of = None
        elif (code == 5 or code == 13 or code == 14) and self._state == OUTSIDE:
            self._state = ANNOUNCED  # of a statement, without a GTID
        return None

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _announced(self, code: cython.int, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        if end - at < (13 if code == 162 else 25):
            raise self._corrupt(code, "the event is cut off")
        p: cython.p_const_uchar = source
        if code == 33:
            self._source = p[at + 1 : at + 17]
            self._number = little(source, at + 17, 8)
            self._state = ANNOUNCED
            return 0
        self._source = little(source, at + 8, 4) << 32 | little(source, at - 14, 4)  # domain and server
        self._number = little(source, at, 8)
        self._state = ANNOUNCED if p[at + 12] & 1 else INSIDE
        return 0

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _query(self, code: cython.int, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """BEGIN, COMMIT and their like, or a statement that is a transaction of its own."""
        p: cython.p_const_uchar = source
        if end - at < 13:
            raise self._corrupt(code, "the event is cut off")
        text_at: cython.Py_ssize_t = at + 14 + p[at + 8] + cython.cast(cython.Py_ssize_t, little(source, at + 11, 2))
        if text_at > end:
            raise self._corrupt(code, "the event is cut off")
        if self._state == INSIDE and end - text_at > _LONGEST_STATEMENT:
            return 0
        text: bytes = source[text_at : min(end, text_at + _LONGEST_STATEMENT)]
        if code == 165 and end - text_at <= _LONGEST_STATEMENT:
            try:
                text = uncompress(text)
            except _DAMAGE as exc:
                raise self._corrupt(code, str(exc)) from exc
        if text.startswith(_BEGINNINGS) and (text == b"BEGIN" or text.startswith(b"XA ")):
            self._state = INSIDE
        elif self._state != INSIDE or (text.startswith(_ENDINGS) and not text.startswith(b"ROLLBACK TO")):
            self._ended()
        return 0

    @cython.cfunc
    def _ended(self) -> cython.int:
        """A transaction is whole: its GTID is received."""
        self._state = OUTSIDE
        if self._source is None:
            return 0
        if self._source == self._range_of and (self._mariadb or self._number == self._last + 1):
            self._last = self._number
        else:
            self._put_range()
            self._range_of = self._source
            self._first = self._last = self._number
        self._source = None
        return 0

    @cython.cfunc
    def _put_range(self) -> cython.int:
        source = self._range_of
        if source is None:
            return 0
        if self._mariadb:  # the last of a domain stands for all before it
            for other in [key for key in self._ranges if key >> 32 == source >> 32]:
                del self._ranges[other]
            self._ranges[source] = [(self._last, self._last)]
        else:
            self._ranges.setdefault(source, []).append((self._first, self._last))
        self._range_of = None
        return 0

    def _corrupt(self, code: int, reason: str) -> Exception:
        event = f", {event_name(code)}" if code else ""
        return CORRUPT.error(file=self.file_name, position=self._at, event=event, table="", reason=reason)


def _source_text(source: Any) -> str:
    """Of a UUID's bytes, a UUID with a tag, or a domain and server."""
    if isinstance(source, int):
        return f"{source >> 32}-{source & 0xFFFFFFFF}"
    return source if isinstance(source, str) else uuid_text(source)
