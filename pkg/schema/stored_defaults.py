"""Constants behind DEFAULT as the upstream stores them, where targets would store others.

A server converts such a constant once, when it runs the statement: fractions of seconds are cut or rounded by the
session's mode, a YEAR takes the number 0 for 0000, a DOUBLE(M,D) has D digits, bytes of UTF-16 get zeros in front; a
moment that names its offset is a local time of the session; a number is a label's place in MariaDB, its text in
MySQL. The target's statement has what came of it, so that rows which are there, and later ones, hold the upstream's.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from ipaddress import ip_address

from pkg.binlog.charset import encode
from pkg.binlog.rare_values import inet4_literal, inet6_literal, uuid_literal
from pkg.schema.alter import SetDefault
from pkg.schema.column_types import BINARY_TYPES, DIGITS_OF_DOUBLE, INTEGER_TYPES, TEXT_TYPES, is_bulky
from pkg.schema.ddl import defined_columns, parse_ddl
from pkg.schema.defaults import text_of_number
from pkg.schema.fractions import rounded_by_cast
from pkg.schema.lexer import bytes_of_digits, quote_string, string_value
from pkg.schema.plain_moments import Ahead, Unlike, plain_moment
from pkg.schema.statement import Ddl, Edit, edited
from pkg.schema.table import Column, Table

_STRING = r"'(?:[^'\\]|''|\\.)*'"
_NUMBER = r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_DIGITS = r"0x[0-9a-f]+|x'[0-9a-f]*'|0b[01]+|b'[01]*'"
_CONSTANT = re.compile(
    rf"(?:(?P<type>DATE|TIME|TIMESTAMP)\s*)?(?P<text>{_STRING})|(?P<number>{_NUMBER}|TRUE|FALSE)|(?P<digits>{_DIGITS})",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_MOMENTS = ("date", "datetime", "timestamp")
_NUMBERS = INTEGER_TYPES | {"decimal", "float", "double", "year"}
_BLOBS = frozenset(filter(is_bulky, BINARY_TYPES))
_OF_TYPES = {"DATE": _MOMENTS, "TIMESTAMP": _MOMENTS, "TIME": ("time",)}
_FIXED = re.compile(r"(?:float|double)\(\d+,\s*(\d+)\)", re.ASCII)
_UNITS = {"ucs2": 4, "utf16": 4, "utf16le": 4, "utf32": 8}  # hexadecimal digits of the least unit
_KEPT_TEXT = re.compile(rf"[\s(]*N?({_STRING})[\s)]*", re.ASCII | re.IGNORECASE | re.DOTALL)
_SPELLED = re.compile(r"[\s(]*_\w+\s*(?:[xb]?'(?:[^'\\]*[^ -~][^']*|.*\\.*)'|[xb]'|0[xb])", re.ASCII | re.IGNORECASE)
_SHORT_YEAR = re.compile(r"\s*(\d\d?)\s*", re.ASCII)
_ADDRESSES = {"uuid": (16, uuid_literal), "inet4": (4, inet4_literal), "inet6": (16, inet6_literal)}  # bytes
_DAY = re.compile(r"[\s(]*(?:DATE|TIMESTAMP)?\s*'\s*(\d{4})\D?(\d\d?)\D?(\d\d?)(?!\d{3})", re.ASCII | re.IGNORECASE)
_FRACTION = r"\.(\d*)\s*"
_CLOCK = r"(\d{1,3}):(\d{1,2}):(\d{1,2})"
_MOMENT = re.compile(rf"\s*(\d{{4}}|\d\d)[-/](\d{{1,2}})[-/](\d{{1,2}})(?:T|\s+){_CLOCK}{_FRACTION}", re.ASCII)
_PLAIN_MOMENT = re.compile(rf"\s*(\d{{4}}|\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d){_FRACTION}", re.ASCII)
_PLAIN_DAY = re.compile(rf"\s*(?:\d{{8}}|\d{{6}}){_FRACTION}", re.ASCII)
_TIME = re.compile(rf"\s*(-?)(?:(\d+)\s+)?{_CLOCK}{_FRACTION}", re.ASCII)
_PLAIN_TIME = re.compile(rf"\s*(-?)(\d{{1,7}}){_FRACTION}", re.ASCII)
_SET_DEFAULT = re.compile(r"\bSET\s+DEFAULT\s+", re.ASCII | re.IGNORECASE)
_MICRO = 6
_MOST_DATE_GROUPS = 3


@dataclass(frozen=True, slots=True)
class Storing:
    """How the upstream stores constants, and for whom they are written.

    ``flavors``: the upstream's and the target's; ``cuts``: whether the statement's session cuts fractions of seconds;
    ``ahead``: of its time zone, which a server names wherever a statement depended on it.
    """

    flavors: tuple[str, str]
    cuts: bool
    ahead: Ahead | None = None

    def stored(self, column: Column, written: str) -> str:
        """See below.  Raises Unlike."""
        found = _CONSTANT.fullmatch(written)
        if found is not None and (plain := _plain_number(column, found, self.flavors[0])):
            return plain
        return stored(column, written, cuts=cuts_for(column, self.flavors[0], cuts=self.cuts), ahead=self.ahead)


def without_forgotten_defaults(ddl: Ddl) -> Ddl:
    """A statement of MySQL without DEFAULT '' of texts, bytes and vectors.

    MySQL takes such a default with a warning where the session is not strict, and forgets it.
    """
    edits = [
        (clause.start, clause.end, "")
        for spec, _ in defined_columns(ddl)
        if spec.default == "''" and (is_bulky(spec.type.base) or spec.type.base == "vector")
        for clause in spec.clauses
        if clause.key == "DEFAULT"
    ]
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema) if edits else ddl


def with_stored_defaults(ddl: Ddl, after: Table | None, storing: Storing) -> Ddl:
    """The statement with its constants as the upstream stores them; ``after``: its table upstream behind it."""
    edits = list(_edits(ddl, after, storing)) if after is not None else []
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=storing.flavors[0])


def unlike_default(ddl: Ddl, after: Table | None, storing: Storing) -> tuple[str, str] | None:
    """A column, and its default of which it is not known what the upstream made of it; None where there is none."""
    if after is None or storing.flavors[0] == storing.flavors[1]:
        return None
    for column, _, start, end in _defaults(ddl, after):
        written = ddl.text[start:end]
        if storing.flavors[0] == "mariadb" and is_bulky(column.base_type) and _is_lost(written, after):
            return column.name, written
        try:
            storing.stored(column, written)
        except Unlike:
            return column.name, written
    return None


def _text_in_table(written: str, table: Table) -> bytes | None:
    """The bytes of a text that MariaDB keeps as the default of a BLOB or TEXT; None for what is no text, or is lost.

    It keeps the text of it in the table's character set, and what names its own as `'xC3xA9'`.
    """
    found = _KEPT_TEXT.fullmatch(written)
    try:
        return encode(string_value(found[1]), table.charset) if found is not None else None
    except UnicodeEncodeError:
        return None


def _is_lost(written: str, table: Table) -> bool:
    is_text = _KEPT_TEXT.fullmatch(written) is not None
    return _SPELLED.match(written) is not None or (is_text and _text_in_table(written, table) is None)


def impossible_days(ddl: Ddl, after: Table | None) -> Iterator[str]:
    """New columns whose default is a day that its month has not (2020-02-31, which some sessions take)."""
    for column, is_new, start, end in _defaults(ddl, after) if after is not None else ():
        found = _DAY.match(ddl.text[start:end]) if is_new and column.base_type in _MOMENTS else None
        year, month, day = map(int, found.groups()) if found else (0, 0, 0)
        if month in range(1, 13) and day > monthrange(year or 4, month)[1]:
            yield column.name


def stored(column: Column, written: str, *, cuts: bool, ahead: Ahead | None = None) -> str:
    """What to write for the DEFAULT ``written`` of a column; as it is, where servers store it alike.

    ``cuts``: whether the upstream cuts fractions of seconds for this type; ``ahead``: see Storing.  Raises Unlike.
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
        plain = plain_moment(value, base, column.fsp, ahead) if text is not None else ""
        if plain:
            written = quote_string(plain)
        return _moment(column, plain or value, cuts, is_number=number is not None) or written
    if base in _ADDRESSES and (text is not None or digits is not None):
        return _address(base, text, (bytes_of_digits(digits) or b"") if digits is not None else b"")
    if base == "year" and number is not None:
        return _year(number) or written
    if base == "year" and text is not None and (short := _SHORT_YEAR.fullmatch(string_value(text))):
        return _full_year(int(short[1]))
    if fixed := _FIXED.match(column.type):
        return _rounded(string_value(text) if text is not None else number or "", int(fixed[1])) or written
    if digits is not None and base in TEXT_TYPES and (unit := _UNITS.get(column.charset or "")):
        return _padded(digits, unit)
    return written


def _address(base: str, text: str | None, raw: bytes) -> str:
    """A UUID or an address as MariaDB prints it: other servers keep the text that they are given.  Raises Unlike."""
    size, literal = _ADDRESSES[base]
    if text is not None or len(raw) != size:
        try:
            said = string_value(text) if text is not None else raw.decode("ascii")
            raw = bytes.fromhex(said.replace("-", "")) if base == "uuid" else ip_address(said).packed
        except ValueError:
            raise Unlike from None
    if len(raw) != size:
        raise Unlike
    return literal(raw).decode("ascii")


def _edits(ddl: Ddl, after: Table, storing: Storing) -> Iterator[Edit]:
    for column, is_new, start, end in _defaults(ddl, after):
        written = ddl.text[start:end]
        try:
            wanted = storing.stored(column, written)
        except Unlike:
            continue
        of_text = storing.flavors[0] == "mariadb" != storing.flavors[1] and column.base_type in _BLOBS
        if of_text and (raw := _text_in_table(written, after)):
            wanted = f"X'{raw.hex()}'"
        if is_new and storing.flavors == ("mysql", "mariadb") and not storing.cuts and wanted == written:
            wanted = rounded_by_cast(column, written, after)
        if wanted != written:
            yield start, end, wanted


def _defaults(ddl: Ddl, after: Table) -> Iterator[tuple[Column, bool, int, int]]:
    """Columns, whether rows that are there get their default, and where what stands behind DEFAULT begins and ends."""
    for spec, is_new in defined_columns(ddl):
        column = after.column(spec.name)
        for clause in spec.clauses if column is not None else ():
            if column is not None and clause.key == "DEFAULT":
                yield column, is_new, *_trimmed(ddl.text, clause.start + len("DEFAULT"), clause.end)
    for one in ddl.clauses:
        match one.alterations:
            case (SetDefault(name, default),) if default is not None and (column := after.column(name)) is not None:
                words = _SET_DEFAULT.search(ddl.text, one.clause.start, one.clause.end)
                if words is not None:
                    yield column, False, *_trimmed(ddl.text, words.end(), one.clause.end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def cuts_for(column: Column, upstream: str, *, cuts: bool) -> bool:
    """Whether the upstream cuts fractions where it makes a value of this column; MariaDB rounds none to a day."""
    return cuts or (upstream == "mariadb" and column.base_type == "date")


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
        if not is_number and len(re.findall(r"\d+", value, re.ASCII)) <= _MOST_DATE_GROUPS:
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
    year = _full_year(whole) if whole < 100 else str(whole)
    return "" if text.lstrip("+") == year else year


def _full_year(digits: int) -> str:
    """Of a year of one or two digits."""
    return str(digits + (2000 if digits < 70 else 1900))


def _rounded(text: str, digits: int) -> str:
    """The number of a DOUBLE(M,D), where it is another one as MySQL and MariaDB round it to ``digits``; else ""."""
    try:
        exact, value = Decimal(text.replace(" ", "")), float(text.replace(" ", ""))
    except (ArithmeticError, ValueError):
        return ""
    exponent = exact.as_tuple().exponent
    if not math.isfinite(value) or not isinstance(exponent, int):
        return ""
    whole, scale = math.floor(value), 10.0**digits
    stored = whole + round((value - whole) * scale) / scale
    if digits >= DIGITS_OF_DOUBLE:  # the last ones are lost where so many are written
        return repr(stored) if stored != value else ""
    return f"{stored:.{digits}f}" if -exponent > digits else ""


def _plain_number(column: Column, found: re.Match[str], upstream: str) -> str:
    """The number behind DEFAULT of an ENUM, SET or BIT, and digits of a number, as what it is there; else "".

    TiDB takes a number with a fraction or exponent for the text of a BIT.
    """
    if found["digits"] is not None and column.base_type in _NUMBERS:
        return _number_of_digits(column, found["digits"], upstream)
    if found["number"] is None or column.base_type not in ("enum", "set", "bit"):
        return ""
    written = found["number"]
    said = {"TRUE": "1", "FALSE": "0"}.get(written.upper(), written.replace(" ", "").removeprefix("+"))
    if upstream == "mysql" and column.base_type != "bit":
        return text_of_number(said)
    exact = Decimal(said)
    if abs(exact) > 1 << 64:
        return ""
    number = int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    if column.base_type == "bit":
        return str(number)
    places = [number] if column.base_type == "enum" else [bit + 1 for bit in range(64) if number >> bit & 1]
    labels = [column.labels[place - 1] for place in places if 0 < place <= len(column.labels)]
    return quote_string(",".join(labels)) if len(labels) == len(places) else ""


def _number_of_digits(column: Column, digits: str, upstream: str) -> str:
    """X'31' is 49 in MySQL, as 0x31 is everywhere, and the text '1' in MariaDB."""
    raw = bytes_of_digits(digits) or b""
    if upstream == "mariadb" and digits[0] in "xX":
        return stored(column, quote_string(raw.decode("latin-1")), cuts=False)
    number = str(int.from_bytes(raw, "big"))
    return (_year(number) if column.base_type == "year" else "") or number


def _padded(digits: str, unit: int) -> str:
    """Bytes of a text whose characters have several, with the zeros that servers put in front."""
    plain = digits.strip("'")[1:].lstrip("'xXbB") if "'" in digits else digits[2:]
    if digits.lstrip("0")[:1].lower() == "b":
        plain = f"{int(plain or '0', 2):x}"
    return f"X'{plain.rjust(-(-len(plain) // unit) * unit, '0')}'"
