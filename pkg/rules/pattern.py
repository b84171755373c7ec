"""Name patterns as DM writes them, and an index that finds those which match a name.

A pattern is a name; or a name with ``?`` (one character), ``*`` (any run), ``[a-z]`` or ``[!a-z]`` (a
class); or ``~`` and a regular expression that may match anywhere in the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

from pkg.errors import ErrorKind, Level, Scope

BAD_PATTERN = ErrorKind(
    20081,
    "config",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the pattern {pattern!r} is not valid: {reason}",
    workaround="write a name with `?`, `*` or `[a-z]` in it, or `~` and a regular expression",
)
_SPECIAL = frozenset("?*[")
_ANCHORED = re.compile(r"\^([a-z0-9_]*)(.?)", re.DOTALL | re.IGNORECASE | re.ASCII)
_REPEATS = frozenset("?*+{")


class PatternKind(IntEnum):
    """By how much a pattern says: greater is more specific."""

    EXPRESSION = 0
    WILDCARD = 1
    LITERAL = 2


@dataclass(frozen=True, slots=True)
class Pattern:
    """One compiled pattern; ``prefix`` is the text that every matching name begins with."""

    text: str
    kind: PatternKind
    prefix: str
    literal_characters: int
    expression: re.Pattern[str] | None  # None: the prefix says it all, of a name and of a wildcard that ends in `*`

    def matches(self, name: str) -> bool:
        if self.expression is not None:
            return self.expression.search(name) is not None
        return name == self.prefix if self.kind is PatternKind.LITERAL else name.startswith(self.prefix)

    @property
    def specificity(self) -> tuple[int, int]:
        """Comparable: names above wildcards above expressions, then by how many characters are fixed."""
        return self.kind, self.literal_characters


def compile_pattern(text: str, case_sensitive: bool) -> Pattern:
    """Raises BAD_PATTERN when ``text`` is none."""
    flags = re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE
    folded = text if case_sensitive else text.lower()
    if text.startswith("~"):
        expression = _compiled(text, text[1:], flags)
        return Pattern(text, PatternKind.EXPRESSION, _fixed_start(folded[1:]), 0, expression)
    parts = list(_parts(folded))
    fixed = [part for part in parts if len(part) == 1 and part not in _SPECIAL]
    first_special = next((i for i, part in enumerate(parts) if part not in fixed), len(parts))
    kind = PatternKind.LITERAL if len(fixed) == len(parts) else PatternKind.WILDCARD
    rest = "".join(_part_expression(part) for part in parts[first_special:])
    prefix = "".join(parts[:first_special])
    if set(parts[first_special:]) <= {"*"}:
        return Pattern(text, kind, prefix, len(fixed), None)
    return Pattern(text, kind, prefix, len(fixed), _compiled(text, rf"\A{re.escape(prefix)}{rest}\Z", flags))


def _fixed_start(expression: str) -> str:
    """What every name that a regular expression finds begins with, as far as that is plain to see."""
    found = _ANCHORED.match(expression)
    if found is None or "|" in expression:
        return ""
    plain, behind = found.groups()
    return plain[:-1] if behind in _REPEATS else plain


def _compiled(text: str, expression: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(expression, flags)
    except re.error as exc:
        raise BAD_PATTERN.error(pattern=text, reason=str(exc)) from exc


def _parts(text: str) -> Iterator[str]:
    """``text`` cut into characters and classes."""
    position = 0
    while position < len(text):
        end = position + 1
        if text[position] == "[":
            end = text.find("]", position + 2) + 1
            if end == 0:
                raise BAD_PATTERN.error(pattern=text, reason="`[` without `]`")
        yield text[position:end]
        position = end


def _part_expression(part: str) -> str:
    if part == "?":
        return "."
    if part == "*":
        return ".*"
    if len(part) > 1:
        inside = part[1:-1]
        negated = inside.startswith("!")
        escaped = re.sub(r"([\\\[\]^&|~])", r"\\\1", inside[1:] if negated else inside)
        return f"[{'^' if negated else ''}{escaped}]"
    return re.escape(part)


_Value = TypeVar("_Value")


class PatternIndex(Generic[_Value]):
    """Values by pattern; a look-up tries only patterns whose beginning fits the name."""

    def __init__(self, entries: Iterable[tuple[Pattern, _Value]]) -> None:
        self._by_prefix: dict[int, dict[str, list[tuple[Pattern, _Value]]]] = {}
        for pattern, value in entries:
            prefixes = self._by_prefix.setdefault(len(pattern.prefix), {})
            prefixes.setdefault(pattern.prefix, []).append((pattern, value))

    def matching(self, name: str) -> list[_Value]:
        """The values of all patterns that match; ``name`` is in lower case unless case matters."""
        found = []
        for length, prefixes in self._by_prefix.items():
            for pattern, value in prefixes.get(name[:length], ()):
                if pattern.matches(name):
                    found.append(value)
        return found
