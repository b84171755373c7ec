"""LIKE and REGEXP: patterns as Python's regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pkg.rules.expression import convert
from pkg.rules.expression.collation import Collation, collation
from pkg.rules.expression.compare import as_bytes, joined
from pkg.rules.expression.node import INT, Kind, Level, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression

# What ICU (MySQL), PCRE (MariaDB) and Python read alike.
_COMMON = re.compile(
    r"""(?:[^\\\[\](){}|*+?^$.]
    |\\[\\\[\](){}|*+?^$./-]|\\[dDwWsSbB]
    |\[\^?(?:\[:(?:alpha|digit|alnum|space|upper|lower|punct):\]|[^\\\[\]&^]|\\[\\\[\]^$.*+?(){}|/-])+\]
    |\((?!\?)|\(\?:|\)|[|.^$]|[*+?]\??|\{\d+(?:,\d*)?\}\??)*""",
    re.VERBOSE | re.DOTALL,
)
_CLASSES = {
    "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:alnum:]": "a-zA-Z0-9", "[:space:]": r"\s", "[:upper:]": "A-Z",
    "[:lower:]": "a-z", "[:punct:]": r"!-/:-@\[-`{-~",
}  # fmt: skip


def like(node: Node, pattern: Node, escape: str, at: int) -> Node:
    """``node LIKE pattern``: character by character, trailing spaces count."""
    if Kind.BYTES in (node.kind, pattern.kind):
        left, right = (_as_latin1(one) for one in (node, pattern))
        rules = collation("binary")
    else:
        left, right = convert.text(node), convert.text(pattern)
        rules = collation(joined(left, right).collation or convert.CONNECTION_COLLATION)

    @lru_cache(maxsize=64)
    def matcher(text: str) -> Callable[[str], bool]:
        return _like_matcher(text, escape, rules)

    return made_of(INT, strict(lambda value, text: matcher(text)(value), left, right), [node, pattern], at)


def _as_latin1(node: Node) -> Node:
    """A character for each byte."""
    raw = as_bytes(node)
    type_ = Type(Kind.TEXT, collation="binary", level=Level.IMPLICIT)
    return made_of(type_, strict(lambda value: value.decode("latin-1"), raw), [raw], node.at)


def _like_matcher(pattern: str, escape: str, rules: Collation) -> Callable[[str], bool]:
    """Between two `%` the first place that fits is as good as any, so that a pattern costs no more than its text."""
    first, *others = _segments(pattern, escape, rules)
    if others:
        middle = "".join(f"(?>.*?{segment})" for segment in others[:-1] if segment)
        first += f"{middle}.*{others[-1]}"
    compiled = re.compile(first, re.DOTALL)
    return lambda text: compiled.fullmatch(rules.folded(text)) is not None


def _segments(pattern: str, escape: str, rules: Collation) -> list[str]:
    """What stands before, between and behind the `%`, as regular expressions."""
    segments = [""]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape and at + 1 < len(pattern):
            at += 1
            segments[-1] += _exactly(pattern[at], rules)
        elif character == "%":
            segments.append("")
        else:
            segments[-1] += "." if character == "_" else _exactly(character, rules)
        at += 1
    return segments


def _exactly(character: str, rules: Collation) -> str:
    return re.escape(rules.folded(character))


def regexp(node: Node, pattern: Node, at: int) -> Node:
    """``node REGEXP pattern``, of what all servers read alike."""
    if Kind.BYTES in (node.kind, pattern.kind):
        raise BadExpression("REGEXP on binary strings differs between servers", at)
    if not pattern.constant:
        raise BadExpression("a REGEXP pattern has to be a constant here", pattern.at)
    left, right = convert.text(node), convert.text(pattern)
    rules = collation(joined(left, right).collation or convert.CONNECTION_COLLATION)
    text: Any = right.value()
    if text is None:
        return made_of(INT, lambda row: None, [pattern], at)
    compiled = _regexp_of(text, rules, pattern.at)
    return made_of(INT, strict(lambda value: compiled.search(value) is not None, left), [left], at)


def _regexp_of(text: str, rules: Collation, at: int) -> re.Pattern[str]:
    if not text:
        raise BadExpression("an empty REGEXP pattern is an error on MySQL", at)
    if _COMMON.fullmatch(text) is None:
        raise BadExpression(f"the REGEXP pattern {text!r} has constructs that servers read differently", at)
    python = text
    for name, inside in _CLASSES.items():
        python = python.replace(name, inside)
    python = re.sub(r"(?<!\\)((?:\\\\)*)\$", r"\1(?:\\Z|(?=\\n\\Z))", python)
    try:
        return re.compile(python, 0 if rules.is_binary else re.IGNORECASE)
    except re.error as exc:
        raise BadExpression(f"{text!r} is no regular expression: {exc}", at) from exc
