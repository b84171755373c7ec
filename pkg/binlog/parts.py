"""Bodies of single events, as plain functions of bytes: the parts that are not in the hot loop.

A body that is cut off raises ValueError or IndexError, which the decoder turns into an error with
the place.
"""

from __future__ import annotations

import zlib

from pkg.binlog.charset import charset_of, decode, is_known
from pkg.binlog.events import QueryStatus, TableMap

_BINLOG_CHECKSUM_ALGORITHMS = (0, 1)  # none, CRC32
_TYPES_WITH_SIGN = frozenset({1, 2, 3, 4, 5, 8, 9, 246})
_META_SIZES = {4: 1, 5: 1, 15: 2, 16: 2, 17: 1, 18: 1, 19: 1, 242: 1, 245: 1, 246: 2, 247: 2, 248: 2,
               249: 1, 250: 1, 251: 1, 252: 1, 253: 2, 254: 2, 255: 1, 140: 1, 141: 2}  # fmt: skip


def parse_format(event: bytes, header: int) -> tuple[str, int, bool, bool]:
    """(server version, created, whether events have checksums, whether this one is sound)."""
    if len(event) < header + 57 + 5:
        return "", 0, False, False
    version = event[header + 2 : header + 52].rstrip(b"\0").decode("utf-8", "replace")
    created = int.from_bytes(event[header + 52 : header + 56], "little")
    algorithm = event[-5]
    if algorithm not in _BINLOG_CHECKSUM_ALGORITHMS:
        return version, created, False, True  # a server before 5.6.1 knows no checksums
    # The event carries a checksum in either case; it was made before the in-use flag was set.
    body = bytearray(event[:-4])
    body[17] &= 0xFE
    sound = algorithm == 0 or zlib.crc32(bytes(body)) == int.from_bytes(event[-4:], "little")
    return version, created, algorithm == 1, sound


def sid_text(sid: bytes) -> str:
    digits = sid.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _packed(body: bytes, at: int) -> tuple[int, int]:
    """A length-encoded integer, and where it ends."""
    first = body[at]
    if first < 0xFB:
        return first, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first)
    if size is None or at + 1 + size > len(body):
        raise ValueError("a length is damaged")
    return int.from_bytes(body[at + 1 : at + 1 + size], "little"), at + 1 + size


def parse_table_map(body: bytes) -> TableMap:
    """The body behind table number and flags."""
    length = body[0]
    schema = body[1 : 1 + length].decode()
    at = 2 + length
    length = body[at]
    table = body[at + 1 : at + 1 + length].decode()
    count, at = _packed(body, at + 2 + length)
    types = body[at : at + count]
    at += count
    size, at = _packed(body, at)
    if len(types) != count or at + size + (count + 7) // 8 > len(body):
        raise ValueError("the table map is cut off")
    metadata = _metadata(types, body[at : at + size])
    unsigned, names = _optional_metadata(types, body[at + size + (count + 7) // 8 :])
    return TableMap(schema, table, types, metadata, unsigned, names)


def _metadata(types: bytes, block: bytes) -> tuple[int, ...]:
    at = 0
    values = []
    for code in types:
        size = _META_SIZES.get(code, 0)
        if at + size > len(block):
            raise ValueError("the table map's metadata is cut off")
        # ENUM, SET and STRING: the real type comes first, so that it is the high byte.
        order: str = "big" if code in (247, 248, 254) else "little"
        values.append(int.from_bytes(block[at : at + size], "big" if order == "big" else "little"))
        at += size
    return tuple(values)


def _optional_metadata(types: bytes, block: bytes) -> tuple[tuple[bool, ...] | None, tuple[str, ...] | None]:
    unsigned: tuple[bool, ...] | None = None
    names: tuple[str, ...] | None = None
    at = 0
    while at < len(block):
        kind = block[at]
        size, at = _packed(block, at + 1)
        if at + size > len(block):
            raise ValueError("the table map's optional metadata is cut off")
        field = block[at : at + size]
        if kind == 1:
            unsigned = _signedness(types, field)
        elif kind == 4:
            names = _names(field)
        at += size
    return unsigned, names


def _signedness(types: bytes, bits: bytes) -> tuple[bool, ...]:
    """One bit per numeric column, from the highest down."""
    flags = []
    number = 0
    for code in types:
        numeric = code in _TYPES_WITH_SIGN
        flags.append(numeric and bool(bits[number >> 3] & (0x80 >> (number & 7))))
        number += numeric
    return tuple(flags)


def _names(field: bytes) -> tuple[str, ...]:
    names = []
    at = 0
    while at < len(field):
        size, at = _packed(field, at)
        names.append(field[at : at + size].decode("utf-8", "replace"))
        at += size
    return tuple(names)


def parse_query(body: bytes, *, compressed: bool) -> tuple[str, str, QueryStatus]:
    """(schema, statement, status) of a query event's body."""
    if len(body) < 13:
        raise ValueError("the event is cut off")
    schema_length = body[8]
    status_length = int.from_bytes(body[11:13], "little")
    at = 13 + status_length
    if at + schema_length + 1 > len(body):
        raise ValueError("the event is cut off")
    status = _query_status(body[13:at])
    schema = body[at : at + schema_length].decode("utf-8", "replace")
    text = body[at + schema_length + 1 :]
    if compressed:
        text = uncompress(text)
    charset = charset_of(status.client_collation) if status.client_collation is not None else "utf8mb4"
    if charset == "binary" or not is_known(charset):
        charset = "utf8mb4"
    try:
        return schema, decode(text, charset), status
    except UnicodeDecodeError as exc:
        raise ValueError(f"a statement is no text in {charset}: {exc}") from exc


def _query_status(block: bytes) -> QueryStatus:
    status = QueryStatus()
    at = 0
    while at < len(block):
        size = _read_status(block, at + 1, block[at], status)
        if size is None:
            break  # a variable of a newer server: those behind it cannot be found
        at += 1 + size
    return status


_STATUS_SIZES = {0: 4, 3: 4, 7: 2, 9: 8, 10: 4, 13: 3, 14: 8, 15: 8, 17: 8, 19: 1, 20: 1, 128: 3, 129: 8}


def _read_status(block: bytes, at: int, code: int, status: QueryStatus) -> int | None:
    """Read the variable `code` at `at`; its size in bytes, None when it is not known."""

    def number(offset: int, size: int) -> int:
        return int.from_bytes(block[at + offset : at + offset + size], "little")

    match code:
        case 1:
            status.sql_mode = number(0, 8)
            return 8
        case 4:
            status.client_collation, status.connection_collation = number(0, 2), number(2, 2)
            status.server_collation = number(4, 2)
            return 6
        case 5:
            status.time_zone = block[at + 1 : at + 1 + block[at]].decode("utf-8", "replace")
            return 1 + block[at]
        case 2:
            return 2 + block[at]
        case 6:
            return 1 + block[at]
        case 8:
            status.database_collation = number(0, 2)
            return 2
        case 11:
            user = block[at]
            return 2 + user + block[at + 1 + user]
        case 12:
            return _names_size(block, at)
        case 16:
            status.explicit_defaults_for_timestamp = bool(block[at])
            return 1
        case 18:
            status.utf8mb4_collation = number(0, 2)
            return 2
        case _:
            return _STATUS_SIZES.get(code)


def _names_size(block: bytes, at: int) -> int:
    """The databases that a statement touched: a count, then names that end in NUL; 254 stands for too many."""
    count = block[at]
    if count == 254:
        return 1
    end = at + 1
    for _ in range(count):
        end = block.index(b"\0", end) + 1
    return end - at


def uncompress(field: bytes) -> bytes:
    """MariaDB's compressed body: algorithm and size of the length in one byte, the length, zlib data."""
    head = field[0]
    size = head & 7
    if (head >> 4) & 7:
        raise ValueError("the event is compressed by an unknown method")
    length = int.from_bytes(field[1 : 1 + size], "big")
    unpacked = zlib.decompressobj().decompress(field[1 + size :], length + 1)
    if len(unpacked) != length:
        raise ValueError("a compressed event has the wrong length")
    return unpacked


def parse_payload_head(body: bytes) -> tuple[int, int, int | None]:
    """(start, size, unpacked size) of a compressed transaction; None: it is stored as it is."""
    at = 0
    fields: dict[int, int] = {}
    while body[at] != 0:
        kind = body[at]
        size, at = _packed(body, at + 1)
        fields[kind], _ = _packed(body, at)
        at += size
    start, size = at + 1, fields.get(1, 0)
    if start + size > len(body):
        raise ValueError("a compressed transaction is cut off")
    method = fields.get(2, 0)
    if method not in (0, 255):
        raise ValueError(f"a transaction is compressed by the unknown method {method}")
    return start, size, None if method == 255 else fields.get(3, 0)
