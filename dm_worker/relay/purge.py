"""Deleting old files of a relay log: which (pure), and doing it.

Always the oldest ones, and never a file at or behind the first that somebody needs, nor the last one,
which is being written.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dm_worker.relay.folder import Mark, binlog_files, sub_dirs, unreadable
from dm_worker.relay.places import gtids_before
from pkg.binlog.gtid import GtidSet
from pkg.binlog.position import Location
from pkg.errors import ErrorKind, Level, Scope
from pkg.task.source import PurgeConfig

_GIB = 1 << 30
_HOUR_SECONDS = 3600

UNKNOWN_FILE = ErrorKind(
    30066,
    "relay-unit",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the relay log has no file {file} in {where}",
    workaround="it has these: {known}",
)


@dataclass(frozen=True, slots=True)
class RelayFile:
    """One binlog file of a relay log."""

    sub_dir: str
    name: str
    size: int
    modified: float  # seconds since 1970

    @property
    def place(self) -> tuple[str, str]:
        return self.sub_dir, self.name


@dataclass(frozen=True, slots=True)
class Purged:
    """What was deleted, and the file that had to stay though the rule names it."""

    files: tuple[RelayFile, ...]
    kept: RelayFile | None = None

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


# -- deciding ---------------------------------------------------------------------------------------


def named_by_file(files: Sequence[RelayFile], file: str, sub_dir: str = "") -> int:
    """How many of the oldest files come before the named one; "" is the last sub-directory.  Raises UNKNOWN_FILE."""
    where = sub_dir or (files[-1].sub_dir if files else "")
    for number, known in enumerate(files):
        if known.place == (where, file):
            return number
    known_names = ", ".join(f"{known.sub_dir}/{known.name}" for known in files) or "none"
    raise UNKNOWN_FILE.error(file=file, where=where or "it", known=known_names)


def named_by_age(files: Sequence[RelayFile], expires_hours: int, now: float) -> int:
    """How many of the oldest files were written last more than so many hours ago; 0 hours: none."""
    count = 0
    while expires_hours and count < len(files) and files[count].modified < now - expires_hours * _HOUR_SECONDS:
        count += 1
    return count


def named_by_space(files: Sequence[RelayFile], remain_gib: int, free_bytes: int) -> int:
    """How many of the oldest files must go so that so much of the disk is free; 0 GiB: none."""
    count = 0
    while count < len(files) and free_bytes < remain_gib * _GIB:
        free_bytes += files[count].size
        count += 1
    return count


def first_kept(files: Sequence[RelayFile], needed: Iterable[tuple[str, str]]) -> int:
    """Place of the first file that must stay; a needed file that is not known keeps what may be behind it."""
    kept = len(files) - 1
    for sub_dir, name in needed:
        at_or_behind = (
            number for number, file in enumerate(files) if not Mark(sub_dir, name, 0).is_behind(*file.place)
        )
        kept = min(kept, next(at_or_behind, kept))
    return max(kept, 0)


def files_to_purge(files: Sequence[RelayFile], needed: Iterable[tuple[str, str]], named: int) -> Purged:
    """Of the `named` oldest files those that nobody needs; `files` are all, oldest first."""
    kept = first_kept(files, needed)
    return Purged(tuple(files[: min(named, kept)]), files[kept] if named > kept else None)


# -- doing ------------------------------------------------------------------------------------------


def relay_files(folder: Path) -> list[RelayFile]:
    """All binlog files, oldest first.  Raises UNREADABLE."""
    found = []
    for sub_dir in sub_dirs(folder):
        for name in binlog_files(folder, sub_dir):
            status = (folder / sub_dir / name).stat()
            found.append(RelayFile(sub_dir, name, status.st_size, status.st_mtime))
    return found


def needed_place(folder: Path, files: Sequence[RelayFile], location: Location) -> tuple[str, str] | None:
    """The file in which somebody who stands at `location` reads on; None when that is behind all of them."""
    if location.gtid_set is not None:
        place = _place_by_gtid(folder, files, location.gtid_set)
        if place is not None:
            return place
    name = location.position.name
    for file in files:  # of several servers' files with the name the oldest, to be safe
        if file.name == name:
            return file.place
    is_behind = bool(files) and bool(name) and Mark("", name, 0).is_behind("", files[-1].name)
    return None if is_behind or not files else files[0].place


def _place_by_gtid(folder: Path, files: Sequence[RelayFile], gtid_set: GtidSet) -> tuple[str, str] | None:
    """The last file that begins with nothing but transactions of the set; None where GTIDs do not tell."""
    for file in reversed(files):
        before = gtids_before(folder / file.sub_dir / file.name, gtid_set.flavor)
        if before is None and file is files[-1]:
            continue  # it has hardly begun
        if before is None or not str(before):
            return None
        if gtid_set.may_begin(before):
            return file.place
    return files[0].place if files else None


def purge(
    folder: Path,
    config: PurgeConfig,
    readers: Iterable[tuple[str, str]],
    needed: Iterable[Location],
    now: float,
    *,
    file: str = "",
    sub_dir: str = "",
) -> Purged:
    """Delete the files before the one that is named, or with "" what the purge settings say.  Raises DMError."""
    files = relay_files(folder)
    if file:
        named = named_by_file(files, file, sub_dir)
    else:
        free_bytes = shutil.disk_usage(folder).free
        named = max(named_by_space(files, config.remain_space, free_bytes), named_by_age(files, config.expires, now))
    if not named:
        return Purged(())
    places = [needed_place(folder, files, location) for location in needed]
    chosen = files_to_purge(files, [*readers, *(place for place in places if place is not None)], named)
    for one in chosen.files:  # oldest first: a purge that is broken off leaves no gap
        path = folder / one.sub_dir / one.name
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise unreadable(path, exc) from exc
    return chosen
