"""Which expressions of a statement read a TIMESTAMP: what they give depends on the time zone of that moment.  Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pkg.schema.alter import ChangeColumn, DropColumn, RenameColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, names_in, tokenize
from pkg.schema.mode_types import specs_of
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

_WITH_OFFSET = re.compile(r"\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.\d*)?)?\s*[+-]\d\d:\d\d\s*", re.ASCII)
_MOMENT = re.compile(r"\s*\d{4}-\d\d?-\d\d?[ T]+\d\d?:\d\d?", re.ASCII)
_PLAIN = frozenset({"DEFAULT", "COMMENT"})  # behind which a literal is the value of a column, or no moment


def reads_moments(ddl: Ddl, before: Table | None) -> bool:
    """Whether values that an ALTER calculates for rows are made of a TIMESTAMP; ``before``: the table before it.

    A server that copies the table for it calculates all STORED columns anew.
    """
    if ddl.create is not None:
        return False  # it has no rows
    moments = _moments(ddl, before)
    said = any(not moments.isdisjoint(_names(spec)) for spec in specs_of(ddl))
    return said or (before is not None and bool(stored_of_moments(before)))


def stored_of_moments(table: Table) -> list[Column]:
    """STORED columns that are calculated from a TIMESTAMP, which another generated column may read."""
    moments = _with_readers({small(one.name) for one in table.columns if one.base_type == "timestamp"}, table)
    return [one for one in table.columns if one.generated == "STORED" and small(one.name) in moments]


def _moments(ddl: Ddl, before: Table | None) -> set[str]:
    """Columns, in lower case, that are TIMESTAMPs or made of one, by their names before and behind the statement."""
    found = {small(spec.name) for spec in specs_of(ddl) if spec.type.base == "timestamp"}
    if before is not None:
        found |= {small(one.name) for one in before.columns if one.base_type == "timestamp"}
        found = _with_readers(found, before)
    renamed = [(one.old, one.new) for one in ddl.alterations if isinstance(one, RenameColumn)]
    return found | {small(new) for old, new in renamed if small(old) in found}


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
