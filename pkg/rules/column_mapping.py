"""Column mapping, as DM 1.0 had it: values that change on their way, so that keys of merged shards do not collide.

``partition id`` puts numbers of the instance, the schema and the table above an id of 44 bits:

    bit 63   62-59      58-52     51-44    43-0
    sign 0   instance   schema    table    id of the upstream row

A part whose argument is empty is left out and the parts behind it move up; the id keeps its 44 bits.
``add prefix`` and ``add suffix`` lengthen a text.  Pure; what a table's rules are is found once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.pattern import Pattern, compile_pattern
from pkg.rules.system_schemas import is_system_schema
from pkg.schema.letter_case import small

ADD_PREFIX: Final = "add prefix"
ADD_SUFFIX: Final = "add suffix"
PARTITION_ID: Final = "partition id"
EXPRESSIONS: Final = (PARTITION_ID, ADD_PREFIX, ADD_SUFFIX)

INSTANCE_BITS: Final = 4
SCHEMA_BITS: Final = 7
TABLE_BITS: Final = 8
ID_BITS: Final = 44
MAX_ID: Final = (1 << ID_BITS) - 1
_VALUE_BITS: Final = 63  # the sign stays 0

MAPPED_TWICE = ErrorKind(
    20091,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the column {column} of `{schema}`.`{table}` is mapped by two column-mappings, {first} and {second}",
    workaround="narrow the schema-pattern or table-pattern of one of them",
)
SHARD_WITHOUT_NUMBER = ErrorKind(
    20092,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the column mapping {rule} finds no number for `{schema}`.`{table}`: the {part} name {name!r} is not {wanted}",
    workaround="correct the arguments of the rule, narrow its patterns, or leave the table out by the block-allow-list",
)


@dataclass(frozen=True, slots=True)
class ColumnMappingRule:
    """One of the task's ``column-mappings``; an empty table pattern makes it a rule for the whole schema."""

    name: str
    schema_pattern: str
    table_pattern: str
    source_column: str
    target_column: str
    expression: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartitionId:
    """``base`` has the bits of instance, schema and table; the id is added."""

    base: int


@dataclass(frozen=True, slots=True)
class Affix:
    """Text before and behind a text."""

    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """What becomes of one column of one upstream table; the value is made of that of ``source``."""

    rule: str
    source: str
    target: str
    change: PartitionId | Affix


def problem_of(expression: str, arguments: Sequence[str]) -> str:
    """What is wrong with the arguments of a rule; "" when nothing is."""
    if expression in (ADD_PREFIX, ADD_SUFFIX):
        return "" if len(arguments) == 1 else f"`{expression}` has one argument, the text to add"
    if len(arguments) not in (3, 4):
        return "`partition id` has 3 or 4 arguments: instance-id, schema prefix, table prefix, separator"
    instance = arguments[0]
    if instance and not (_is_number(instance) and int(instance) < 1 << INSTANCE_BITS):
        return f"the instance-id {instance!r} is not a number from 0 to {(1 << INSTANCE_BITS) - 1}"
    if not any(arguments[:3]):
        return "all of instance-id, schema prefix and table prefix are empty: the ids would stay as they are"
    return ""


class ColumnMappings:
    """The rules of one source, compiled."""

    def __init__(self, rules: Iterable[ColumnMappingRule], case_sensitive: bool) -> None:
        self._case_sensitive = case_sensitive
        self._rules = [(rule, *self._patterns(rule)) for rule in rules]

    def _patterns(self, rule: ColumnMappingRule) -> tuple[Pattern, Pattern | None]:
        table = compile_pattern(rule.table_pattern, self._case_sensitive) if rule.table_pattern else None
        return compile_pattern(rule.schema_pattern, self._case_sensitive), table

    def of(self, schema: str, table: str) -> tuple[MappedColumn, ...]:
        """What the rules do to rows of ``schema``.``table``; rules for tables beat those for whole schemas.

        Raises MAPPED_TWICE, SHARD_WITHOUT_NUMBER.
        """
        found: dict[str, MappedColumn] = {}
        for rule in self._matching(schema, table):
            column = small(rule.target_column)
            if column in found:
                first, second = sorted((found[column].rule, rule.name))
                raise MAPPED_TWICE.error(
                    column=rule.target_column, schema=schema, table=table, first=first, second=second
                )
            change = self._change(rule, schema, table)
            found[column] = MappedColumn(rule.name, rule.source_column, rule.target_column, change)
        return tuple(found.values())

    def _matching(self, schema: str, table: str) -> list[ColumnMappingRule]:
        if not self._rules or is_system_schema(schema):
            return []
        schema_name, table_name = self._folded(schema), self._folded(table)
        in_schema = [(rule, tables) for rule, schemas, tables in self._rules if schemas.matches(schema_name)]
        by_table = [rule for rule, tables in in_schema if tables is not None and tables.matches(table_name)]
        return by_table or [rule for rule, tables in in_schema if tables is None]

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive else small(name)

    def _change(self, rule: ColumnMappingRule, schema: str, table: str) -> PartitionId | Affix:
        if rule.expression == ADD_PREFIX:
            return Affix(rule.arguments[0], "")
        if rule.expression == ADD_SUFFIX:
            return Affix("", rule.arguments[0])
        return PartitionId(self._base(rule, schema, table))

    def _base(self, rule: ColumnMappingRule, schema: str, table: str) -> int:
        instance, schema_prefix, table_prefix, separator = (*rule.arguments, "")[:4]
        base, shift = 0, _VALUE_BITS
        if instance:
            shift -= INSTANCE_BITS
            base |= int(instance) << shift
        parts = (("schema", schema, schema_prefix, SCHEMA_BITS), ("table", table, table_prefix, TABLE_BITS))
        for part, name, prefix, bits in parts:
            if not prefix:
                continue
            number = self._number(name, prefix, separator, bits)
            if number is None:
                wanted = f"{prefix!r}, nor {prefix + separator!r} and a number from 0 to {(1 << bits) - 1}"
                raise SHARD_WITHOUT_NUMBER.error(
                    rule=rule.name, schema=schema, table=table, part=part, name=name, wanted=wanted
                )
            shift -= bits
            base |= number << shift
        return base

    def _number(self, name: str, prefix: str, separator: str, bits: int) -> int | None:
        """The number behind the prefix; the prefix alone is 0."""
        name, start = self._folded(name), self._folded(prefix + separator)
        if name == self._folded(prefix):
            return 0
        digits = name[len(start) :]
        if not name.startswith(start) or not _is_number(digits) or int(digits) >= 1 << bits:
            return None
        return int(digits)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 100
