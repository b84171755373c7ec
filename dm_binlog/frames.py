"""A file's events as they lie in it: headers and bodies, checksums verified, cut or damaged ends told by place."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from dm_binlog.errors import CUT_OFF, DAMAGED, ENCRYPTED, NO_BINLOG, STILL_WRITTEN, TRUNCATED, UNREADABLE
from dm_binlog.foreign import describe
from pkg.binlog.decoder import MAGIC
from pkg.binlog.event_bodies import MAX_EVENT_BYTES, parse_format
from pkg.binlog.events import event_name
from pkg.errors import DMError

HEADER_SIZE = 19
_HEADER = struct.Struct("<IBIIIH")
_ENCRYPTED_MAGIC = b"\xfdbin"
_FORMAT, _START_ENCRYPTION = 15, 164
_IN_USE = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """One event as it lies in the file; `start` is its true offset there."""

    file: str
    start: int
    size: int
    code: int
    timestamp: int
    server_id: int
    flags: int
    end_log_pos: int  # what the event says: in a relay log a place in the upstream's file
    data: bytes  # the whole event, with its checksum
    body_end: int  # where the checksum starts in `data`
    inner: bool = False  # of a compressed transaction, whose place it has

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def body(self) -> bytes:
        return self.data[HEADER_SIZE : self.body_end]

    @property
    def name(self) -> str:
        return event_name(self.code)


class FrameReader:
    """The events of one file, in order."""

    def __init__(self, source: BinaryIO, file: str) -> None:
        self._source = source
        self._file = file
        self._checksum = False
        self.is_in_use = False  # the server had not closed the file when it was read
        self.end = 4  # of the last whole event

    def __iter__(self) -> Iterator[Frame]:
        """Raises DMError where the file ends early or is damaged, after all that is whole."""
        self._check_magic()
        while frame := self._next():
            self.end = frame.end
            yield frame

    @property
    def remedy(self) -> str:
        """What to do about a file that ends early."""
        return STILL_WRITTEN if self.is_in_use else CUT_OFF

    def _read(self, size: int) -> bytes:
        try:
            return self._source.read(size)
        except OSError as exc:
            raise UNREADABLE.error(file=self._file, reason=exc.strerror or str(exc), cause=exc) from exc

    def _check_magic(self) -> None:
        magic = self._read(4)
        if magic == _ENCRYPTED_MAGIC:
            raise ENCRYPTED.error(file=self._file, position=0)
        if magic != MAGIC:
            what, remedy = describe(magic + self._read(4096))
            raise NO_BINLOG.error(file=self._file, what=what, remedy=remedy)

    def _next(self) -> Frame | None:
        header = self._read(HEADER_SIZE)
        if not header:
            if self.end == 4:
                raise self._cut(0, HEADER_SIZE, _FORMAT)
            return None
        if len(header) < HEADER_SIZE:
            raise self._cut(len(header), HEADER_SIZE, 0)
        timestamp, code, server_id, size, end_log_pos, flags = _HEADER.unpack(header)
        if not HEADER_SIZE <= size <= MAX_EVENT_BYTES:
            raise self._damaged(f"an event says that it has {size} bytes")
        data = header + self._read(size - HEADER_SIZE)
        if len(data) < size:
            raise self._cut(len(data), size, code)
        body_end = self._checked(data, code)
        return Frame(
            self._file, self.end, size, code, timestamp, server_id, flags, end_log_pos, data, body_end
        )  # fmt: skip

    def _checked(self, data: bytes, code: int) -> int:
        """Where the body ends.  Raises DMError for a wrong checksum."""
        if code == _FORMAT:
            self._checksum = self._read_format(data)
            return len(data) - 4
        if self.end == 4:
            raise self._damaged(f"a binlog starts with its format, and this one with {event_name(code)}")
        if code == _START_ENCRYPTION:
            raise ENCRYPTED.error(file=self._file, position=self.end)
        if not self._checksum:
            return len(data)
        if len(data) < HEADER_SIZE + 4 or zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
            raise self._damaged("the checksum is wrong", code)
        return len(data) - 4

    def _read_format(self, data: bytes) -> bool:
        try:
            _, _, checksum = parse_format(data)
        except (ValueError, IndexError) as exc:
            raise self._damaged(str(exc), _FORMAT) from exc
        self.is_in_use = bool(data[17] & _IN_USE)
        return checksum

    def _cut(self, has: int, size: int, code: int) -> DMError:
        event = event_name(code) if code else "next"
        return TRUNCATED.error(
            file=self._file, event=event, position=self.end, has=has, size=size, remedy=self.remedy
        )  # fmt: skip

    def _damaged(self, reason: str, code: int = 0) -> DMError:
        event = f", {event_name(code)}" if code else ""
        return DAMAGED.error(file=self._file, position=self.end, event=event, reason=reason)
