"""Values between two values of a key's column: where a range of it may be cut, without a look at its rows.  Pure.

A value is an SQL literal, as bounds of chunks are: a text is written as UTF-8, or as the bytes of its own set, since
through another set a code may come back as another one.  What is found is nothing but a guess where to look: whoever
cuts there asks the server for the key next to it, so that an order which the server sees differently (a collation,
a mixture of UUID versions) makes chunks uneven, and never loses a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from enum import Enum
from ipaddress import IPv4Address, IPv6Address
from itertools import takewhile
from typing import Final

from pkg.binlog.charset import UTF8, characters, encode, is_known, is_mark
from pkg.schema.table import Column

__all__ = ["INTEGERS", "TEXTS", "Kind", "Symbols", "between", "kind_of", "symbols_of", "text_of"]


class Kind(Enum):
    """How the values of a column are written and calculated with."""

    NUMBER = "number"
    YEAR = "year"
    MOMENT = "moment"
    TIME = "time"
    BYTES = "bytes"
    TEXT = "text"  # in a set of its own
    UNICODE = "unicode"  # text in UTF-8
    UUID = "uuid"
    INET4 = "inet4"
    INET6 = "inet6"


TEXTS: Final = frozenset((Kind.TEXT, Kind.UNICODE, Kind.BYTES))  # have symbols
INTEGERS: Final = frozenset(("tinyint", "smallint", "mediumint", "int", "integer", "bigint"))
# Types whose order in the index is the order of comparison with a literal.  Not ENUM and SET (ordered by
# number, compared as text), not FLOAT (its text is not its value), not BIT.
_KINDS: Final = {
    **dict.fromkeys((*INTEGERS, "decimal", "numeric"), Kind.NUMBER),
    **dict.fromkeys(("char", "varchar"), Kind.TEXT),
    **dict.fromkeys(("binary", "varbinary"), Kind.BYTES),
    **dict.fromkeys(("date", "datetime", "timestamp"), Kind.MOMENT),
    "time": Kind.TIME,
    "year": Kind.YEAR,
    "uuid": Kind.UUID,
    "inet4": Kind.INET4,
    "inet6": Kind.INET6,
}  # fmt: skip


def kind_of(column: Column) -> Kind | None:
    """None where the column cannot bound a chunk."""
    kind = _KINDS.get(column.base_type)
    if kind is not Kind.TEXT:
        return kind
    if column.base_type == "char" and _PADDED_OTHERWISE.search(column.collation or ""):
        return None
    return Kind.BYTES if column.charset == "binary" else Kind.UNICODE if column.charset in UTF8 else Kind.TEXT


# Of a CHAR the index holds the blanks up to its length, and a comparison leaves them out.  In these collations that
# is another order: NO PAD of MariaDB's, where a control character comes before a blank, and Thai.
_PADDED_OTHERWISE: Final = re.compile("_nopad_|^tis620_thai_")
_SURROGATES: Final = range(0xD800, 0xE000)

_MOST_SYMBOLS: Final = 1000
_GUESSED: Final = 64  # at first, then twice as many
_DIGITS: Final = 24  # of a text that are calculated with, behind what two texts have in common
_FINER: Final = 4  # places that a part of a text's range has at least


class Symbols:
    """The characters (or bytes) that occur in a column, in the column's order; equal ones have one place."""

    def __init__(self, ordered: Callable[[Sequence[str]], Sequence[Sequence[str]]]) -> None:
        """``ordered`` puts characters into order, equal ones joined."""
        self._ordered = ordered
        self._known: set[str] = set()
        self._is_fresh = True
        self._guesses = 0
        self._places: dict[str, int] = {}
        self._first_of: list[str] = []

    def learn(self, text: Iterable[str]) -> None:
        if len(self._known) < _MOST_SYMBOLS and not self._known.issuperset(text):
            self._known.update(text)
            self._is_fresh = False

    def guess(self) -> None:
        """Learn some between those that are known, too: there may be thousands, in an order of their own."""
        if not self._known:
            return
        low, high = min(map(ord, self._known)), max(map(ord, self._known))
        self._guesses += 1
        for point in _spaced(low, high, _GUESSED << self._guesses >> 1):
            if point not in _SURROGATES:
                self.learn(chr(point))

    def sort(self) -> None:
        """Put into order what was learned."""
        if self._is_fresh:
            return
        groups = self._ordered(sorted(self._known))
        self._places = {symbol: place for place, group in enumerate(groups, 1) for symbol in group}
        self._first_of = [group[0] for group in groups]
        self._is_fresh = True

    def places(self, text: Iterable[str]) -> list[int]:
        """The numbers of the text's symbols, from 1 on; one that is unknown stands before all."""
        return [self._places.get(symbol, 1) for symbol in text]

    def text(self, places: Iterable[int]) -> list[str]:
        """The other way; 0 is the end of the text."""
        return [self._first_of[place - 1] for place in takewhile(bool, places)]

    def __len__(self) -> int:
        return len(self._first_of)


def between(kind: Kind, first: str, last: str, parts: int, symbols: Symbols) -> list[str]:
    """Where (first, last] is cut into about ``parts`` parts, ascending, ``last`` among them; [] if they are equal."""
    if first == last:
        return []
    if kind in TEXTS:
        return _texts(kind, first, last, parts, symbols)
    if kind is Kind.UUID:
        return _uuids(first, last, parts)
    to_number, to_literal = _numbered(kind, first, last)
    return [to_literal(point) for point in _spaced(to_number(first), to_number(last), parts)]


def _spaced(low: int, high: int, parts: int) -> list[int]:
    """``parts`` steps from ``low``, which is left out, to ``high``."""
    if high <= low:
        return []
    parts = min(parts, high - low)
    return [low + (high - low) * part // parts for part in range(1, parts + 1)]


def _numbered(kind: Kind, first: str, last: str) -> tuple[Callable[[str], int], Callable[[int], str]]:
    """From literals of a kind to numbers, and back."""
    match kind:
        case Kind.INET4:
            return (lambda literal: int(IPv4Address(text_of(literal)))), lambda n: f"'{IPv4Address(n)}'"
        case Kind.INET6:
            return (lambda literal: int(IPv6Address(text_of(literal)))), lambda n: f"'{IPv6Address(n)}'"
        case Kind.YEAR:
            return (lambda literal: int(text_of(literal))), lambda n: f"'{n:04}'"
        case Kind.MOMENT:
            digits = len(first.partition(".")[2].rstrip("'"))
            return _moment, lambda n: f"'{_moment_text(n, digits, has_time=' ' in first)}'"
        case Kind.TIME:
            digits = len(first.partition(".")[2].rstrip("'"))
            return _time, lambda n: f"'{_time_text(n, digits)}'"
    scale = max(len(literal.partition(".")[2]) for literal in (first, last))
    return (lambda literal: _scaled(literal, scale)), lambda n: _unscaled(n, scale)


def _scaled(literal: str, scale: int) -> int:
    whole, _, fraction = literal.partition(".")
    return int(whole + fraction.ljust(scale, "0"))


def _unscaled(number: int, scale: int) -> str:
    digits = str(abs(number)).rjust(scale + 1, "0")
    point = len(digits) - scale
    return ("-" if number < 0 else "") + digits[:point] + (f".{digits[point:]}" if scale else "")


# -- dates and times

_DAY: Final = 86_400_000_000


def _moment(literal: str) -> int:
    """Microseconds in a calendar whose months all have 31 days; days and months may be 0 in MySQL."""
    day, _, clock = text_of(literal).partition(" ")
    year, month, number = (int(part) for part in day.split("-"))
    days = (year * 12 + max(month, 1) - 1) * 31 + max(number, 1) - 1
    return days * _DAY + (_clock(clock) if clock else 0)


def _moment_text(number: int, digits: int, *, has_time: bool) -> str:
    days, micros = divmod(number, _DAY)
    months, day = divmod(days, 31)
    year, month = max(months // 12, 1), months % 12 + 1
    text = f"{year:04}-{month:02}-{min(day + 1, _days_in(year, month)):02}"
    return f"{text} {_clock_text(micros, digits)}" if has_time else text


def _days_in(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - date(year, month, 1)).days


def _time(literal: str) -> int:
    text = text_of(literal)
    return -_clock(text[1:]) if text.startswith("-") else _clock(text)


def _time_text(number: int, digits: int) -> str:
    return ("-" if number < 0 else "") + _clock_text(abs(number), digits)


def _clock(text: str) -> int:
    whole, _, fraction = text.partition(".")
    hours, minutes, seconds = (int(part) for part in whole.split(":"))
    return (hours * 3600 + minutes * 60 + seconds) * 1_000_000 + int(fraction.ljust(6, "0") or 0)


def _clock_text(micros: int, digits: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}"[: len(text) + 1 + digits] if digits else text


# -- texts

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_AFTER_BACKSLASH: Final = {"0": "\0", "Z": "\x1a"}
_ESCAPES: Final = str.maketrans({"\\": "\\\\", "'": "\\'", "\0": "\\0", "\x1a": "\\Z"})


def text_of(literal: str) -> str:
    """The text that the server's QUOTE made this of, or the bytes of a hexadecimal literal as characters."""
    if literal.startswith("x'"):
        return bytes.fromhex(literal[2:-1]).decode("latin-1")
    return _ESCAPED.sub(lambda found: _AFTER_BACKSLASH.get(found[1], found[1]), literal[1:-1])


def symbols_of(literal: str) -> Sequence[str]:
    """The characters of ``text_of``; of a text that is written as bytes of its set, the bytes of each character.

    Bytes stand for characters of the same number.
    """
    if not literal.startswith("_"):
        return text_of(literal)
    charset, _, digits = literal[1:-1].partition(" X'")
    try:
        found = characters(bytes.fromhex(digits), charset) if is_known(charset) else []
    except UnicodeError:
        return []
    is_utf8 = charset in UTF8
    return [character if is_utf8 else raw.decode("latin-1") for character, raw in found if not is_mark(character)]


def _without_blanks(symbols: Sequence[str], like: str) -> Sequence[str]:
    charset = like[1:].partition(" ")[0] if like.startswith("_") else ""
    blank = encode(" ", charset).decode("latin-1") if is_known(charset) else " "
    size = len(symbols)
    while size and symbols[size - 1] == blank:
        size -= 1
    return symbols[:size]


def _literal(kind: Kind, symbols: Iterable[str], like: str) -> str:
    """Written as ``like`` is."""
    text = "".join(symbols)
    if kind is Kind.BYTES:
        return f"x'{text.encode('latin-1').hex()}'"
    if kind is Kind.TEXT and like.startswith("_"):
        return f"{like.partition(' ')[0]} X'{text.encode('latin-1').hex()}'"
    return f"'{text.translate(_ESCAPES)}'"


def _texts(kind: Kind, first: str, last: str, parts: int, symbols: Symbols) -> list[str]:
    text = symbols_of(first)
    low, high = (symbols.places(_without_blanks(symbols_of(one), one)) for one in (first, last))
    if low == high:
        return []
    same = _common(low, high)
    digits, base = 1, len(symbols) + 1
    while (span := (_number(low[same:], digits, base), _number(high[same:], digits, base)))[1] - span[0] < (
        parts * _FINER
    ) and digits < _DIGITS:
        digits += 1
    found = [[*text[:same], *symbols.text(_places(point, digits, base))] for point in _spaced(*span, parts)]
    return [*dict.fromkeys(_literal(kind, one, last) for one in found[:-1]), last]


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many places they have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _number(places: Sequence[int], digits: int, base: int) -> int:
    number = 0
    for at in range(digits):
        number = number * base + (places[at] if at < len(places) else 0)
    return number


def _places(number: int, digits: int, base: int) -> list[int]:
    return [number // base**power % base for power in reversed(range(digits))]


# -- UUIDs

_NAMES: Final = re.compile(r"[0-9a-f]{12}[1-5][0-9a-f]{3}[89ab][0-9a-f]{15}")
_PLACES: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))


def _uuids(first: str, last: str, parts: int) -> list[str]:
    """MariaDB orders UUIDs of the versions 1 to 5 by their groups from right to left, all others as they read."""
    low, high = (text_of(literal).replace("-", "").lower() for literal in (first, last))
    is_swapped = bool(_NAMES.fullmatch(low) and _NAMES.fullmatch(high))
    order = tuple(reversed(_PLACES)) if is_swapped else _PLACES
    smallest, largest = (int("".join(one[start:stop] for start, stop in order), 16) for one in (low, high))
    points = _spaced(smallest, largest, parts)
    return [*(_uuid(f"{point:032x}", low, is_swapped=is_swapped) for point in points[:-1]), last]


def _uuid(digits: str, like: str, *, is_swapped: bool) -> str:
    if is_swapped:
        digits = digits[24:] + digits[20:24] + digits[16:20] + digits[12:16] + digits[:12]
    if not is_swapped or not _NAMES.fullmatch(digits):  # or it would be of the other order
        digits = digits[:12] + like[12] + digits[13:16] + like[16] + digits[17:]
    return "'" + "-".join(digits[start:stop] for start, stop in _PLACES) + "'"
