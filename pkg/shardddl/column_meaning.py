"""What the definition of a column in a shard's ALTER TABLE says, in one form however it was written.  No I/O."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from pkg.schema.columns import ColumnSpec
from pkg.schema.cursor import Clause
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_string
from pkg.schema.table import Column
from pkg.shardddl.words import words

Form = list[object]
Tokens = Callable[[Clause], Sequence[Token]]

_WIDTHS = {"tinyint": (4, 3), "smallint": (6, 5), "mediumint": (9, 8), "int": (11, 10), "bigint": (20, 20)}
_WIDTH = re.compile(r"(tinyint|smallint|mediumint|int|bigint)\((\d+)\)(.*)", re.ASCII)
_NUMBERS = frozenset({*_WIDTHS, "decimal", "float", "double"})
_KNOWN = _NUMBERS | {"char", "varchar", "binary", "varbinary"}
"""Types of which the settled column says all, whatever word stood for them; a JSON of MariaDB is a text there."""
_PLAIN = re.compile(r"0|[1-9]\d*", re.ASCII)
_SETTLED = frozenset(
    {"NULL", "DEFAULT", "ON", "AUTO_INCREMENT", "SERIAL", "GENERATED", "AS", "INVISIBLE", "VISIBLE", "UNSIGNED",
     "SIGNED", "ZEROFILL", "BINARY", "ASCII", "UNICODE", "BYTE", "CHARSET", "CHARACTER", "CHAR", "COLLATE", "UNIQUE",
     "PRIMARY", "KEY", "REFERENCES"}
)  # fmt: skip
"""Attributes that the table behind the statement, or another part of the form, has."""


class Unsaid(ValueError):
    """The statement has no form: its text alone says what it does."""


def column_form(spec: ColumnSpec, column: Column, tokens: Tokens, columns: Collection[str]) -> Form:
    """``column``: as it is behind the statement, ``columns``: names in lower case.  Raises Unsaid."""
    if spec.row_period:
        raise Unsaid
    return [
        small(column.name),
        _type_text(column),
        [] if column.base_type in _KNOWN else words(tokens(spec.type_clause), columns),
        column.nullable,
        column.charset,
        column.collation,
        _default(spec, column, tokens, columns),
        column.generated,
        words(spec.expression, columns),
        column.auto_increment,
        column.invisible,
        column.on_update,
        sorted(_others(spec, tokens, columns), key=lambda attribute: attribute[:1]),
    ]


def is_number(column: Column) -> bool:
    """Whether the column has a number for its default, which may be written as a text, too."""
    return column.base_type in _NUMBERS and (column.default or "").startswith("'")


def set_default(default: str | None, column: Column, tokens: Sequence[Token], columns: Collection[str]) -> Form:
    """Of ALTER COLUMN … SET DEFAULT, DROP DEFAULT (None)."""
    if default is None:
        return ["none"]
    start = max(
        number for number, token in enumerate(tokens) if token.key == "DEFAULT" and not _is_inside(tokens, number)
    )
    return _value(default, column, tokens[start + 1 :], columns)


def _is_inside(tokens: Sequence[Token], place: int) -> bool:
    before = [token.key for token in tokens[:place]]
    return before.count("(") > before.count(")")


def _default(spec: ColumnSpec, column: Column, tokens: Tokens, columns: Collection[str]) -> Form:
    said = [clause for clause in spec.clauses if clause.key == "DEFAULT"]
    if column.default is None or not said:
        return [column.default]
    return _value(column.default, column, tokens(said[-1])[1:], columns)


def _value(default: str, column: Column, tokens: Sequence[Token], columns: Collection[str]) -> Form:
    if default == "NULL" or default.startswith("current_timestamp") or is_number(column):
        return [default]
    if column.base_type in ("char", "varchar") and len(tokens) == 1 and tokens[0].kind is Kind.NUMBER:
        text = tokens[0].text
        return [quote_string(text)] if _PLAIN.fullmatch(text) else [text]
    return list(words(tokens, columns))


def _others(spec: ColumnSpec, tokens: Tokens, columns: Collection[str]) -> list[list[str]]:
    """COMMENT, CHECK, formats, and options of engines."""
    found: list[list[str]] = []
    for clause in (*spec.clauses, *spec.engine_options):
        inside = tokens(clause)
        keys = [token.key for token in inside]
        if keys == ["NOT", "NULL"] or clause.key in _SETTLED:
            continue
        if clause.key == "CONSTRAINT":
            if "CHECK" not in keys[1:3]:
                continue  # REFERENCES, which is a foreign key of its own
            inside = inside[1 + keys[1:].index("CHECK") :]
        found.append(words(inside, columns))
    return found


def _type_text(column: Column) -> str:
    """The type without the width that a server shows where none is said."""
    found = _WIDTH.fullmatch(column.type)
    if found is None:
        return column.type
    base, width, attributes = found.groups()
    return base + attributes if int(width) == _WIDTHS[base][column.unsigned] else column.type
