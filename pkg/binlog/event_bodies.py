"""Bodies of the rarer events, as plain functions of bytes.

Damaged bytes raise ValueError, IndexError or zlib.error, which the decoder turns into an error with
the place.
"""

from __future__ import annotations

import zlib

MAX_EVENT_BYTES = (1 << 30) + (1 << 16)
"""max_allowed_packet is 1 GiB at most, and an event has little more than one packet's content."""
_TABLE_MAP, _HEADER = 19, 19


def parse_format(event: bytes) -> tuple[str, int, bool]:
    """(server version, when the file was begun, whether events have checksums) of a whole format description event."""
    body = event[_HEADER:]
    if len(body) < 57 + 35 + 5:
        raise ValueError("the event is cut off")
    if body[:2] != b"\x04\0" or body[56] != _HEADER or body[56 + _TABLE_MAP] != 8:
        raise ValueError("the binlog is of a server before MySQL 5.0")
    # The event carries a checksum in either case; it was made before the in-use flag was set.
    unflagged = bytearray(event[:-4])
    unflagged[17] &= 0xFE
    algorithm = body[-5]
    sound = zlib.crc32(unflagged) == int.from_bytes(body[-4:], "little")
    if algorithm > 1 or (algorithm == 1 and not sound):  # without checksums a server leaves a stale one
        raise ValueError("the checksum is wrong, or the server is older than MySQL 5.6")
    version = body[2:52].rstrip(b"\0").decode("utf-8", "replace")
    # The time in the body is 0 but in the first file after a start of the server; the header's is always there.
    return version, int.from_bytes(event[:4], "little"), algorithm == 1


def uuid_text(raw: bytes) -> str:
    digits = raw.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def parse_heartbeat(body: bytes) -> int | None:
    """The 64-bit offset of a heartbeat v2, if it has one: fields of type, length, content, up to type 0."""
    at = 0
    while at < len(body) and body[at] != 0:
        kind = body[at]
        length, at = packed(body, at + 1)
        if kind == 2:
            return packed(body, at)[0]
        at += length
    return None


def parse_mariadb_gtid_list(body: bytes) -> str:
    """The last GTID of each domain and server, of which a domain's latest stands last."""
    count = int.from_bytes(body[:4], "little") & 0x0FFFFFFF
    if 4 + 16 * count > len(body):
        raise ValueError("the event is cut off")
    gtids = []
    for at in range(4, 4 + 16 * count, 16):
        domain, server = int.from_bytes(body[at : at + 4], "little"), int.from_bytes(body[at + 4 : at + 8], "little")
        gtids.append(f"{domain}-{server}-{int.from_bytes(body[at + 8 : at + 16], 'little')}")
    return ",".join(gtids)


def parse_gtid_set(body: bytes) -> str:
    """MySQL's set as PREVIOUS_GTIDS and COM_BINLOG_DUMP_GTID carry it, with or without tags."""
    head = int.from_bytes(body[:8], "little")
    tagged = head >> 56 == 1
    count = head >> 8 & 0xFFFFFFFFFFFF if tagged else head
    at = 8
    parts = []
    for _ in range(count):
        source = uuid_text(body[at : at + 16])
        at += 16
        if tagged:
            size, at = body[at] >> 1, at + 1  # a varlen integer below 128
            source += f":{body[at : at + size].decode('ascii')}" if size else ""
            at += size
        intervals = int.from_bytes(body[at : at + 8], "little")
        at += 8
        if at + 16 * intervals > len(body):
            raise ValueError("the event is cut off")
        for _ in range(intervals):
            first, after = (int.from_bytes(body[at + k : at + k + 8], "little") for k in (0, 8))
            source += f":{first}" if after == first + 1 else f":{first}-{after - 1}"
            at += 16
        parts.append(source)
    return ",".join(parts)


def signed(number: int) -> int:
    """A number of 32 bits whose highest one is the sign."""
    return number - (1 << 32) if number >> 31 else number


def parse_tagged_gtid(body: bytes) -> tuple[str, int]:
    """The GTID of a GTID_TAGGED event, and when it was committed on this server, in microseconds since 1970.

    Fields of a number and a value, all numbers of variable length.
    """
    at = 0
    for _ in range(3):  # version, size, last field that must be understood
        _, at = _varlen(body, at)
    uuid, gno, tag, committed = b"", 0, "", 0
    while at < len(body):
        field, at = _varlen(body, at)
        if field == 0:
            _, at = _varlen(body, at)
        elif field == 1:
            octets = []
            for _ in range(16):
                octet, at = _varlen(body, at)
                octets.append(octet)
            uuid = bytes(octets)
        elif field == 2:
            zigzag, at = _varlen(body, at)
            gno = zigzag >> 1
        elif field == 3:
            size, at = _varlen(body, at)
            tag = body[at : at + size].decode("ascii")
            at += size
        elif field in (4, 5):
            _, at = _varlen(body, at)
        elif field == 6:
            committed, at = _varlen(body, at)
        else:
            break
    if not gno or not uuid:
        raise ValueError("the event has no GTID")
    return (f"{uuid_text(uuid)}:{tag}:{gno}" if tag else f"{uuid_text(uuid)}:{gno}"), committed


def _varlen(body: bytes, at: int) -> tuple[int, int]:
    """A number whose first byte ends in as many ones as bytes follow it, and where it ends."""
    first = body[at]
    following = 0
    while following < 8 and first >> following & 1:
        following += 1
    whole = body[at : at + 1 + following]
    if len(whole) != 1 + following:
        raise ValueError("the event is cut off")
    if following == 8:
        return int.from_bytes(whole[1:], "little"), at + 9
    return int.from_bytes(whole, "little") >> (following + 1), at + 1 + following


def uncompress(field: bytes) -> bytes:
    """MariaDB's compressed body: algorithm and size of the length in one byte, the length, zlib data."""
    size = field[0] & 7
    if field[0] >> 4 & 7:
        raise ValueError("the event is compressed by an unknown method")
    length = int.from_bytes(field[1 : 1 + size], "big")
    if length > MAX_EVENT_BYTES:
        raise ValueError(f"a compressed event says that it has {length} bytes")
    unpacked = zlib.decompressobj().decompress(field[1 + size :], length + 1)
    if len(unpacked) != length:
        raise ValueError("a compressed event has the wrong length")
    return unpacked


def parse_payload_head(body: bytes | memoryview) -> tuple[int, int, bool]:
    """(start, size, whether it is packed) of a TRANSACTION_PAYLOAD's content."""
    at = 0
    fields: dict[int, int] = {}
    while body[at] != 0:
        kind = body[at]
        size, at = packed(body, at + 1)
        fields[kind], _ = packed(body, at)
        at += size
    start, size = at + 1, fields.get(1, 0)
    if start + size > len(body):
        raise ValueError("a compressed transaction is cut off")
    method = fields.get(2, 0)
    if method not in (0, 255):
        raise ValueError(f"a transaction is compressed by the unknown method {method}")
    return start, size, method == 0


def parse_xid(body: bytes) -> str:
    """The name of an XA_PREPARE's transaction, as statements write it."""
    form, global_size, branch_size = (int.from_bytes(body[at : at + 4], "little") for at in (1, 5, 9))
    name = body[13 : 13 + global_size + branch_size]
    if len(body) < 13 or len(name) != global_size + branch_size:
        raise ValueError("the event is cut off")
    return f"X'{name[:global_size].hex()}',X'{name[global_size:].hex()}',{form}"


def packed(body: bytes | memoryview, at: int) -> tuple[int, int]:
    """A length-encoded integer, and where it ends."""
    first = body[at]
    if first < 0xFB:
        return first, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first)
    if size is None or at + 1 + size > len(body):
        raise ValueError("a length is damaged")
    return int.from_bytes(body[at + 1 : at + 1 + size], "little"), at + 1 + size
