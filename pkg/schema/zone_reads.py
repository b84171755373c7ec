"""Which expressions give what depends on the session's time zone, as it was at a moment that a row names.  Pure.

They read a TIMESTAMP, turn local times into moments or back, or make a TIMESTAMP.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pkg.schema.alter import ChangeColumn, DropColumn, RenameColumn
from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, names_in, tokenize
from pkg.schema.mode_types import specs_of
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

_WITH_OFFSET = re.compile(r"\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.\d*)?)?\s*[+-]\d\d:\d\d\s*", re.ASCII)
_MOMENT = re.compile(r"\s*\d{4}-\d\d?-\d\d?[ T]+\d\d?:\d\d?", re.ASCII)
# Functions that turn moments, and those that read a session's language and weeks, or the server's zones.
_TURNS = frozenset({"unix_timestamp", "from_unixtime"})
_OF_SESSIONS = frozenset(
    {"convert_tz", "week", "date_format", "dayname", "monthname"}
)  # besides, in whatever a row has
_INTEGERS = INTEGER_TYPES - {"year"}
_PLAIN = frozenset({"DEFAULT", "COMMENT"})  # behind which a literal is the value of a column, or no moment


def reads_moments(ddl: Ddl, before: Table | None) -> bool:
    """Whether values that an ALTER calculates for rows depend on the zone; ``before``: the table before it.

    A server that copies the table for it calculates all STORED columns anew.
    """
    if ddl.create is not None:
        return False  # it has no rows
    moments = _moments(ddl, before) | _TURNS
    said = any(not moments.isdisjoint(_names(spec)) or _makes_moment(spec) for spec in specs_of(ddl))
    return said or (before is not None and bool(stored_of_moments(before)))


def stored_of_moments(table: Table) -> list[Column]:
    """STORED columns whose value depends on the zone, also where they read it from another generated column."""
    found = {small(one.name) for one in table.columns if one.base_type == "timestamp"}
    moments = _with_readers(found | _TURNS, table)
    return [one for one in table.columns if one.generated == "STORED" and small(one.name) in moments]


def stored_of_sessions(table: Table) -> list[Column]:
    """These, and those that depend on the session's language, its weeks, or the server's zones."""
    of_moments = stored_of_moments(table)
    return [
        one
        for one in table.columns
        if one in of_moments or (one.generated == "STORED" and not _OF_SESSIONS.isdisjoint(names_in(one.expression)))
    ]


def calculated(column: Column) -> str:
    """What a generated column would hold of a row in the session that asks, as a value of its type."""
    value = f"({column.expression})"
    if column.base_type in _INTEGERS:
        return f"CAST({value} AS {'UNSIGNED' if column.unsigned else 'SIGNED'})"
    if column.base_type in ("datetime", "timestamp", "time"):
        of_type = "TIME" if column.base_type == "time" else "DATETIME"
        return f"CAST({value} AS {of_type}({column.fsp}))"
    return f"CAST({value} AS DATE)" if column.base_type == "date" else value


def _moments(ddl: Ddl, before: Table | None) -> set[str]:
    """Columns, in lower case, that are TIMESTAMPs or made of one, by their names before and behind the statement."""
    found = {small(spec.name) for spec in specs_of(ddl) if spec.type.base == "timestamp"}
    if before is not None:
        found |= {small(one.name) for one in before.columns if one.base_type == "timestamp"}
        found = _with_readers(found, before)
    renamed = [(one.old, one.new) for one in ddl.alterations if isinstance(one, RenameColumn)]
    return found | {small(new) for old, new in renamed if small(old) in found}


def _makes_moment(spec: ColumnSpec) -> bool:
    return bool(spec.generated) and spec.type.base == "timestamp"


def _with_readers(moments: set[str], table: Table) -> set[str]:
    while True:
        readers = {small(one.name) for one in table.columns if one.generated and moments & names_in(one.expression)}
        if readers <= moments:
            return moments
        moments = moments | readers


def _names(spec: ColumnSpec) -> set[str]:
    words = {small(token.value) for token in spec.expression if token.is_name}
    default = spec.default or ""
    return words | (set() if default.startswith("'") else names_in(default))


def moments_kept(ddl: Ddl, table: Table) -> list[Column]:
    """TIMESTAMPs that stay such: one that becomes a local time has the same one for both moments of a doubled hour."""
    changed = (one for one in ddl.alterations if isinstance(one, ChangeColumn))
    gone = {small(one.old) for one in changed if one.column.type.base != "timestamp"}
    gone |= {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    moments = (one for one in table.columns if one.base_type == "timestamp" and not one.generated)
    return [one for one in moments if small(one.name) not in gone]


def columns_read(ddl: Ddl, table: Table) -> Iterator[Column]:
    """Columns of ``table`` that the statement's text names."""
    words = names_in(ddl.text)
    return (one for one in table.columns if small(one.name) in words)


def moments_with_offset(ddl: Ddl) -> list[str]:
    """Literals of expressions and of bounds that name an offset from UTC, which MySQL alone reads there."""
    return [one.value for one in _literals(ddl.text, _PLAIN) if _WITH_OFFSET.search(one.value) is not None]


def local_moments(ddl: Ddl) -> list[str]:
    """Literals of the statement that may be a local time."""
    return [one.value.strip() for one in _literals(ddl.text, {"COMMENT"}) if _MOMENT.match(one.value) is not None]


def _literals(text: str, before: Collection[str]) -> Iterator[Token]:
    """Strings, but for those behind one of the words."""
    tokens = tokenize(text)
    for place, token in enumerate(tokens):
        words = [one.key for one in tokens[max(place - 2, 0) : place]]
        if token.kind is Kind.STRING and not (words[-1:] and words[-1] in before) and words != ["COMMENT", "="]:
            yield token
