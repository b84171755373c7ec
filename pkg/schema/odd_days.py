"""Days of no calendar that a column may hold, and expressions of which servers have other values for them.

The zero date, `2020-00-15`, `2020-02-31`, and those of the year 0.  Tried with 17 such days, all functions of
portable_functions.py and the modes of dates on MariaDB 10.11, MySQL 9.7 and TiDB 8.5.  Alike everywhere: parts of the
day, comparisons, and the day as it is; its text, but in TiDB, whose text of the zero date has no fraction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES
from pkg.schema.document_reads import OF_TEXTS, expressions_of
from pkg.schema.expression_tree import Call, Case, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.table import Column, Table

DAY_TYPES: Final = frozenset({"date", "datetime", "timestamp"})
_ZERO: Final = "0000-00-00"
_DAY: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_SHORT_MONTHS: Final = (4, 6, 9, 11)
_PARTS: Final = frozenset({
    "YEAR", "MONTH", "DAY", "DAYOFMONTH", "QUARTER", "HOUR", "MINUTE", "SECOND", "MICROSECOND", "EXTRACT", "TO_DAYS",
    "TO_SECONDS", "TIMESTAMPDIFF", "IS NULL", "ISNULL", "=", "<>", "<", ">", "<=", ">=", "<=>", "IN", "BETWEEN",
})  # fmt: skip
_CHOOSES: Final = frozenset({"COALESCE", "IFNULL", "IF", "NULLIF", "GREATEST", "LEAST"})
_MOST_NESTED: Final = 10  # generated columns that read one another


class _Use(Enum):
    """What becomes of a day that is read."""

    DAY = "it is stored as it is, or a part of it is read"
    TEXT = "a text"
    ZERO = "something of which servers make other values for the zero date"
    OTHER = "something of which servers make other values"


@dataclass(frozen=True, slots=True)
class DayRead:
    """An expression of which servers have other values for some days of a column.

    ``of`` says whose it is; ``zero_only``: of all odd days the zero date alone; ``day_of``: the generated column that
    is the day without its clock, or "": upstream it is NULL where the session that wrote it did not take the zero date
    (NO_ZERO_DATE).
    """

    column: str
    of: str
    zero_only: bool = False
    day_of: str = ""

    @property
    def condition(self) -> str:
        """SQL that holds for rows whose value may be another one than where it is calculated anew."""
        name = quote_name(self.column)
        if not (self.zero_only or self.day_of):
            return _odd(name)
        zero = f"LEFT(CAST({name} AS CHAR), {len(_ZERO)}) = '{_ZERO}'"
        return f"({zero} AND {quote_name(self.day_of)} IS NULL)" if self.day_of else f"({zero})"

    def differs(self, day: bytes, stored: bytes) -> bool:
        """The same for the literals of a row: of the day, and of the column ``day_of``."""
        text = day[1 : 1 + len(_ZERO)].decode("ascii", "replace")
        if self.day_of:
            return text == _ZERO and stored == b"NULL"
        return text == _ZERO if self.zero_only else is_odd(text)


def is_odd(text: str) -> bool:
    """Whether the text of a date or moment is of a day that no calendar has, or of the year 0."""
    found = _DAY.match(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    if not (year and month and day):
        return True
    leaps = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day > (28 + leaps if month == 2 else 30 if month in _SHORT_MONTHS else 31)


def _odd(name: str) -> str:
    return f"(LEFT(CAST({name} AS CHAR), 4) = '0000' OR {off_calendar(name)})"


def off_calendar(name: str) -> str:
    """SQL that holds for days with zeros, and for those that their month has not; ``name`` is the quoted column."""
    text = f"CAST({name} AS CHAR)"
    year, month, day = f"LEFT({text}, 4)", f"SUBSTRING({text}, 6, 2)", f"SUBSTRING({text}, 9, 2)"
    leaps = f"{year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0)"
    parts = (
        f"{month} = '00'",
        f"{day} = '00'",
        f"{day} = '31' AND {month} IN ('04', '06', '09', '11')",
        f"{month} = '02' AND ({day} > '29' OR ({day} = '29' AND NOT ({leaps})))",
    )
    return "(" + " OR ".join(f"({part})" for part in parts) + ")"


def days_read(table: Table, flavors: tuple[str, str]) -> list[DayRead]:
    """What the generated columns and unique keys of ``table`` read of days; ``flavors``: the upstream's and its own."""
    found = (
        read for name, text, result in expressions_of(table) for read in reads_of(name, text, result, table, flavors)
    )
    return list(dict.fromkeys(found))


def reads_of(name: str, text: str, result: Column | None, table: Table, flavors: tuple[str, str]) -> Iterator[DayRead]:
    """What one expression, ``name``'s, reads of days; ``result``: the column that it fills."""
    reader = _Reader(name, table, flavors)
    day = reader.day_of(text)
    if day is not None and result is not None and result.generated == "STORED":
        yield DayRead(day.name, name, day_of=result.name)
    if flavors[0] != flavors[1]:
        yield from reader.of_text(text, _stored_as(result), 0)


def _stored_as(result: Column | None) -> _Use:
    if result is None or result.base_type in DAY_TYPES:
        return _Use.DAY
    return _Use.TEXT if result.base_type in CHARACTER_TYPES | BINARY_TYPES else _Use.OTHER


class _Reader:
    def __init__(self, name: str, table: Table, flavors: tuple[str, str]) -> None:
        self._name = name
        self._table = table
        self._flavors = flavors
        self._nested = 0

    def day_of(self, text: str) -> Column | None:
        """The column of which the expression is the day."""
        try:
            node = tree_of(bare_expression(tokenize(text)))
        except UnreadExpression:
            return None
        is_day = isinstance(node, Call) and (node.name == "DATE" or (node.name == "CAST" and node.words == ("DATE",)))
        inner = node.arguments[0] if is_day and isinstance(node, Call) else None
        column = self._table.column(inner.text) if isinstance(inner, Name) else None
        return column if column is not None and column.base_type in DAY_TYPES and not column.generated else None

    def of_text(self, text: str, use: _Use, digits: int) -> Iterator[DayRead]:
        tokens = bare_expression(tokenize(text))
        try:
            tree = tree_of(tokens)
        except UnreadExpression:
            for token in tokens:
                if token.is_name:
                    yield from self._column(token.value, _Use.OTHER, 0)
            return
        yield from self._reads(tree, use, digits)

    def _reads(self, node: Node, use: _Use, digits: int) -> Iterator[DayRead]:
        """``digits``: of the fraction that a day has by then, beside its own."""
        if isinstance(node, Name):
            yield from self._column(node.text, use, digits)
        elif isinstance(node, Case):
            for one in (*([node.tested] if node.tested is not None else []), *node.whens):
                yield from self._reads(one, _Use.DAY, 0)
            for one in node.values:
                yield from self._reads(one, self._chosen(use), digits)
        elif isinstance(node, Call):
            yield from self._call(node, use, digits)

    def _call(self, node: Call, use: _Use, digits: int) -> Iterator[DayRead]:
        inner, more = self._argument(node, use), digits
        if node.name == "CAST" and node.words[:1] == ("DATETIME",):
            more = max([digits, *(int(one) for one in node.words if one.isdigit())])
        for place, one in enumerate(node.arguments):
            tests = node.name == "IF" and place == 0
            yield from self._reads(one, _Use.DAY if tests else inner, more)

    def _argument(self, node: Call, use: _Use) -> _Use:
        """How the call uses its arguments, where its own value is used so."""
        if node.name in _PARTS:
            return _Use.DAY
        if node.name in _CHOOSES:
            return self._chosen(use)
        casts = node.words[0] if node.name == "CAST" and node.words else ""
        if node.name == "DATE" or casts == "DATE":
            return _Use.DAY if use is _Use.TEXT else use
        if node.name == "TIMESTAMP" or casts == "DATETIME":
            return use
        return _Use.TEXT if node.name in OF_TEXTS or casts in ("CHAR", "NCHAR", "VARCHAR") else _Use.OTHER

    def _chosen(self, use: _Use) -> _Use:
        """How values are used of which one is chosen; MariaDB chooses no zero date under NO_ZERO_DATE."""
        return _Use.ZERO if self._flavors[0] == "mariadb" and use is not _Use.OTHER else use

    def _column(self, name: str, use: _Use, digits: int) -> Iterator[DayRead]:
        column = self._table.column(name)
        if column is None or use is _Use.DAY:
            return
        if column.generated and column.expression:
            if self._nested < _MOST_NESTED:
                self._nested += 1
                yield from self.of_text(column.expression, use, max(digits, column.fsp))
                self._nested -= 1
        elif column.base_type in DAY_TYPES:
            loses_fraction = self._flavors[1] == "tidb" and bool(column.fsp or digits)
            if use is not _Use.TEXT or loses_fraction:
                yield DayRead(column.name, self._name, zero_only=use is not _Use.OTHER)
