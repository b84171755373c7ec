"""Times with fractions in tables of before MariaDB 10.1, or made with mysql56_temporal_format = OFF.

Layout: MariaDB source `field.cc`, the classes …_hires: big-endian numbers in units of the column's last
digit, of as many bytes as they need; nothing in the event says how many digits there are.
"""

from __future__ import annotations

SIZES = {"time": (3, 4, 4, 5, 5, 5, 6), "datetime": (5, 6, 6, 7, 7, 7, 8), "timestamp": (4, 5, 5, 6, 6, 7, 7)}
_ZERO = 838 * 3600 + 59 * 60 + 59 + 1  # seconds that make every TIME positive


def time_literal(raw: bytes, digits: int) -> bytes:
    unit = 10**digits
    value = int.from_bytes(raw, "big") - _ZERO * unit
    sign = "-" if value < 0 else ""
    seconds, fraction = divmod(abs(value), unit)
    if seconds >= _ZERO:
        raise ValueError("a TIME is out of its range")
    return f"'{sign}{_clock(seconds // 3600, seconds)}.{fraction:0{digits}d}'".encode("ascii")


def datetime_literal(raw: bytes, digits: int) -> bytes:
    seconds, fraction = divmod(int.from_bytes(raw, "big"), 10**digits)
    days, seconds = divmod(seconds, 86400)
    months, day = divmod(days, 32)
    if months >= 10_000 * 13:  # the bytes of MySQL's own format, most likely: the column's digits are not known right
        raise ValueError("a DATETIME is out of its range")
    date = f"{months // 13:04d}-{months % 13:02d}-{day:02d}"
    return f"'{date} {_clock(seconds // 3600, seconds)}.{fraction:0{digits}d}'".encode("ascii")


def _clock(hours: int, seconds: int) -> str:
    return f"{hours:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
