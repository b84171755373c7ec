"""The few bytes of a relay stream that no file has: how a server begins each file for its replica.

An artificial rotate event names the file; in the middle of a file the format description says no
position, so that it does not take the reader back.  Layouts: MySQL source `binlog_event.h`.
"""

from __future__ import annotations

import struct
import zlib

from pkg.binlog.event_bodies import parse_format
from pkg.binlog.framing import MAGIC

HEADER_BYTES, CHECKSUM_BYTES = 19, 4
MAX_FORMAT_BYTES = 1 << 12
_STOP, _ROTATE, _FORMAT, _HEARTBEAT = 3, 4, 15, 27
_ARTIFICIAL, _IN_USE = 0x20, 0x01
_HEADER = struct.Struct("<IBIIIH")  # time, type, server id, size, end, flags


def event_size(header: bytes) -> int:
    return int.from_bytes(header[9:13], "little")


def format_size(start: bytes) -> int:
    """How many bytes the format description has behind the magic, by a file's first 23 bytes.  Raises ValueError."""
    size = event_size(start[4:])
    if start[:4] != MAGIC or start[8] != _FORMAT or not HEADER_BYTES < size <= MAX_FORMAT_BYTES:
        raise ValueError("it does not begin as a binlog file does")
    return size


def has_checksums(format_event: bytes) -> bool:
    """Raises ValueError where the format description is damaged."""
    try:
        return parse_format(format_event)[2]
    except IndexError as exc:
        raise ValueError(str(exc)) from exc


def artificial_rotate(name: str, offset: int, server_id: bytes, checksum: bool) -> bytes:
    """The stream goes on in this file; `server_id` as a header has it."""
    return _artificial(_ROTATE, struct.pack("<Q", offset) + name.encode(), 0, server_id, checksum)


def heartbeat(name: str, offset: int, server_id: bytes, checksum: bool) -> bytes:
    """Nothing more has happened up to `offset`, where no transaction is open."""
    return _artificial(_HEARTBEAT, name.encode(), offset & 0xFFFFFFFF, server_id, checksum)


def _artificial(code: int, body: bytes, end: int, server_id: bytes, checksum: bool) -> bytes:
    size = HEADER_BYTES + len(body) + CHECKSUM_BYTES * checksum
    event = _HEADER.pack(0, code, int.from_bytes(server_id, "little"), size, end, _ARTIFICIAL) + body
    return event + _crc(event) if checksum else event


def without_position(format_event: bytes) -> bytes:
    """The format description for a stream that begins behind it."""
    flags = format_event[17] & ~_IN_USE
    event = format_event[:13] + bytes(4) + bytes((flags,)) + format_event[18:-CHECKSUM_BYTES]
    return event + _crc(event)


def _crc(event: bytes) -> bytes:
    return struct.pack("<I", zlib.crc32(event))


def is_event_at(header: bytes, offset: int) -> bool:
    """Whether a header that lies at `offset` of its file is one: it says itself where the event ends."""
    size, end = event_size(header), int.from_bytes(header[13:17], "little")
    return size >= HEADER_BYTES and end == (offset + size) & 0xFFFFFFFF


def last_event(tail: bytes, file_size: int, checksum: bool) -> bytes | None:
    """The whole event with which a file ends, if its last bytes hold one: its header says where it ends."""
    says_end = (file_size & 0xFFFFFFFF).to_bytes(4, "little")
    found = len(tail)
    while (found := tail.rfind(says_end, 0, found + 3)) >= 0:
        event = tail[max(0, found - 13) :]
        if found >= 13 and event_size(event) == len(event) and (not checksum or _is_sound(event)):
            return event
    return None


def _is_sound(event: bytes) -> bool:
    return event[4] == _FORMAT or _crc(event[:-CHECKSUM_BYTES]) == event[-CHECKSUM_BYTES:]


def closes_file(event: bytes) -> bool:
    """Whether a server ends a file with it; a crash leaves a file that ends with any event."""
    return event[4] in (_ROTATE, _STOP)
