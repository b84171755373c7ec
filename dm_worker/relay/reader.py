"""The relay log as a stream: its files one after the other, while they are being written.

The bytes of the files pass as they are; only what a server makes up for its replica at each file's start
is made up here, too.  What is not durable is never read: the daemon tells how far that is (``durable.py``),
and waiting for more is waiting on its socket.  The kernel reads ahead, a piece at a time is in memory.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Literal

from dm_worker.relay.durable import Durable
from dm_worker.relay.folder import Mark, binlog_files, complete_size, durable_mark, unreadable
from dm_worker.relay.made_up import (
    HEADER_BYTES,
    artificial_rotate,
    closes_file,
    format_size,
    has_checksums,
    heartbeat,
    last_event,
    without_position,
)
from dm_worker.relay.places import FIRST_EVENT, Place, find_place, holds
from pkg.binlog.framing import MAGIC
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

PIECE_BYTES = 1 << 20
CATCH_UP_SECONDS = 30.0
_STOP_LOOK_SECONDS = 0.2
_TAIL_BYTES = (1 << 12, 1 << 20, 1 << 26)  # in which the last event is looked for

log = logging.getLogger(__name__)


def _kind(code: int, message: str, workaround: str, *, resumable: bool = False) -> ErrorKind:
    return ErrorKind(code, "relay-unit", Scope.INTERNAL, Level.HIGH, message, workaround, resumable)


NOT_HELD = _kind(
    30061,
    "the relay log in {folder} does not hold {location} of the server {server}",
    "resume-task: the task then reads from the upstream until the relay log has caught up",
    resumable=True,
)
VANISHED = _kind(
    30062,
    "{path} is missing in the relay log, and later binlog files are there",
    "it is read from the upstream by itself, if that still has it; otherwise start the task again with --remove-meta",
    resumable=True,
)
CUT = _kind(
    30063,
    "{path} is cut off, or is another file: it has {size} bytes, and {reason}",
    "check the worker's disk; take the damaged relay log away: stop-relay, delete its folder, start-relay; then "
    "resume-task",
)
DAEMON_GONE = _kind(
    30064,
    "the relay log has ended at {place}: dm-worker does not keep it any more",
    "the task goes on by itself where it stands; when this goes on, see query-status -s and the log of dm-worker",
    resumable=True,
)
SWITCHED = _kind(
    30065,
    "the relay log goes on in {after} behind {place}: another upstream server has answered, or this one had purged "
    "what lies between",
    "the task goes on by itself at its checkpoint, by GTID or from the upstream; where this goes on, the upstream has "
    "purged binlog files that the relay log lacks: start the task again with --remove-meta",
    resumable=True,
)


DAMAGED = _kind(
    30067,
    "{path} of the relay log is damaged ({reason}), and the upstream no longer has its binlog from {location} on",
    "the damage is on the worker's disk: put that file from a backup of the upstream's binlogs in its place, which "
    "has the same bytes, and resume-task: the task goes on at its checkpoint; only without such a backup start the "
    "task again with --remove-meta",
)


class RelayStream:
    """An ``EventStream`` of the relay log from `start` on; owned by one thread.

    Opening raises DMError; so does `read` once there is an end.
    """

    framing: Literal["packets", "file"] = "file"
    binlog_type: Literal["remote", "local"] = "local"
    checksum: bool | None = None  # each file says so at its start

    @staticmethod
    def covers(folder: Path, server: str, location: Location, use_gtid: bool) -> bool:
        """Whether a stream from `location` on is there, and a daemon that will lengthen it."""
        if holds(folder, server, location, use_gtid) is None:
            return False
        daemon = Durable(folder)
        try:
            return not daemon.is_gone
        finally:
            daemon.close()

    def __init__(self, folder: Path, server: str, start: Location, use_gtid: bool) -> None:
        self._folder = folder
        self._durable = Durable(folder)
        self._descriptor = -1
        self._over: DMError | None = None
        try:
            place = find_place(folder, server, start, use_gtid)
            if place is None:
                location = start.gtid_set if use_gtid and start.gtid_set is not None else start.position
                raise NOT_HELD.error(folder=folder, location=location, server=server)
            self._first = MAGIC
            self._has_checksums = False
            self._open(place)
        except OSError as exc:
            self.close()
            raise unreadable(folder, exc) from exc
        except BaseException:
            self.close()
            raise

    def read(self, timeout: float) -> bytes | None:
        """The next bytes; None when there are none within `timeout` seconds.  Raises DMError when it is over."""
        if self._over is not None:
            raise self._over
        try:
            return self._next_piece(timeout)
        except OSError as exc:
            self._over = unreadable(self._path, exc)
        except DMError as exc:
            self._over = exc
        raise self._over

    def _next_piece(self, timeout: float) -> bytes | None:
        if self._is_begun and self._offset < self._limit:
            return self._read()
        deadline = time.monotonic() + timeout
        while True:
            piece = self._piece()
            if piece is not None:
                return piece
            if self._durable.is_gone:
                raise DAEMON_GONE.error(place=self._position())
            if not self._durable.wait(max(0.0, deadline - time.monotonic())):
                return self._heartbeat()

    def close(self) -> None:
        self._durable.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    # -- below: the file --------------------------------------------------------------------------

    def path_of(self, file: str) -> Path:
        """Where a binlog file of the upstream that it reads lies."""
        return self._folder / self._sub_dir / file

    @property
    def _path(self) -> Path:
        return self._folder / self._sub_dir / self._file

    def _position(self) -> Position:
        return Position(self._file, self._offset)

    def _open(self, place: Place) -> None:
        self._sub_dir, self._file, self._offset = place.sub_dir, place.file, place.offset
        self._durable.tell(self._sub_dir, self._file)
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise VANISHED.error(path=self._path) from None
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = descriptor
        os.posix_fadvise(descriptor, self._offset, 0, os.POSIX_FADV_SEQUENTIAL)
        self._is_begun = False
        self._limit, self._is_complete = 0, False
        self._beat_at = -1

    def _look(self) -> None:
        """See how many bytes of the file may be read, and whether that is all it will ever have."""
        mark = self._durable.mark
        if mark is None:
            return
        if mark.is_behind(self._sub_dir, self._file):
            size = os.fstat(self._descriptor).st_size
            received = complete_size(self._folder, self._sub_dir, self._file)
            if received not in (0, size):  # before any of it is read: another file may lie in its place
                raise CUT.error(path=self._path, size=size, reason=f"{received} were received")
            self._limit, self._is_complete = size, True
        elif (mark.sub_dir, mark.file) == (self._sub_dir, self._file):
            self._limit = mark.size

    def _piece(self) -> bytes | None:
        """The next bytes that are durable; None when there are none."""
        while True:
            if self._offset >= self._limit or not self._is_begun:
                self._look()
            if not self._is_begun:
                start = self._start(self._limit)
                if start is not None:
                    return start
            elif self._offset < self._limit:
                return self._read()
            elif self._is_complete:
                self._check_end(self._limit)
                self._open(self._next())
                continue
            if self._is_complete:
                raise CUT.error(path=self._path, size=self._limit, reason="its first events are missing")
            return None

    def _read(self) -> bytes:
        piece = os.pread(self._descriptor, min(PIECE_BYTES, self._limit - self._offset), self._offset)
        if not piece:
            raise CUT.error(path=self._path, size=self._offset, reason=f"{self._limit} of it were durable")
        self._offset += len(piece)
        return piece

    def _start(self, limit: int) -> bytes | None:
        """What comes before the first event that is asked for; None when it is not there yet."""
        if limit < FIRST_EVENT + HEADER_BYTES:
            return None
        try:
            size = format_size(os.pread(self._descriptor, FIRST_EVENT + HEADER_BYTES, 0))
            if limit < FIRST_EVENT + size:
                return None
            head = os.pread(self._descriptor, size, FIRST_EVENT)
            if len(head) < size:
                raise ValueError("its format description is cut off")
            has_checksums_now = has_checksums(head)
        except ValueError as exc:
            raise unreadable(self._path, exc) from exc
        if self._first:  # otherwise the rotate event is of the kind that the file before has
            self._has_checksums = has_checksums_now
        self._server_id = head[5:9]
        rotate = artificial_rotate(self._file, self._offset, self._server_id, self._has_checksums)
        behind_head = FIRST_EVENT + size
        if self._offset > FIRST_EVENT:
            head = without_position(head)
        self._offset = max(self._offset, behind_head)
        start, self._first = self._first + rotate + head, b""
        self._has_checksums = has_checksums_now
        self._is_begun = True
        return start

    def _next(self) -> Place:
        """Where it goes on behind a complete file.  Raises SWITCHED, VANISHED."""
        mark = self._durable.mark
        assert mark is not None, "a file is complete because of a mark"
        after = [
            name for name in binlog_files(self._folder, self._sub_dir) if Mark("", name, 0).is_behind("", self._file)
        ]
        if not after and mark.sub_dir != self._sub_dir:
            raise SWITCHED.error(place=self._position(), after=mark.sub_dir)
        wanted = following(self._file)
        if not after or after[0] != wanted:
            raise VANISHED.error(path=self._folder / self._sub_dir / wanted)
        return Place(self._sub_dir, wanted, FIRST_EVENT)

    def _check_end(self, size: int) -> None:
        """Raises CUT where a complete file is shorter than what was read, or does not end with a whole event."""
        if size < self._offset:
            raise CUT.error(path=self._path, size=size, reason=f"events up to {self._offset} were read")
        for tail_bytes in _TAIL_BYTES:
            tail = os.pread(self._descriptor, tail_bytes, max(0, size - tail_bytes))
            event = last_event(tail, size, self._has_checksums)
            if event is not None:
                if not closes_file(event):  # an upstream that crashed leaves such files
                    log.warning("a relay log file ends without a rotate event: %s", self._path)
                return
            if tail_bytes >= size:
                raise CUT.error(path=self._path, size=size, reason="its last event is not whole")

    def _heartbeat(self) -> bytes | None:
        """Once at each place where all is read and no transaction is open: the reader stands there."""
        if not self._is_begun or self._beat_at == self._offset:
            return None
        if durable_mark(self._folder) != Mark(self._sub_dir, self._file, self._offset):
            return None
        self._beat_at = self._offset
        return heartbeat(self._file, self._offset, self._server_id, self._has_checksums)


def comes_to_hold(folder: Path, server: str, location: Location, use_gtid: bool, stop: StopSignal) -> bool:
    """Whether the relay log covers ``location``; one that is kept has some time to get there, as after its start."""
    daemon = Durable(folder)
    deadline = time.monotonic() + CATCH_UP_SECONDS
    try:
        while not RelayStream.covers(folder, server, location, use_gtid):
            if daemon.is_gone or stop.is_set() or time.monotonic() >= deadline:
                return False
            daemon.wait(_STOP_LOOK_SECONDS)
        return True
    finally:
        daemon.close()


def following(name: str) -> str:
    """The name of a server's next binlog file."""
    base, _, number = name.rpartition(".")
    return f"{base}.{int(number) + 1:0{len(number)}d}"
