"""Types, and SYSDATE, that one server alone has words for, or that modes take for others, in words for all servers.

The text is changed where it is read, so that nobody who reads a part of it later needs the modes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.statement import Ddl, Edit

_OF_MARIADB: Final = {"CLOB": "LONGTEXT", "RAW": "VARBINARY", "VARCHAR2": "VARCHAR", "NUMBER": "DECIMAL"}
_BY_MODE: Final[Mapping[str, Mapping[str, str]]] = {
    "ORACLE": {"DATE": "DATETIME", "BLOB": "LONGBLOB"},
    "MAXDB": {"TIMESTAMP": "DATETIME"},
}
_SCHEMAS: Final = {"mariadb_schema": "", "oracle_schema": "ORACLE", "maxdb_schema": "MAXDB"}
_OF_SCHEMAS: Final = frozenset({"DATE", "TIMESTAMP"})  # types that differ by the schema that stands before them
_WORD: Final = re.compile(r"\w+", re.ASCII)
_SCHEMA: Final = re.compile(r"`?(\w+)`?\s*\.\s*", re.ASCII)
_SYSDATE: Final = re.compile(r"DEFAULT\s+SYSDATE", re.ASCII | re.IGNORECASE)
_LONG: Final = re.compile(r"LONG\s+(CHAR(?:ACTER)?\s+VARYING)\b", re.ASCII | re.IGNORECASE)


def mode_types(ddl: Ddl, modes: Collection[str]) -> list[Edit]:
    """What to change in the text of a CREATE or ALTER TABLE of a session with ``modes``."""
    words = dict(_OF_MARIADB)
    for mode in modes:
        words |= _BY_MODE.get(mode, {})
    is_oracle = "ORACLE" in modes
    edits: list[Edit] = []
    for spec in specs_of(ddl):
        edits += _edits(ddl.text, spec, words, is_oracle=is_oracle)
        edits += _calls(ddl.text, spec) if is_oracle else ()
    return edits


def specs_of(ddl: Ddl) -> list[ColumnSpec]:
    """The columns that CREATE, ADD, CHANGE and MODIFY define."""
    created = [element.item for element in ddl.create.elements] if ddl.create is not None else []
    altered = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
    return [item for item in (*created, *altered) if isinstance(item, ColumnSpec)]


def _calls(text: str, spec: ColumnSpec) -> Iterator[Edit]:
    """The function that Oracle calls without parentheses."""
    for clause in spec.clauses:
        if clause.key == "DEFAULT" and _SYSDATE.fullmatch(text, clause.start, clause.end):
            yield clause.end, clause.end, "()"


def _edits(text: str, spec: ColumnSpec, words: Mapping[str, str], *, is_oracle: bool) -> Iterator[Edit]:
    start, end = spec.type_clause.start, spec.type_clause.end
    if long := _LONG.match(text, start, end):
        yield *long.span(1), "VARCHAR"
    schema = _SCHEMA.match(text, start, end)
    found = _WORD.match(text, schema.end() if schema is not None else start, end)
    if found is None:
        return
    word = found[0].upper()
    if schema is not None and word in _OF_SCHEMAS:
        yield start, found.end(), _BY_MODE.get(_SCHEMAS[schema[1].lower()], {}).get(word, word)
    elif word in words:
        has_length = "(" in text[start:end]
        new = "DOUBLE" if is_oracle and word == "NUMBER" and not has_length else words[word]
        yield start, found.end(), "BLOB" if word == "BLOB" and has_length else new
    elif schema is not None:
        yield start, found.start(), ""
