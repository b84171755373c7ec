"""Dates and times: their text and numbers as servers read and write them.

A date is (year, month, day), a moment has hour, minute, second and microsecond behind that, and a time is
its microseconds.  Months and days may be 0, as in columns; what is no date gives None, as servers do.
"""

from __future__ import annotations

import re
from decimal import Decimal

Date = tuple[int, ...]
MIDNIGHT = (0, 0, 0, 0)
MAX_TIME = (838 * 3600 + 59 * 60 + 59) * 1_000_000
_SEPARATED = re.compile(
    r"(?a)\s*(\d{4}|\d{2})[-/.:](\d{1,2})[-/.:](\d{1,2})"
    r"(?:(?:[ ]+|T)(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,6}))?)?)?)?\s*"
)
_DIGITS = re.compile(r"(?a)\s*(\d{4}|\d{2})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)(?:\.(\d{0,6}))?)?\s*")
_TIME = re.compile(r"(?a)\s*(-?)(?:(\d{1,4}) +)?(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,6}))?)?\s*")
_TIME_DIGITS = re.compile(r"(?a)\s*(-?)(\d{1,3}?)??(\d{1,2}?)??(\d{1,2})(?:\.(\d{0,6}))?\s*")
_MONTH_DAYS = (31, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def datetime_of(text: str) -> Date | None:
    """The moment that a text names."""
    found = _SEPARATED.fullmatch(text) or _DIGITS.fullmatch(text)
    if found is None:
        return None
    year, *rest = (int(part or 0) for part in found.groups()[:6])
    if len(found[1]) == 2:
        year += 2000 if year < 70 else 1900
    return _checked((year, *rest, int((found[7] or "").ljust(6, "0"))))


def date_of(text: str) -> Date | None:
    moment = datetime_of(text)
    return None if moment is None else moment[:3]


def datetime_of_number(number: int | Decimal) -> Date | None:
    """20200131 or 20200131235959.5."""
    whole = int(number)
    micros = int((Decimal(number) - whole) * 1_000_000)
    if not 0 <= whole <= 99_999_999_999_999:
        return None
    is_date = whole < 100_000_000
    whole = _with_century(whole, 10_000) * 1_000_000 if is_date else _with_century(whole, 10_000_000_000)
    day, clock = divmod(whole, 1_000_000)
    return _checked(
        (day // 10_000, day // 100 % 100, day % 100, clock // 10_000, clock // 100 % 100, clock % 100, micros)
    )


def _with_century(number: int, year_unit: int) -> int:
    """Years of two digits are those around 2000."""
    if not 0 < number < 100 * year_unit or number < 101 * (year_unit // 10_000):
        return number
    return number + (2000 if number // year_unit < 70 else 1900) * year_unit


def _checked(moment: Date) -> Date | None:
    year, month, day, hour, minute, second, _ = moment
    if month > 12 or day > _MONTH_DAYS[month] or hour > 23 or minute > 59 or second > 59:
        return None
    if month == 2 and day == 29 and not is_leap(year):
        return None
    return moment


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def time_of(text: str) -> int | None:
    """Microseconds of a text like -838:59:59.000000, 10:11, 1 10:11:12 or 101112."""
    found = _TIME.fullmatch(text)
    if found is not None:
        sign, days, hours, minutes, seconds, fraction = found.groups()
    else:
        digits = _TIME_DIGITS.fullmatch(text)
        if digits is None:
            return None
        sign, hours, minutes, seconds, fraction = digits.groups()
        days = None
    if int(minutes or 0) > 59 or int(seconds or 0) > 59:
        return None
    whole = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    micros = min(whole * 1_000_000 + int((fraction or "").ljust(6, "0")), MAX_TIME)
    return -micros if sign else micros


def date_text(date: Date) -> str:
    return f"{date[0]:04d}-{date[1]:02d}-{date[2]:02d}"


def datetime_text(moment: Date, digits: int) -> str:
    text = f"{date_text(moment)} {moment[3]:02d}:{moment[4]:02d}:{moment[5]:02d}"
    return text + _fraction(moment[6], digits)


def time_text(micros: int, digits: int) -> str:
    seconds, fraction = divmod(abs(micros), 1_000_000)
    sign = "-" if micros < 0 else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}" + _fraction(fraction, digits)


def _fraction(micros: int, digits: int) -> str:
    return "." + f"{micros:06d}"[:digits] if digits else ""


def date_number(date: Date) -> int:
    return (date[0] * 100 + date[1]) * 100 + date[2]


def datetime_number(moment: Date) -> Decimal:
    whole = ((date_number(moment) * 100 + moment[3]) * 100 + moment[4]) * 100 + moment[5]
    return whole + Decimal(moment[6]) / 1_000_000


def time_number(micros: int) -> Decimal:
    seconds, fraction = divmod(abs(micros), 1_000_000)
    whole = (seconds // 3600 * 100 + seconds // 60 % 60) * 100 + seconds % 60
    number = whole + Decimal(fraction) / 1_000_000
    return -number if micros < 0 else number
