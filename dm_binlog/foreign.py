"""What a file is that is no binlog, and what its owner probably meant."""

from __future__ import annotations

import re

_PACKED = "unpack it first; dm-binlog also reads from a pipe: {tool} -dc FILE | dm-binlog -"
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "packed by gzip", _PACKED.format(tool="gzip")),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", _PACKED.format(tool="zstd")),
    (b"\xfd7zXZ", "packed by xz", _PACKED.format(tool="xz")),
    (b"BZh", "packed by bzip2", _PACKED.format(tool="bzip2")),
    (b"\x04\x22\x4d\x18", "packed by lz4", _PACKED.format(tool="lz4")),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
    (b"SQLite format 3\0", "an SQLite database", "give it a binlog, such as mysql-bin.000001"),
    (b"\x7fELF", "a program", "give it a binlog, such as mysql-bin.000001"),
)
_INDEX = re.compile(rb"(?:[^\n\r\0]*\.\d{6,}\r?\n)+(?:[^\n\r\0]*\.\d*)?")
_GIVE = "a binlog starts with the bytes fe 62 69 6e; give it a file such as mysql-bin.000001 from the server's datadir"


def describe(head: bytes) -> tuple[str, str]:
    """(what the file is, what to do) by its first bytes."""
    if not head:
        return "empty", "the server makes a binlog with its first event; look whether the copy failed"
    for signature, what, remedy in _SIGNATURES:
        if head.startswith(signature):
            return what, remedy
    if _INDEX.match(head):
        return "the index of the binlogs, a list of their names", "give it the files that the index lists"
    if head.lstrip(b"/*! -\r\n").startswith((b"MySQL dump", b"MariaDB dump", b"SET @", b"M!999999")):
        return "a dump, SQL text", "a dump holds no events; --schema FILE.sql takes column names from it"
    if not head.strip(b"\0"):
        return "full of zeros", "the copy failed, or the disk lost it: copy the file again from the server"
    return _unknown(head)


def _unknown(head: bytes) -> tuple[str, str]:
    try:
        text = head[:200].decode().split("\n")[0][:40]
    except UnicodeDecodeError:
        return f"something else that starts with the bytes {head[:4].hex(' ')}", _GIVE
    if text.isprintable() and text:
        return f"text that starts with {text!r}", _GIVE
    return f"something else that starts with the bytes {head[:4].hex(' ')}", _GIVE
