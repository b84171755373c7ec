"""Bytes of a binlog stream or file become events: the compiled outer loop of the codec.

`feed` takes bytes in any pieces, `next` gives the next event that matters, so a reader may stop at
any of them.  Cython's pure Python mode, as `rows.py`.  Layouts: MySQL source `binlog_event.h`,
"MySQL Client/Server Protocol: Binlog Network Stream"; MariaDB knowledge base "Replication Protocol".
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import cython
import zstandard

from pkg.binlog.errors import CORRUPT, PARTIAL_IMAGE, SERVER_ERROR, UNKNOWN_EVENT, UNSUPPORTED_EVENT
from pkg.binlog.events import (
    Event,
    FormatEvent,
    GtidEvent,
    HeartbeatEvent,
    QueryEvent,
    RotateEvent,
    RowsEvent,
    TableMap,
    XidEvent,
    event_name,
)
from pkg.binlog.parts import (
    parse_format,
    parse_payload_head,
    parse_query,
    parse_table_map,
    sid_text,
    uncompress,
)
from pkg.binlog.rows import RowPlan, Truncated

MAGIC = b"\xfebin"
_HEADER = 19
_WHOLE_PACKET = 0xFFFFFF
_KINDS = {
    23: "insert", 24: "update", 25: "delete", 30: "insert", 31: "update", 32: "delete",
    166: "insert", 167: "update", 168: "delete",
}  # fmt: skip
_PASSED_OVER = frozenset({1, 3, 5, 13, 14, 28, 29, 34, 35, 36, 37, 160, 161, 163})
_NOT_DONE = {
    17: ("LOAD DATA is logged as a statement", "set binlog_format = ROW"),
    18: ("LOAD DATA is logged as a statement", "set binlog_format = ROW"),
    20: ("rows in the format of MySQL 5.1 betas cannot be read", "upgrade the upstream"),
    21: ("rows in the format of MySQL 5.1 betas cannot be read", "upgrade the upstream"),
    22: ("rows in the format of MySQL 5.1 betas cannot be read", "upgrade the upstream"),
    26: ("the upstream lost events", "start the task again with --remove-meta"),
    38: ("XA transactions cannot be replicated by this version", "commit without XA"),
    39: ("partial JSON updates cannot be read by this version", "SET GLOBAL binlog_row_value_options = ''"),
    42: ("tagged GTIDs cannot be read by this version", "use GTID_NEXT without a tag"),
    164: ("the binlog is encrypted for its own server only", "read it from the server, not from a file"),
}

Resolve = Callable[[TableMap], "RowPlan | None"]


@cython.cclass
class Decoder:
    """One stream's decoder; owned by one thread.

    `resolve` gives the row plan of a table when its rows first come by, or None to pass them over.
    """

    _buf = cython.declare(bytes)
    _at = cython.declare(cython.Py_ssize_t)
    _packets = cython.declare(cython.bint)
    _checksum = cython.declare(cython.bint)
    _head_done = cython.declare(cython.bint)
    _inner = cython.declare(bytes)
    _inner_at = cython.declare(cython.Py_ssize_t)
    _timestamp = cython.declare(cython.longlong)
    _start = cython.declare(cython.longlong)
    _end = cython.declare(cython.longlong)
    _server_id = cython.declare(cython.longlong)
    _type = cython.declare(cython.int)
    _maps = cython.declare(dict)
    _plans = cython.declare(dict)
    _sids = cython.declare(dict)
    _resolve = cython.declare(object)
    _pieces = cython.declare(list)
    _header_extra = cython.declare(cython.int)
    file_name = cython.declare(str, visibility="public")

    def __init__(self, *, flavor: str, framing: str, resolve: Resolve, file_name: str, checksum: bool = True) -> None:
        self._buf = b""
        self._at = 0
        self._packets = framing == "packets"
        self._checksum = checksum
        self._head_done = self._packets
        self._inner = b""
        self._inner_at = 0
        self._timestamp = self._start = self._server_id = 0
        self._end = 4
        self._type = 0
        self._maps = {}
        self._plans = {}
        self._sids = {}
        self._resolve = resolve
        self._pieces = []
        self.file_name = file_name

    @property
    def end(self) -> int:
        """Offset behind the last event, 64-bit."""
        return self._end

    def feed(self, data: bytes) -> None:
        """More bytes, in order; what was read is let go."""
        self._buf = self._buf[self._at :] + data if self._at < len(self._buf) else bytes(data)
        self._at = 0

    def forget_tables(self) -> None:
        """A structure may have changed: `resolve` is asked again at each table's next rows."""
        self._plans = {}

    def next(self) -> Event | None:
        """The next event that matters; None when more bytes are needed.  Raises DMError."""
        event: Any = None
        while event is None:
            if self._inner_at < len(self._inner):
                event = self._next_inner()
            elif self._packets:
                if not self._next_packet():
                    return None
                event = self._outer_event()
            else:
                if not self._next_in_file():
                    return None
                event = self._outer_event()
        return event

    # ---- framing: each of these finds one whole event, `_event_at` to `_event_end` of `_source`

    _source = cython.declare(bytes)
    _event_at = cython.declare(cython.Py_ssize_t)
    _event_end = cython.declare(cython.Py_ssize_t)

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _next_packet(self) -> cython.bint:
        length: cython.Py_ssize_t
        buf: bytes = self._buf
        available: cython.Py_ssize_t
        while True:
            available = len(buf) - self._at
            if available < 4:
                return False
            length = buf[self._at] | buf[self._at + 1] << 8 | buf[self._at + 2] << 16
            if available < 4 + length:
                return False
            if length == _WHOLE_PACKET or self._pieces:
                self._pieces.append(buf[self._at + 4 : self._at + 4 + length])
                self._at += 4 + length
                if length == _WHOLE_PACKET:
                    continue
                self._source = b"".join(self._pieces)
                self._pieces = []
                self._event_at = 1
                self._event_end = len(self._source)
                self._check_status(self._source, 0, self._event_end)
                return True
            self._source = buf
            self._event_at = self._at + 5
            self._event_end = self._at + 4 + length
            if length == 0 or buf[self._at + 4] != 0:
                self._check_status(buf, self._at + 4, self._event_end)
            self._at = self._event_end
            return True

    @cython.cfunc
    def _check_status(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        status = source[at] if at < end else 0xFE
        if status == 0:
            return None
        if status == 0xFF and end - at > 3:
            errno = source[at + 1] | source[at + 2] << 8
            text = source[at + 3 : end].decode("utf-8", "replace")
            text = text[6:] if text.startswith("#") else text
        else:
            errno, text = 0, "the stream was ended"
        raise SERVER_ERROR.error(file=self.file_name, position=self._end, errno=errno, text=text)

    @cython.cfunc
    def _next_in_file(self) -> cython.bint:
        if not self._head_done:
            if len(self._buf) - self._at < 4:
                return False
            if self._buf[self._at : self._at + 4] != MAGIC:
                raise self._corrupt("a binlog file starts with the bytes fe 62 69 6e")
            self._at += 4
            self._head_done = True
        if len(self._buf) - self._at < _HEADER:
            return False
        size: cython.Py_ssize_t = self._u32(self._buf, self._at + 9)
        if size < _HEADER:
            raise self._corrupt(f"an event says that it has {size} bytes")
        if len(self._buf) - self._at < size:
            return False
        self._source = self._buf
        self._event_at = self._at
        self._event_end = self._at + size
        self._at += size
        return True

    @cython.cfunc
    def _next_inner(self) -> object:
        """An event of an unpacked transaction; it has no checksum and the payload's place."""
        if len(self._inner) - self._inner_at < _HEADER:
            raise self._corrupt("a compressed transaction is cut off")
        size: cython.Py_ssize_t = self._u32(self._inner, self._inner_at + 9)
        if size < _HEADER or size > len(self._inner) - self._inner_at:
            raise self._corrupt(f"an event in a compressed transaction says that it has {size} bytes")
        at: cython.Py_ssize_t = self._inner_at
        self._inner_at += size
        self._timestamp = self._u32(self._inner, at)
        self._type = self._inner[at + 4]
        event = self._event(self._inner, at + _HEADER, at + size)
        if self._inner_at == len(self._inner):
            self._inner, self._inner_at = b"", 0
        return event

    # ---- one event

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    @cython.inline
    def _u32(self, buf: bytes, at: cython.Py_ssize_t) -> cython.longlong:
        """Four bytes, lowest first; the caller has checked that they are there."""
        low: cython.longlong = buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16
        high: cython.longlong = buf[at + 3]
        return low | high << 24

    @cython.cfunc
    def _table_id(self, buf: bytes, at: cython.Py_ssize_t) -> cython.longlong:
        high: cython.longlong = buf[at + 4] | buf[at + 5] << 8
        return self._u32(buf, at) | high << 32

    @cython.cfunc
    def _outer_event(self) -> object:
        source: bytes = self._source
        at: cython.Py_ssize_t = self._event_at
        end: cython.Py_ssize_t = self._event_end
        if end - at < _HEADER:
            raise self._corrupt("an event is shorter than its header")
        size: cython.longlong = self._u32(source, at + 9)
        if size != end - at:
            raise self._corrupt(f"an event of {end - at} bytes says that it has {size}")
        self._timestamp = self._u32(source, at)
        self._type = source[at + 4]
        self._server_id = self._u32(source, at + 5)
        self._move(self._u32(source, at + 13), size)
        if self._type == 15:
            return self._format(source, at, end)
        if self._checksum:
            end -= 4
            if end - at < _HEADER or zlib.crc32(memoryview(source)[at:end]) != self._u32(source, end):
                raise self._corrupt("the checksum is wrong")
        return self._event(source, at + _HEADER, end)

    @cython.cfunc
    def _move(self, low: cython.longlong, size: cython.longlong) -> object:
        """Advance the 64-bit end by the 32 bits that an event tells; 0 says nothing (artificial events)."""
        if low == 0:
            self._start = self._end
            return None
        end: cython.longlong = (self._end >> 32) << 32 | low
        if end < self._end - 0x7FFFFFFF:
            end += 0x100000000
        self._end = end
        self._start = end - size
        return None

    @cython.cfunc
    def _format(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        version, created, checksum, sound = parse_format(source[at:end], _HEADER)
        if not sound:
            raise self._corrupt("the checksum is wrong")
        self._checksum = checksum
        return FormatEvent(version, created, checksum)

    @cython.cfunc
    def _event(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        code: cython.int = self._type
        if code == 19:
            return self._table_map(source, at, end)
        if code in _KINDS:
            return self._rows(source, at, end)
        if code == 16:
            return XidEvent(self._end, self._timestamp)
        if code == 33 or code == 162:
            return self._gtid(source, at, end)
        if code == 2 or code == 165:
            return self._query(source, at, end)
        return self._other(code, source, at, end)

    @cython.cfunc
    def _other(self, code: cython.int, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if code == 4:
            return self._rotate(source, at, end)
        if code == 27 or code == 41:
            return HeartbeatEvent(self._end, self._timestamp)
        if code == 40:
            return self._payload(source, at, end)
        if code in _PASSED_OVER:
            return None
        if code in _NOT_DONE:
            reason, remedy = _NOT_DONE[code]
            raise UNSUPPORTED_EVENT.error(
                event=event_name(code), file=self.file_name, position=self._start, reason=reason, remedy=remedy
            )
        if self._is_ignorable(source, at):
            return None
        raise UNKNOWN_EVENT.error(event=code, file=self.file_name, position=self._start)

    @cython.cfunc
    def _is_ignorable(self, source: bytes, at: cython.Py_ssize_t) -> cython.bint:
        """LOG_EVENT_IGNORABLE_F in the header's flags, the two bytes before the event's body."""
        return bool((source[at - 2] | source[at - 1] << 8) & 0x80)

    @cython.cfunc
    def _rotate(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 9:
            raise self._corrupt("the event is cut off")
        name = source[at + 8 : end].decode("utf-8", "replace")
        offset = int.from_bytes(source[at : at + 8], "little")
        artificial = self._timestamp == 0
        self.file_name = name
        self._end = offset
        self._maps = {}
        return RotateEvent(name, offset, artificial)

    @cython.cfunc
    def _gtid(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if self._type == 162:
            if end - at < 13:
                raise self._corrupt("the event is cut off")
            sequence = self._u32(source, at) | self._u32(source, at + 4) << 32
            gtid = f"{self._u32(source, at + 8)}-{self._server_id}-{sequence}"
            return GtidEvent(gtid, self._end, self._timestamp, bool(source[at + 12] & 1))
        if end - at < 25:
            raise self._corrupt("the event is cut off")
        sid: bytes = source[at + 1 : at + 17]
        text = self._sids.get(sid)
        if text is None:
            text = self._sids[sid] = sid_text(sid)
        number = self._u32(source, at + 17) | self._u32(source, at + 21) << 32
        return GtidEvent(f"{text}:{number}", self._end, self._timestamp)

    @cython.cfunc
    def _query(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        body: bytes = source[at:end]
        try:
            schema, sql, status = parse_query(body, compressed=self._type == 165)
        except (ValueError, IndexError, zlib.error) as exc:
            raise self._corrupt(str(exc)) from exc
        return QueryEvent(schema, sql, self._end, self._timestamp, status)

    @cython.cfunc
    def _payload(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        try:
            start, size, unpacked = parse_payload_head(source[at:end])
            packed = source[at + start : at + start + size]
            self._inner = packed if unpacked is None else zstandard.ZstdDecompressor().decompress(packed, unpacked)
            self._inner_at = 0
        except (ValueError, IndexError, zstandard.ZstdError) as exc:
            raise self._corrupt(str(exc)) from exc
        return None

    # ---- rows

    @cython.cfunc
    def _table_map(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 8:
            raise self._corrupt("the event is cut off")
        table_id = self._table_id(source, at)
        body: bytes = source[at + 8 : end]
        known = self._maps.get(table_id)
        if known is None or known[0] != body:
            try:
                table_map = parse_table_map(body)
            except (ValueError, IndexError) as exc:
                raise self._corrupt(str(exc)) from exc
            self._maps[table_id] = (body, table_map)
            self._plans.pop(table_id, None)
        return None

    @cython.cfunc
    def _rows(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 10:
            raise self._corrupt("the event is cut off")
        table_id = self._table_id(source, at)
        known = self._maps.get(table_id)
        if known is None:
            raise self._corrupt(f"rows of table number {table_id} come without its table map")
        table_map = known[1]
        if table_id in self._plans:
            plan = self._plans[table_id]
        else:
            plan = self._plans[table_id] = self._resolve(table_map)
        if plan is None:
            return None
        code: cython.int = self._type
        at += 8
        if 30 <= code <= 32:
            at += source[at] | source[at + 1] << 8
        kind = _KINDS[code]
        try:
            at = self._check_images(source, at, end, kind == "update", table_map)
            if code >= 166:
                source = uncompress(source[at:end])
                at, end = 0, len(source)
            rows = plan.decode(source, at, end)
        except (ValueError, IndexError, OverflowError, zlib.error) as exc:
            raise self._corrupt(str(exc), table_map) from exc
        return RowsEvent(table_map, kind, rows, self._start, self._end, self._timestamp)

    @cython.cfunc
    def _check_images(
        self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t, two: cython.bint, table_map: Any
    ) -> cython.Py_ssize_t:
        """Where the images start, behind the bitmaps that say which columns are logged: all, or it is refused."""
        count: cython.Py_ssize_t = 0
        shift: cython.int = 0
        while True:
            if at >= end:
                raise Truncated("the event is cut off")
            byte: cython.int = source[at]
            at += 1
            if shift == 0 and byte >= 0xFB:
                if byte != 0xFC or at + 2 > end:
                    raise Truncated("the number of columns is damaged")
                count = source[at] | source[at + 1] << 8
                at += 2
            else:
                count = byte
            break
        if count != len(table_map.types):
            raise Truncated(f"rows have {count} columns and their table map {len(table_map.types)}")
        size: cython.Py_ssize_t = (count + 7) >> 3
        for _ in range(2 if two else 1):
            if at + size > end:
                raise Truncated("the event is cut off")
            if int.from_bytes(source[at : at + size], "little") & ((1 << count) - 1) != (1 << count) - 1:
                name = f"{table_map.schema}.{table_map.table}"
                raise PARTIAL_IMAGE.error(table=name, file=self.file_name, position=self._start)
            at += size
        return at

    @cython.cfunc
    def _corrupt(self, reason: str, table_map: Any = None) -> object:
        table = "" if table_map is None else f" of {table_map.schema}.{table_map.table}"
        return CORRUPT.error(
            file=self.file_name,
            position=self._start,
            event=event_name(self._type),
            table=table,
            reason=reason,
        )


__all__ = ["MAGIC", "Decoder"]
