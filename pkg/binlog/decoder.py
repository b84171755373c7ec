"""Bytes of a binlog stream or file become events: the compiled outer loop of the codec.

`feed` takes bytes in any pieces, `next` gives the next event that matters, so a reader may stop at
any of them.  Cython's pure Python mode, as `rows.py`.  Layouts: MySQL source `binlog_event.h`, "MySQL
Client/Server Protocol: Binlog Network Stream"; MariaDB knowledge base "Replication Protocol".
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Collection
from typing import Any

import cython
import zstandard

from pkg.binlog import event_bodies as bodies
from pkg.binlog.errors import CORRUPT, NO_TABLE_MAP, PARTIAL_IMAGE, UNKNOWN_EVENT, UNSUPPORTED_EVENT, server_error
from pkg.binlog.event_policy import (
    PASSED_OVER,
    REFUSED,
    ROLLBACK_TO,
    SAVEPOINT,
    TRANSACTION_STATEMENTS,
    savepoint_name,
)
from pkg.binlog.events import (
    AnonymousGtidEvent,
    Event,
    FormatEvent,
    HeartbeatEvent,
    PreviousGtidsEvent,
    QueryEvent,
    RollbackEvent,
    RotateEvent,
    SavepointEvent,
    TableMap,
    XaEndEvent,
    XaPrepareEvent,
    event_name,
)
from pkg.binlog.framing import MAGIC, BadFrame, NoEvent
from pkg.binlog.query_event import parse_query
from pkg.binlog.rows import PartialImage, Truncated
from pkg.binlog.table_map import parse_table_map

if cython.compiled:
    from cython.cimports.pkg.binlog.checksum import Checksum
    from cython.cimports.pkg.binlog.framing import Frames, Unpacking
    from cython.cimports.pkg.binlog.frequent_events import GtidEvent, RowsEvent, XidEvent
    from cython.cimports.pkg.binlog.literals import little
    from cython.cimports.pkg.binlog.rows import RowPlan, first_image
else:
    from pkg.binlog.checksum import Checksum
    from pkg.binlog.framing import Frames, Unpacking
    from pkg.binlog.frequent_events import GtidEvent, RowsEvent, XidEvent
    from pkg.binlog.literals import little
    from pkg.binlog.rows import RowPlan, first_image

_HEADER = cython.declare(cython.Py_ssize_t, 19)
_LOGICAL_CLOCK = cython.declare(cython.Py_ssize_t, 25)  # of a GTID of MySQL's: where its kind (2) stands
_COMMIT_TIME = cython.declare(cython.Py_ssize_t, 42)
_UNRESOLVED = object()
_DAMAGE = (ValueError, IndexError, OverflowError, zlib.error, zstandard.ZstdError)
_INSERT, _UPDATE, _DELETE = "insert", "update", "delete"
_ZSTD = zstandard.ZstdDecompressor(max_window_size=1 << 27)

Resolve = Callable[[TableMap], "RowPlan | None"]
PassesOver = Callable[[TableMap], Collection[str]]


@cython.cclass
class Decoder:
    """One stream's decoder; owned by one thread.

    `resolve` gives the row plan of a table when its rows first come by, or None to pass them over;
    `passes_over` then says which kinds of rows events (insert, update, delete) not to read.
    ``statements_only``: rows, GTIDs and commits are passed over unread, and their checksums are not looked at.
    `checksum` None: seen in the stream itself.  ``sql_mode``: the bits of the session that wrote the transaction at
    hand; 0 where the stream does not say them (MariaDB's).
    """

    _frames: Frames
    _payload: Unpacking  # None outside of a compressed transaction
    _flavor: str
    _checksum: object
    _crc: Checksum
    _timestamp: cython.longlong
    _start: cython.longlong
    _end: cython.longlong
    _server_id: cython.longlong
    _flags: cython.int
    _type: cython.int
    _has_rows: cython.bint  # since the last commit
    _is_open: cython.bint  # between a transaction's begin and its commit
    _maps: dict  # table number: (body, TableMap)
    _plans: dict  # table number: RowPlan, or None for a table that is passed over
    _uuids: dict
    _resolve: Any
    _passes_over: Any
    _statements: cython.bint
    _passed: dict  # table number: kinds of rows events that are passed over
    file_name = cython.declare(str, visibility="public")
    sql_mode = cython.declare(cython.ulonglong, visibility="public")

    def __init__(
        self,
        *,
        flavor: str,
        framing: str,
        resolve: Resolve,
        file_name: str,
        checksum: bool | None = None,
        passes_over: PassesOver | None = None,
        statements_only: bool = False,
    ) -> None:
        self._frames = Frames(framing == "packets")
        self._payload = None
        self._flavor = flavor
        self._checksum = checksum
        self._crc = Checksum()
        self._timestamp = self._server_id = 0
        self._start = self._end = 4
        self._flags = self._type = 0
        self._has_rows = self._is_open = False
        self.sql_mode = 0
        self._maps = {}
        self._plans = {}
        self._uuids = {}
        self._resolve = resolve
        self._passes_over = passes_over
        self._passed = {}
        self._statements = statements_only
        self.file_name = file_name

    @property
    def start(self) -> int:
        """Offset before the last event, 64-bit."""
        return self._start

    @property
    def end(self) -> int:
        """Offset behind the last event, 64-bit."""
        return self._end

    @property
    def timestamp(self) -> int:
        """When the last event was made upstream."""
        return self._timestamp

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """More bytes, in order."""
        self._frames.feed(data)

    def forget_tables(self) -> None:
        """A structure may have changed: `resolve` is asked again at each table's next rows."""
        self._plans = {}

    def next(self) -> Event | None:
        """The next event that matters; None when more bytes are needed.  Raises DMError."""
        event: Any = None
        while event is None:
            if self._payload is not None:
                event = self._inner_event()
            elif self._find():
                event = self._outer_event()
            else:
                return None
        return event

    @cython.cfunc
    def _find(self) -> cython.bint:
        try:
            return self._frames.find()
        except BadFrame as exc:
            raise self._damaged(str(exc)) from exc
        except NoEvent as exc:
            raise server_error(exc.packet, self.file_name, self._end) from None

    @cython.cfunc
    def _inner_event(self) -> object:
        """The next event of a compressed transaction, which has no checksum and the payload's place."""
        payload: Unpacking = self._payload
        try:
            if not payload.find():
                self._payload = None
                return None
        except (BadFrame, zstandard.ZstdError) as exc:
            raise self._corrupt(str(exc)) from exc
        self._head(payload.source, payload.start)
        if self._type == 40:
            raise self._corrupt("a compressed transaction holds another one")
        return self._event(payload.source, payload.start + _HEADER, payload.end)

    # ---- one event

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _head(self, source: bytes, at: cython.Py_ssize_t) -> cython.int:
        p: cython.p_const_uchar = source
        self._timestamp = little(p, at, 4)
        self._type = p[at + 4]
        self._server_id = little(p, at + 5, 4)
        self._flags = p[at + 17] | p[at + 18] << 8
        return 0

    @cython.cfunc
    def _outer_event(self) -> object:
        source: bytes = self._frames.source
        at: cython.Py_ssize_t = self._frames.start
        end: cython.Py_ssize_t = self._frames.end
        if end - at < _HEADER:
            raise self._damaged("an event is shorter than its header")
        size: cython.longlong = little(source, at + 9, 4)
        if size != end - at:
            raise self._damaged(f"an event of {end - at} bytes says that it has {size}")
        self._head(source, at)
        self._move(little(source, at + 13, 4), size)
        if self._type == 15:
            return self._format(source[at:end])
        if self._statements and self._is_no_statement():
            return None
        if self._checksum is None:
            self._checksum = end - at >= _HEADER + 4 and self._is_sound(source, at, end)
        if self._checksum:
            if end - at < _HEADER + 4 or not self._is_sound(source, at, end):
                raise self._corrupt("the checksum is wrong")
            end -= 4
        return self._event(source, at + _HEADER, end)

    @cython.cfunc
    def _is_no_statement(self) -> cython.bint:
        """Whether it is neither a statement nor says where the stream is; compressed transactions hold rows alone."""
        code: cython.int = self._type
        return not (code == 2 or code == 165 or code == 4 or code == 27 or code == 41)

    @cython.cfunc
    def _is_sound(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        return self._crc.of(source, at, end - 4) == little(source, end - 4, 4)

    @cython.cfunc
    def _move(self, low: cython.longlong, size: cython.longlong) -> cython.int:
        """Advance the 64-bit end by the 32 bits that an event tells; 0 says nothing (artificial events)."""
        end: cython.longlong
        self._start = self._end
        if low:
            end = (self._end >> 32) << 32 | low
            if end < self._end - 0x7FFFFFFF:
                end += cython.cast(cython.longlong, 1) << 32
            self._end = end
            self._start = end - size
        return 0

    @cython.cfunc
    def _format(self, event: bytes) -> object:
        try:
            version, created, checksum = bodies.parse_format(event)
        except (ValueError, IndexError) as exc:
            raise self._corrupt(str(exc)) from exc
        self._checksum = checksum
        self._maps = {}
        self._plans = {}
        return FormatEvent(version, created, checksum, self._timestamp)

    @cython.cfunc
    def _event(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        code: cython.int = self._type
        if code == 19:
            return self._table_map(source, at, end)
        if 30 <= code <= 32 or 23 <= code <= 25 or 166 <= code <= 168 or code == 39:
            return self._rows(source, at, end)
        if code == 16:
            return self._commit()
        if code == 33 or code == 162:
            return self._gtid(source, at, end)
        try:
            if code == 2 or code == 165 or code == 18:
                return self._query(source, at, end)
            if code in PASSED_OVER:
                return None
            if code == 40:
                return self._begin_payload(memoryview(source)[at:end])
            return self._other(code, source[at:end])
        except _DAMAGE as exc:
            raise self._corrupt(str(exc)) from exc

    @cython.cfunc
    def _commit(self) -> XidEvent:
        event: XidEvent = XidEvent.__new__(XidEvent)
        event.end = self._end
        event.timestamp = self._timestamp
        self._has_rows = self._is_open = False
        return event

    @cython.cfunc
    def _other(self, code: cython.int, body: bytes) -> object:
        if code == 4:
            return self._rotate(body)
        if code == 27 or code == 41:
            if code == 41:
                self._end = bodies.parse_heartbeat(body) or self._end
            return HeartbeatEvent(self._end, self._timestamp)
        if code == 34:
            return AnonymousGtidEvent(self._end, self._timestamp, _commit_time(body, 0, len(body)))
        if code == 35:
            return PreviousGtidsEvent(bodies.parse_gtid_set(body), self._end)
        if code == 163:
            return PreviousGtidsEvent(bodies.parse_mariadb_gtid_list(body), self._end)
        if code == 38:
            return self._xa_prepare(body)
        if code == 42:
            gtid, committed = bodies.parse_tagged_gtid(body)
            return GtidEvent(gtid, self._end, self._timestamp, committed=committed)
        if code in REFUSED:
            raise self._refused(*REFUSED[code])
        if self._flags & 0x80:  # LOG_EVENT_IGNORABLE_F
            return None
        raise UNKNOWN_EVENT.error(event=code, file=self.file_name, position=self._start)

    @cython.cfunc
    def _xa_prepare(self, body: bytes) -> object:
        if body[0]:
            return self._commit()  # XA COMMIT … ONE PHASE
        self._has_rows = False
        return XaPrepareEvent(bodies.parse_xid(body), self._end, self._timestamp)

    @cython.cfunc
    def _begin_payload(self, body: memoryview) -> object:
        """A compressed transaction, which may be as large as an event can be: it is not copied."""
        start, size, is_packed = bodies.parse_payload_head(body)
        content = body[start : start + size]
        reader = _ZSTD.stream_reader(content, read_across_frames=True) if is_packed else io.BytesIO(content)
        self._payload = Unpacking(reader)
        return None

    @cython.cfunc
    def _rotate(self, body: bytes) -> object:
        if len(body) < 9:
            raise Truncated("the event is cut off")
        self.file_name = body[8:].decode()
        self._end = int.from_bytes(body[:8], "little") & 0x7FFFFFFFFFFFFFFF
        self._maps = {}
        self._plans = {}
        return RotateEvent(self.file_name, self._end, self._timestamp == 0)

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _gtid(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        p: cython.p_const_uchar = source
        if end - at < (13 if self._type == 162 else 25):
            raise self._corrupt("the event is cut off")
        event: GtidEvent = GtidEvent.__new__(GtidEvent)
        event.end = self._end
        event.timestamp = self._timestamp
        if self._type == 162:
            event.gtid = f"{little(p, at + 8, 4)}-{self._server_id}-{little(p, at, 8)}"
            event.standalone = (p[at + 12] & 1) != 0
            event.is_ddl = (p[at + 12] & 32) != 0
            event.committed = 0
            self._is_open = not event.standalone
            return event
        raw: bytes = p[at + 1 : at + 17]
        uuid: str | None = self._uuids.get(raw)
        if uuid is None:
            uuid = self._uuids[raw] = bodies.uuid_text(raw)
        event.gtid = f"{uuid}:{little(p, at + 17, 8)}"
        event.standalone = event.is_ddl = self._is_open = False
        event.committed = _commit_time(p, at, end)
        return event

    @cython.cfunc
    def _query(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 13:
            raise Truncated("the event is cut off")
        # LOAD DATA as a statement (18) says where its file's name stands before the rest.
        head_end: cython.Py_ssize_t = at + 26 if self._type == 18 else at + 13
        text_at: cython.Py_ssize_t = head_end + little(source, at + 11, 2) + little(source, at + 8, 1) + 1
        if text_at > end:
            raise Truncated("the event is cut off")
        p: cython.p_const_uchar = source
        text: bytes = p[text_at:end]
        if self._type == 165:
            text = bodies.uncompress(text)
        if text == b"BEGIN":
            self._is_open = True
            # Behind the flags (0), which come first, stands the sql_mode (1).
            has_modes: cython.bint = head_end + 15 <= text_at and p[head_end] == 0 and p[head_end + 5] == 1
            self.sql_mode = little(source, head_end + 6, 8) if has_modes else 0
            return None
        if text == b"COMMIT":
            return self._commit()
        if text.startswith(TRANSACTION_STATEMENTS):
            return self._transaction_statement(text)
        query = parse_query(source[at : at + 13] + source[head_end:text_at], text, in_transaction=bool(self._is_open))
        if not query.takes_effect:
            return None
        return QueryEvent(
            query.schema, query.sql, self._end, self._timestamp, query.status, query.thread_id, query.error_code,
            self._server_id, bool(self._flags & 4), bool(self._is_open), bodies.signed(little(source, at + 4, 4)),
            query.is_text,
        )  # fmt: skip

    @cython.cfunc
    def _transaction_statement(self, text: bytes) -> object:
        """SAVEPOINT, ROLLBACK and XA."""
        if text == b"ROLLBACK" and not self._has_rows:
            return self._commit()
        if text.startswith(ROLLBACK_TO):
            return RollbackEvent(savepoint_name(text[len(ROLLBACK_TO) :]), self._end, self._timestamp)
        if text.startswith(b"ROLLBACK"):
            self._has_rows = self._is_open = False
            return RollbackEvent(None, self._end, self._timestamp)
        if text.startswith(SAVEPOINT):
            return SavepointEvent(savepoint_name(text[len(SAVEPOINT) :]))
        verb, _, xid = text[3:].partition(b" ")
        if text[:3] == b"XA " and verb in (b"COMMIT", b"ROLLBACK"):
            return XaEndEvent(xid.decode(), verb == b"COMMIT", self._end, self._timestamp)
        return None

    # ---- rows

    @cython.cfunc
    def _table_map(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 8:
            raise self._corrupt("the event is cut off")
        table_id = little(source, at, 6)
        p: cython.p_const_uchar = source
        body: bytes = p[at + 8 : end]
        known: tuple | None = self._maps.get(table_id)
        if known is None or known[0] != body:
            try:
                table_map = parse_table_map(body, self._flavor)
            except (ValueError, IndexError) as exc:
                raise self._corrupt(str(exc)) from exc
            self._maps[table_id] = (body, table_map)
            self._plans.pop(table_id, None)
        return None

    @cython.cfunc
    def _rows(self, source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
        if end - at < 10:
            raise self._corrupt("the event is cut off")
        code: cython.int = self._type
        table_id = little(source, at, 6)
        flags: cython.int = little(source, at + 6, 2)
        at += 8
        known: tuple | None = self._maps.get(table_id)
        if known is None:
            if table_id == 0xFFFFFF:
                return None  # no rows: it only ends a statement
            raise NO_TABLE_MAP.error(file=self.file_name, position=self._start, number=table_id)
        table_map = known[1]
        plan = self._plans.get(table_id, _UNRESOLVED)
        if plan is _UNRESOLVED:
            plan = self._plans[table_id] = self._resolve(table_map)
            if self._passes_over is not None:
                self._passed[table_id] = self._passes_over(table_map)
        if plan is None:
            return None
        if 30 <= code <= 39:
            at += little(source, at, 2)
        kind: cython.int = code - 23 if code < 30 else code - 30 if code < 33 else 1 if code == 39 else code - 166
        word: str = _UPDATE if kind == 1 else _INSERT if kind == 0 else _DELETE
        if self._passes_over is not None and word in self._passed[table_id]:
            return None
        try:
            at = first_image(source, at, end, kind == 1, len(table_map.types))
            if code >= 166:
                source = bodies.uncompress(source[at:end])
                at = 0
                end = len(source)
            rows: list
            if code == 39:
                rows = cython.cast(RowPlan, plan, typecheck=True).decode_partial(source, at, end)
            else:
                rows = cython.cast(RowPlan, plan, typecheck=True).decode(source, at, end, kind)
            if kind == 1 and len(rows) & 1:
                raise Truncated("an update has no image after it")
        except PartialImage:
            name = f"{table_map.schema}.{table_map.table}"
            raise PARTIAL_IMAGE.error(table=name, file=self.file_name, position=self._start) from None
        except _DAMAGE as exc:
            raise self._corrupt(str(exc), table_map) from exc
        self._has_rows = True
        event: RowsEvent = RowsEvent.__new__(RowsEvent)
        event.table_map = table_map
        event.kind = word
        event.rows = rows
        event.start = self._start
        event.end = self._end
        event.timestamp = self._timestamp
        event.server_id = self._server_id
        event.is_statement_end = (flags & 1) != 0
        # 16: what MySQL 9.6 and later cascades is logged, so that no DELETE or UPDATE is to cascade in the target.
        event.checks_keys = (flags & 2) == 0 and (word is _INSERT or not flags & 16)
        return event

    # ---- errors

    def _damaged(self, reason: str) -> Exception:
        """Of bytes that cannot be framed: behind the last event."""
        self._start = self._end
        self._type = 0
        return self._corrupt(reason)

    def _corrupt(self, reason: str, table_map: TableMap | None = None) -> Exception:
        table = "" if table_map is None else f" of {table_map.schema}.{table_map.table}"
        event = f", {event_name(self._type)}" if self._type else ""
        return CORRUPT.error(file=self.file_name, position=self._start, event=event, table=table, reason=reason)

    def _refused(self, reason: str, remedy: str) -> Exception:
        return UNSUPPORTED_EVENT.error(
            event=event_name(self._type), file=self.file_name, position=self._start, reason=reason, remedy=remedy
        )


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _commit_time(p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    """When a GTID or ANONYMOUS_GTID of MySQL's was committed on this server, in microseconds since 1970.

    0 before MySQL 8.0.1, whose events do not say it.  The highest bit says that the time at the first server follows.
    """
    if end - at < _COMMIT_TIME + 7 or p[at + _LOGICAL_CLOCK] != 2:
        return 0
    return little(p, at + _COMMIT_TIME, 7) & ((1 << 55) - 1)


__all__ = ["MAGIC", "Decoder"]
