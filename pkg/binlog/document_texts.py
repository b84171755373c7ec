"""Documents that are texts, as MariaDB's are: what its functions read otherwise than MySQL and TiDB do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pkg.schema.document_names import characters, needs_its_escapes
from pkg.schema.document_reads import Path
from pkg.schema.named_documents import NamedPart

_TWICE: Final = "the name {name} twice in one object, of which MariaDB reads the first and the target keeps the last"
_ESCAPED: Final = (
    "the name {name} with an escape that it needs not: MariaDB compares what is written, the target the characters"
)
_DEEP: Final = "more than 31 levels, which MariaDB does not read"
_HALF: Final = "half of a surrogate pair, with which MariaDB does not read it"
_ZERO: Final = "a character of code 0 behind it, with which MariaDB does not read it"
_MOST_LEVELS: Final = 31  # JSON_DEPTH_LIMIT of MariaDB is 32
_MOST_SHOWN: Final = 64
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET: Final = re.compile(r"[\[{\]}]")


class _Members(list[tuple[str, Any]]):
    """Of an object: names as they are written, and values."""


class _Twice(Exception):
    """A name stands twice in one object."""


def _once(members: list[tuple[str, Any]]) -> None:
    if len(members) > 1 and len({name for name, _ in members}) < len(members):
        raise _Twice


def _decoder(of_object: Callable[[list[tuple[str, Any]]], Any]) -> json.JSONDecoder:
    """Numbers stay texts: Python makes none of very many digits."""
    return json.JSONDecoder(
        object_pairs_hook=of_object, parse_int=str, parse_float=str, parse_constant=str, strict=False
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
        if _is_plain(text):
            return None
        head, zero, _ = text.partition("\0")
        tree = _TREE.decode(_STRING.sub(_as_written, head) if "\\" in head else head)
        whole = _ZERO if zero else _unread(head)
        for part in parts:
            found = whole or next(_at(tree, part.path), "")
            if found:
                return UnlikeText(part, found)
    except (ValueError, RecursionError):
        return None
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


def _at(node: Any, path: Path) -> Iterator[str]:
    """What is wrong on the way that a path goes, and in the part where it ends."""
    for leg in path:
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


def _inside(node: Any) -> Iterator[str]:
    if isinstance(node, _Members):
        yield from _of_names([written for written, _ in node])
        node = [value for _, value in node]
    if isinstance(node, list):
        for one in node:
            yield from _inside(one)


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
