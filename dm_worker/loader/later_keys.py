"""Which foreign keys the target's tables get, from those of the upstream's tables and the routes.  Pure.

A key of merged tables holds downstream only where all of them have it and their parent is one table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pkg.rules.router import Target
from pkg.schema.indexes import foreign_name_there
from pkg.schema.letter_case import small
from pkg.schema.table import ForeignKey, Table


@dataclass(frozen=True, slots=True)
class RoutedTable:
    """An upstream table and where it goes; ``mapped``: columns whose values change on their way."""

    structure: Table
    target: Target
    mapped: frozenset[str] = frozenset()


@dataclass(slots=True)
class TargetKeys:
    """The keys by target table, and a note on each that is left out."""

    keys: dict[Target, tuple[ForeignKey, ...]] = field(default_factory=dict)
    notes: dict[Target, list[str]] = field(default_factory=dict)


def target_keys(tables: Sequence[RoutedTable]) -> TargetKeys:
    """The keys that every table which is merged into a target has, as they read downstream."""
    found = TargetKeys()
    if not any(one.structure.foreign_keys for one in tables):
        return found
    parents = _Parents(tables)
    merged: dict[Target, list[RoutedTable]] = {}
    for one in tables:
        merged.setdefault(one.target, []).append(one)
    for target, sources in merged.items():
        notes: list[str] = []
        routed = [list(_routed(one, parents, notes)) for one in sources]
        common = [key for key in routed[0] if all(_has(others, key) for others in routed[1:])]
        for one, keys in zip(sources, routed, strict=True):
            notes += [
                _note(one, key, f"not all tables that are merged into {target.schema}.{target.table} have it")
                for key in keys
                if not _has(common, key)
            ]
        found.keys[target], found.notes[target] = tuple(common), notes
    return found


class _Parents:
    """Where the tables that keys refer to go."""

    def __init__(self, tables: Sequence[RoutedTable]) -> None:
        self._tables = {(one.structure.schema, one.structure.name): one for one in tables}
        self._folded = {(schema.lower(), name.lower()): one for (schema, name), one in self._tables.items()}
        self._fed_by = Counter(one.target for one in tables)

    def of(self, key: ForeignKey) -> RoutedTable | None:
        name = key.ref_schema, key.ref_table
        return self._tables.get(name) or self._folded.get((name[0].lower(), name[1].lower()))

    def is_merged(self, parent: RoutedTable) -> bool:
        return self._fed_by[parent.target] > 1


def _routed(child: RoutedTable, parents: _Parents, notes: list[str]) -> Iterator[ForeignKey]:
    for key in child.structure.foreign_keys:
        parent = parents.of(key)
        reason = _hindrance(child, key, parent, parents)
        if reason:
            notes.append(_note(child, key, reason))
        elif parent is not None:
            yield replace(key, ref_schema=parent.target.schema, ref_table=parent.target.table)


def _hindrance(child: RoutedTable, key: ForeignKey, parent: RoutedTable | None, parents: _Parents) -> str:
    above = f"{key.ref_schema}.{key.ref_table}"
    if parent is None:
        return f"{above}, to which it refers, is not migrated by this task"
    if parents.is_merged(parent):
        return f"{above}, to which it refers, is merged with other tables into {parent.target}"
    if len(key.columns) != len(key.ref_columns):
        return f"it does not say to which columns of {above} it refers"
    if _names(key.columns) & child.mapped or _names(key.ref_columns) & parent.mapped:
        return "a column mapping changes the values of its columns"
    return ""


def _has(keys: Sequence[ForeignKey], key: ForeignKey) -> bool:
    return any(same_key(one, key) for one in keys)


def same_key(one: ForeignKey, other: ForeignKey) -> bool:
    """Whether two keys of one table say the same, whatever their names."""
    return _meaning(one) == _meaning(other)


def _meaning(key: ForeignKey) -> tuple[object, ...]:
    def folded(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(small(name) for name in names)

    rules = tuple("" if action == "RESTRICT" else action for action in (key.on_delete, key.on_update))
    return folded(key.columns), folded((key.ref_schema, key.ref_table)), folded(key.ref_columns), rules


def free_name(key: ForeignKey, table: str, taken: Mapping[str, str]) -> str:
    """The key's name, else one with its table before it: in MySQL and MariaDB a database has each name once.

    ``taken`` are names of the database, folded, with the tables that have them.
    """
    for name in (foreign_name_there(key.name), f"{table}_{key.name}"[-64:]):
        if taken.get(small(name), table) == table:
            return name
    numbered = (f"{table}_{key.name}"[-60:] + f"_{number}" for number in range(2, 1000))
    return next(name for name in numbered if small(name) not in taken)


def _names(columns: Sequence[str]) -> frozenset[str]:
    return frozenset(small(name) for name in columns)


def _note(child: RoutedTable, key: ForeignKey, reason: str) -> str:
    return f"foreign key {key.name} of {child.structure.schema}.{child.structure.name} is left out: {reason}"
