"""Checks of column mappings and of columns that routes fill: the rules themselves, on what the servers have.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dm_master.precheck.facts import ColumnFacts, KeyFacts, TableFacts, TableName, TargetFacts, UpstreamFacts
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import DMError
from pkg.rules.column_mapping import PartitionId
from pkg.rules.column_rules import ShardNumbers, TableColumnRules, arriving, check_downstream, check_upstream
from pkg.schema.charset import charset_of_collation
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, LexicalError, tokenize
from pkg.schema.table import PRIMARY, Column, Index, Table

_WORD: Final = re.compile(r"[a-z]\w*")
_LENGTH: Final = re.compile(r"\((\d+)\)")


def check_columns(upstreams: Sequence[UpstreamFacts], target: TargetFacts | None) -> Check:
    """That every table's rules fit it and its target, and that no two shards share their partition id bits."""
    numbers = ShardNumbers()
    found = [finding for facts in upstreams for finding in _findings(facts, target, numbers)]
    return Check("table_schema", "column mapping check", "rules for columns fit the tables", tuple(found))


def _findings(facts: UpstreamFacts, target: TargetFacts | None, numbers: ShardNumbers) -> Iterator[Finding]:
    for table in facts.tables:
        name = f"{table} of {facts.subtask.source_id}"
        try:
            rules = facts.column_rules.of(*table.name)
            if rules:
                _judge(table, facts.targets[table.name], rules, target)
                numbers.add(name, *facts.targets[table.name], rules)
        except DMError as exc:
            yield Finding(State.FAIL, f"{name}: {exc.message}", name, exc.workaround)
            continue
        for note in rules.notes():
            yield Finding(State.WARN, f"{name}: {note}", name, "correct the expression, or narrow the route's patterns")


def _judge(table: TableFacts, target_name: TableName, rules: TableColumnRules, target: TargetFacts | None) -> None:
    """Raises what the worker would."""
    structure = structure_of(table)
    arriving(structure, rules)
    check_upstream(structure, rules)
    if target is None:
        return
    existing = target.tables.get(target_name)
    schema, name = target_name
    made = structure_of(existing) if existing else replace(structure, schema=schema, name=name)
    check_downstream(structure, made, rules)


def structure_of(table: TableFacts) -> Table:
    """As much of a structure as the rules look at."""
    indexes = tuple(map(_index, table.unique_keys))
    return Table(*table.name, tuple(map(_column, table.columns)), indexes, "utf8mb4", "utf8mb4_bin")


def _index(facts: KeyFacts) -> Index:
    prefixes = facts.prefixes or tuple(None for _ in facts.columns)
    return Index(facts.name, facts.columns, prefixes, unique=True, primary=facts.name == PRIMARY)


def _column(facts: ColumnFacts) -> Column:
    word, length = _WORD.match(facts.type.lower()), _LENGTH.search(facts.type)
    return Column(
        name=facts.name,
        type=facts.type,
        base_type=word[0] if word else "",
        unsigned="unsigned" in facts.type.lower(),
        nullable=facts.nullable,
        charset=charset_of_collation(facts.collation) if facts.collation else None,
        collation=facts.collation or None,
        default=None,
        generated="STORED" if facts.generated else "",
        auto_increment=facts.auto_increment,
        invisible=False,
        labels=_labels(facts.type) if word and word[0] in ("enum", "set") else (),
        length=int(length[1]) if length else None,
        fsp=0,
    )


def _labels(shown: str) -> tuple[str, ...]:
    try:
        return tuple(token.value for token in tokenize(shown) if token.kind is Kind.STRING)
    except LexicalError:
        return ()  # TiDB shows backslashes as they are, which end no text elsewhere


def filled_columns(facts: UpstreamFacts, table: TableFacts) -> frozenset[str]:
    """Columns that the table's route fills, in lower case; none where the rules themselves are wrong."""
    return frozenset(small(column.name) for column in _rules(facts, table).extracted)


def carried_columns(facts: UpstreamFacts, table: TableFacts) -> frozenset[str]:
    """Columns that its rows bring to the target, in lower case."""
    return filled_columns(facts, table).union(small(column.name) for column in table.columns)


def is_told_apart(facts: UpstreamFacts, table: TableFacts, column: str, target: TargetFacts | None) -> bool:
    """Whether equal values of the key ``column`` in other shards do not meet this table's."""
    rules = _rules(facts, table)
    if any(small(one.target) == small(column) and isinstance(one.change, PartitionId) for one in rules.mapped):
        return True
    there = target.tables.get(facts.targets[table.name]) if target is not None else None
    filled = {small(one.name) for one in rules.extracted}
    if there is None or not filled:
        return False
    keys = [{small(name) for name in key.columns} for key in there.unique_keys]
    return all(key & filled for key in keys if small(column) in key)


def _rules(facts: UpstreamFacts, table: TableFacts) -> TableColumnRules:
    try:
        return facts.column_rules.of(*table.name)
    except DMError:
        return TableColumnRules()
