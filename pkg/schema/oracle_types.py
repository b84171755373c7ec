"""Types that MariaDB's sql_mode ORACLE takes for others, in the words that mean them everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.statement import Ddl, Edit

_TYPES: Final[Mapping[str, str]] = {
    "DATE": "DATETIME", "BLOB": "LONGBLOB", "CLOB": "LONGTEXT", "RAW": "VARBINARY", "VARCHAR2": "VARCHAR",
    "NUMBER": "DECIMAL",
}  # fmt: skip
_WORD: Final = re.compile(r"\w+")


def oracle_types(ddl: Ddl) -> list[Edit]:
    """What to change in the text of a CREATE or ALTER TABLE of such a session."""
    return [edit for spec in _specs(ddl) for edit in _edits(ddl.text, spec)]


def _specs(ddl: Ddl) -> list[ColumnSpec]:
    created = [element.item for element in ddl.create.elements] if ddl.create is not None else []
    altered = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
    return [item for item in (*created, *altered) if isinstance(item, ColumnSpec)]


def _edits(text: str, spec: ColumnSpec) -> Iterator[Edit]:
    start, end = spec.type_clause.start, spec.type_clause.end
    found = _WORD.match(text, start, end)
    word = found[0].upper() if found is not None else ""
    if found is not None and word in _TYPES:
        is_bare = "(" not in text[start:end]
        yield start, found.end(), "DOUBLE" if word == "NUMBER" and is_bare else _TYPES[word]
