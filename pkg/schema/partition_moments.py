"""Moments among the bounds of partitions, for TiDB, which takes those of ALTER TABLE … PARTITION BY for UTC's.

It heeds the session's time zone in CREATE TABLE, ADD and REORGANIZE PARTITION.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from pkg.schema.alter import PartitionChange
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.statement import Ddl

_CALL = 4  # UNIX_TIMESTAMP, (, a text, )


def with_numbered_moments(sql: str, ddl: Ddl, ahead: Callable[[float], int]) -> str:
    """``sql`` with the seconds since 1970 in place of ``UNIX_TIMESTAMP('…')``, where ``ddl`` makes partitions anew.

    ``ahead``: how many seconds the session's zone is ahead of UTC at a moment.
    """
    if not any(isinstance(one, PartitionChange) and one.action == "BY" for one in ddl.alterations):
        return sql
    tokens, parts, end = tokenize(sql), [], 0
    for place, token in enumerate(tokens):
        local = _moment(tokens[place : place + _CALL])
        if local is not None:
            guess = local - ahead(local)
            parts += [sql[end : token.start], str(int(local - ahead(guess)))]
            end = tokens[place + _CALL - 1].end
    return "".join(parts) + sql[end:]


def _moment(tokens: list[Token]) -> float | None:
    """What the call would be in UTC; None for other tokens, and for what is no day or moment."""
    keys = [token.key for token in tokens]
    if (
        len(tokens) < _CALL
        or keys[:2] != ["UNIX_TIMESTAMP", "("]
        or keys[3] != ")"
        or tokens[2].kind is not Kind.STRING
    ):
        return None
    try:
        return datetime.fromisoformat(tokens[2].value.strip()).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
