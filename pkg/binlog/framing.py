"""Finds whole events in bytes that come in any pieces: protocol packets, a file, a compressed transaction.

Pieces are joined only when the rest of an event has come, so that a large one costs no more than
one copy, and what was read is let go.  After a `find` that says True the event is
`source[start:end]`, until the next call.
"""

from __future__ import annotations

from typing import Any

import cython

from pkg.binlog.event_bodies import MAX_EVENT_BYTES

if cython.compiled:
    from cython.cimports.pkg.binlog.literals import little
else:
    from pkg.binlog.literals import little

MAGIC = b"\xfebin"
_HEADER = cython.declare(cython.Py_ssize_t, 19)
_WHOLE_PACKET = cython.declare(cython.Py_ssize_t, 0xFFFFFF)
_MAX_EVENT = cython.declare(cython.Py_ssize_t, MAX_EVENT_BYTES)
_UNPACKED_PIECE = 1 << 20


class BadFrame(ValueError):
    """The bytes cannot be cut into events."""


class NoEvent(Exception):
    """A packet of the stream is no event: an error of the server, or its end."""

    def __init__(self, packet: bytes) -> None:
        super().__init__()
        self.packet = packet


@cython.cclass
class Frames:
    """The bytes of a stream of packets, or of a file."""

    def __init__(self, packets: cython.bint) -> None:
        self.source = self._buf = b""
        self.start = self.end = self._at = self._pieces_size = 0
        self._pieces: list[bytes] = []
        self._long: list[bytes] = []
        self._packets = packets
        self._started = False

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """More bytes, in order."""
        self._pieces.append(bytes(data))
        self._pieces_size += len(data)

    @cython.cfunc
    def find(self) -> cython.bint:
        """Whether another event is there.  Raises BadFrame, NoEvent."""
        return self._find_packet() if self._packets else self._find_in_file()

    @cython.cfunc
    def _has(self, size: cython.Py_ssize_t) -> cython.bint:
        """Whether `size` bytes from `_at` on can be read; they are joined once all have come."""
        rest: cython.Py_ssize_t = len(self._buf) - self._at
        if rest >= size:
            return True
        if rest + self._pieces_size < size:
            return False
        self._buf = b"".join([self._buf[self._at :], *self._pieces])
        self._at = 0
        self._pieces.clear()
        self._pieces_size = 0
        return True

    @cython.cfunc
    def _find_packet(self) -> cython.bint:
        at: cython.Py_ssize_t
        length: cython.Py_ssize_t
        while True:
            if not self._has(4):
                return False
            length = little(self._buf, self._at, 3)
            if not self._has(4 + length):
                return False
            at = self._at + 4
            self._at = at + length
            if length != _WHOLE_PACKET and not self._long:
                self.source = self._buf
                break
            self._long.append(self._buf[at : self._at])
            if len(self._long) > _MAX_EVENT // _WHOLE_PACKET + 1:
                raise BadFrame("an event has more than 1 GiB")
            if length != _WHOLE_PACKET:
                self.source = b"".join(self._long)
                self._long = []
                at = 0
                length = len(self.source)
                break
        self.start = at + 1
        self.end = at + length
        if length == 0 or little(self.source, at, 1) != 0:
            raise NoEvent(self.source[at : at + length])
        return True

    @cython.cfunc
    def _find_in_file(self) -> cython.bint:
        if not self._started:
            if not self._has(4):
                return False
            if self._buf[self._at : self._at + 4] != MAGIC:
                raise BadFrame("a binlog file starts with the bytes fe 62 69 6e")
            self._at += 4
            self._started = True
        if not self._has(_HEADER):
            return False
        size: cython.Py_ssize_t = little(self._buf, self._at + 9, 4)
        if size < _HEADER or size > _MAX_EVENT:
            raise BadFrame(f"an event says that it has {size} bytes")
        if not self._has(size):
            return False
        self.source = self._buf
        self.start = self._at
        self._at += size
        self.end = self._at
        return True


@cython.cclass
class Unpacking:
    """The events of a compressed transaction, unpacked piece by piece."""

    def __init__(self, content: Any) -> None:
        self._content = content
        self.source = b""
        self.start = self.end = 0

    @cython.cfunc
    def find(self) -> cython.bint:
        """Whether the transaction has another event.  Raises BadFrame, ZstdError."""
        size: cython.Py_ssize_t
        if not self._has(_HEADER):
            if len(self.source) != self.end:
                raise BadFrame("a compressed transaction is cut off")
            return False
        size = little(self.source, self.end + 9, 4)
        if size < _HEADER or size > _MAX_EVENT or not self._has(size):
            raise BadFrame(f"an event in a compressed transaction says that it has {size} bytes")
        self.start = self.end
        self.end += size
        return True

    @cython.cfunc
    def _has(self, size: cython.Py_ssize_t) -> cython.bint:
        """Whether `size` bytes from `end` on are there, after unpacking more if need be."""
        rest: cython.Py_ssize_t = len(self.source) - self.end
        if rest >= size:
            return True
        pieces: list = [self.source[self.end :]]
        while rest < size:
            piece: bytes = self._content.read(_UNPACKED_PIECE)
            if not piece:
                break
            rest += len(piece)
            pieces.append(piece)
        self.source = b"".join(pieces)
        self.end = 0
        return rest >= size
