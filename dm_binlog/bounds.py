"""--from and --to: a place, a time, or a transaction's GTID, and what lies between two of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dm_binlog.items import Group, Placed

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_MYSQL_GTID = re.compile(rf"{_UUID}(:[A-Za-z_]\w*)?:\d+")
_MARIADB_GTID = re.compile(r"\d+-\d+-\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PLACE = re.compile(r"\(?\s*([^\s,:()]+)\s*[,:]\s*(\d+)\s*\)?")
FORMS = (
    "write a place (1234 or mysql-bin.000007:1234), a time in UTC ('2026-03-01', '2026-03-01 12:30:00', "
    "'2026-03-01T12:30+02:00') or a GTID (0-1-42, or uuid:42)"
)


@dataclass(frozen=True, slots=True)
class Place:
    file: str  # "" for the first or last file that is shown
    offset: int


@dataclass(frozen=True, slots=True)
class Time:
    seconds: float


@dataclass(frozen=True, slots=True)
class Transaction:
    gtid: str


Bound = Place | Time | Transaction


def parse_bound(text: str) -> Bound:
    """ValueError with the forms for anything else."""
    text = text.strip()
    if text.isdigit():
        return Place("", int(text))
    if _MYSQL_GTID.fullmatch(text):
        return Transaction(text.lower())
    if _MARIADB_GTID.fullmatch(text) and not _DATE.fullmatch(text):
        return Transaction(text)
    time = _time(text)
    if time is not None:
        return time
    if _MARIADB_GTID.fullmatch(text):  # it looks like a date and is none
        return Transaction(text)
    place = _PLACE.fullmatch(text)
    if place is None:
        raise ValueError(f"{text!r} is not understood; {FORMS}")
    return Place(place[1], int(place[2]))


def _time(text: str) -> Time | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return Time((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


class Bounds:
    """Which events lie between two bounds; asked about each event in order."""

    def __init__(self, first: Bound | None, last: Bound | None, files: Sequence[str]) -> None:
        self._files = files
        self._first = _in_file(first, files[0])
        self._last = _in_file(last, files[-1])
        self._has_begun = not isinstance(first, Transaction)
        self._has_ended = False  # the transaction of --to is over, or the place of --to passed
        self._ends_with: Group | None = None
        self.first_found = self._has_begun
        self.last_found = not isinstance(last, Transaction)

    def skips(self, file: str) -> bool:
        """Whether nothing of the file can lie inside; the places' files are among the arguments."""
        at = self._files.index(file)
        before = isinstance(self._first, Place) and at < self._files.index(self._first.file)
        behind = isinstance(self._last, Place) and at > self._files.index(self._last.file)
        return before or behind or self._has_ended

    def include(self, placed: Placed) -> bool:
        frame, group = placed.item.frame, placed.group
        first, last = self._first, self._last
        if isinstance(last, Place) and frame.file == last.file and frame.start >= last.offset:
            self._has_ended = True
        if isinstance(first, Place) and frame.file == first.file and frame.end <= first.offset:
            return False
        self._note_transaction(group)
        if self._has_ended or not self._has_begun:
            return False
        seconds = frame.timestamp if group is None else group.timestamp
        if isinstance(first, Time) and seconds < first.seconds:
            return False
        return not (isinstance(last, Time) and seconds >= last.seconds)

    @property
    def is_over(self) -> bool:
        return self._has_ended

    def _note_transaction(self, group: Group | None) -> None:
        if self._ends_with is not None and group is not self._ends_with:
            self._has_ended = True
        if group is None or group.gtid is None:
            return
        if isinstance(self._first, Transaction) and group.gtid == self._first.gtid:
            self._has_begun = self.first_found = True
        if isinstance(self._last, Transaction) and group.gtid == self._last.gtid:
            self._ends_with, self.last_found = group, True


def _in_file(bound: Bound | None, default: str) -> Bound | None:
    return Place(bound.file or default, bound.offset) if isinstance(bound, Place) else bound
