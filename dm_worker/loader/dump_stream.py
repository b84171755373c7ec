"""The bytes of a dump's file from some place on, unpacked, block by block: never the whole file in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, Protocol

import zstandard

from dm_worker.dumper.folder import Folder
from dm_worker.dumper.layout import Compression
from pkg.errors import DMError, ErrorKind, Level, Scope

CANNOT_OPEN = ErrorKind(
    34211,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump's file {file} cannot be read: {reason}",
    workaround="the folder (`dir` in `loaders`) must be there and readable on the host of dm-worker, and under the "
    "same name on the hosts of Spark's executors; then resume-task, it goes on where it was",
)
DAMAGED = ErrorKind(
    34212,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump's file {file} is damaged or cut short at byte {offset}: {reason}",
    workaround="copy the file again from where the dump was made, then resume-task: it goes on where it was",
)
DUMP_CHANGED = ErrorKind(
    34213,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the folder has another dump than when the load began: {file} {reason}",
    workaround="put the file back as it was and resume-task, or load the new dump from the beginning: "
    "stop-task, empty the target tables, start-task --remove-meta",
)

_BLOCK_BYTES: Final = 64 << 10  # packed bytes may become a hundred times as many


class _Unpacking(Protocol):
    @property
    def unused_data(self) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, /) -> bytes: ...


@contextmanager
def opened(folder: Folder, name: str, size: int) -> Iterator[BinaryIO]:
    """The file, which must have as many bytes as it had, or more."""
    with errors_of(name), folder.reading(name) as file:
        found = file.seek(0, 2)
        if found < size:  # one that has grown was cut short before
            raise DUMP_CHANGED.error(file=name, reason=f"has {found} bytes, and had {size}")
        file.seek(0)
        yield file


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    try:
        yield
    except DMError:
        raise
    except OSError as exc:
        raise CANNOT_OPEN.error(file=name, reason=exc.strerror or str(exc), cause=exc) from exc


def blocks(file: BinaryIO, name: str, compression: Compression, offset: int) -> Iterator[bytes]:
    """What the file holds behind its first ``offset`` unpacked bytes.  Raises DAMAGED where it cannot be unpacked."""
    if compression is Compression.NONE:
        file.seek(offset)
        yield from _raw(file)
        return
    unpacked = 0
    for block in _unpacked(file, name, compression):
        unpacked += len(block)
        if unpacked > offset:
            yield block[-(unpacked - offset) :] if unpacked - offset < len(block) else block


def _raw(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK_BYTES):
        yield block


def _unpacked(file: BinaryIO, name: str, compression: Compression) -> Iterator[bytes]:
    """All frames of the file: tools that compress side by side write several."""
    unpacking, is_begun = _begin(compression), False
    for packed in _raw(file):
        data = packed
        while data:
            try:
                block = unpacking.decompress(data)
            except (zlib.error, zstandard.ZstdError) as exc:
                raise DAMAGED.error(file=name, offset=file.tell(), reason=str(exc), cause=exc) from exc
            is_begun = True
            if block:
                yield block
            data = b""
            if unpacking.eof:
                data = unpacking.unused_data
                unpacking, is_begun = _begin(compression), False
    if is_begun:
        raise DAMAGED.error(file=name, offset=file.tell(), reason="the compressed data has no end")


def _begin(compression: Compression) -> _Unpacking:
    if compression is Compression.ZSTD:
        return zstandard.ZstdDecompressor().decompressobj()
    return zlib.decompressobj(zlib.MAX_WBITS | 16)
