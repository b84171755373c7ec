"""A key as DDL says it: what a table has as a value, as the words of a statement that makes it again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.table import Index

_HIDDEN = {"mariadb": " IGNORED"}  # others: INVISIBLE
_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})


def key_text(index: Index, server: str, new_names: Mapping[str, str] = _AS_THEY_ARE) -> str:
    """``UNIQUE KEY `k` (`a`(3), `b` DESC) COMMENT 'c'`` for a plain or unique key, with its columns' ``new_names``.

    ``server`` is the flavor of the one that reads it.  ``new_names``: by the old one in small letters.
    """
    parts = [_part(name, prefix, index, new_names) for name, prefix in zip(index.columns, index.prefixes, strict=True)]
    comment = f" COMMENT {quote_string(index.comment)}" if index.comment else ""
    hidden = _HIDDEN.get(server, " INVISIBLE") if index.hidden else ""
    kind = "UNIQUE KEY" if index.unique else "KEY"
    named = "PRIMARY KEY" if index.primary else f"{kind} {quote_name(index.name)}"
    return f"{named} ({', '.join(parts)}){comment}{hidden}"


def _part(name: str, prefix: int | None, index: Index, new_names: Mapping[str, str]) -> str:
    if name.startswith("("):
        return name
    length = f"({prefix})" if prefix else ""
    return f"{quote_name(new_names.get(small(name), name))}{length}{' DESC' * (small(name) in index.descending)}"
