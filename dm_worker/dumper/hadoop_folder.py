"""A dump's folder at a URL: files are made on the local disk, copied by Hadoop's client, and renamed.

The journal cannot be appended to everywhere, so it is written anew now and then; a killed run repeats the
chunks of the last seconds.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from dm_worker.dumper.folder import UNFINISHED, File, Folder, LocalFolder, disk_errors, write_file
from pkg.adapters.hadoop import HadoopFiles, is_url

_JOURNAL_SECONDS: Final = 5.0


class HadoopFolder:
    """Executors write to it as well; what is journaled is the business of one process."""

    def __init__(self, url: str, conf: Mapping[str, str]) -> None:
        self._files = HadoopFiles(url, conf)
        self._journals: dict[str, bytearray] = {}
        self._written_at = 0.0

    @property
    def name(self) -> str:
        return self._files.url

    def claim(self) -> None:
        """The state file tells other tasks off; dm-master lets one dm-worker run a subtask."""
        self._files.make()

    def release(self) -> None:
        for name in list(self._journals):
            self._write_journal(name)

    def sizes(self) -> dict[str, int]:
        return {name: size for name, size in self._files.sizes().items() if not name.startswith(UNFINISHED)}

    def sweep(self) -> None:
        for name in self._files.sizes():
            if name.startswith(UNFINISHED):
                self._files.remove(name)

    @contextmanager
    def writing(self, name: str) -> Iterator[File]:
        place = tempfile.gettempdir()
        with disk_errors(place), tempfile.NamedTemporaryFile(prefix="spark-dm-dump-", dir=place) as spool:
            yield spool
            spool.flush()
            self._files.upload(Path(spool.name), name, f"{UNFINISHED}{uuid.uuid4().hex}")

    def append(self, name: str, data: bytes) -> None:
        if name not in self._journals:
            self._journals[name] = bytearray(self._files.read(name) if name in self._files.sizes() else b"")
        self._journals[name] += data
        if time.monotonic() - self._written_at > _JOURNAL_SECONDS:
            self._write_journal(name)

    def read(self, name: str) -> bytes:
        return self._files.read(name)

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        return self._files.reading(name)

    def remove(self, name: str) -> None:
        self._files.remove(name)

    def _write_journal(self, name: str) -> None:
        write_file(self, name, bytes(self._journals[name]))
        self._written_at = time.monotonic()


def folder_at(folder: str, conf: Mapping[str, str]) -> Folder:
    """A path of this host, or a URL of a file system that Hadoop knows."""
    return HadoopFolder(folder, conf) if is_url(folder) else LocalFolder(Path(folder))
