"""Types that modes of MariaDB's sql_mode take for others, in the words that mean them everywhere.

The text is changed where it is read, so that nobody who reads a part of it later needs the modes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.statement import Ddl, Edit

_TYPES: Final[Mapping[str, Mapping[str, str]]] = {
    "ORACLE": {
        "DATE": "DATETIME", "BLOB": "LONGBLOB", "CLOB": "LONGTEXT", "RAW": "VARBINARY", "VARCHAR2": "VARCHAR",
        "NUMBER": "DECIMAL",
    },
    "MAXDB": {"TIMESTAMP": "DATETIME"},
}  # fmt: skip
_WORD: Final = re.compile(r"\w+")


def mode_types(ddl: Ddl, modes: Collection[str]) -> list[Edit]:
    """What to change in the text of a CREATE or ALTER TABLE of a session with ``modes``."""
    words = {word: meant for mode in modes for word, meant in _TYPES.get(mode, {}).items()}
    return [edit for spec in _specs(ddl) for edit in _edits(ddl.text, spec, words)] if words else []


def _specs(ddl: Ddl) -> list[ColumnSpec]:
    created = [element.item for element in ddl.create.elements] if ddl.create is not None else []
    altered = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
    return [item for item in (*created, *altered) if isinstance(item, ColumnSpec)]


def _edits(text: str, spec: ColumnSpec, words: Mapping[str, str]) -> Iterator[Edit]:
    start, end = spec.type_clause.start, spec.type_clause.end
    found = _WORD.match(text, start, end)
    word = found[0].upper() if found is not None else ""
    if found is not None and word in words:
        is_bare = "(" not in text[start:end]
        yield start, found.end(), "DOUBLE" if word == "NUMBER" and is_bare else words[word]
