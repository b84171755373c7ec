"""A compiled part of an expression: its type, known before any row comes, and a function of the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from pkg.rules.expression.problem import BadExpression, BadValue

RowImage = tuple[bytes, ...]
Run = Callable[[RowImage], Any]
"""The value in one row; None is NULL."""


class Kind(IntEnum):
    """How a value is held: see ``Type``."""

    NULL = 0
    INT = 1  # int
    DECIMAL = 2  # Decimal
    REAL = 3  # float
    TEXT = 4  # str
    BYTES = 5  # bytes
    DATE = 6  # (year, month, day)
    DATETIME = 7  # (year, month, day, hour, minute, second, microsecond)
    TIME = 8  # microseconds
    JSON = 9  # what json.loads gives, with Decimal for no number


class Level(IntEnum):
    """Whose collation counts when two meet: the lower one's (the manual's coercibility)."""

    EXPLICIT = 0
    NONE = 1
    IMPLICIT = 2
    COERCIBLE = 4
    IGNORABLE = 5


@dataclass(frozen=True, slots=True)
class Type:
    kind: Kind
    unsigned: bool = False
    scale: int = 0  # digits behind the point of DECIMAL, of the seconds of DATETIME and TIME
    collation: str = ""  # of TEXT
    level: Level = Level.IGNORABLE  # of the collation
    is_year: bool = False
    is_textual: bool = False  # JSON that is a text on MariaDB
    is_choice: bool = False  # a text of IF, GREATEST and the like, which servers may choose anew as a number
    oddity: str = ""  # of a number whose text is not that of other numbers: YEAR, BIT, ZEROFILL, BOOLEAN

    @property
    def is_number(self) -> bool:
        return self.kind in (Kind.INT, Kind.DECIMAL, Kind.REAL)

    @property
    def is_temporal(self) -> bool:
        return self.kind in (Kind.DATE, Kind.DATETIME, Kind.TIME)

    @property
    def is_string(self) -> bool:
        return self.kind in (Kind.TEXT, Kind.BYTES)


NULL = Type(Kind.NULL)
INT = Type(Kind.INT)
UNSIGNED = Type(Kind.INT, unsigned=True)
REAL = Type(Kind.REAL)
BYTES = Type(Kind.BYTES)
DATE = Type(Kind.DATE)


@dataclass(frozen=True, slots=True)
class Node:
    """``number`` is what it is where a number is wanted, when that does not follow from its text (an ENUM's index)."""

    type: Type
    run: Run
    constant: bool = False
    column: bool = False
    number: Node | None = None
    at: int = 0  # the character of the expression at which it stands

    @property
    def kind(self) -> Kind:
        return self.type.kind

    def value(self) -> Any:
        """Of a constant."""
        return self.run(())


def literal(type_: Type, value: Any, at: int = 0, number: Node | None = None) -> Node:
    return Node(type_, lambda row: value, constant=True, number=number, at=at)


def made_of(type_: Type, run: Run, parts: Sequence[Node], at: int = 0) -> Node:
    """A node over other nodes; what depends on no column is worked out here, once.  Raises BadExpression."""
    if not all(part.constant for part in parts):
        return Node(type_, run, at=at)
    try:
        return literal(type_, run(()), at)
    except (BadValue, ArithmeticError) as exc:
        raise BadExpression(str(exc), at) from exc


def at_place(node: Node, at: int) -> Node:
    return replace(node, at=at) if at and not node.at else node


def strict(function: Callable[..., Any], *parts: Node) -> Run:
    """Runs ``function`` of the parts' values; NULL when one of them is."""
    if len(parts) == 1:
        only = parts[0].run

        def of_one(row: RowImage) -> Any:
            value = only(row)
            return None if value is None else function(value)

        return of_one
    if len(parts) == 2:
        left, right = parts[0].run, parts[1].run

        def of_two(row: RowImage) -> Any:
            first, second = left(row), right(row)  # both, as servers do: one may have no value at all
            return None if first is None or second is None else function(first, second)

        return of_two
    runs = [part.run for part in parts]

    def of_many(row: RowImage) -> Any:
        values = [run(row) for run in runs]
        return None if None in values else function(*values)

    return of_many
