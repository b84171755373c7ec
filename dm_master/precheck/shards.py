"""Checks of tables that merge: whether they have the same form, and whether their keys collide.  Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from dm_master.precheck.columns import carried_columns, is_told_apart, structure_of
from dm_master.precheck.exactness import coarser_key
from dm_master.precheck.facts import TableFacts, TableName, TargetFacts, UpstreamFacts, shown
from dm_master.precheck.report import Check, Finding, State
from pkg.schema.collation import nearest_in_key
from pkg.schema.column_types import CHARACTER_TYPES
from pkg.schema.letter_case import small
from pkg.schema.merged_keys import coarser_keys, unique_parts
from pkg.schema.table import Column, Table

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Member:
    """An upstream table of a merged table."""

    facts: UpstreamFacts
    table: TableFacts

    @property
    def source(self) -> str:
        return self.facts.subtask.source_id

    def __str__(self) -> str:
        return f"{self.table} of {self.source}"


def merged(upstreams: Sequence[UpstreamFacts]) -> Mapping[TableName, list[Member]]:
    """Every target table with the upstream tables that go there."""
    groups: dict[TableName, list[Member]] = defaultdict(list)
    for facts in upstreams:
        for table in facts.tables:
            groups[facts.targets[table.name]].append(Member(facts, table))
    return groups


def check_routes(facts: UpstreamFacts) -> Check:
    """That every table has one target."""
    where = f"source {facts.subtask.source_id}"
    found = [Finding(State.FAIL, f"{where}: {one.message}", where, one.workaround) for one in facts.unrouted]
    return Check("table_schema", "route check", f"every table has one target ({where})", tuple(found))


def check_shards(upstreams: Sequence[UpstreamFacts], target: TargetFacts | None) -> Iterator[Check]:
    groups, folds = merged(upstreams), target is None or target.folds_names
    merging = {name: members for name, members in groups.items() if len(members) > 1}
    different: list[Finding] = []
    numbered: list[Finding] = []
    for name, members in sorted(merging.items()):
        # A target table that somebody has made may well be one that takes both forms.
        state = State.WARN if target is not None and name in target.tables else State.FAIL
        different += [*_different(name, members, state), *_nulls(name, members, target)]
        if target is not None and name not in target.tables:
            different += _coarser(name, members, target)
        numbered += _numbered(name, members, target)
    yield Check("schema_of_shard_tables", "sharding table consistency checker",
                "tables that merge have the same structure", tuple(different))  # fmt: skip
    yield Check("auto_increment_ID", "auto_increment key checker",
                "shards do not count their keys on their own", tuple(numbered))  # fmt: skip
    yield Check("table_schema", "target table name check",
                "target tables differ by more than case", tuple(_alike(groups) if folds else ()))  # fmt: skip


def _different(name: TableName, members: Sequence[Member], state: State) -> Iterator[Finding]:
    """One finding for each form that is not that of most tables."""
    forms: dict[object, list[Member]] = defaultdict(list)
    for member in members:
        forms[_form(member.table)].append(member)
    usual, *others = sorted(forms.values(), key=len, reverse=True)
    for other in others:
        differences = differences_of(usual[0].table, other[0].table)
        more = f" and {len(differences) - _MOST_NAMED} more" if len(differences) > _MOST_NAMED else ""
        text = (
            f"{_with_alike(usual)} and {_with_alike(other)} go to {shown(name)}, but differ: "
            f"{'; '.join(differences[:_MOST_NAMED])}{more}"
        )
        yield Finding(state, text, str(other[0]), "alter the tables so that they are the same, or route them apart")


def _form(table: TableFacts) -> object:
    columns = frozenset((small(column.name), column.comparable_type) for column in table.columns)
    return columns, frozenset(_keys(table))


def _coarser(name: TableName, members: Sequence[Member], target: TargetFacts) -> Iterator[Finding]:
    """Keys of some tables that may hold rows of others equal: whichever comes first makes the target's table."""
    forms = {_key_form(member): member for member in reversed(members)}
    for one, other in permutations(forms.values(), 2):
        made = _as_made(structure_of(one.table), target)
        carried = carried_columns(other.facts, other.table)
        for found in coarser_keys(unique_parts(structure_of(other.table)), made, target.flavor, carried):
            where = f"{one}, which goes to {shown(name)}, too,"
            yield coarser_key(found, where, other.table, other.facts, is_certain=True)


def _key_form(member: Member) -> object:
    return frozenset(map(frozenset, unique_parts(structure_of(member.table))))


def _as_made(table: Table, target: TargetFacts) -> Table:
    """With the collations that columns of keys get in the target."""
    return replace(table, columns=tuple(_in_key(column, target) for column in table.columns))


def _in_key(column: Column, target: TargetFacts) -> Column:
    if not column.collation or column.base_type not in CHARACTER_TYPES:
        return column
    return replace(column, collation=nearest_in_key(column.collation, target.collations, target.flavor).collation)


def _with_alike(members: Sequence[Member]) -> str:
    return f"{members[0]} (and {len(members) - 1} alike)" if len(members) > 1 else str(members[0])


def _nulls(name: TableName, members: Sequence[Member], target: TargetFacts | None) -> Iterator[Finding]:
    """Columns that may be NULL in some shards only: the target's form decides whether those rows fit."""
    there = target.tables.get(name) if target is not None else None
    for column in members[0].table.columns:
        twins = [(member, twin) for member in members if (twin := member.table.column(column.name)) is not None]
        may = [member for member, twin in twins if twin.nullable]
        must = [member for member, twin in twins if not twin.nullable]
        made = there.column(column.name) if there is not None else None
        if may and must and not (made is not None and made.nullable):
            text = f"column {column.name} may be NULL in {_with_alike(may)}, but not in {_with_alike(must)}"
            way_out = "create the target table, with a column that may be NULL, before the task starts"
            yield Finding(State.WARN, f"{text}; all go to {shown(name)}", shown(name), way_out)


def differences_of(one: TableFacts, other: TableFacts) -> list[str]:
    """What two tables do not have in common, in columns and unique keys; comments and order of keys do not count."""
    found = []
    for column in one.columns:
        twin = other.column(column.name)
        if twin is None:
            found.append(f"column {column.name} is missing in the second")
        elif twin.comparable_type != column.comparable_type:
            found.append(f"column {column.name} is {column.type} and {twin.type}")
    extra = [column.name for column in other.columns if not one.column(column.name)]
    found += [f"column {name} is missing in the first" for name in extra]
    if _keys(one) != _keys(other):
        found.append(f"unique keys are {_shown_keys(one)} and {_shown_keys(other)}")
    return found


def _keys(table: TableFacts) -> set[tuple[str, ...]]:
    return {tuple(small(name) for name in key.columns) for key in table.unique_keys}


def _shown_keys(table: TableFacts) -> str:
    return ", ".join(f"({', '.join(key.columns)})" for key in table.unique_keys) or "none"


def _numbered(name: TableName, members: Sequence[Member], target: TargetFacts | None) -> Iterator[Finding]:
    counted = {
        column.name
        for member in members
        for column in member.table.columns
        if column.auto_increment
        and any(key.columns == (column.name,) for key in member.table.unique_keys)
        and not is_told_apart(member.facts, member.table, column.name, target)
    }
    if counted:
        yield Finding(
            State.WARN,
            f"{len(members)} tables go to {shown(name)} and count their {', '.join(sorted(counted))} each on its own "
            "(AUTO_INCREMENT): equal numbers overwrite each other",
            shown(name),
            "make sure that the shards' numbers differ, map them by a column mapping `partition id`, or make the key "
            "wider in the target (a column that the route fills + number)",
        )


def _alike(groups: Mapping[TableName, Sequence[Member]]) -> Iterator[Finding]:
    by_case: dict[tuple[str, str], list[TableName]] = defaultdict(list)
    for name in groups:
        by_case[name[0].lower(), name[1].lower()].append(name)
    for names in by_case.values():
        if len(names) > 1:
            yield Finding(
                State.FAIL,
                f"the targets {' and '.join(map(shown, sorted(names)))} differ by case only",
                shown(names[0]),
                "route them to one name, or to names that differ",
            )
