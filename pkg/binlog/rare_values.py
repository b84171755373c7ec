"""Values whose literals are made by plain Python: long ones, rare character sets, JSON, MariaDB's own types.

Each function takes a value's bytes, all of them, and gives the literal.  Damaged bytes raise ValueError.
"""

from __future__ import annotations

import ipaddress
import zlib
from binascii import hexlify
from collections.abc import Callable
from dataclasses import dataclass

from pkg.binlog.charset import UTF8, decode, decode_with_marks, holds_alias, single_byte_table
from pkg.binlog.json_binary import OPAQUE_BYTE, Node, json_text, json_tree
from pkg.binlog.json_diff import tree_text

Reader = Callable[[bytes], bytes]
_MAX_BYTES = 1 << 32
_RAW_DEFLATE, _ZLIB = 0x08, 8


def quote_text(raw: bytes) -> bytes:
    """UTF-8 text as a literal of a session that has backslash escapes."""
    return b"'" + raw.replace(b"\\", b"\\\\").replace(b"'", b"\\'").replace(b"\0", b"\\0") + b"'"


def hex_literal(raw: bytes) -> bytes:
    """Any bytes as a literal."""
    return b"x'" + hexlify(raw) + b"'" if raw else b"''"


def utf8_literal(raw: bytes) -> bytes:
    """UTF-8; what is not, in hexadecimal digits."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return hex_literal(raw)
    return quote_text(raw)


def single_byte_literal(raw: bytes, table: tuple[bytes, ...]) -> bytes:
    """Text of a set with a byte for each character; `table` has nothing for a byte without one."""
    if not all(table[byte] for byte in set(raw)):
        return hex_literal(raw)
    return quote_text(b"".join([table[byte] for byte in raw]))


def text_reader(charset: str | None) -> Reader:
    """For text of a character set; "binary" is bytes, None is UTF-8."""
    if charset == "binary":
        return hex_literal
    if charset is None or charset in UTF8:
        return utf8_literal
    table = single_byte_table(charset)
    if table is not None:
        return lambda raw: single_byte_literal(raw, table)
    return lambda raw: _transcoded(raw, charset)


def _transcoded(raw: bytes, charset: str) -> bytes:
    try:
        return quote_text(decode(raw, charset).encode())
    except UnicodeError:
        return hex_literal(raw)


def introduced_reader(charset: str) -> Reader:
    """For text of a column that has the same set in the target: the bytes, whether they are text or not."""
    head = f"_{charset} ".encode()
    return lambda raw: head + (hex_literal(raw) if raw else b"''")


def introduced(literal: bytes) -> tuple[str, bytes] | None:
    """Character set and bytes of what ``introduced_reader`` made; None for another literal."""
    if not literal.startswith(b"_"):
        return None
    charset, _, value = literal.partition(b" ")
    return charset[1:].decode("ascii"), bytes.fromhex(value[2:-1].decode("ascii"))


def strict_reader(charset: str, refuse: Callable[[bytes, str], Exception], *, one_code: bool) -> Reader:
    """For text that must go through Unicode; ``one_code``: and come back as the same bytes.

    Raises what ``refuse`` gives for a value and the reason.
    """

    def read(raw: bytes) -> bytes:
        try:
            text = decode(raw, charset)
            if one_code and holds_alias(raw, charset):
                raise refuse(raw, "a character of it has another code, too, and which one counts here")
        except UnicodeError:
            raise refuse(raw, "Unicode has no such character") from None
        return quote_text(text.encode())

    return read


class JsonReader:
    """For JSON of MySQL; ``check`` raises what is wrong with the text of a document.

    ``check_types`` does so with the tree of one that has values of SQL types, in rows that are written.
    """

    def __init__(
        self, check: Callable[[str], None] | None = None, check_types: Callable[[Node], None] | None = None
    ) -> None:
        self._check = check
        self._check_types = check_types
        self.looks_at_types = check_types is not None
        self.is_after = True  # the document is of a row as it is now, not as it was

    def __call__(self, raw: bytes) -> bytes:
        if self._check_types is not None and self.is_after and OPAQUE_BYTE in raw:
            return self.of_tree(json_tree(raw))
        return self._literal(json_text(raw))

    def of_tree(self, tree: Node) -> bytes:
        """Of a document as it is now."""
        if self._check_types is not None:
            self._check_types(tree)
        return self._literal(tree_text(tree))

    def _literal(self, text: str) -> bytes:
        if self._check is not None:
            self._check(text)
        return quote_text(text.encode())


json_literal = JsonReader()


def checked_reader(charset: str | None, check: Callable[[str], None]) -> Reader:
    """For a text that becomes a document."""
    inner = text_reader(charset)

    def read(raw: bytes) -> bytes:
        check(raw.decode(errors="replace") if charset is None or charset in UTF8 else decode(raw, charset))
        return inner(raw)

    return read


class DocumentReader:
    """For a text that is a document of MariaDB; ``check`` raises what is wrong with one of a row as it is now."""

    def __init__(self, charset: str | None, inner: Reader, check: Callable[[str], None], *, unpacks: bool) -> None:
        self._charset = charset or "utf8mb4"
        self._inner = inner
        self._check = check
        self._unpacks = unpacks
        self.looks_at_types = True
        self.is_after = True  # the document is of a row as it is now, not as it was

    def __call__(self, raw: bytes) -> bytes:
        if self.is_after:
            self._check(decode_with_marks(_uncompressed(raw) if self._unpacks else raw, self._charset))
        return self._inner(raw)


@dataclass(frozen=True, slots=True)
class SetReader:
    """The literal of a SET by its number: the text that the upstream shows, which leaves a leading label '' out.

    ``refuse`` makes the error for a value that has one, where the text is read as a SET again; None: it is not.
    """

    labels: tuple[bytes, ...]
    refuse: Callable[[int], Exception] | None = None

    def __call__(self, number: int) -> bytes:
        if number >> len(self.labels):
            raise ValueError(f"a SET has a member beyond its {len(self.labels)} labels")
        members = [label for place, label in enumerate(self.labels) if number >> place & 1]
        if members and not members[0]:
            if self.refuse is not None:
                raise self.refuse(number)
            del members[0]
        return quote_text(b",".join(members))


def uuid_literal(raw: bytes) -> bytes:
    digits = hexlify(raw.ljust(16, b"\0"))
    return b"'" + b"-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])) + b"'"


def inet4_literal(raw: bytes) -> bytes:
    return f"'{ipaddress.IPv4Address(raw.ljust(4, bytes(1)))}'".encode("ascii")


def inet6_literal(raw: bytes) -> bytes:
    """As servers print it: an IPv4 address at the end keeps its points."""
    address = ipaddress.IPv6Address(raw.ljust(16, b"\0"))
    packed = address.packed
    if packed[:10] == bytes(10) and (
        packed[10:12] == b"\xff\xff" or (packed[10:12] == bytes(2) and any(packed[12:14]))
    ):
        prefix = "::ffff:" if packed[10] else "::"
        return f"'{prefix}{ipaddress.IPv4Address(packed[12:])}'".encode("ascii")
    return f"'{address}'".encode("ascii")


def compressed_reader(inner: Reader, check: Callable[[bytes], None] | None = None) -> Reader:
    """For a COMPRESSED column of MariaDB, whose plain values `check` may refuse and `inner` reads."""

    def read(raw: bytes) -> bytes:
        plain = _uncompressed(raw)
        if check is not None:
            check(plain)
        return inner(plain)

    return read


def _uncompressed(raw: bytes) -> bytes:
    """A head with method and size of the length, the length, and the data; a head of 0: they follow as they are."""
    if not raw or raw[0] == 0:
        return raw[1:]
    if raw[0] >> 4 != _ZLIB:
        raise ValueError("a value is compressed by an unknown method")
    size = raw[0] & 7
    length = int.from_bytes(raw[1 : 1 + size], "big")
    if length >= _MAX_BYTES:
        raise ValueError(f"a compressed value says that it has {length} bytes")
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS if raw[0] & _RAW_DEFLATE else zlib.MAX_WBITS)
    try:
        unpacked = unpacking.decompress(raw[1 + size :], length + 1)
    except zlib.error as exc:
        raise ValueError(f"a compressed value is damaged: {exc}") from exc
    if len(unpacked) != length:
        raise ValueError("a compressed value has the wrong length")
    return unpacked
