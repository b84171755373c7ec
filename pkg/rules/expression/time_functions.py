"""Functions of dates and times."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Any

from pkg.rules.expression import convert, times
from pkg.rules.expression.functions import Function, Functions
from pkg.rules.expression.node import DATE, INT, Kind, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue
from pkg.rules.expression.times import Date

_MICROS = {
    "MICROSECOND": 1, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000, "DAY": 86_400_000_000,
    "WEEK": 7 * 86_400_000_000,
}  # fmt: skip
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_MOST = 1 << 31
_DIGITS = re.compile(r"-?[0-9]{1,18}")
_TOO_EARLY = "the result is before the year 1, where servers calculate differently"
_CLOCK_UNITS = frozenset({"MICROSECOND", "SECOND", "MINUTE", "HOUR"})


def _of_date(call: Callable[[Date], Any]) -> Function:
    def build(arguments: Sequence[Node], at: int) -> Node:
        return made_of(INT, strict(call, _moment(arguments[0])), arguments, at)

    return Function(1, 1, build)


def _moment(node: Node) -> Node:
    """A moment of a date, or of a text or number that is one; what is none is NULL."""
    return convert.moment(node)


def _known_day(call: Callable[[datetime.date], Any]) -> Callable[[Date], Any]:
    """NULL of a date that no calendar has."""

    def of_day(moment: Date) -> Any:
        day = _calendar(moment)
        return None if day is None else call(day)

    return of_day


def _calendar(moment: Date) -> datetime.date | None:
    """None of 0000-00-00.  Raises BadValue for other days that no calendar has, of which servers think differently."""
    year, month, day = moment[:3]
    if not (year or month or day):
        return None
    if not year or not month or not 1 <= day <= _days_of(year, month):
        raise BadValue(f"{times.date_text(moment)} is in no calendar")
    return datetime.date(year, month, day)


def _of_clock(call: Callable[[int], int]) -> Function:
    """Of the time, in microseconds without sign; of a date's time as well."""

    def build(arguments: Sequence[Node], at: int) -> Node:
        node = arguments[0]
        if node.kind is Kind.DATE:
            return made_of(INT, strict(lambda value: 0, node), arguments, at)
        if node.type.is_string and not node.constant:
            raise BadExpression("the time of a text that varies: CAST it to TIME or DATETIME", node.at)
        if node.type.is_string:
            value = node.value()
            moment = times.datetime_of(value) if isinstance(value, str) and len(value) > 9 else None
            node = convert.time(node) if moment is None else convert.time(convert.moment(node))
        return made_of(INT, strict(lambda value: call(abs(value)), convert.time(node)), arguments, at)

    return Function(1, 1, build)


def date_of(node: Node, at: int) -> Node:
    """DATE(), CAST(… AS DATE)."""
    if node.kind is Kind.DATE:
        return node
    return made_of(DATE, strict(lambda moment: moment[:3], _moment(node)), [node], at)


def _time(arguments: Sequence[Node], at: int) -> Node:
    node = convert.time(arguments[0])
    return made_of(node.type, node.run, arguments, at)


def _datediff(arguments: Sequence[Node], at: int) -> Node:
    def call(one: Date, other: Date) -> int | None:
        first, second = _calendar(one), _calendar(other)
        return None if first is None or second is None else (first - second).days

    return made_of(INT, strict(call, *map(_moment, arguments)), arguments, at)


def _last_day(arguments: Sequence[Node], at: int) -> Node:
    def call(moment: Date) -> Date | None:
        return (*moment[:2], _days_of(*moment[:2])) if _calendar(moment) else None

    return made_of(DATE, strict(call, _moment(arguments[0])), arguments, at)


def _days_of(year: int, month: int) -> int:
    return 29 if month == 2 and times.is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def shifted(node: Node, amount: Node, unit: str, sign: int, at: int) -> Node:
    """``node ± INTERVAL amount unit``: NULL beyond the calendar."""
    if node.kind not in (Kind.DATE, Kind.DATETIME):
        raise BadExpression("only a DATE or DATETIME takes an INTERVAL here: use CAST", node.at or at)
    if unit not in _MICROS and unit not in _MONTHS:
        raise BadExpression(f"INTERVAL in {unit} is not known here", at)
    is_date = node.kind is Kind.DATE and unit not in _CLOCK_UNITS
    scale = 6 if unit == "MICROSECOND" else node.type.scale
    type_ = DATE if is_date else Type(Kind.DATETIME, scale=scale)
    is_digits = amount.kind is Kind.TEXT and amount.constant and _DIGITS.fullmatch(str(amount.value()))
    if not is_digits and (amount.kind not in (Kind.INT, Kind.NULL) or amount.type.oddity):
        raise BadExpression("an INTERVAL's amount is an integer here", amount.at)

    def call(moment: Date, count: int) -> Date | None:
        if abs(count) > _MOST:
            raise BadValue("the INTERVAL is larger than all calendars")
        moved = _moved(moment, sign * count, unit)
        return moved[:3] if moved is not None and is_date else moved

    return made_of(type_, strict(call, convert.moment(node), convert.integer(amount)), [node, amount], at)


def _moved(moment: Date, count: int, unit: str) -> Date | None:
    if _calendar(moment) is None:
        return None
    if unit in _MONTHS:
        year, month, day = moment[:3]
        year, month = divmod(year * 12 + month - 1 + count * _MONTHS[unit], 12)
        if year > 9999:
            return None
        if year < 1:
            raise BadValue(_TOO_EARLY)
        return (year, month + 1, min(day, _days_of(year, month + 1)), *moment[3:])
    try:
        end = datetime.datetime(*moment) + datetime.timedelta(microseconds=count * _MICROS[unit])  # type: ignore[arg-type]
    except OverflowError:
        if count < 0:
            raise BadValue(_TOO_EARLY) from None
        return None
    return end.year, end.month, end.day, end.hour, end.minute, end.second, end.microsecond


YEAR = _of_date(lambda moment: moment[0])
MONTH = _of_date(lambda moment: moment[1])
DAY = _of_date(lambda moment: moment[2])
HOUR = _of_clock(lambda micros: micros // 3_600_000_000)
MINUTE = _of_clock(lambda micros: micros // 60_000_000 % 60)
SECOND = _of_clock(lambda micros: micros // 1_000_000 % 60)
TIME_FUNCTIONS: Functions = {
    "DATE": Function(1, 1, lambda arguments, at: date_of(arguments[0], at)),
    "TIME": Function(1, 1, _time),
    "YEAR": YEAR,
    "MONTH": MONTH,
    "DAY": DAY,
    "DAYOFMONTH": DAY,
    "QUARTER": _of_date(lambda moment: (moment[1] + 2) // 3),
    "DAYOFWEEK": _of_date(_known_day(lambda day: day.isoweekday() % 7 + 1)),
    "WEEKDAY": _of_date(_known_day(lambda day: day.weekday())),
    "DAYOFYEAR": _of_date(_known_day(lambda day: day.timetuple().tm_yday)),
    "TO_DAYS": _of_date(_known_day(lambda day: day.toordinal() + 365)),
    "LAST_DAY": Function(1, 1, _last_day),
    "DATEDIFF": Function(2, 2, _datediff),
    "HOUR": HOUR,
    "MINUTE": MINUTE,
    "SECOND": SECOND,
    "MICROSECOND": _of_clock(lambda micros: micros % 1_000_000),
}
