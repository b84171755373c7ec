"""The clocks of this machine, as one object that tests can replace."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """Monotonic seconds for spans, Unix seconds and UTC for the calendar."""

    def monotonic(self) -> float:
        return time.monotonic()

    def unix(self) -> float:
        return time.time()

    def utc(self) -> datetime:
        return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """``2026-01-31T08:00:00Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
