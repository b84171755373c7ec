"""Carries a stream's events into files: what a file has already is compared, what does not follow is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from dm_worker.relay.errors import GAP, RENAMED, RESTORED
from dm_worker.relay.made_up import HEADER_BYTES, event_size
from dm_worker.relay.start import Begin
from dm_worker.relay.upstream import Upstream, is_same_head
from dm_worker.relay.writer import Writer
from pkg.adapters.log import fields
from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.binlog.raw_events import Beat, FileName, Head, RawEvents, Run
from pkg.binlog.relay_layout import following, is_binlog_name, with_gtids

_LOW = 0xFFFFFFFF
Check = Callable[[str, int, bytes], None]

log = logging.getLogger(__name__)


class Copying:
    """One stream's way into the relay log; owned by the thread that pulls."""

    def __init__(self, writer: Writer, folder: Path, begin: Begin, upstream: Upstream, check: Check) -> None:
        """``check`` takes name, size and head of the file before a next one begins, and raises where it is another."""
        self._check = check
        self._writer, self._folder = writer, folder
        self._request = begin.request
        self._next_file = ""
        self._head = b""
        self._gtid_set: GtidSet = parse_gtid_set("", upstream.flavor)
        self._boundary = 0
        self._received = Location(Position("", 0), self._gtid_set)
        self.upstream_at: Position | None = None
        inside = 0
        if begin.tail is not None and begin.sub_dir in begin.known:
            tail = begin.tail
            writer.go_on(str(begin.sub_dir), tail.file, tail.size)
            self._gtid_set, self._boundary, self._head = tail.gtid_set, tail.boundary, tail.head
            inside = tail.inside if begin.request == Position(tail.file, tail.size) else 0
        else:
            writer.begin_sub_dir(begin.sub_dir, begin.known)
        self._raw = RawEvents(
            framing="packets",
            flavor=upstream.flavor,
            file_name=begin.request.name,
            offset=begin.request.offset,
            inside=inside,
        )

    @property
    def sub_dir(self) -> str:
        return self._writer.sub_dir

    @property
    def received(self) -> Location:
        """What is durable, at a transaction's end."""
        return self._received

    def take(self, data: bytes) -> None:
        """Write the events in the stream's next bytes."""
        self._raw.feed(data)
        while (found := self._raw.next()) is not None:
            if isinstance(found, Run):
                self._copy(found)
            elif isinstance(found, FileName):
                self._enter(found)
            elif isinstance(found, Head):
                self._compare_head(found.event)
            else:
                self._beat(found)

    def flush(self) -> None:
        """Make durable what was written."""
        if not self._writer.file:
            return
        self._gtid_set = with_gtids(self._gtid_set, self._raw.take_gtids())
        self._writer.flush(self._boundary, self._gtid_set)
        self._received = Location(Position(self._writer.file, self._boundary), self._gtid_set)

    def _copy(self, run: Run) -> None:
        writer, name = self._writer, self._raw.file_name
        if writer.file != name:
            if run.start != 4:
                raise GAP.error(file=name, expected=4, found=run.start)
            if writer.file:
                self._check(writer.file, writer.size, self._head)
            self._head = bytes(run.data[: event_size(bytes(run.data[:HEADER_BYTES]))])
            writer.begin_file(name)
            self._boundary = 0
        if run.start > writer.size:
            raise GAP.error(file=name, expected=writer.size, found=run.start)
        known = min(run.end, writer.size) - run.start
        if known > 0:
            if not writer.holds(run.start, run.data[:known]):
                raise self._restored(f"its bytes from {run.start} on are others")
            log.debug("events came again", extra=fields(file=name, start=run.start, size=known))
        if known < len(run.data):
            writer.append(run.data[max(0, known) :])
        elif known == len(run.data) and run.end < writer.size:
            self._raw.take_gtids()  # known already, and MariaDB's set would go back
        self._boundary = max(self._boundary, run.boundary)
        self._next_file = run.next_file
        self.upstream_at = None
        if run.has_incident:
            log.warning("the upstream lost events", extra=fields(file=name, end=run.end))

    def _enter(self, found: FileName) -> None:
        """The stream is in this file now."""
        writer = self._writer
        if not is_binlog_name(found.name):
            raise RENAMED.error(file=writer.file, found=repr(found.name), expected="a file", folder=self._folder)
        if not writer.file:
            expected = self._request.name
        elif found.name == writer.file:
            if found.offset > writer.size:
                raise GAP.error(file=found.name, expected=writer.size, found=found.offset)
            return
        else:
            expected = self._next_file or following(writer.file)
        if found.name != expected:
            raise RENAMED.error(file=writer.file, found=found.name, expected=expected, folder=self._folder)
        if found.offset != 4:
            raise GAP.error(file=found.name, expected=4, found=found.offset)
        self.flush()
        self._next_file = ""

    def _compare_head(self, event: bytes) -> None:
        """In the middle of a file the server tells its head again, without position and time of its start."""
        if self._head and not is_same_head(event, self._head):
            raise self._restored("its head is another")

    def _beat(self, found: Beat) -> None:
        """Nothing was left out if the server stands where we do."""
        at = self._raw.offset
        if found.offset != (at & _LOW if found.is_low else at):
            raise GAP.error(file=self._raw.file_name, expected=at, found=found.offset)
        self.upstream_at = Position(self._raw.file_name, at)

    def _restored(self, reason: str) -> Exception:
        return RESTORED.error(file=self._raw.file_name, folder=self._folder, reason=reason)
