"""A dump's folder at a URL: files are made on the local disk, copied by Hadoop's client, and renamed.

Nothing can be locked there, so a run that writes has a folder of its own (``runs.py``).

The journal cannot be appended to everywhere, so it is written anew now and then; a killed run repeats the
chunks of the last seconds.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from dm_worker.dumper.folder import UNFINISHED, File, Folder, LocalFolder, disk_errors, new_part, write_file
from pkg.adapters.hadoop import HadoopFiles, is_url

_JOURNAL_SECONDS: Final = 5.0


class HadoopFolder:
    """Executors write parts to it as well; what is journaled is the business of one process."""

    is_shared = True

    def __init__(self, url: str, conf: Mapping[str, str]) -> None:
        self._conf = conf
        self._files = HadoopFiles(url, conf)
        self._journals: dict[str, bytearray] = {}
        self._written_at = 0.0

    @property
    def name(self) -> str:
        return self._files.url

    def make(self) -> None:
        self._files.make()

    def claim(self) -> None:
        """Nobody is kept out."""
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
    def writing_part(self, part: str) -> Iterator[File]:
        place = tempfile.gettempdir()
        with disk_errors(place), tempfile.NamedTemporaryFile(prefix="spark-dm-dump-", dir=place) as spool:
            yield spool
            spool.flush()
            self._files.upload(Path(spool.name), part)

    def keep(self, part: str, name: str) -> None:
        self._files.rename(part, name)

    def take(self, former: str, name: str, *, moves: bool) -> None:
        source = f"../{former}/{name}" if former else f"../{name}"
        if moves:
            self._files.rename(source, name)
            return
        part = new_part()
        self._files.copy(source, part)
        self._files.rename(part, name)

    def folders(self) -> list[str]:
        return self._files.folders()

    def within(self, name: str) -> HadoopFolder:
        return HadoopFolder(f"{self._files.url}/{name}", self._conf)

    def discard(self, name: str) -> None:
        self._files.remove(name, whole=True)

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
