"""The location of the first transaction at or after a time (`start-task --start-time`).

Files are searched by the time at which each was begun; then one file is read up to the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timezone

from pkg.errors import ErrorKind, Level, Scope

BAD_START_TIME = ErrorKind(
    20057,
    "config",
    Scope.NOT_SET,
    Level.MEDIUM,
    "start-time {text!r} {what}",
    workaround="write it as '2026-01-31 12:00:00' or '2026-01-31T12:00:00', with '+08:00' behind it when it is not UTC",
)


def parse_start_time(text: str) -> int:
    """Seconds since 1970; a time that names no zone is UTC.  Raises BAD_START_TIME."""
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError as exc:
        raise BAD_START_TIME.error(text=text, what="is not a time", cause=exc) from exc
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=timezone.utc)
    return int(parsed.timestamp())


def file_before(files: Sequence[str], begun_at: Callable[[str], int], time_seconds: int) -> str:
    """The last file that was begun before the time, by binary search; the first file when all are younger."""
    low, high = 0, len(files) - 1  # invariant: files[low] is old enough or the first; those after high are younger
    while low < high:
        middle = (low + high + 1) // 2
        if begun_at(files[middle]) < time_seconds:
            low = middle
        else:
            high = middle - 1
    return files[low]
