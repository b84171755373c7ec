"""From a file's events to what they mean: rows by the compiled decoder, compressed transactions opened."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator

import zstandard

from dm_binlog.frames import HEADER_SIZE, Frame
from dm_binlog.items import Head, Item, Meaning, Opened, Remark, Rows, Unreadable
from dm_binlog.layouts import KnownNames, Layout, layout_of
from dm_binlog.logged_key import logged_key
from dm_binlog.meanings import meaning_of
from dm_binlog.partial_images import read_partial
from pkg.binlog.decoder import MAGIC, Decoder
from pkg.binlog.errors import PARTIAL_IMAGE
from pkg.binlog.event_bodies import MAX_EVENT_BYTES, parse_format, parse_payload_head
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.rows import RowPlan
from pkg.binlog.table_map import parse_table_map
from pkg.errors import DMError

_FORMAT, _TABLE_MAP, _PAYLOAD = 15, 19, 40
_PARTIAL_JSON = 39
_KINDS = {
    first + place: kind for first in (20, 23, 30, 166) for place, kind in enumerate(("insert", "update", "delete"))
} | {_PARTIAL_JSON: "update"}
_OF_5_1 = (20, 21, 22)
_STATEMENT_END = 0xFFFFFF
_DAMAGE = (ValueError, IndexError, OverflowError, zlib.error, zstandard.ZstdError)
_PIECE = 1 << 20


class ItemReader:
    """What the events of one file mean.  One event is held at a time."""

    def __init__(self, known: KnownNames, warn: Callable[[str], None]) -> None:
        self._known = known
        self._warn = warn
        self._flavor = "mysql"
        self._rows = self._decoder(None)

    def items(self, frames: Iterable[Frame]) -> Iterator[Item]:
        """An event with a body that makes no sense is an `Unreadable`; the next ones can still be read."""
        for frame in frames:
            try:
                if frame.code == _PAYLOAD:
                    yield from self._payload(frame)
                else:
                    yield Item(frame, self._meaning(frame, self._rows))
            except _DAMAGE as exc:
                yield Item(frame, Unreadable("", frame.name, str(exc)))

    def _decoder(self, checksum: bool | None) -> _RowReader:
        return _RowReader(self._flavor, checksum, self._known, self._warn)

    def _meaning(self, frame: Frame, rows: _RowReader) -> Meaning:
        if frame.code == _FORMAT:
            return self._head(frame)
        if frame.code == _TABLE_MAP:
            return Opened(rows.table(frame))
        if frame.code in _KINDS:
            return rows.read(frame)
        return meaning_of(frame)

    def _head(self, frame: Frame) -> Head:
        version, _, checksum = parse_format(frame.data)
        self._flavor = "mariadb" if "mariadb" in version.lower() else "mysql"
        self._rows = self._decoder(None)
        self._rows.feed(frame)
        return Head(version, checksum, bool(frame.flags & 1))

    def _payload(self, frame: Frame) -> Iterator[Item]:
        """The event itself, then those inside, unpacked piece by piece."""
        start, size, is_packed = parse_payload_head(frame.body)
        packed = frame.body[start : start + size]
        yield Item(frame, Remark(f"a compressed transaction of {size:,} bytes", in_transaction=True))
        content = io.BytesIO(packed)
        unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        stream = unpacker.stream_reader(content, read_across_frames=True) if is_packed else content
        rows = self._decoder(False)
        for inner in _inner_frames(frame, io.BufferedReader(stream, _PIECE)):
            yield Item(inner, self._meaning(inner, rows))


def _inner_frames(outer: Frame, stream: io.BufferedReader) -> Iterator[Frame]:
    while header := stream.read(HEADER_SIZE):
        size = int.from_bytes(header[9:13], "little")
        if not HEADER_SIZE <= size <= MAX_EVENT_BYTES:
            raise ValueError(f"an event in a compressed transaction says that it has {size} bytes")
        data = header + stream.read(size - HEADER_SIZE)
        if len(data) < size:
            raise ValueError("a compressed transaction is cut off")
        timestamp, server_id = int.from_bytes(header[:4], "little"), int.from_bytes(header[5:9], "little")
        flags = int.from_bytes(header[17:19], "little")
        yield Frame(
            outer.file, outer.start, size, header[4], timestamp, server_id, flags, outer.end_log_pos, data, size, True
        )


class _RowReader:
    """Table maps and rows of one stream, which has checksums as a whole or not."""

    def __init__(self, flavor: str, checksum: bool | None, known: KnownNames, warn: Callable[[str], None]) -> None:
        self._flavor = flavor
        self._known = known
        self._warn = warn
        self._tables: dict[int, tuple[bytes, Layout]] = {}
        self._current = _NO_LAYOUT
        self._decoder = Decoder(
            flavor=flavor, framing="file", resolve=self._plan, file_name="binlog", checksum=checksum
        )
        self._decoder.feed(MAGIC)

    def feed(self, frame: Frame) -> RowsEvent | None:
        self._decoder.feed(frame.data)
        event = self._decoder.next()
        return event if isinstance(event, RowsEvent) else None

    def table(self, frame: Frame) -> Layout:
        """What a table map describes."""
        body = frame.body
        number = int.from_bytes(body[:6], "little")
        known = self._tables.get(number)
        if known is None or known[0] != body:
            table_map = parse_table_map(body[8:], self._flavor)
            known = (body, layout_of(table_map, logged_key(body[8:]), self._known, self._warn))
            self._tables[number] = known
            self._decoder.forget_tables()
        self.feed(frame)
        return known[1]

    def read(self, frame: Frame) -> Rows | Unreadable | Remark:
        number = int.from_bytes(frame.body[:6], "little")
        known = self._tables.get(number)
        if known is None:
            if number == _STATEMENT_END:
                return Remark("the end of a statement", in_transaction=True)
            raise ValueError(f"rows of table number {number} come without their table map")
        layout, kind = known[1], _KINDS[frame.code]
        if frame.code in _OF_5_1:
            return Unreadable(layout.full_name, kind, "rows in the format of MySQL 5.1 betas")
        if layout.problem:
            return Unreadable(layout.full_name, kind, layout.problem)
        self._current = layout
        try:
            event = self.feed(frame)
        except DMError as exc:
            if exc.is_a(PARTIAL_IMAGE) and frame.code != _PARTIAL_JSON:
                return Rows(layout, kind, read_partial(layout, frame.code, frame.body))
            return Unreadable(layout.full_name, kind, str(exc.fields.get("reason", exc.message)))
        if event is None:
            raise ValueError("the event has no rows")
        images: list[tuple[bytes | None, ...]] = list(event.rows)
        return Rows(layout, kind, images)

    def _plan(self, table_map: TableMap) -> RowPlan:
        return RowPlan(self._current.plans)


_NO_LAYOUT = Layout("", "", (), (), (), True)
