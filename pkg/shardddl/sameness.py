"""Whether two shards have had the same DDL: by its text, but for comments, spaces, quotes and case of names."""

from __future__ import annotations

from functools import lru_cache

from pkg.schema.lexer import LexicalError, tokenize


@lru_cache(maxsize=4096)
def comparable(sql: str) -> str:
    """A statement without comments, line breaks, quotes around names and differences of case in names and words."""
    try:
        tokens = tokenize(sql)
    except LexicalError:
        return sql
    return " ".join(token.value.upper() if token.is_name else token.text for token in tokens).rstrip(" ;")


def same_ddls(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the statements are the same, one by one."""
    return one == other or tuple(map(comparable, one)) == tuple(map(comparable, other))
