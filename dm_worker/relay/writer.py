"""The one writer of a relay log: bytes into files, durable in groups, then word of it to the readers.

docs/protocols/relay.md numbers the steps and says what a crash at each one means.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from dm_worker.relay.errors import disk_error
from pkg.binlog.framing import MAGIC
from pkg.binlog.gtid import GtidSet
from pkg.binlog.position import Position
from pkg.binlog.relay_layout import INDEX_NAME, META_NAME, SIZES_NAME, Received, SubDir, index_text, size_text
from pkg.crashpoints import crashpoint

_MODE = 0o640
_COMPARED_BYTES = 1 << 20


class Published(Protocol):
    """Who tells readers how far the relay log is durable."""

    def publish(self, sub_dir: str, file: str, size: int) -> None: ...


class Writer:
    """Owned by the thread that pulls.  Raises DISK_FULL, CANNOT_WRITE."""

    def __init__(self, folder: Path, notices: Published) -> None:
        self._folder, self._notices = folder, notices
        self._descriptor = -1
        self._durable = 0  # bytes of the file that are
        self._received: Received | None = None
        self.sub_dir = ""
        self.file = ""
        self.size = 0

    @property
    def path(self) -> Path:
        return self._folder / self.sub_dir / self.file

    def begin_sub_dir(self, sub_dir: SubDir, known: Sequence[SubDir]) -> None:
        """Put it into the index and make it; either may have been done before."""
        self.close()
        self.sub_dir = str(sub_dir)
        path = self._folder / self.sub_dir
        with self._disk(path):
            if sub_dir not in known:
                replace_file(self._folder / INDEX_NAME, index_text([*known, sub_dir]), durably=True)
            crashpoint("relay.sub_dir_indexed")
            path.mkdir(exist_ok=True)
            sync_folder(self._folder)

    def go_on(self, sub_dir: str, file: str, size: int) -> None:
        """Append to a file that has been recovered: `size` bytes of it are durable."""
        self.close()
        self.sub_dir, self.file, self.size = sub_dir, file, size
        with self._disk(self.path):
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            os.lseek(self._descriptor, size, os.SEEK_SET)
        self._durable = size

    def begin_file(self, file: str) -> None:
        """A new file; the one before is durable by then, and its size is kept: nothing else tells of a lost end."""
        if self.file:
            self._note_size()
        self.close()
        self.file, self.size, self._durable = file, 0, 0
        with self._disk(self.path):
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE)
        self.append(MAGIC)

    def append(self, data: bytes | memoryview) -> None:
        """Whole events; what fits on no disk is cut off again."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as exc:
            with contextlib.suppress(OSError):  # otherwise the next start cuts it
                os.ftruncate(self._descriptor, self.size)
            raise disk_error(self.path, exc) from exc
        self.size += len(data)

    def holds(self, start: int, data: memoryview) -> bool:
        """Whether the file has these bytes at `start`."""
        with self._disk(self.path):
            for at in range(0, len(data), _COMPARED_BYTES):
                piece = data[at : at + _COMPARED_BYTES]
                if os.pread(self._descriptor, len(piece), start + at) != piece:
                    return False
        return True

    def flush(self, boundary: int, gtid_set: GtidSet) -> None:
        """Make durable what was written, and say so: whole transactions reach up to `boundary`."""
        if self._descriptor < 0:
            return
        crashpoint("relay.written")
        received = Received(Position(self.file, boundary), gtid_set)
        with self._disk(self.path):
            if self._durable < self.size:
                os.fdatasync(self._descriptor)
                if not self._durable:
                    sync_folder(self.path.parent)  # the file's name
                self._durable = self.size
            crashpoint("relay.durable")
            if received != self._received:
                replace_file(self.path.with_name(META_NAME), received.text(), durably=False)
                self._received = received
        crashpoint("relay.meta_written")
        self._notices.publish(self.sub_dir, self.file, self.size)

    def _note_size(self) -> None:
        path = self.path.with_name(SIZES_NAME)
        with self._disk(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, _MODE)
            try:
                os.write(descriptor, size_text(self.file, self.size).encode())
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """Let go of the file; `flush` was called before, or the bytes are pulled again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self.file, self._received = "", None

    def _disk(self, path: Path) -> contextlib.AbstractContextManager[None]:
        return writing_to(path)


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """What the operating system refuses inside becomes one of our errors."""
    try:
        yield
    except OSError as exc:
        raise disk_error(path, exc) from exc


def replace_file(path: Path, text: str, *, durably: bool) -> None:
    """The file has the text of before or this one, never a part.

    Not `durably`: a power loss may leave any former text, or none.
    """
    new = path.with_name(path.name + ".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE)
    try:
        content = memoryview(text.encode())
        while content:
            content = content[os.write(descriptor, content) :]
        if durably:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    new.replace(path)
    if durably:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
