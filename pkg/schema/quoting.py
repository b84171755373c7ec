"""Names of columns, keys, constraints and partitions in quotes: a word that a name is upstream may be reserved in the
target (`rank`, `groups` and `lead` in TiDB and MySQL, `offset` and `returning` in MariaDB).

Names are told by the grammar, so no list of reserved words is kept.  Inside of expressions a word is a column's name
where the table has such a column and the place is not that of a keyword, a function or a literal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pkg.schema.ddl import named_words
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.statement import Edit, edited
from pkg.schema.table import Table

# Keywords of expressions that are reserved on no server, so that a column may have the name, and never needs quotes.
_KEYWORDS = frozenset(
    {"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DATE", "TIME", "DATETIME",
     "TIMESTAMP", "SIGNED", "JSON", "NCHAR", "UNKNOWN", "ESCAPE", "MODE", "LANGUAGE", "QUERY", "EXPANSION", "BOOLEAN",
     "MEMBER", "SOUNDS", "NEXT", "PREVIOUS", "VALUE"}
)  # fmt: skip
_BEFORE_OTHERS = frozenset({"AS", "COLLATE", "USING", "SET", "@"})  # what follows is a type, a set or a variable
_PARTITION = ("PARTITION", "SUBPARTITION")


def with_quoted_names(sql: str, columns: Collection[str], *, flavor: str) -> str:
    """A statement about tables with quotes around names; one that our grammar does not read stays as it is.

    ``columns``: the table's names of columns before and after it; ``flavor``: whose statement it is.
    """
    try:
        tokens, names, regions = named_words(sql, flavor)
    except ValueError:
        return sql
    places = {number for number in names if tokens[number].kind is Kind.WORD}
    wanted = _small(columns)
    for start, end in regions:
        inside = tokens[start:end]
        found = _partitions(inside) if inside[1:2] and inside[1].key in _PARTITION else _columns(inside, wanted)
        places.update(start + number for number in found)
    return edited(sql, [_quoted(tokens[number]) for number in places])


def column_names(*tables: Table | None) -> list[str]:
    return [column.name for table in tables if table is not None for column in table.columns]


def with_quoted_columns(expression: str, columns: Collection[str]) -> str:
    """The same of an expression over a table with these columns."""
    tokens = tokenize(expression)
    return edited(expression, [_quoted(tokens[number]) for number in _columns(tokens, _small(columns))])


def _small(names: Collection[str]) -> frozenset[str]:
    return frozenset(small(name) for name in names)


def _quoted(token: Token) -> Edit:
    return token.start, token.end, quote_name(token.value)


def _columns(tokens: Sequence[Token], columns: frozenset[str]) -> Iterator[int]:
    """The places of columns' names in an expression."""
    for number, token in enumerate(tokens):
        if token.kind is not Kind.WORD or small(token.value) not in columns or token.key in _KEYWORDS:
            continue
        before = tokens[number - 1].key if number else ""
        behind = tokens[number + 1] if number + 1 < len(tokens) else None
        is_other = behind is not None and (behind.key in ("(", ".") or behind.kind is Kind.STRING)
        if before not in _BEFORE_OTHERS and not is_other:
            yield number


def _partitions(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of partitions' names in the list of their definitions."""
    for number, token in enumerate(tokens[1:], 1):
        if token.kind is Kind.WORD and tokens[number - 1].key in _PARTITION:
            yield number
