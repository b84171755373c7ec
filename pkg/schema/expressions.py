"""Texts of generated columns' expressions: kept with their columns, and compared without what servers write otherwise.

A text that is kept needs no sql_mode to be read; where that cannot be, "" stands for it: not known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from pkg.binlog.charset import encode
from pkg.schema.charset import CHARSETS, WIDE_SETS, charset_name
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, LexicalError, Token, quote_name, quote_string, tokenize
from pkg.schema.mode_operators import depends_on_modes, operand_end
from pkg.schema.table import Column, Table

_ESCAPED = re.compile("[\0\n\r\\\\]")  # what MySQL writes with a backslash
_MOST_NESTED = 10  # generated columns that read one another
_CLOCKS = frozenset({"time", "datetime", "timestamp"})
_SAME = {"!=": "<>", "&&": "and"}


def kept_text(tokens: Sequence[Token], modes: Collection[str], connection: str = "utf8mb4") -> str:
    """The expression between parentheses, as any session reads it; "" for one that ``modes`` alone explain.

    ``tokens``: those between the parentheses.  Columns stand without their table's name.  ``connection``: the set that
    literals are converted to; where plain letters have other bytes in it, it is said.
    """
    if depends_on_modes(tokens, modes):
        return ""
    text, end, before = "", tokens[0].start if tokens else 0, ""
    for token in _unqualified(tokens):
        is_plain = token.kind is Kind.STRING and not before.startswith("_") and before not in ("X", "B", "N")
        written = _in_set(token.value, connection) if is_plain and connection in WIDE_SETS else _written(token)
        text += " " * (token.start > end and bool(text)) + written
        end, before = token.end, token.key
    return "" if text.upper() == "NULL" else text  # which stands for what is not known


def _unqualified(tokens: Sequence[Token]) -> Iterator[Token]:
    place = 0
    while place < len(tokens):
        ahead = tokens[place + 1] if place + 1 < len(tokens) else None
        if tokens[place].is_name and ahead is not None and ahead.key == ".":
            place += 2
            continue
        yield tokens[place]
        place += 1


def _in_set(value: str, charset: str) -> str:
    try:
        return f"_{charset} X'{encode(value, charset).hex()}'"
    except UnicodeEncodeError:
        return quote_string(value)


def _written(token: Token) -> str:
    if token.kind is Kind.QUOTED:
        return quote_name(token.value)
    return quote_string(token.value) if token.kind is Kind.STRING else token.text


def with_names(text: str, new: Mapping[str, str]) -> str:
    """``text`` where columns got new names; ``new``: by the old ones in small letters."""
    parts, end = [], 0
    for token in names_in(tokenize(text)):
        if small(token.value) in new:
            parts += [text[end : token.start], quote_name(new[small(token.value)])]
            end = token.end
    return "".join(parts) + text[end:]


def names_in(tokens: Sequence[Token]) -> Iterator[Token]:
    """Words and names of an expression that are no function's: its columns are among them."""
    for token, behind in pairwise(tokens):
        if token.is_name and not (token.kind is Kind.WORD and behind.key == "("):
            yield token


def base_columns(text: str, table: Table, depth: int = 0) -> Iterator[Column]:
    """Columns that an expression reads, and those of generated columns in their place."""
    for token in names_in(tokenize(text)):
        column = table.column(token.value)
        if column is not None and column.generated and column.expression:
            yield from base_columns(column.expression, table, depth + 1) if depth < _MOST_NESTED else ()
        elif column is not None:
            yield column


def both_calculate(above: Table, below: Table) -> Iterator[tuple[Column, Column]]:
    """Columns that both (the upstream's, the target's) calculate, as far as their expressions are known."""
    for column in above.columns:
        there = below.column(column.name)
        if there is not None and there.expression and column.expression:
            yield column, there


def doubtful_columns(above: Table, below: Table) -> Iterator[tuple[Column, Column]]:
    """Those of them whose texts differ."""
    return (pair for pair in both_calculate(above, below) if not is_same_text(*pair))


def is_same_text(one: Column, other: Column) -> bool:
    return _form(one.expression) == _form(other.expression)


def writers_modes(above: Table, below: Table) -> Mapping[str, str]:
    """Modes by which MySQL stores other values in generated columns; each with the first such column.

    It reads the expression's text anew in each session that writes rows, and calculates under its modes.
    """
    found: dict[str, str] = {}
    for column in above.columns:
        there = below.column(column.name)
        if column.generated == "STORED" and column.expression and there is not None and there.generated:
            for mode in _modes(column, above):
                found.setdefault(mode, column.name)
    return found


def with_backslashes(table: Table) -> list[str]:
    """Columns that are generated, or filled by default, by an expression whose texts have a backslash."""
    return [name for name, tokens in _expressions(table) if _has_escaped(tokens)]


def that_escape(table: Table) -> list[str]:
    """Columns that are generated, or filled by default, by an expression in which a backslash of a value may count."""
    return [name for name, tokens in _expressions(table) if _escapes(tokens)]


def _expressions(table: Table) -> Iterator[tuple[str, Sequence[Token]]]:
    for column in table.columns:
        text = column.expression or _of_default(column)
        if text:
            yield column.name, tokenize(text)


def _of_default(column: Column) -> str:
    return column.default if column.default is not None and column.default.startswith("(") else ""


def _has_escaped(tokens: Iterable[Token]) -> bool:
    return any(token.kind is Kind.STRING and _ESCAPED.search(token.value) for token in tokens)


def _escapes(tokens: Sequence[Token]) -> bool:
    """Whether there is a LIKE of no literal and without ESCAPE, or a JSON_SEARCH: a backslash escapes in its pattern.

    It does not in MySQL's sessions with NO_BACKSLASH_ESCAPES.
    """
    return any(
        token.key == "JSON_SEARCH" or (token.key == "LIKE" and not _has_its_escape(tokens, place))
        for place, token in enumerate(tokens)
    )


def _has_its_escape(tokens: Sequence[Token], like: int) -> bool:
    """Whether the pattern of a LIKE is a literal, whose backslashes are another matter, or ESCAPE follows it."""
    end = operand_end(tokens, like + 1)
    if end is None:
        return False
    pattern = [one for one in tokens[like + 1 : end + 1] if not one.text.startswith("_")]
    behind = tokens[end + 1].key if end + 1 < len(tokens) else ""
    return behind == "ESCAPE" or all(one.kind is Kind.STRING for one in pattern)


def _modes(column: Column, table: Table) -> Iterator[str]:
    tokens = tokenize(column.expression)
    read = [one for token in tokens if token.is_name and (one := table.column(token.value)) is not None]
    if _has_escaped(tokens) or _escapes(tokens):
        yield "NO_BACKSLASH_ESCAPES"
    if any(one.base_type == "char" for one in read):
        yield "PAD_CHAR_TO_FULL_LENGTH"
    if column.base_type in _CLOCKS or any(token.key in ("CAST", "CONVERT") for token in tokens):
        yield "TIME_TRUNCATE_FRACTIONAL"


def _form(text: str) -> list[str]:
    try:
        tokens = tokenize(text)[:-1]
    except LexicalError:
        return [text]
    while _is_in_parentheses(tokens):
        tokens = tokens[1:-1]
    return list(_words(tokens))


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        is_introducer = token.kind is Kind.WORD and charset_name(token.text[1:]) in CHARSETS and token.text[0] == "_"
        if is_introducer and behind is not None and behind.kind is Kind.STRING:
            continue
        if token.kind is Kind.STRING:
            yield quote_string(token.value)
        elif token.is_name:
            yield small(token.value)
        else:
            yield _SAME.get(token.key, token.text)


def _is_in_parentheses(tokens: Sequence[Token]) -> bool:
    """Whether the first one is closed by the last one."""
    if len(tokens) < 2 or tokens[0].key != "(":
        return False
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if not depth:
            return place == len(tokens) - 1
    return False
