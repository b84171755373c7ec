"""How a table's rows are read and named: by --columns, by --schema, by the binlog itself, or by guess."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pkg.binlog.column_plan import ENUM, SET, STRING, ColumnPlan, Kind, plan_columns, real_type, type_name
from pkg.binlog.events import TableMap
from pkg.errors import DMError
from pkg.schema.table import Table

_BASES = {
    1: "tinyint", 2: "smallint", 3: "int", 4: "float", 5: "double", 7: "timestamp", 8: "bigint", 9: "mediumint",
    10: "date", 11: "time", 12: "datetime", 13: "year", 14: "date", 15: "varchar", 16: "bit", 17: "timestamp",
    18: "datetime", 19: "time", 140: "text", 141: "varchar", 245: "json", 246: "decimal", ENUM: "enum", SET: "set",
    249: "text", 250: "text", 251: "text", 252: "text", 253: "varchar", STRING: "char", 255: "geometry",
}  # fmt: skip
_VECTOR = 242
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Layout:
    """One table as its table map describes it."""

    schema: str
    table: str
    names: tuple[str, ...]
    plans: tuple[ColumnPlan, ...]  # () when a type is not known
    key: tuple[int, ...]  # the columns that name a row
    signs_known: bool
    problem: str = ""  # why rows cannot be read

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.table}"


@dataclass(frozen=True, slots=True)
class GuessedColumn:
    """A column of which only the binlog is known."""

    name: str
    base_type: str
    type: str
    unsigned: bool = False
    charset: str | None = None
    generated: str = ""
    labels: tuple[str, ...] = ()
    length: int | None = None
    fsp: int = 0
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What the user says about tables; a schema of "" stands for any."""

    columns: Mapping[tuple[str, str], tuple[str, ...]]
    tables: Mapping[tuple[str, str], Table]

    def names_of(self, table_map: TableMap) -> tuple[str, ...] | None:
        found = self.columns.get((table_map.schema, table_map.table))
        return found or self.columns.get(("", table_map.table))

    def table_of(self, table_map: TableMap) -> Table | None:
        found = self.tables.get((table_map.schema, table_map.table))
        return found or self.tables.get(("", table_map.table))


def layout_of(
    table_map: TableMap, logged_key: tuple[int, ...], known: KnownNames, warn: Callable[[str], None]
) -> Layout:
    """How to read and name the table's rows; what the user says and does not fit is told to `warn`."""
    table = known.table_of(table_map)
    if table is not None:
        try:
            plans = plan_columns(table.columns, table_map)
        except DMError as exc:
            warn(f"--schema is not used for {table_map.schema}.{table_map.table}: {exc.message}")
        else:
            names = _given_names(table_map, known, warn) or tuple(column.name for column in table.columns)
            return Layout(table_map.schema, table_map.table, names, tuple(plans), table.identity_key, True)
    return _from_binlog(table_map, logged_key, known, warn)


def _given_names(table_map: TableMap, known: KnownNames, warn: Callable[[str], None]) -> tuple[str, ...] | None:
    names = known.names_of(table_map)
    if names is not None and len(names) != len(table_map.types):
        warn(
            f"--columns is not used for {table_map.schema}.{table_map.table}: it names {len(names)} columns, "
            f"and the binlog has {len(table_map.types)}"
        )
        return None
    return names


def _from_binlog(
    table_map: TableMap, logged_key: tuple[int, ...], known: KnownNames, warn: Callable[[str], None]
) -> Layout:
    names = _given_names(table_map, known, warn) or table_map.column_names
    if names is None:
        names = tuple(f"@{place + 1}" for place in range(len(table_map.types)))
    signed = table_map.unsigned is not None
    plans = [_guessed_plan(table_map, place) for place in range(len(table_map.types))]
    found = tuple(plan for plan in plans if plan is not None)
    problem = ""
    if len(found) < len(plans):
        place = plans.index(None)
        kind = type_name(*real_type(table_map.types[place], table_map.metadata[place]))
        found, problem = (), f"column {names[place]} has the unknown {kind}"
    return Layout(table_map.schema, table_map.table, names, found, logged_key, signed, problem)


def _guessed_plan(table_map: TableMap, place: int) -> ColumnPlan | None:
    """How to read a column of which no type was said; None: its type is not known."""
    code, meta = real_type(table_map.types[place], table_map.metadata[place])
    if code == _VECTOR:
        return ColumnPlan(Kind.BINARY, meta)
    alone = _only(table_map, place)
    if code in (ENUM, SET) and (alone.labels is None or alone.labels[0] is None):
        return ColumnPlan(Kind.INT, meta, 1)  # its number, or its members as bits
    if code not in _BASES:
        return None
    try:
        return plan_columns((GuessedColumn("", _BASES[code], _BASES[code]),), alone)[0]
    except DMError:
        return None


def _only(table_map: TableMap, place: int) -> TableMap:
    """The table map as if the table had this column alone."""
    return dataclasses.replace(
        table_map,
        types=table_map.types[place : place + 1],
        metadata=table_map.metadata[place : place + 1],
        unsigned=_one(table_map.unsigned, place),
        collations=_one(table_map.collations, place),
        column_names=None,
        labels=_one(table_map.labels, place),
    )


def _one(values: Sequence[T] | None, place: int) -> tuple[T] | None:
    return None if values is None else (values[place],)
