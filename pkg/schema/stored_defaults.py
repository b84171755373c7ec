"""Constants behind DEFAULT as the upstream stores them, where targets would store others.

A server converts such a constant once, when it runs the statement: fractions of seconds are cut or rounded by the
session's mode, a YEAR takes the number 0 for 0000, a DOUBLE(M,D) has D digits, bytes of UTF-16 get zeros in front.  The
target's statement has what came of it, so that rows which are there, and later ones, hold the upstream's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.ddl import defined_columns, parse_ddl
from pkg.schema.fractions import rounded_by_cast
from pkg.schema.lexer import quote_string, string_value
from pkg.schema.statement import Ddl, Edit, edited
from pkg.schema.table import Column, Table

_STRING = r"'(?:[^'\\]|''|\\.)*'"
_NUMBER = r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_DIGITS = r"0x[0-9a-f]+|x'[0-9a-f]*'|0b[01]+|b'[01]*'"
_CONSTANT = re.compile(
    rf"(?:(?P<type>DATE|TIME|TIMESTAMP)\s*)?(?P<text>{_STRING})|(?P<number>{_NUMBER}|TRUE|FALSE)|(?P<digits>{_DIGITS})",
    re.IGNORECASE | re.DOTALL,
)
_MOMENTS = ("date", "datetime", "timestamp")
_OF_TYPES = {"DATE": _MOMENTS, "TIMESTAMP": _MOMENTS, "TIME": ("time",)}
_FIXED = re.compile(r"(?:float|double)\(\d+,\s*(\d+)\)")
_UNITS = {"ucs2": 4, "utf16": 4, "utf16le": 4, "utf32": 8}  # hexadecimal digits of the least unit
_FRACTION = r"\.(\d*)\s*"
_CLOCK = r"(\d{1,3}):(\d{1,2}):(\d{1,2})"
_MOMENT = re.compile(rf"\s*(\d{{4}}|\d\d)[-/](\d{{1,2}})[-/](\d{{1,2}})(?:T|\s+){_CLOCK}{_FRACTION}")
_PLAIN_MOMENT = re.compile(rf"\s*(\d{{4}}|\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d){_FRACTION}")
_PLAIN_DAY = re.compile(rf"\s*(?:\d{{8}}|\d{{6}}){_FRACTION}")
_TIME = re.compile(rf"\s*(-?)(?:(\d+)\s+)?{_CLOCK}{_FRACTION}")
_PLAIN_TIME = re.compile(rf"\s*(-?)(\d{{1,7}}){_FRACTION}")
_MICRO = 6
_MOST_DATE_GROUPS = 3


class Unlike(ValueError):
    """It is not known that every server stores the constant alike."""


def with_stored_defaults(ddl: Ddl, after: Table | None, flavors: tuple[str, str], *, cuts: bool) -> Ddl:
    """The statement with its constants as the upstream stores them.

    ``after``: its table upstream behind it; ``flavors``: the upstream's and the target's; ``cuts``: whether its
    session cuts fractions of seconds.
    """
    edits = list(_edits(ddl, after, flavors, cuts)) if after is not None else []
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavors[0])


def stored(column: Column, written: str, *, cuts: bool) -> str:
    """What to write for the DEFAULT ``written`` of a column; as it is, where servers store it alike.

    ``cuts``: whether the upstream cuts fractions of seconds for this type.  Raises Unlike.
    """
    inner = written
    while inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1].strip()
    found = _CONSTANT.fullmatch(inner)
    if found is None:
        return written
    word, text, number, digits = found.group("type", "text", "number", "digits")
    base = column.base_type
    if base in (*_MOMENTS, "time"):
        if word is not None and base not in _OF_TYPES[word.upper()]:
            return written
        value = string_value(text) if text is not None else number or ""
        return _moment(column, value, cuts, is_number=number is not None) or written
    if base == "year" and number is not None:
        return _year(number) or written
    if fixed := _FIXED.match(column.type):
        return _rounded(string_value(text) if text is not None else number or "", int(fixed[1])) or written
    if digits is not None and base in TEXT_TYPES and (unit := _UNITS.get(column.charset or "")):
        return _padded(digits, unit)
    return written


def _edits(ddl: Ddl, after: Table, flavors: tuple[str, str], cuts: bool) -> Iterator[Edit]:
    for spec, is_new in defined_columns(ddl):
        column = after.column(spec.name)
        for clause in spec.clauses if column is not None else ():
            if column is None or clause.key != "DEFAULT":
                continue
            written = ddl.text[clause.start : clause.end][len("DEFAULT") :].strip()
            wanted = _or_as_it_is(column, written, cuts=cuts_for(column, flavors[0], cuts=cuts))
            if is_new and flavors == ("mysql", "mariadb") and not cuts and wanted == written:
                wanted = rounded_by_cast(column, written, after)
            if wanted != written:
                yield clause.start, clause.end, f"DEFAULT {wanted}"


def cuts_for(column: Column, upstream: str, *, cuts: bool) -> bool:
    """Whether the upstream cuts fractions where it makes a value of this column; MariaDB rounds none to a day."""
    return cuts or (upstream == "mariadb" and column.base_type == "date")


def _or_as_it_is(column: Column, written: str, *, cuts: bool) -> str:
    try:
        return stored(column, written, cuts=cuts)
    except Unlike:
        return written


def _moment(column: Column, value: str, cuts: bool, *, is_number: bool) -> str:
    """The constant of a date or time; "" where it has no fraction that is cut or rounded."""
    if "." not in value:
        return ""
    read = _time if column.base_type == "time" else _date
    if column.base_type == "date":
        digits = 0
    else:
        digits = column.fsp
        fraction = value.rpartition(".")[2].strip()
        if fraction.isdigit() and len(fraction) <= digits and not is_number:
            return ""
    text = read(value, digits, cuts, is_number)
    return quote_string(text.split(" ")[0] if column.base_type == "date" else text) if text else ""


def _date(value: str, digits: int, cuts: bool, is_number: bool) -> str:
    found = _MOMENT.fullmatch(value) or _PLAIN_MOMENT.fullmatch(value)
    if found is None:
        if not is_number and len(re.findall(r"\d+", value)) <= _MOST_DATE_GROUPS:
            return ""  # 2024.02.03
        if _PLAIN_DAY.fullmatch(value) and cuts:
            return value.partition(".")[0].strip()
        raise Unlike(value)
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if len(found[1]) == len("24"):
        year += 2000 if year < 70 else 1900
    carry, fraction = _fraction(found[7], digits, cuts)
    if carry:
        try:
            new = datetime(year, month, day, hour, minute, second) + timedelta(seconds=1)
        except (ValueError, OverflowError):
            raise Unlike(value) from None
        year, month, day, hour, minute, second = new.timetuple()[:6]
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction}"


def _time(value: str, digits: int, cuts: bool, is_number: bool) -> str:
    if found := _TIME.fullmatch(value):
        sign, days, hours, minutes, seconds, shown = found.groups()
    elif found := _MOMENT.fullmatch(value) or _PLAIN_MOMENT.fullmatch(value):
        sign, days = "", "0"
        hours, minutes, seconds, shown = found.groups()[3:]
    elif found := _PLAIN_TIME.fullmatch(value):
        sign, number, shown = found.groups()
        days, hours, minutes, seconds = "0", number[:-4] or "0", number[-4:-2] or "0", number[-2:]
    else:
        raise Unlike(value)
    if max(int(minutes), int(seconds)) >= 60:
        raise Unlike(value)
    carry, fraction = _fraction(shown, digits, cuts)
    total = ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds) + carry
    return f"{sign}{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}{fraction}"


def _fraction(shown: str, digits: int, cuts: bool) -> tuple[int, str]:
    """(seconds, the rest with its point) of the digits behind a point.  Servers round to six digits first."""
    micro = int(shown[:_MICRO].ljust(_MICRO, "0"))
    unit = 10 ** (_MICRO - digits)
    if not cuts:
        micro += shown[_MICRO : _MICRO + 1] >= "5"
        micro += unit // 2
    seconds, rest = divmod(micro // unit, 10**digits)
    return seconds, f".{rest:0{digits}}" if digits else ""


def _year(number: str) -> str:
    """The number of a YEAR, where it is 0, has two digits or some behind the point; else ""."""
    text = {"TRUE": "1", "FALSE": "0"}.get(number.upper(), number.replace(" ", ""))
    whole = int(Decimal(text).quantize(Decimal(1), ROUND_HALF_UP))
    if not whole:
        return "'0000'"
    year = whole + (2000 if whole < 70 else 1900) if whole < 100 else whole
    return "" if text.lstrip("+") == str(year) else str(year)


def _rounded(text: str, digits: int) -> str:
    """The number of a DOUBLE(M,D), where it has more than ``digits``, as MySQL and MariaDB round it; else ""."""
    try:
        exact, value = Decimal(text.replace(" ", "")), float(text.replace(" ", ""))
    except (ArithmeticError, ValueError):
        return ""
    exponent = exact.as_tuple().exponent
    if not math.isfinite(value) or not isinstance(exponent, int) or -exponent <= digits:
        return ""
    whole, scale = math.floor(value), 10.0**digits
    return f"{whole + round((value - whole) * scale) / scale:.{digits}f}"


def _padded(digits: str, unit: int) -> str:
    """Bytes of a text whose characters have several, with the zeros that servers put in front."""
    plain = digits.strip("'")[1:].lstrip("'xXbB") if "'" in digits else digits[2:]
    if digits.lstrip("0")[:1].lower() == "b":
        plain = f"{int(plain or '0', 2):x}"
    return f"X'{plain.rjust(-(-len(plain) // unit) * unit, '0')}'"
