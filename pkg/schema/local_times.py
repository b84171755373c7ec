"""Columns of a target that the upstream lacks and that the target fills with the local time."""

from __future__ import annotations

from collections.abc import Collection

from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.table import Column, Table

_LOCAL = frozenset({
    "CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_DATE", "CURDATE", "CURRENT_TIME", "CURTIME",
})  # fmt: skip


def fills_local_times(target: Table, named: Collection[str]) -> bool:
    """Whether the target fills a column that statements do not name with a time of its session's zone.

    ``named``: columns in lower case.  A TIMESTAMP is the same moment in every zone; where the table has one of those,
    too, it is the one that stays right, and False is given.
    """
    own = [column for column in target.columns if small(column.name) not in named and _is_filled(column)]
    return bool(own) and all(column.base_type != "timestamp" for column in own)


def _is_filled(column: Column) -> bool:
    if column.generated:
        return False
    return column.on_update or asks_for_now(column.default or "")


def asks_for_now(default: str) -> bool:
    """Whether the text of a default has the local time or day in it."""
    if default[:1] in ("", "'"):
        return False
    return any(token.kind is Kind.WORD and token.key in _LOCAL for token in tokenize(default))
