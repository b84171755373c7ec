"""Numbers and times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(seconds: int) -> str:
    """In UTC, as row values of TIMESTAMP columns are."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def size_text(size: int) -> str:
    """Bytes, with a unit from 10,000 on."""
    if size < 10_000:
        return plural(size, "byte")
    amount = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        amount /= 1024
        if amount < 1024 or unit == "GiB":
            break
    return f"{amount:,.1f} {unit}"


def span_text(seconds: int) -> str:
    """A duration in its two largest units."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [f"{n} {unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(parts[:2]) or "0 s"
