"""Whether two shards have had the same DDL: it does the same to their tables, or was written alike.

The settings of its session are the same, too, as far as it depended on them.

It was written alike when the texts are the same but for comments, spaces, quotes and case of names.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, LexicalError, Token, tokenize
from pkg.shardddl.settings import apart
from pkg.shardddl.words import FUNCTIONS


class Told(Protocol):
    """What is known of a DDL that a shard has had."""

    @property
    def ddls(self) -> tuple[str, ...]:
        """Its texts, with the target's names."""
        ...

    @property
    def meaning(self) -> str:
        """See `pkg.shardddl.meaning`; "" where it is not known, as of what an older version has stored."""
        ...

    @property
    def settings(self) -> str:
        """See `pkg.shardddl.settings`."""
        ...


def same_ddl(one: Told, other: Told) -> bool:
    """Whether the two are one DDL, which runs once."""
    return does_the_same(one, other) and not any(apart(one.settings, other.settings))


def does_the_same(one: Told, other: Told) -> bool:
    """Whether the two are one DDL but for their settings."""
    if one.ddls == other.ddls or (one.meaning and one.meaning == other.meaning):
        return True
    return tuple(map(comparable, one.ddls)) == tuple(map(comparable, other.ddls))


@lru_cache(maxsize=4096)
def comparable(sql: str) -> str:
    """A statement without comments, line breaks, quotes around names and differences of case in names and words."""
    try:
        tokens = tokenize(sql)
    except LexicalError:
        return sql
    texts, is_parent = [], False
    for token, behind in pairwise(tokens):
        is_parent = token.key == "REFERENCES" or (is_parent and token.key != "(")
        texts.append(token.value if is_parent and token.key != "REFERENCES" else _comparable(token, behind))
    return " ".join(texts).rstrip(" ;")


def _comparable(token: Token, behind: Token) -> str:
    if token.kind is Kind.QUOTED and token.value.upper() in FUNCTIONS and behind.key != "(":
        return small(token.text)  # a column, while the word as it stands is a value
    return small(token.value) if token.is_name else token.text
