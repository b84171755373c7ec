"""The partitions of a table, as PARTITION BY and ALTER TABLE say them: names, order and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pkg.binlog.charset import decode, is_known
from pkg.schema.charset import charset_name
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, digits_literal, in_parentheses, integer

DIGITS = r"0x(?:[0-9a-f]{2})+"
"""A value that is bytes, and no text without the column's character set (bound_literals.py)."""
_DATE: re.Pattern[str] = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?)?", re.ASCII
)
_LITERAL: re.Pattern[str] = re.compile(r"-?\d+|'.*|MAXVALUE|NULL|DEFAULT", re.ASCII | re.DOTALL)
_WORDS_OF_LITERALS = frozenset({"DATE", "TIMESTAMP"})
_BEFORE_NAMES = frozenset({"PARTITION", "IF", "EXISTS", "LOCAL", "NO_WRITE_TO_BINLOG"})
_MOMENT = "UNIX_TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Partition:
    """``values``: what stands in its VALUES, each in one form for all servers; those of LIST are sorted, HASH has none.

    ``zone``: of the session, where the values depend on it.
    """

    name: str
    values: tuple[str, ...] = ()
    zone: str = ""

    def to_json(self) -> list[Any]:
        return [self.name, list(self.values), self.zone]

    @classmethod
    def from_json(cls, document: Sequence[Any]) -> Partition:
        name, values, zone = document
        return cls(name, tuple(values), zone)


@dataclass(frozen=True, slots=True)
class PartitionClause:
    """What a clause says: partitions that it names, those that it makes, and how many (of HASH and KEY)."""

    named: tuple[str, ...] = ()
    made: tuple[Partition, ...] = ()
    count: int = 0
    if_exists: bool = False  # IF EXISTS or IF NOT EXISTS


NO_PARTITIONS = PartitionClause()


def is_literal(value: str) -> bool:
    """Whether a value says itself what it is."""
    return all(_LITERAL.fullmatch(part) for part in value.split(", ")) or value[:1] == "'"


def read_partitions(tokens: Sequence[Token]) -> tuple[Partition, ...]:
    """Of all from PARTITION BY on; HASH and KEY without a list have p0, p1 …."""
    found = tuple(_defined(tokens))
    return found or tuple(Partition(f"p{number}") for number in range(_number_behind(tokens, "PARTITIONS") or 1))


def read_clause(tokens: Sequence[Token]) -> PartitionClause:
    """Of a clause of ALTER TABLE about partitions, but for PARTITION BY."""
    keys = [token.key for token in tokens]
    made = tuple(_defined(tokens)) or tuple(_definitions_behind(tokens, keys, "TO"))
    count = _number_behind(tokens, "PARTITIONS") or (_number_behind(tokens, "PARTITION") if "COALESCE" in keys else 0)
    named = () if made and "REORGANIZE" not in keys else tuple(_named(tokens))
    return PartitionClause(named, made, count, "EXISTS" in keys)


def in_zone(partitions: Iterable[Partition], zone: str) -> tuple[Partition, ...]:
    """Those whose values depend on the session's zone, with that."""
    return tuple(
        replace(one, zone=zone) if any(_MOMENT in value for value in one.values) else one for one in partitions
    )


def changed(known: tuple[Partition, ...], action: str, clause: PartitionClause) -> tuple[Partition, ...]:
    """``known`` after a clause of ALTER TABLE (see PartitionChange); () stays unknown."""
    if not known:
        return known
    places = [place for place, one in enumerate(known) if _is_among(one.name, clause.named)]
    match action:
        case "ADD" | "CONVERT TABLE":
            there = [one.name for one in known]
            if clause.if_exists and any(_is_among(one.name, there) for one in clause.made):
                return known
            more = range(len(known), len(known) + (0 if clause.made else clause.count))
            return (*known, *clause.made, *(Partition(f"p{number}") for number in more))
        case "DROP" | "CONVERT PARTITION":
            return tuple(one for place, one in enumerate(known) if place not in places)
        case "REORGANIZE" if places:
            kept = [one for place, one in enumerate(known) if place not in places]
            return (*kept[: places[0]], *clause.made, *kept[places[0] :])
        case "REORGANIZE" if not clause.named:  # one of HASH or KEY, which a server makes with its usual number
            return known[:1]
        case "COALESCE":
            return known[: len(known) - clause.count]
    return known


def _is_among(name: str, names: Iterable[str]) -> bool:
    return small(name) in map(small, names)


def _number_behind(tokens: Sequence[Token], word: str) -> int:
    for token, behind in pairwise(tokens):
        if token.key == word and behind.kind is Kind.NUMBER:
            return integer(behind.text)
    return 0


def _named(tokens: Sequence[Token]) -> Iterator[str]:
    start = next((place for place, token in enumerate(tokens) if token.key == "PARTITION"), len(tokens))
    while start < len(tokens) and tokens[start].key in _BEFORE_NAMES:
        start += 1
    for place in range(start, len(tokens), 2):
        if not tokens[place].is_name or tokens[place].key == "ALL":
            return
        yield tokens[place].value
        if place + 1 >= len(tokens) or tokens[place + 1].key != ",":
            return


def _defined(tokens: Sequence[Token]) -> Iterator[Partition]:
    """What the first list of definitions in parentheses makes."""
    for place, (token, behind) in enumerate(pairwise(tokens)):
        if token.key == "(" and behind.key == "PARTITION":
            for definition in _parted(in_parentheses(tokens[place:])):
                if len(definition) > 1:  # a damaged statement, which a server refuses, may name none
                    yield _partition(definition[1:])
            return


def _definitions_behind(tokens: Sequence[Token], keys: Sequence[str], word: str) -> Iterator[Partition]:
    """CONVERT TABLE … TO PARTITION p VALUES …"""
    place = keys.index(word) if word in keys else len(keys)
    if keys[place + 1 : place + 2] == ["PARTITION"] and tokens[place + 2 :]:
        yield _partition(tokens[place + 2 :])


def _parted(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Split at the commas that stand in no parentheses."""
    found, depth = list[Token](), 0
    for token in tokens:
        depth += (token.key == "(") - (token.key == ")")
        if token.key == "," and not depth:
            yield found
            found = []
        else:
            found.append(token)
    if found:
        yield found


def _partition(tokens: Sequence[Token]) -> Partition:
    """Of a definition behind the word PARTITION."""
    name, keys = tokens[0].value, [token.key for token in tokens[:5]]
    if keys[1:4] == ["VALUES", "LESS", "THAN"]:
        values = in_parentheses(tokens[4:]) if keys[4:] == ["("] else list(tokens[4:5])
        return Partition(name, (_value(values),))
    if keys[1:3] == ["VALUES", "IN"]:
        return Partition(name, tuple(sorted(_value(_bare(item)) for item in _parted(in_parentheses(tokens[3:])))))
    return Partition(name, ("DEFAULT",) if keys[1:2] == ["DEFAULT"] else ())


def _bare(item: list[Token]) -> list[Token]:
    inside = in_parentheses(item)
    return list(inside) if item and item[0].key == "(" and len(inside) == len(item) - 2 else item


def _value(tokens: Sequence[Token]) -> str:
    return ", ".join(_item(item) for item in _parted(tokens))


def _item(tokens: list[Token]) -> str:
    """One value in one form for all servers, as far as its text says it."""
    tokens = _bare(tokens)
    if len(tokens) > 1 and tokens[0].text[0] == "_":
        return _introduced(tokens)
    if len(tokens) == 2 and tokens[0].key in _WORDS_OF_LITERALS:
        tokens = tokens[1:]
    if len(tokens) == 1 and tokens[0].kind is Kind.STRING:
        return _text(tokens[0].value)
    if (digits := digits_literal(tokens)) is not None:
        raw, _ = digits
        return text_of_bytes(raw) if raw.isascii() else f"0x{raw.hex()}"
    between = "" if tokens[0].key in "+-" and len(tokens) == 2 else " "
    text = between.join(token.text if token.kind is Kind.STRING else token.text.upper() for token in tokens)
    return str(int(text)) if re.fullmatch(r"[-+]?\d+", text, re.ASCII) else text


def _introduced(tokens: Sequence[Token]) -> str:
    """A literal that names its set: what a server shows is in UTF-8, but for digits."""
    charset = charset_name(tokens[0].text[1:])
    raw, _ = digits_literal(tokens[1:]) or (tokens[1].value.encode() if tokens[1].kind is Kind.STRING else b"", 1)
    try:
        return _text(decode(raw, charset)) if charset != "binary" and is_known(charset) else text_of_bytes(raw)
    except UnicodeDecodeError:
        return f"0x{raw.hex()}"


def text_of_bytes(raw: bytes) -> str:
    """Bytes of no known set, in the form of values."""
    try:
        return _text(raw.decode())
    except UnicodeDecodeError:
        return _text(raw.decode("latin-1"))


def _text(value: str) -> str:
    if re.fullmatch(r"-?\d+", value, re.ASCII):
        return str(int(value))
    if date := _DATE.fullmatch(value):
        return f"'{_moment(date)}"
    return f"'{value}"


def _moment(date: re.Match[str]) -> str:
    year, month, day, hour, minute, second, fraction = date.groups(default="")
    text = f"{year}-{month:0>2}-{day:0>2}"
    time = f"{hour:0>2}:{minute:0>2}:{second:0>2}" if hour else "00:00:00"
    tail = fraction.rstrip("0")
    if time == "00:00:00" and not tail:
        return text
    return f"{text} {time}{tail and '.'}{tail}"
