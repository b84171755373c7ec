"""Functions that expressions of tables call, and that newer servers have no more by themselves."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from pkg.schema.lexer import Kind, tokenize

NOT_IN_ALL = ("MD5", "SHA", "SHA1")  # not in MySQL from 9.6 on


def lacking_call(create_sql: str, lacking: Collection[str]) -> str:
    """The first call of a function that the target is ``lacking``; "" for none."""
    for token, behind in pairwise(tokenize(create_sql) if lacking else ()):
        if token.kind is Kind.WORD and token.key in lacking and behind.key == "(":
            return token.key
    return ""


def lacks(function: str) -> str:
    """What is said of it."""
    return f"the target has no function {function}() by itself (MySQL has no MD5() and SHA1() from 9.6 on)"
