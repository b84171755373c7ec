"""Dates and times in the forms that servers take beside the usual one, as that: `20240101T101010`, `1-1-1`.

Tried on MySQL 9, MariaDB 10.11 and TiDB: MySQL and MariaDB read what is understood here alike.  TiDB refuses some
of it, and takes a year of one digit for one of this century; MariaDB refuses offsets.  Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

Ahead = Callable[[float], int]
"""Seconds since 1970 → how many seconds the session's time zone is ahead of UTC then."""
_CLOCK: Final = r"(\d{1,2})(?::(\d{1,2})?(?::(\d{1,2})?(?:\.(\d*))?)?)?"
_DAY: Final = r"(\d{4}(?=[-/.:@])|\d{1,3}(?=[-/:]))[-/.:@](\d{1,2})[-/.:@](\d{1,2})"
_OFFSET: Final = r"([+-])(\d\d):(\d\d)"
_DIVIDED: Final = re.compile(rf"\s*{_DAY}(?:(?:T|\s+)(?:{_CLOCK}(?:{_OFFSET})?)?)?\s*", re.ASCII)
_JOINED: Final = re.compile(r"\s*(\d{4}|\d\d)(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:\.(\d*))?\s*", re.ASCII)
_PLAIN: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?", re.ASCII)
_SHORT_YEAR: Final = re.compile(r"\s*\d[^\w\s]\s*\d", re.ASCII)
_TIME_ALONE: Final = re.compile(r"\s*-?\d+:", re.ASCII)
_OF_THIS_CENTURY: Final = 70  # years of two digits below it
_AROUND: Final = 24 * 60 * 60  # seconds


class Unlike(ValueError):
    """It is not known that every server stores the constant alike."""


def plain_moment(text: str, base_type: str, digits: int = 0, ahead: Ahead | None = None) -> str:
    """What ``text`` is for a column of dates or times, with all digits of its fraction; "" where it is plain, or other.

    ``digits``: how many of a fraction the column has; ``ahead``: of the statement's session, None where that is not
    known.  Raises Unlike.
    """
    if _PLAIN.fullmatch(text) or (base_type == "time" and _TIME_ALONE.match(text)):
        return ""
    found = _DIVIDED.fullmatch(text)
    if found is None:
        joined = _JOINED.fullmatch(text)
        if joined is None and base_type != "time" and _SHORT_YEAR.match(text):
            raise Unlike(text)
        return _said(joined.groups(), base_type) if joined is not None else ""
    if found[8] is None:
        return _said(found.groups()[:7], base_type)
    if ahead is None or len(found[7] or "") > digits or (base_type == "date" and found[7] is not None):
        raise Unlike(text)
    return _said(_local(text, found, ahead, base_type), base_type)


def _said(parts: tuple[str | None, ...], base_type: str) -> str:
    """The year, which may have two digits, to the second, and the digits behind its point."""
    year, month, day = (int(part or 0) for part in parts[:3])
    clock = tuple(int(part or 0) for part in parts[3:6])
    if len(parts[0] or "") == len("24") and any((year, month, day, *clock)):
        year += 2000 if year < _OF_THIS_CENTURY else 1900
    date = f"{year:04}-{month:02}-{day:02}"
    fraction = f".{parts[6]}" if parts[6] else ""
    time = ":".join(f"{part:02}" for part in clock) + fraction
    if base_type == "time":
        return time
    return f"{date} {time}" if parts[3] is not None and (base_type != "date" or fraction) else date


def _local(text: str, found: re.Match[str], ahead: Ahead, base_type: str) -> tuple[str | None, ...]:
    """A moment that names its offset, in the session's time zone."""
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    sign, hours, minutes = found.groups()[7:]
    east = (int(hours) * 60 + int(minutes)) * (-60 if sign == "-" else 60)
    try:
        seconds = datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() - east
    except ValueError:
        raise Unlike(text) from None
    if len(found[1]) < len("2024") or found[6] is None or not _AROUND <= seconds < 2**31 - _AROUND:
        raise Unlike(text)
    if base_type == "timestamp" and ahead(seconds - _AROUND) != ahead(seconds + _AROUND):
        raise Unlike(text)  # one of two moments of a local time
    local = datetime.fromtimestamp(seconds + ahead(seconds), UTC)
    return (*local.strftime("%Y %m %d %H %M %S").split(), found[7])
