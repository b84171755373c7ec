"""Values that an upstream holds and that a strict session refuses: which warnings say no more than that.

A session without strictness writes such a value as it is, with a warning.  Any other warning means that
a value was changed on its way.  (What TiDB warns of in an UPDATE names no column, so it says nothing here.)
Apart from those that speak of the statement's words, or of the table's: that they are deprecated, or how they are
logged.  They say nothing of a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.table import Column, Index, Table, is_expression

_TRUNCATED, _OUT_OF_RANGE, _TOO_LONG = 1265, 1264, 1406
# Of the servers' lists of messages those that are about words alone.
_OF_WORDS = frozenset(
    {1287, 1554, 1592, 1681, 1831, 3719, 3720, 3777, 3778, 3779, 3856, 3858, 3859, 3860, 3861, 3956}
)  # fmt: skip
# Of MySQL's; those of MariaDB with these numbers are others.
_OF_WORDS_IN_MYSQL = frozenset({4079, 4095, 4096, 4119, 4162, 4164, 4166})
_IS_DEPRECATED = re.compile(r"\bdeprecated\b", re.ASCII)
_FLOATS = frozenset({"float", "double"})
_COMPUTED = frozenset({1048, 1264, 1265, 1292, 1365, 1366, 1406, 1411, 1441})
_MAKE_UNSIGNED = frozenset({"UNSIGNED", "~", "|", "&", "^", "<<", ">>"})
_NUMBERS = frozenset({"SIGNED", "UNSIGNED", "DECIMAL"})
_CASTS = frozenset({"CHAR", "NCHAR", "VARCHAR", "BINARY"})
_OF_KEYS = frozenset({3751, 3752, 3903, 3907})  # MySQL's of a functional key: its hidden value is cut, no column's
_COLUMN = re.compile(r".*column (?:`[^`]*`\.`[^`]*`\.)?(?:`([^`]+)`|'([^']+)')", re.ASCII | re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """For each column, by name in lower case, the numbers of warnings that leave the upstream's value as it is."""

    columns: Mapping[str, frozenset[int]]
    unnamed: frozenset[int] = frozenset()  # of warnings that name no column, as those of generated columns' expressions
    of_keys: frozenset[int] = frozenset()  # of warnings that speak of a key's hidden value alone

    def __bool__(self) -> bool:
        return bool(self.columns)

    def allows(self, number: int, text: str) -> bool:
        """Also a warning without a name, which an INSERT gives for an expression."""
        if _COLUMN.match(text) is None and number in self.unnamed:
            return True
        return self.allows_named(number, text)

    def allows_named(self, number: int, text: str) -> bool:
        if number in self.of_keys:
            return True
        named = _COLUMN.match(text)
        return named is not None and number in self.columns.get(small(named[1] or named[2]), ())


def speaks_of_values(number: int, text: str) -> bool:
    """Whether a warning may say that a value is not written as it is."""
    return number not in _OF_WORDS and not (number in _OF_WORDS_IN_MYSQL and _IS_DEPRECATED.search(text))


NO_TOLERANCE = Tolerance({})


def tolerance(above: Iterable[Column], below: Table) -> Tolerance:
    """What may be written to ``below`` without strictness; ``above`` are the upstream's columns.

    - The empty value of an ENUM (index 0), where the target has all of the upstream's labels, so that no label is lost;
      not where a label may be another one than servers show.
    - The largest value of a FLOAT(M,D), which as a binary number is a little larger than M digits can say.
    - Generated columns: the target computes them as the upstream did, whose sessions may not have been strict.
      Not a value out of range where something is subtracted: TiDB gives the same warning for a value that it cuts, and
      for NULL in place of a difference below 0, which MySQL holds under NO_UNSIGNED_SUBTRACTION.
      Not a text or a number that TiDB cuts inside of an expression (it names no column then) where no CAST says how
      long or large it is: the upstream has not cut it.
    - Functional keys, whose hidden values are generated ones.
    """
    pairs = [(one, there) for one in above if (there := below.column(one.name)) is not None]
    columns = {small(one.name): allowed for one, there in pairs if (allowed := _allowed(one, there))}
    for one, there in pairs:
        if one.generated and there.generated and _may_subtract_unsigned(one.expression, below):
            columns[small(one.name)] -= {_OUT_OF_RANGE}
    functional = {name: part for index in below.indexes for name, part in _hidden_columns(index)}
    columns |= dict.fromkeys(functional, _COMPUTED)
    computed = [one.expression for one, there in pairs if one.generated and there.generated]
    computed += functional.values()
    unnamed = _COMPUTED - {_TOO_LONG, _OUT_OF_RANGE} if computed else frozenset[int]()
    if any(map(_cuts_texts, computed)):
        unnamed |= {_TOO_LONG}
    if any(map(_cuts_numbers, computed)):
        unnamed |= {_OUT_OF_RANGE}
    if not columns:
        return NO_TOLERANCE
    return Tolerance(columns, unnamed, _OF_KEYS if functional else frozenset())


def uncertain(above: Iterable[Column]) -> tuple[Column, ...]:
    """Those of the upstream's columns that ``tolerance`` may find something for."""
    return tuple(one for one in above if _allowed(one, one))


def _hidden_columns(index: Index) -> Iterator[tuple[str, str]]:
    """The columns that TiDB makes for the expressions of a functional key: name in lower case, and expression."""
    for place, part in enumerate(index.columns):
        if is_expression(part):
            yield small(f"_V$_{index.name}_{place}"), part


def _allowed(above: Column, below: Column) -> frozenset[int] | None:
    if above.generated and below.generated:
        return _COMPUTED
    has_all = above.base_type == below.base_type == "enum" and set(above.labels) <= set(below.labels)
    if has_all and not above.doubtful:
        return frozenset({_TRUNCATED})
    if above.base_type in _FLOATS and "," in above.type and _is_as_large(above, below):
        return frozenset({_OUT_OF_RANGE})
    return None


def _may_subtract_unsigned(expression: str, table: Table) -> bool:
    """Whether a difference in it may be one of unsigned numbers, as far as its text and columns tell."""
    if not expression:
        return True  # not known
    tokens = tokenize(expression)
    if not any(token.key == "-" for token in tokens):
        return False
    for token, behind in pairwise(tokens):
        column = table.column(token.value) if token.is_name else None
        is_function = token.kind is Kind.WORD and behind.key == "("
        if is_function or token.key in _MAKE_UNSIGNED or (column is not None and _is_unsigned(column)):
            return True
    return False


def _cuts_texts(expression: str) -> bool:
    """Whether a CAST in it says how long the text or the bytes may be."""
    return any(token.key in _CASTS and behind.key == "(" for token, behind in pairwise(tokenize(expression)))


def _cuts_numbers(expression: str) -> bool:
    """Whether a CAST in it says which numbers there may be."""
    return any(token.key in _NUMBERS for token in tokenize(expression))


def _is_unsigned(column: Column) -> bool:
    return column.unsigned or column.base_type in ("bit", "year")


def _is_as_large(above: Column, below: Column) -> bool:
    # TiDB shows a FLOAT(8,0) as a FLOAT; what is one has room for all values.
    shown = (below.base_type, below.unsigned, "(" in below.type) == (above.base_type, above.unsigned, False)
    return above.type == below.type or shown
