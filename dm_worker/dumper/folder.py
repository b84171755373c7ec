"""The folder that a dump goes to: a file there is whole or not there.

A file is written under a name of its own that no reader of dumps knows, forced to the disk and renamed.
What a killed run left under such names is swept by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from pkg.errors import DMError, ErrorKind, Level, Scope

NO_SPACE = ErrorKind(
    32201,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "there is no room for the dump in {folder}: {reason}",
    workaround="make room there, then resume-task: what is dumped stays, and only chunks that were under way are "
    "read again",
)
CANNOT_WRITE = ErrorKind(
    32202,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump cannot be written to {folder}: {reason}",
    workaround="give the account of dm-worker the right to write there, or change `dir` in `loaders`; then resume-task",
)
CANNOT_READ = ErrorKind(
    32203,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the folder {folder} cannot be read: {reason}",
    workaround="`dir` in `loaders` is a folder on the host of dm-worker (and of Spark's executors, when they are on "
    "others); then resume-task",
)
FOLDER_IN_USE = ErrorKind(
    32204,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "another process is writing a dump to {folder}",
    workaround="it is tried again by itself; give every task a `dir` of its own",
    resumable=True,
)

UNFINISHED: Final = ".unfinished-"  # a hidden name: nobody takes the file for a part of the dump
_LOCK: Final = ".spark-dm.lock"
_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class File(Protocol):
    """What is written to."""

    def write(self, data: bytes | bytearray | memoryview, /) -> int: ...


class Folder(Protocol):
    """Where the files of a dump are; every error is a DMError that names it."""

    @property
    def name(self) -> str: ...

    def claim(self) -> None:
        """Make the folder, and keep it to this process until ``release``."""
        ...

    def release(self) -> None: ...

    def sizes(self) -> Mapping[str, int]:
        """Files by name, without those that are being written."""
        ...

    def sweep(self) -> None:
        """Remove what a killed run was writing."""
        ...

    def writing(self, name: str) -> AbstractContextManager[File]:
        """What is written in it becomes the file ``name`` at its end, or nothing does."""
        ...

    def read(self, name: str) -> bytes: ...

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file of any size, to be read and sought in; a local one raises OSError as it is."""
        ...

    def append(self, name: str, data: bytes) -> None:
        """To a file that is ours alone and of which the end may be lost in a crash."""
        ...

    def remove(self, name: str) -> None: ...


@dataclass(slots=True)
class LocalFolder:
    """A folder of this host's file system."""

    path: Path
    _lock: int | None = None

    @property
    def name(self) -> str:
        return str(self.path)

    def claim(self) -> None:
        with self._errors():
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                os.close(descriptor)
                raise FOLDER_IN_USE.error(folder=self.name, cause=exc) from exc
            self._lock = descriptor

    def release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def sizes(self) -> dict[str, int]:
        try:
            with os.scandir(self.path) as entries:
                found = [entry for entry in entries if entry.is_file() and not entry.name.startswith(UNFINISHED)]
                return {entry.name: entry.stat().st_size for entry in found if entry.name != _LOCK}
        except OSError as exc:
            raise CANNOT_READ.error(folder=self.name, reason=exc.strerror, cause=exc) from exc

    def sweep(self) -> None:
        with self._errors():
            for left in self.path.glob(f"{UNFINISHED}*"):
                left.unlink(missing_ok=True)

    @contextmanager
    def writing(self, name: str) -> Iterator[File]:
        unfinished = self.path / f"{UNFINISHED}{uuid.uuid4().hex}"
        with self._errors():
            try:
                with io.FileIO(unfinished, "xb") as raw:
                    yield _Whole(raw)
                    os.fsync(raw.fileno())
                unfinished.rename(self.path / name)
            except BaseException:
                with suppress(OSError):
                    unfinished.unlink(missing_ok=True)
                raise

    def read(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except OSError as exc:
            raise CANNOT_READ.error(folder=self.name, reason=f"{name}: {exc.strerror}", cause=exc) from exc

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        return (self.path / name).open("rb")

    def append(self, name: str, data: bytes) -> None:
        with self._errors(), io.FileIO(self.path / name, "ab") as file:
            _Whole(file).write(data)

    def remove(self, name: str) -> None:
        with self._errors():
            (self.path / name).unlink(missing_ok=True)

    def _errors(self) -> AbstractContextManager[None]:
        return disk_errors(self.name)


@contextmanager
def disk_errors(folder: str) -> Iterator[None]:
    """The system's errors on writing to ``folder`` become ours."""
    try:
        yield
    except DMError:
        raise
    except OSError as exc:
        kind = NO_SPACE if exc.errno in _FULL else CANNOT_WRITE
        raise kind.error(folder=folder, reason=exc.strerror or str(exc), cause=exc) from exc


class _Whole:
    """Writes all of what it is given, where the system may take a part."""

    def __init__(self, raw: io.FileIO) -> None:
        self._raw = raw

    def write(self, data: bytes | bytearray | memoryview, /) -> int:
        view = memoryview(data)
        written = 0
        while written < len(view):
            written += self._raw.write(view[written:]) or 0
        return written


def write_file(folder: Folder, name: str, data: bytes) -> None:
    """A small file at once."""
    with folder.writing(name) as file:
        file.write(data)
