"""Differences that the documentation names, with the reason: they are counted as "documented", and never as equal.  No I/O."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.cases.replicate.comparing import Column

MERGE = "merge table: it stays upstream (docs/ddl.md, rows of other engines)"
SEQUENCE = "sequence default: sequences stay upstream, and so do the defaults that name one (docs/ddl.md)"
_SEQUENCE = re.compile(r"\b(nextval|lastval|setval)\s*\(|\b(next|previous)\s+value\s+for\b", re.I)
_LINE = re.compile(r"^(\s*(`(?:[^`]|``)+`) .*?) DEFAULT (.*?),?$", re.M)


def without_sequences(native: str, target: str) -> tuple[str, str]:
    """Both definitions without the defaults of columns that take theirs from a sequence on the native replica."""
    columns = {found[2] for found in _LINE.finditer(native) if _SEQUENCE.search(found[3])}

    def shorter(text: str) -> str:
        return _LINE.sub(lambda found: found[1] if found[2] in columns else found[0], text)

    return shorter(native), shorter(target)


def columns_without_sequences(native: list[Column], target: list[Column]) -> tuple[list[Column], list[Column]]:
    """The same of columns, of servers of different kinds."""
    names = {column.name for column in native if _SEQUENCE.search(column.default or "")}

    def shorter(columns: list[Column]) -> list[Column]:
        return [replace(column, default=None) if column.name in names else column for column in columns]

    return shorter(native), shorter(target)
