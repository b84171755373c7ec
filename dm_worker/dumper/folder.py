"""The folder that a dump goes to: a file there is whole or not there.

A file is written under a name of its own that no reader of dumps knows (a part), forced to the disk and renamed.
Lanes write parts; only the process whose run it is gives them their names.  What a killed run left is swept by
the next one.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from dm_worker.dumper.shared_disk import is_shared
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
    workaround="it is tried again by itself, and ends where the other one completes the dump; give every task a `dir` "
    "of its own",
    resumable=True,
)

PART_MISSING = ErrorKind(
    32210,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "what was written to {folder} for the file {name} is not there any more",
    workaround="`dir` in `loaders` is to be one folder for dm-worker and all of Spark's executors (a shared file "
    "system), and nobody may remove it or take files out of it; then resume-task",
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

    @property
    def is_shared(self) -> bool:
        """Whether a write of another process may come at any time, and no lock keeps it out."""
        ...

    def make(self) -> None: ...

    def claim(self) -> None:
        """Make the folder, and keep it to this process until ``release``, but where it is shared."""
        ...

    def release(self) -> None: ...

    def sizes(self) -> Mapping[str, int]:
        """Files by name, without those that are being written."""
        ...

    def sweep(self) -> None:
        """Remove what a killed run was writing."""
        ...

    def writing_part(self, part: str) -> AbstractContextManager[File]:
        """What is written in it becomes the file ``part``, a name of ``new_part``, at its end, or nothing does."""
        ...

    def keep(self, part: str, name: str) -> None:
        """Give a part its name."""
        ...

    def take(self, former: str, name: str, *, moves: bool) -> None:
        """The file ``name`` of the folder ``former`` beside this one ("": the one around it)."""
        ...

    def folders(self) -> Sequence[str]:
        """Names of the folders in it."""
        ...

    def within(self, name: str) -> Folder:
        """A folder in it."""
        ...

    def discard(self, name: str) -> None:
        """Remove a folder in it, with its files."""
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
    """A folder of this host's file system.

    While it is claimed all that is written goes to the folder that was locked: where somebody removes it and
    another process makes one of this name, writes fail.
    """

    path: Path
    _lock: int | None = None
    _at: int | None = None  # the claimed folder

    def __reduce__(self) -> tuple[type[LocalFolder], tuple[Path]]:
        return LocalFolder, (self.path,)

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def is_shared(self) -> bool:
        return is_shared(self.path)

    def make(self) -> None:
        with self._errors():
            self.path.mkdir(parents=True, exist_ok=True)

    def claim(self) -> None:
        self.make()
        with self._errors():
            self._at = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                self._lock = self._open(_LOCK, os.O_CREAT | os.O_RDWR)
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BaseException as exc:
                self.release()
                if isinstance(exc, BlockingIOError):
                    raise FOLDER_IN_USE.error(folder=self.name, cause=exc) from exc
                raise

    def release(self) -> None:
        for descriptor in (self._at, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._at = self._lock = None

    def sizes(self) -> dict[str, int]:
        try:
            with os.scandir(self.path) as entries:
                found = [entry for entry in entries if entry.is_file() and not entry.name.startswith(UNFINISHED)]
                return {entry.name: entry.stat().st_size for entry in found if entry.name != _LOCK}
        except OSError as exc:
            raise CANNOT_READ.error(folder=self.name, reason=exc.strerror, cause=exc) from exc

    def sweep(self) -> None:
        with self._errors():
            for left in os.listdir(self.path if self._at is None else self._at):
                if left.startswith(UNFINISHED):
                    self._unlink(left)

    @contextmanager
    def writing_part(self, part: str) -> Iterator[File]:
        with self._errors():
            try:
                with io.FileIO(self._open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY), "wb") as raw:
                    yield _Whole(raw)
                    os.fsync(raw.fileno())
            except BaseException:
                with suppress(OSError):
                    self._unlink(part)
                raise

    def keep(self, part: str, name: str) -> None:
        with self._errors():
            try:
                os.rename(self._place(part), self._place(name), src_dir_fd=self._at, dst_dir_fd=self._at)
            except FileNotFoundError as exc:
                raise PART_MISSING.error(folder=self.name, name=name, cause=exc) from exc

    def take(self, former: str, name: str, *, moves: bool) -> None:
        place = self.path.parent / former / name
        with self._errors():
            if moves:
                os.rename(place, self._place(name), dst_dir_fd=self._at)
            else:
                with place.open("rb") as source, writing(self, name) as file:
                    shutil.copyfileobj(source, file)

    def folders(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                return [entry.name for entry in entries if entry.is_dir()]
        except OSError as exc:
            raise CANNOT_READ.error(folder=self.name, reason=exc.strerror, cause=exc) from exc

    def within(self, name: str) -> LocalFolder:
        return LocalFolder(self.path / name)

    def discard(self, name: str) -> None:
        with self._errors():
            shutil.rmtree(self.path / name)

    def read(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except OSError as exc:
            raise CANNOT_READ.error(folder=self.name, reason=f"{name}: {exc.strerror}", cause=exc) from exc

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        return (self.path / name).open("rb")

    def append(self, name: str, data: bytes) -> None:
        with self._errors(), io.FileIO(self._open(name, os.O_CREAT | os.O_APPEND | os.O_WRONLY), "ab") as file:
            _Whole(file).write(data)

    def remove(self, name: str) -> None:
        with self._errors():
            self._unlink(name)

    def _open(self, name: str, flags: int) -> int:
        mode = 0o600 if name == _LOCK else 0o666
        return os.open(self._place(name), flags | os.O_CLOEXEC, mode, dir_fd=self._at)

    def _unlink(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._place(name), dir_fd=self._at)

    def _place(self, name: str) -> str:
        """The name within the claimed folder, or the whole path."""
        return name if self._at is not None else str(self.path / name)

    def _errors(self) -> AbstractContextManager[None]:
        return disk_errors(self.name)


def new_part() -> str:
    """A name that nobody else uses, for a file that is being written."""
    return f"{UNFINISHED}{uuid.uuid4().hex}"


@contextmanager
def writing(folder: Folder, name: str) -> Iterator[File]:
    """What is written in it becomes the file ``name`` at its end, or nothing does."""
    part = new_part()
    with folder.writing_part(part) as file:
        yield file
    folder.keep(part, name)


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
    with writing(folder, name) as file:
        file.write(data)
