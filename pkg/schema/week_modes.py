"""WEEK(d) of MySQL, whose mode is fixed when a statement is read: default_week_format of its session.

MySQL keeps ``week(d,0)`` of what is said as ``WEEK(d)`` (item_timefunc.h; SHOW CREATE TABLE shows it).  Other servers
ask the session that calculates a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.statement import Ddl, DdlKind, edited
from pkg.schema.table import Table

_KINDS = frozenset({DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX})
_BEFORE_NAMES = frozenset(
    {"TABLE", "EXISTS", "REFERENCES", "ON", "TO", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "PARTITION", "."}
)
"""What stands before a table, key or partition that is called week."""


@dataclass(frozen=True, slots=True)
class _Call:
    """``end`` is where its last parenthesis stands; ``mode`` is the text of the second argument, "" without one."""

    end: int
    mode: str


def leaves_week_modes(ddl: Ddl) -> bool:
    """Whether the statement makes an expression that has WEEK with one argument."""
    return ddl.kind in _KINDS and "WEEK" in ddl.text.upper() and any(not call.mode for call in _calls(ddl.text))


def with_week_modes(ddl: Ddl, now: Table | None, present: str) -> Ddl:
    """The statement with the modes said.

    ``now``: the upstream's table, as it shows it, whose columns of the statement tell the mode of its session;
    ``present``: else the mode, as new sessions have it now.
    """
    mode = next(_modes(ddl, now), present) if now is not None else present
    edits = [(call.end, call.end, f", {mode}") for call in _calls(ddl.text) if not call.mode]
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor="mysql")


def _modes(ddl: Ddl, now: Table) -> Iterator[str]:
    """Of calls without a mode, as the upstream's columns have them."""
    for spec in _columns(ddl):
        column = now.column(spec.name)
        for shown in (column.expression, column.default) if column is not None else ():
            for clause in spec.clauses:
                said, made = _calls(ddl.text[clause.start : clause.end]), _calls(shown or "")
                if len(said) == len(made):
                    yield from (there.mode for here, there in zip(said, made, strict=True) if not here.mode)


def _columns(ddl: Ddl) -> Iterator[ColumnSpec]:
    yield from ddl.create.columns if ddl.create is not None else ()
    yield from (one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn))


def _calls(text: str) -> list[_Call]:
    """Those of WEEK, by the order of their names."""
    tokens = tokenize(text)
    return [
        _call(text, tokens, number + 1)
        for number, token in enumerate(tokens[:-1])
        if token.kind is Kind.WORD and token.key == "WEEK" and tokens[number + 1].text == "("
        if number == 0 or tokens[number - 1].key not in _BEFORE_NAMES
    ]


def _call(text: str, tokens: Sequence[Token], start: int) -> _Call:
    depth, comma = 0, 0
    for token in tokens[start:]:
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and depth == 1:
            comma = token.end
        if depth == 0 or token.kind is Kind.END:
            return _Call(token.start, text[comma : token.start].strip() if comma else "")
    raise AssertionError("the last token is the end")
