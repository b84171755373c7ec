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
from pkg.rules.expression.problem import BadExpression, BadValue

# What ICU (MySQL), PCRE (MariaDB) and Python read alike.
_COMMON = re.compile(
    r"""(?:[^\\\[\](){}|*+?^$.]
    |\\[\\\[\](){}|*+?^$./-]
    |\[\^?(?:[^\\\[\]&^]|\\[\\\[\]^$.*+?(){}|/-])+\]
    |\((?!\?)|\(\?:|\)|[|.^$]|[*+?]\??|\{\d+(?:,\d*)?\}\??)*""",
    re.VERBOSE | re.DOTALL,
)
_LINE_ENDS = frozenset("\r\v\f\x85\u2028\u2029")


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
    if not rules.is_binary and not text.isascii():
        raise BadExpression("a REGEXP pattern of other letters than ASCII's is read with COLLATE utf8mb4_bin here", at)
    compiled = _regexp_of(text, rules, pattern.at)

    def call(value: str) -> bool:
        if not rules.is_binary:
            _check_letters(value)
        if not _LINE_ENDS.isdisjoint(value):
            raise BadValue("servers read a REGEXP over this line's end differently")
        return compiled.search(value) is not None

    return made_of(INT, strict(call, left), [left], at)


def _check_letters(value: str) -> None:
    """Raise BadValue for letters that are one of ASCII's, or several, without case: ß, ſ, the Kelvin sign."""
    if not value.isascii():
        for letter in value:
            if not letter.isascii() and any(part.isascii() for part in letter.casefold()):
                raise BadValue(f"servers match {letter!r} without case differently")


def _regexp_of(text: str, rules: Collation, at: int) -> re.Pattern[str]:
    if not text:
        raise BadExpression("an empty REGEXP pattern is an error on MySQL", at)
    if _COMMON.fullmatch(text) is None:
        raise BadExpression(f"the REGEXP pattern {text!r} has constructs that servers read differently", at)
    python = text
    python = re.sub(r"(?<!\\)((?:\\\\)*)\$", r"\1(?:\\Z|(?=\\n\\Z))", python)
    try:
        return re.compile(python, 0 if rules.is_binary else re.IGNORECASE)
    except re.error as exc:
        raise BadExpression(f"{text!r} is no regular expression: {exc}", at) from exc
