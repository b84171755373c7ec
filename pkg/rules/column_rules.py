"""What the rules of a source do to the columns of its tables: values mapped, columns added.  Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.column_mapping import MAX_ID, ColumnMappings, MappedColumn, PartitionId
from pkg.rules.extract import ExtractedColumn, extracted
from pkg.rules.router import Router
from pkg.schema.column_types import CHARACTER_TYPES
from pkg.schema.letter_case import small
from pkg.schema.table import Column, Table

_HINT: Final = "create the target table in a form that takes the mapped rows, or correct the rule; then resume-task"

NO_MAPPED_COLUMN = ErrorKind(
    20093,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the column mapping {rule} names the column {column}, which {schema}.{table} does not have; it has ({upstream})",
    workaround="correct source-column or target-column, or narrow the patterns of the rule",
)
WRONG_COLUMN_TYPE = ErrorKind(
    20094,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the column mapping {rule} cannot be applied to {place}: {column} is {type}, it needs {wanted}",
    workaround=_HINT,
)
NO_EXTRACT_COLUMN = ErrorKind(
    20095,
    "config",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the route of {schema}.{table} fills the column {column}, which {target} lacks; upstream: ({upstream}), "
    "downstream: ({downstream})",
    workaround="create the target table with the column before the task starts, or add it; then resume-task",
)
EXTRACT_COLUMN_TAKEN = ErrorKind(
    20096,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the route of {schema}.{table} fills the column {column}, which {reason}; upstream: ({upstream})",
    workaround="name another target-column in the route",
)
SHARDS_COLLIDE = ErrorKind(
    20097,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "{first} and {second} go to {target} with the same partition id bits: their rows would overwrite each other",
    workaround="give them different numbers by their names or by the arguments of the column mapping {rule}, "
    "or route them apart",
)

VALUE_DOES_NOT_FIT = ErrorKind(
    20098,
    "config",
    Scope.UPSTREAM,
    Level.HIGH,
    "the column mapping {rule} cannot map {column} = {value} of {schema}.{table}: {reason}; the row: ({row})",
    workaround="change the row upstream before the task starts (`start-task --remove-meta` for one that runs), take "
    "the column mapping out, or leave the table out by the block-allow-list",
)
NOT_AN_ID: Final = f"a partition id is made of a whole number from 0 to {MAX_ID}, as text without leading zeros"

_INTEGERS: Final = frozenset(("tinyint", "smallint", "mediumint", "int", "integer", "bigint"))
_LONGEST_ID: Final = 19  # digits of 2^63 - 1


@dataclass(frozen=True, slots=True)
class TableColumnRules:
    """What the rules do to rows of one upstream table."""

    mapped: tuple[MappedColumn, ...] = ()
    extracted: tuple[ExtractedColumn, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.mapped or self.extracted)

    def notes(self) -> Iterator[str]:
        """What an operator may want to know."""
        for one in self.extracted:
            if not one.matched:
                yield f"the expression for the column {one.name} does not match, its rows get an empty text there"


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """The column mappings of a source and the extract-* columns of its routes."""

    mappings: ColumnMappings
    router: Router
    source_id: str

    def of(self, schema: str, table: str) -> TableColumnRules:
        """Raises what ``ColumnMappings.of`` and ``Router.route`` raise."""
        columns = extracted(self.router.extracts(schema, table), schema, table, self.source_id)
        return TableColumnRules(self.mappings.of(schema, table), columns)


def arriving(structure: Table, rules: TableColumnRules) -> Table:
    """``structure`` with the columns that the route adds behind its own: what arrives downstream.

    Raises EXTRACT_COLUMN_TAKEN.
    """
    taken = {small(column.name) for column in structure.columns}
    for one in rules.extracted:
        if small(one.name) in taken:
            is_own = structure.column(one.name) is not None
            raise EXTRACT_COLUMN_TAKEN.error(
                schema=structure.schema, table=structure.name, column=one.name, upstream=shown(structure),
                reason="the upstream table has itself" if is_own else "it fills already",
            )  # fmt: skip
        taken.add(small(one.name))
    if not rules.extracted:
        return structure
    return replace(structure, columns=(*structure.columns, *map(_text_column, rules.extracted)))


def check_upstream(structure: Table, rules: TableColumnRules) -> None:
    """That the mapped columns are there and of a type that the rule knows.

    Raises NO_MAPPED_COLUMN, WRONG_COLUMN_TYPE.
    """
    place = f"{structure.schema}.{structure.name}"
    for one in rules.mapped:
        for name in (one.source, one.target):
            if structure.column(name) is None:
                raise NO_MAPPED_COLUMN.error(
                    rule=one.rule, column=name, schema=structure.schema, table=structure.name, upstream=shown(structure)
                )
        source, target = structure.columns[structure.ordinal(one.source)], structure.column(one.target)
        is_partition = isinstance(one.change, PartitionId)
        wanted = "an integer or a text type" if is_partition else "a text type (char, varchar, text)"
        for column in (source, target):
            if column is not None and not (is_text(column) or (is_partition and column.base_type in _INTEGERS)):
                raise WRONG_COLUMN_TYPE.error(
                    rule=one.rule, place=place, column=column.name, type=column.type, wanted=wanted
                )
        if target is not None and target.generated:
            raise WRONG_COLUMN_TYPE.error(
                rule=one.rule, place=place, column=target.name, type="generated", wanted="a column that is written"
            )


def check_downstream(structure: Table, downstream: Table, rules: TableColumnRules) -> None:
    """That the target table takes what arrives.  Raises NO_EXTRACT_COLUMN, WRONG_COLUMN_TYPE."""
    place = f"{downstream.schema}.{downstream.name}"
    for one in rules.extracted:
        column = downstream.column(one.name)
        if column is None or column.generated:
            raise NO_EXTRACT_COLUMN.error(
                schema=structure.schema, table=structure.name, column=one.name, target=place,
                upstream=shown(structure), downstream=shown(downstream),
            )  # fmt: skip
    for mapped in rules.mapped:
        column = downstream.column(mapped.target)
        wanted = "" if column is None else _wanted_downstream(structure, column, mapped)
        if column is not None and wanted:
            raise WRONG_COLUMN_TYPE.error(
                rule=mapped.rule, place=f"the target table {place}", column=column.name, type=column.type, wanted=wanted
            )


def _wanted_downstream(structure: Table, column: Column, mapped: MappedColumn) -> str:
    """The type that the downstream column should have; "" when it is right."""
    if column.generated:
        return "to be written, not generated"
    upstream = structure.column(mapped.target)
    if upstream is None or not isinstance(mapped.change, PartitionId):
        return "" if is_text(column) else "a text type"
    if upstream.base_type in _INTEGERS:
        return "" if column.base_type == "bigint" else "bigint: a partition id has 63 bits"
    room = column.length if column.base_type in ("char", "varchar") else None
    is_wide = is_text(column) and (room is None or room >= _LONGEST_ID)
    return "" if is_wide else f"a text of {_LONGEST_ID} characters: a partition id has 63 bits"


@dataclass(slots=True)
class ShardNumbers:
    """Which upstream table has which partition id bits in a target table; two must not share them."""

    _owners: dict[tuple[str, str, str, int], str] = field(default_factory=dict)

    def add(self, name: str, schema: str, table: str, rules: TableColumnRules) -> None:
        """The upstream table ``name`` goes to ``schema``.``table``.  Raises SHARDS_COLLIDE."""
        for one, base in _partitions(rules):
            key = (schema.lower(), table.lower(), small(one.target), base)
            owner = self._owners.setdefault(key, name)
            if owner != name:
                raise SHARDS_COLLIDE.error(first=owner, second=name, target=f"{schema}.{table}", rule=one.rule)


def _partitions(rules: TableColumnRules) -> Iterator[tuple[MappedColumn, int]]:
    for one in rules.mapped:
        if isinstance(one.change, PartitionId):
            yield one, one.change.base


def is_text(column: Column) -> bool:
    return column.base_type in CHARACTER_TYPES and column.charset != "binary"


def is_integer(column: Column) -> bool:
    return column.base_type in _INTEGERS


def shown(table: Table) -> str:
    """Columns with their types, for an error."""
    return ", ".join(f"{column.name} {column.type}" for column in table.columns)


def _text_column(extracted_column: ExtractedColumn) -> Column:
    return Column(
        name=extracted_column.name,
        type="varchar(255)",
        base_type="varchar",
        unsigned=False,
        nullable=False,
        charset="utf8mb4",
        collation="utf8mb4_bin",
        default=None,
        generated="",
        auto_increment=False,
        invisible=False,
        labels=(),
        length=255,
        fsp=0,
    )
