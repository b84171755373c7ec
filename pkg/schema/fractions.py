"""Fractions of seconds that a change of type takes away: servers cut or round them, by a mode of the session."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pkg.schema.alter import ChangeColumn
from pkg.schema.column_types import BINARY_TYPES, TEXT_TYPES
from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

TIMES = frozenset({"time", "datetime", "timestamp"})
_MICRO = 6
_WITH_FRACTIONS = TEXT_TYPES | BINARY_TYPES | {"decimal", "float", "double", "json"}
# What makes moments with fractions of arguments that have none.
_MAKING_FRACTIONS = frozenset({
    "ADDTIME", "SUBTIME", "TIMEDIFF", "MAKETIME", "SEC_TO_TIME", "FROM_UNIXTIME", "MICROSECOND", "STR_TO_DATE", "CAST",
    "CONVERT", "/", "RAND",
})  # fmt: skip
_DIGITS_OF_MOMENTS = frozenset({
    "NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "CURTIME", "CURRENT_TIME", "UTC_TIME", "UTC_TIMESTAMP",
    "SYSDATE",
})  # fmt: skip


def cuts_fractions(flavor: str, modes: Collection[str]) -> bool:
    """Whether a session of an upstream with these modes cuts fractions rather than rounding them."""
    return "TIME_ROUND_FRACTIONAL" not in modes if flavor == "mariadb" else "TIME_TRUNCATE_FRACTIONAL" in modes


def fraction_mode(target: str, cuts: bool) -> str:
    """The mode that a target's session needs to do the same; "" for none, also where there is none (TiDB rounds)."""
    if target == "mariadb":
        return "" if cuts else "TIME_ROUND_FRACTIONAL"
    return "TIME_TRUNCATE_FRACTIONAL" if cuts and target == "mysql" else ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A column whose values change with its type; ``value`` is the expression of the new ones.

    ``where``: the rows that it is written to, "" for all.
    """

    column: str
    value: str
    where: str = ""


def cuts(ddl: Ddl, present: Table, cutting: bool) -> Iterator[Cut]:
    """What to write to TiDB's table, as it is ``present``, before the statement shortens its fractions.

    TiDB rounds, negative times towards zero where it is half: what shall be cut is cut here, and negative
    times are rounded as positive ones.
    """
    for one in ddl.alterations:
        column = present.column(one.old) if isinstance(one, ChangeColumn) else None
        if not isinstance(one, ChangeColumn) or column is None or column.base_type not in TIMES:
            continue
        wanted = one.column.type
        digits = int(wanted.arguments[0]) if wanted.base in TIMES and wanted.arguments else 0
        if (wanted.base in TIMES or wanted.base == "date") and digits < column.fsp:
            name = quote_name(column.name)
            if cutting:
                dropped = column.fsp - digits + (digits == 0)  # the point, too
                yield Cut(column.name, f"LEFT({name}, CHAR_LENGTH({name}) - {dropped})")
            elif column.base_type == wanted.base == "time":
                rounded = f"CONCAT('-', CAST(SUBSTR({name}, 2) AS TIME({digits})))"
                yield Cut(column.name, f"IF(LEFT({name}, 1) = '-', {rounded}, {name})")


def may_have_fraction(expression: str, column: Column, table: Table) -> bool:
    """Whether an expression over rows of ``table`` may have more digits of a second than the column takes."""
    digits = 0 if column.base_type == "date" else column.fsp
    tokens = tokenize(expression)
    return any(_may_bring(*three, digits, table) for three in zip(tokens, tokens[1:], tokens[2:], strict=False))


def _may_bring(token: Token, behind: Token, argument: Token, digits: int, table: Table) -> bool:
    if token.key in _DIGITS_OF_MOMENTS and behind.key == "(" and argument.kind is Kind.NUMBER:
        return int(argument.text) > digits
    if token.kind in (Kind.STRING, Kind.NUMBER):
        return "." in token.text
    if token.key in _MAKING_FRACTIONS or token.key.endswith("_MICROSECOND"):
        return True
    read = table.column(token.value) if token.is_name and behind.key != "(" else None
    return read is not None and (read.base_type in _WITH_FRACTIONS or read.fsp > digits)


def rounded_by_cast(column: Column, default: str, table: Table) -> str:
    """A default for MariaDB, which rounds neither the present moment nor what becomes a day; CAST does."""
    if column.base_type not in ("date", "datetime", "timestamp") or not default.startswith("("):
        return default
    if not may_have_fraction(default, column, table):
        return default
    return f"(CAST({default} AS DATETIME({column.fsp})))"


def as_stored(value: str, column: Column, table: Table, *, cuts: bool) -> str:
    """The expression ``value`` with the digits of a second that the upstream stores in the column, for TiDB.

    TiDB rounds, but to a day, which it cuts, and negative times that are half.
    """
    base, digits = column.base_type, column.fsp
    if base not in (*TIMES, "date") or not may_have_fraction(value, column, table):
        return value
    kind = "TIME" if base == "time" else "DATETIME"
    if cuts:
        exact = f"CAST({value} AS {kind}({_MICRO}))"
        dropped = _MICRO - digits + (digits == 0)  # the point, too
        return f"LEFT({exact}, CHAR_LENGTH({exact}) - {dropped})" if dropped else exact
    if base == "date":
        return f"CAST({value} AS DATETIME)"
    if base == "time":
        exact = f"CAST({value} AS TIME({_MICRO}))"
        return f"IF(LEFT({exact}, 1) = '-', CONCAT('-', CAST(SUBSTR({exact}, 2) AS TIME({digits}))), {exact})"
    return value
