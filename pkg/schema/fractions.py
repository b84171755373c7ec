"""Fractions of seconds that a change of type takes away: servers cut or round them, by a mode of the session."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pkg.schema.alter import ChangeColumn
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_TIMES = frozenset({"time", "datetime", "timestamp"})


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
        if not isinstance(one, ChangeColumn) or column is None or column.base_type not in _TIMES:
            continue
        wanted = one.column.type
        digits = int(wanted.arguments[0]) if wanted.base in _TIMES and wanted.arguments else 0
        if (wanted.base in _TIMES or wanted.base == "date") and digits < column.fsp:
            name = quote_name(column.name)
            if cutting:
                dropped = column.fsp - digits + (digits == 0)  # the point, too
                yield Cut(column.name, f"LEFT({name}, CHAR_LENGTH({name}) - {dropped})")
            elif column.base_type == wanted.base == "time":
                rounded = f"CONCAT('-', CAST(SUBSTR({name}, 2) AS TIME({digits})))"
                yield Cut(column.name, f"IF(LEFT({name}, 1) = '-', {rounded}, {name})")
