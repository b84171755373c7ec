"""JSON values: how they compare with each other and with numbers and texts, and paths into them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pkg.rules.expression.problem import BadExpression, BadValue

_LEG = re.compile(
    r"""\s*(?:\.\s*(?:(?P<name>[^\W\d][\w$]*)|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<any>\*))
    |\[\s*(?:(?P<index>\d+)|last(?:\s*-\s*(?P<last>\d+))?(?P<end>)|(?P<every>\*))\s*\])\s*""",
    re.VERBOSE,
)
Leg = tuple[str, Any]


class _JsonNull:
    """The null of a document, which is not SQL's NULL."""


JSON_NULL = _JsonNull()


def read_document(text: str) -> Any:
    """Raises BadValue for a text that is no JSON."""
    try:
        value = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as exc:
        raise BadValue(f"a text is no JSON document: {text[:60]!r}") from exc
    return JSON_NULL if value is None else value


def _refused(word: str) -> Any:
    raise ValueError(word)


def compare_json(one: Any, other: Any) -> int:
    """-1, 0 or 1; values of different kinds compare by their kind."""
    left, right = _rank(one), _rank(other)
    if left != right:
        return -1 if left < right else 1
    if isinstance(one, list):
        for first, second in zip(one, other, strict=False):
            if order := compare_json(first, second):
                return order
        return (len(one) > len(other)) - (len(one) < len(other))
    if isinstance(one, dict):
        if same_json(one, other):
            return 0
        raise BadValue("which of two JSON objects is smaller is not known here")
    return 0 if left == 0 else (one > other) - (one < other)


def same_json(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return _rank(one) == _rank(other) and bool(one is other or one == other)


def _rank(value: Any) -> int:
    """The manual's precedence of JSON types."""
    if value is None or value is JSON_NULL:
        return 0
    if isinstance(value, bool):
        return 5
    if isinstance(value, (int, float, Decimal)):
        return 1
    return 2 if isinstance(value, str) else 3 if isinstance(value, dict) else 4


def read_path(text: str) -> tuple[Leg, ...]:
    """``$.a."b c"[0][last]``.  Raises BadExpression."""
    stripped = text.strip()
    if not stripped.startswith("$"):
        raise BadExpression(f"{text!r} is no JSON path: it begins with $")
    if "**" in stripped:
        raise BadExpression(f"the JSON path {text!r}: ** is not read here")
    at, legs = 1, []
    while at < len(stripped):
        found = _LEG.match(stripped, at)
        if found is None:
            raise BadExpression(f"{text!r} is no JSON path at {stripped[at:]!r}")
        legs.append(_leg(found))
        at = found.end()
    return tuple(legs)


def _leg(found: re.Match[str]) -> Leg:
    if found["name"] is not None:
        return "key", found["name"]
    if found["quoted"] is not None:
        return "key", re.sub(r"\\(.)", r"\1", found["quoted"])
    if found["index"] is not None:
        return "index", int(found["index"])
    if found["end"] is not None:
        return "last", int(found["last"] or 0)
    return ("members", None) if found["any"] else ("items", None)


def has_wildcard(path: tuple[Leg, ...]) -> bool:
    return any(kind in ("members", "items") for kind, _ in path)


def at_path(value: Any, path: tuple[Leg, ...]) -> Iterator[Any]:
    """The values that a path leads to, in order."""
    if not path:
        yield value
        return
    (kind, what), rest = path[0], path[1:]
    for found in _step(value, kind, what):
        yield from at_path(found, rest)


def _step(value: Any, kind: str, what: Any) -> list[Any]:
    if kind == "key":
        return [value[what]] if isinstance(value, dict) and what in value else []
    if kind == "members":
        return list(value.values()) if isinstance(value, dict) else []
    if kind == "items":
        return value if isinstance(value, list) else []
    items = value if isinstance(value, list) else [value]  # what is no array is one of its own
    place = what if kind == "index" else len(items) - 1 - what
    return [items[place]] if 0 <= place < len(items) else []
