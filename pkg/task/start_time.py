"""The time of `start-task --start-time`, as people write it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from pkg.errors import ErrorKind, Level, Scope

BAD_START_TIME = ErrorKind(
    20057,
    "config",
    Scope.NOT_SET,
    Level.MEDIUM,
    "start-time {text!r} {what}",
    workaround="write it as '2026-01-31 12:00:00' or '2026-01-31T12:00:00', with '+08:00' behind it when it is in "
    "another zone than the task's `timezone` (UTC by default)",
)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET = re.compile(r"([+-])(\d{1,2}):(\d{2})")


def parse_start_time(text: str, zone: str = "") -> int:
    """Microseconds since 1970; a time that names no zone is in `zone` (empty: UTC).  Raises BAD_START_TIME."""
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError as exc:
        raise BAD_START_TIME.error(text=text, what="is not a time", cause=exc) from exc
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=zone_of(zone))
    return (parsed - _EPOCH) // timedelta(microseconds=1)


def seconds_ahead(zone: str, at: float) -> int:
    """How far a zone is ahead of UTC at a moment, in seconds since 1970."""
    offset = datetime.fromtimestamp(at, zone_of(zone)).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def offset_text(seconds: int) -> str:
    """As servers write it: +08:00."""
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def zone_of(name: str) -> tzinfo:
    """Of an IANA name, an offset such as ``+08:00``, or UTC for ""; KeyError (ZoneInfoNotFoundError) for another."""
    found = _OFFSET.fullmatch(name)
    if found is None:
        return ZoneInfo(name) if name else UTC
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)
