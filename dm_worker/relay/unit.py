"""The relay unit: pulls a source's binlog into its relay log until it is stopped.

Whatever ended it before, it goes on where its files end, by position in the same file of the same server.
Every file begins at its beginning: another server's first one, too, which is the file that holds the first
transaction not received.  docs/protocols/relay.md has the steps.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dm_worker.relay.copying import Copying
from dm_worker.relay.errors import GAP, RESTORED
from dm_worker.relay.folder import accept, refuse
from dm_worker.relay.start import find_begin, refuse_another_file
from dm_worker.relay.upstream import Upstream, open_stream, present_location
from dm_worker.relay.writer import Published, Writer
from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.log import fields
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.errors import LOST_CONNECTION
from pkg.binlog.errors import CORRUPT, STREAM_ENDED
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task import SourceConfig
from pkg.unit import StopSignal

READ_SECONDS = 0.2
LOOK_SECONDS = 5.0
ANSWER_SECONDS = 0.5  # that is waited for what the upstream has, before a question is answered
GROUP_BYTES = 1 << 23

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What status tells; replaced as a whole by the thread that pulls."""

    upstream: Location | None = None
    sub_dir: str = ""
    received: Location | None = None
    asked_at: float = 0.0  # for `upstream`, by the monotonic clock
    looked: int = 0  # the last question that all this is younger than

    @property
    def is_caught_up(self) -> bool:
        if self.upstream is None or self.received is None:
            return False
        return self.received.position >= self.upstream.position


class Relay:
    """One source's relay log.  ``run`` is for one thread; ``status`` for any."""

    def __init__(
        self, config: SourceConfig, folder: Path, notices: Published, start: Callable[[], Location | None]
    ) -> None:
        self._config, self._folder, self._notices, self._start = config, folder, notices, start
        self._options = ConnectionOptions.from_config(config.from_, side="upstream")
        self._shown = _Shown()
        self._next_look = 0.0
        self._wanted, self._tried, self._asked, self._answer_by = 0, 0, 0, 0.0  # questions: see look()
        self._upstream: Upstream
        self._damaged_at = ""  # the place that was pulled once more

    def status(self) -> Mapping[str, Any]:
        """The relay log's part of DM's RelayStatus."""
        shown = self._shown
        return {
            "masterBinlog": _position(shown.upstream),
            "masterBinlogGtid": _gtids(shown.upstream),
            "relaySubDir": shown.sub_dir,
            "relayBinlog": _position(shown.received),
            "relayBinlogGtid": _gtids(shown.received),
            "relayCatchUpMaster": shown.is_caught_up,
            "masterBinlogAge": round(time.monotonic() - shown.asked_at, 3) if shown.upstream is not None else 0.0,
            "looked": shown.looked,
        }

    @property
    def looked(self) -> int:
        """The last question that `status` answers.  For any thread."""
        return self._shown.looked

    def look(self, number: int) -> None:
        """Somebody asks how it stands now: `looked` will say so.  For any thread."""
        self._wanted = number

    def run(self, stop: StopSignal) -> None:
        """Pull until ``stop``.  Raises DMError."""
        while not stop.is_set():
            before = self._shown.received
            try:
                self._pull(stop)
            except DMError as exc:
                if not self._goes_on(exc, has_moved=self._shown.received != before):
                    raise
                log.warning("relay pulls again", extra=fields(source=self._config.source_id, reason=exc.message))

    def _goes_on(self, exc: DMError, *, has_moved: bool) -> bool:
        """Whether to try again at once: what came damaged, once for each place; a connection that served."""
        if exc.is_a(CORRUPT) or exc.is_a(GAP):
            place = f"{exc.fields.get('file')}:{exc.fields.get('position', exc.fields.get('expected'))}"
            known, self._damaged_at = self._damaged_at, place
            return place != known
        return has_moved and (LOST_CONNECTION.matches(exc) or exc.is_a(STREAM_ENDED))

    def _pull(self, stop: StopSignal) -> None:
        """Over one connection, until it ends."""
        self._options = self._options.only("")
        upstream = self._upstream = self._probe()
        self._options = self._options.only(upstream.identity)  # whatever answers at the address from here on
        self._shown, self._next_look = replace(self._shown, upstream=None), 0.0
        writer = Writer(self._folder, self._notices)
        try:
            begin = find_begin(self._config, self._folder, upstream, self._open, self._start)
            accept(self._folder)
            copying = Copying(writer, self._folder, begin, upstream, self._check_former)
            if begin.tail is not None:
                copying.flush()
            self._show(copying)
            log.info(
                "relay pulls", extra=fields(source=self._config.source_id, sub_dir=begin.sub_dir, at=begin.request)
            )
            stream = self._open(begin.request)
            try:
                while not stop.is_set():
                    self._copy_group(stream, copying)
                    self._look(copying)
                    self._answer()
            finally:
                stream.close()
        except DMError as exc:
            if exc.is_a(RESTORED):
                refuse(self._folder, exc.message)
            raise
        finally:
            writer.close()

    def _probe(self) -> Upstream:
        with connect(self._options, side="upstream") as connection:
            return Upstream.probe(connection, self._options.address)

    def _check_former(self, name: str, size: int, head: bytes) -> None:
        """The stream has opened the file that follows: this one must still be there, unless it was purged.

        A server whose binlog is reset leaves the stream in the deleted file, and goes on with the one that is
        called the next one by now.
        """
        refuse_another_file(name, size, head, self._folder, self._probe(), self._open_beside)

    def _open_beside(self, start: Position) -> BinlogStream:
        """A stream beside the one that is copied."""
        return open_stream(self._options, 0, self._upstream.flavor, start)

    def _open(self, start: Position) -> BinlogStream:
        return open_stream(self._options, self._config.server_id, self._upstream.flavor, start)

    def _copy_group(self, stream: BinlogStream, copying: Copying) -> None:
        """Write what has come by now, and make it durable once."""
        data = stream.read(READ_SECONDS)
        if data is None:
            return
        taken = 0
        try:
            while data is not None:
                copying.take(data)
                taken += len(data)
                data = stream.read(0) if taken < GROUP_BYTES else None
        finally:
            copying.flush()
            self._show(copying)

    def _show(self, copying: Copying) -> None:
        upstream, received = self._shown.upstream, copying.received
        asked_at = self._shown.asked_at
        is_ahead = upstream is not None and received.position > upstream.position
        if copying.upstream_at is not None or is_ahead:  # it has no more, or was asked long ago
            upstream, asked_at = Location(copying.upstream_at or received.position, received.gtid_set), time.monotonic()
        self._shown = _Shown(upstream, copying.sub_dir, received, asked_at, self._shown.looked)

    def _look(self, copying: Copying) -> None:
        """Where the upstream stands, now and then; it says so itself when nothing is left to send."""
        now, number = time.monotonic(), self._wanted
        if now < self._next_look and number == self._tried:
            return
        self._next_look, self._answer_by, self._tried = now + LOOK_SECONDS, now + ANSWER_SECONDS, number
        try:
            location = present_location(self._options, self._upstream.server)
        except DMError as exc:
            log.info("upstream not asked", extra=fields(source=self._config.source_id, reason=exc.message))
            return
        if copying.upstream_at is None or location.position >= copying.upstream_at:
            self._shown = replace(self._shown, upstream=location, asked_at=now)
        self._asked = number

    def _answer(self) -> None:
        """Once what the upstream had when it was asked is here, or not soon."""
        shown = self._shown
        if shown.looked != self._asked and (shown.is_caught_up or time.monotonic() >= self._answer_by):
            self._shown = replace(shown, looked=self._asked)


def _position(location: Location | None) -> str:
    return "" if location is None or not location.position.name else str(location.position)


def _gtids(location: Location | None) -> str:
    return "" if location is None or location.gtid_set is None else str(location.gtid_set)
