"""Documents that are texts, as MariaDB's are: what its functions read otherwise than MySQL and TiDB do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from pkg.schema.document_names import characters, needs_its_escapes
from pkg.schema.named_documents import NamedPart, Taken

_TWICE: Final = "the name {name} twice in one object, of which MariaDB reads the first and the target keeps the last"
_ESCAPED: Final = (
    "the name {name} with an escape that it needs not: MariaDB compares what is written, the target the characters"
)
_DEEP: Final = "more than 31 levels, which MariaDB does not read"
_HALF: Final = "half of a surrogate pair, with which MariaDB does not read it"
_ZERO: Final = "a character of code 0 behind it, with which MariaDB does not read it"
_TRUTH: Final = "true or false, for which MariaDB's JSON_VALUE gives 1 or 0"
_NO_SCALAR: Final = "an object or array, for which MariaDB's JSON_VALUE gives NULL"
_NUMBER: Final = "the number {number}, which the target writes in another way"
_DIGITS_LOST: Final = "the number {number}, of which the target's JSON would lose digits"
_OBJECT: Final = "an object or array that the target writes in another way"
_OTHER_TEXT: Final = "a text that the target writes in another way"
_BLANK_BEHIND: Final = re.compile("[,:] (?! )")
_NEITHER: Final = re.compile(r"[\s,:]")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*")
_DIGITS, _LEAST, _MOST = 20, -(2**63), 2**64 - 1
_SMALL, _LARGE = 1e-4, 1e15  # between them nobody writes an exponent
_MOST_LEVELS: Final = 31  # JSON_DEPTH_LIMIT of MariaDB is 32
_MOST_SHOWN: Final = 64
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET: Final = re.compile(r"[\[{\]}]")


IsUsual = Callable[[str], bool]


class _Members(list[tuple[str, Any]]):
    """Of an object: names as they are written, and values."""


class _Twice(Exception):
    """A name stands twice in one object."""


def _once(members: list[tuple[str, Any]]) -> None:
    if len(members) > 1 and len({name for name, _ in members}) < len(members):
        raise _Twice


class _Number(str):
    """As it is written: Python makes none of very many digits."""


def _decoder(of_object: Callable[[list[tuple[str, Any]]], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=of_object, parse_int=_Number, parse_float=_Number, parse_constant=str, strict=False
    )


_TREE: Final = _decoder(_Members)
_NAMES: Final = _decoder(_once)


@dataclass(frozen=True, slots=True)
class UnlikeText:
    """``part`` is another value in the target; ``found`` says what the document has, for errors."""

    part: NamedPart
    found: str


def unlike_text(text: str, parts: Sequence[NamedPart]) -> UnlikeText | None:
    """The first of ``parts`` that MariaDB reads otherwise; None, too, for a text that no target reads as JSON."""
    try:
        if _is_plain(text) and all(part.taken is Taken.NOTHING for part in parts):
            return None
        head, zero, _ = text.partition("\0")
        tree = _TREE.decode(_STRING.sub(_as_written, head) if "\\" in head else head)
        whole = _ZERO if zero else _unread(head)
        for part in parts:
            found = (
                whole
                or next(_at(tree, part, _is_usual), "")
                or (part.taken is Taken.WHOLE and _whole(head, tree))
                or ""
            )
            if found:
                return UnlikeText(part, found)
    except (ValueError, RecursionError):
        return None
    return None


def unlike_in_tidb(text: str, parts: Sequence[NamedPart]) -> UnlikeText | None:
    """The same of a document of MySQL, as it prints it: what TiDB writes otherwise where it makes a text of it."""
    wanted = [part for part in parts if part.taken in (Taken.TEXT, Taken.WHOLE)]
    if not wanted:
        return None
    tree = _TREE.decode(_STRING.sub(_as_written, text) if "\\" in text else text)
    for part in wanted:
        found = next(_at(tree, replace(part, taken=Taken.TEXT), _is_alike_in_tidb), "")
        if found:
            return UnlikeText(part, found)
    return None


def _is_plain(text: str) -> bool:
    """Whether nothing of it can be otherwise; most documents are such ones, and this costs less than to look at parts.

    Other escapes than these are needed where they stand.
    """
    if "\\u" in text or "\\/" in text or "\0" in text or _is_deep(text):
        return False
    try:
        _NAMES.decode(text)
    except _Twice:
        return False
    return True


def _is_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= _MOST_LEVELS:
        return False
    depth = 0
    for sign in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > _MOST_LEVELS:
            return True
    return False


def _as_written(string: re.Match[str]) -> str:
    """A string whose value is the text between its quotes."""
    text = string[0]
    return json.dumps(text[1:-1]) if "\\" in text else text


def _unread(text: str) -> str:
    """Why MariaDB does not read a document at all."""
    if _is_deep(text):
        return _DEEP
    if "\\ud" in text or "\\uD" in text:
        for string in _STRING.finditer(text):
            if any("\ud800" <= one <= "\udfff" for one in characters(string[0][1:-1])):
                return _HALF
    return ""


def _at(node: Any, part: NamedPart, is_usual: IsUsual) -> Iterator[str]:
    """What is wrong on the way that a path goes, and in the part where it ends."""
    for leg in part.path:
        if isinstance(leg, int):
            if isinstance(node, list) and not isinstance(node, _Members):
                if leg >= len(node):
                    return
                node = node[leg]
            elif leg:  # other values are the only element of their array
                return
        else:
            same = [one for one in node if characters(one[0]) == leg] if isinstance(node, _Members) else []
            yield from _of_names([written for written, _ in same])
            if not same:
                return
            node = same[0][1]
    yield from _inside(node)
    yield from _of_value(node, part.taken, is_usual)


def _inside(node: Any) -> Iterator[str]:
    if isinstance(node, _Members):
        yield from _of_names([written for written, _ in node])
        node = [value for _, value in node]
    if isinstance(node, list):
        for one in node:
            yield from _inside(one)


def _of_value(node: Any, taken: Taken, is_usual: IsUsual) -> Iterator[str]:
    """What is wrong with a value of which a text or a scalar is made."""
    is_scalar = taken in (Taken.SCALAR, Taken.SCALAR_TEXT)
    is_number = taken in (Taken.SCALAR, Taken.NUMBER)
    if is_scalar and isinstance(node, bool):
        yield _TRUTH
    elif is_scalar and isinstance(node, list):
        yield _NO_SCALAR
    elif is_number and isinstance(node, _Number) and not _is_exact(node):
        yield _DIGITS_LOST.format(number=node[:_MOST_SHOWN])
    elif taken in (Taken.TEXT, Taken.SCALAR_TEXT):
        if isinstance(node, _Number) and not is_usual(node):
            yield _NUMBER.format(number=node[:_MOST_SHOWN])
        elif isinstance(node, list) and not _is_written_alike(node, is_usual):
            yield _OBJECT


def _whole(text: str, tree: Any) -> str:
    """What is wrong with the text of a whole document."""
    between = _BLANK_BEHIND.sub("", _STRING.sub('""', text))
    return "" if _is_written_alike(tree, _is_usual) and not _NEITHER.search(between) else _OTHER_TEXT


def _is_written_alike(node: Any, is_usual: IsUsual) -> bool:
    """Whether MySQL and TiDB write a value as MariaDB does, which keeps all but the blanks."""
    if isinstance(node, _Members):
        names = [written for written, _ in node]
        in_order = names == sorted(names) == sorted(names, key=lambda name: (len(name.encode()), name.encode()))
        values = (_is_written_alike(value, is_usual) for _, value in node)
        return in_order and all(map(needs_its_escapes, names)) and all(values)
    if isinstance(node, list):
        return all(_is_written_alike(one, is_usual) for one in node)
    if isinstance(node, _Number):
        return is_usual(node)
    return not isinstance(node, str) or needs_its_escapes(node)


def _is_alike_in_tidb(number: str) -> bool:
    """Whether TiDB writes a number as MySQL does: tried with 1,830 doubles of all sizes."""
    return "e" in number or "." not in number or abs(float(number)) < _LARGE


def _is_usual(number: str) -> bool:
    """Whether all servers write the number so; others may, too."""
    if _INTEGER.fullmatch(number):
        return _LEAST <= int(number) <= _MOST if len(number) <= _DIGITS else False
    value = float(number)
    return repr(value) == number and (value == 0 or _SMALL <= abs(value) < _LARGE)


def _is_exact(number: str) -> bool:
    """Whether a number goes through MySQL's and TiDB's JSON with all its digits: integers of 64 bits, and doubles."""
    if _INTEGER.fullmatch(number) and len(number) <= _DIGITS and _LEAST <= int(number) <= _MOST:
        return True
    return len(number) <= _MOST_SHOWN and Decimal(repr(float(number))) == Decimal(number)


def _of_names(written: Sequence[str]) -> Iterator[str]:
    """Of names in one object."""
    met: set[str] = set()
    for one in written:
        name = characters(one)
        if name in met:
            yield _TWICE.format(name=_shown(name))
        met.add(name)
    for one in written:
        if not needs_its_escapes(one):
            yield _ESCAPED.format(name=f'"{one[:_MOST_SHOWN]}"')


def _shown(name: str) -> str:
    return json.dumps(name[:_MOST_SHOWN], ensure_ascii=False)
