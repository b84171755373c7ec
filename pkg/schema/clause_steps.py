"""The clauses of an ALTER TABLE as steps that can run one by one, each with its text and the names that it touches.

Two steps come of a clause that would be in another one's way:

- Of columns, or keys, that exchange their names one goes through a name in between.
- CHECKs behind a column are clauses of their own.
- A key that a foreign key needs is dropped under another name when one of its name is there.
- `ADD x … DEFAULT (d * 2), MODIFY d … AFTER x`: rows get the default of what `d` is behind the statement, and `d` moves
  behind `x`.  It changes first, and moves at its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from pkg.schema.alter import (
    FIRST,
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    PartitionChange,
    RenameColumn,
    RenameIndex,
    RenameTo,
)
from pkg.schema.checks import clauses_of_checks
from pkg.schema.column_types import TypeSpec
from pkg.schema.columns import ColumnSpec
from pkg.schema.indexes import IndexSpec
from pkg.schema.key_parts import part_again
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import integer, names_in, quote_name, tokenize
from pkg.schema.name_exchange import in_circles
from pkg.schema.statement import Ddl, Edit, edited
from pkg.schema.table import Column, Table

ColumnOrKey = tuple[str, str]  # ("column" | "key", the name in lower case)
Names = frozenset[ColumnOrKey]
DROPS_LAST: Final = 3  # the stage of drops of all columns
_IN_THE_WAY, _COLUMNS, _ADDED_KEY, _DROPPED_KEY, _ADDED_FOREIGN_KEY, _PARTITIONS, _RENAMED = 1, 2, 4, 5, 6, 7, 8
_Rename = ChangeColumn | RenameColumn | RenameIndex


@dataclass(frozen=True, slots=True)
class Step:
    """What stands behind `ALTER TABLE t`.  All names are in lower case.

    ``stage``: those of a lower one go first where nothing is said against it; ``given``, ``taken``: names that are not
    there behind it, or before it; ``defined``: columns that have another type or name behind it; ``read``: those of
    its expressions, ``freed``: of expressions that are gone behind it; ``after``: the column that it names a place by;
    ``placed``: whether the order of the columns depends on when it runs; ``converts``: it may change every column.
    """

    text: str
    stage: int
    given: Names = frozenset()
    taken: Names = frozenset()
    defined: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()
    after: str = ""
    placed: bool = False
    converts: bool = False


def steps_of(ddl: Ddl, clauses: Sequence[AlterClause], before: Table | None) -> list[Step]:
    """In the order of the text.  ``before``: the table before the statement, where it is known."""
    middles = _middles(clauses, before)
    plain = [_step(ddl, clause, before) for clause in clauses]
    changed = frozenset(name for step in plain for name in (*step.defined, *_columns(step.given)))
    found: list[Step] = []
    for number, clause in enumerate(clauses):
        step, one = plain[number], next(iter(clause.alterations), None)
        middle = middles.get(_kind(one, one.old), "") if isinstance(one, _Rename) else ""
        if isinstance(one, _Rename) and middle:
            found.append(_to_middle(one, middle))
            step = _from_middle(step, ddl, clause, one, middle)
        if isinstance(one, DropIndex) and not _is_over(one, changed, before, plain):
            step = replace(step, stage=_DROPPED_KEY)
            if _is_needed(one, ddl, before) and any(not step.given.isdisjoint(other.taken) for other in plain):
                free = _free(one.name, {small(index.name) for index in before.indexes} if before is not None else set())
                found.append(_to_middle(RenameIndex(one.name, free), free))
                step = replace(step, text=f"DROP KEY {quote_name(free)}", given=frozenset())
        if isinstance(one, ChangeColumn) and one.place and any(_waits_for(other, step) for other in plain[:number]):
            found += _change_and_move(step, ddl, clause, one, middle or one.old)
        else:
            found.append(step)
        found += [*_key_steps(clause), *_check_steps(ddl.text, clause)]
    return [*found, *_kept_keys(ddl.alterations, plain, before)]


def _kept_keys(alterations: Collection[Alteration], steps: Sequence[Step], before: Table | None) -> Iterator[Step]:
    """Keys of columns that are dropped and added, which have the new columns then."""
    dropped = {small(one.name) for one in alterations if isinstance(one, DropColumn)}
    added = {small(one.column.name): one.column.type for one in alterations if isinstance(one, AddColumn)}
    again = dropped & added.keys()
    new_names = renamed_columns(alterations)
    gone = {name for step in steps if step.stage in (_IN_THE_WAY, _DROPPED_KEY) for _, name in step.given}
    if before is None:
        return
    for index in before.indexes:
        is_kept = not again.isdisjoint(small(name) for name in index.columns) and small(index.name) not in gone
        if is_kept and not index.primary:
            parts = [
                (column, _part_again(prefix, before.column(column), added.get(small(column))))
                for column, prefix in zip(index.columns, index.prefixes, strict=True)
                if small(column) not in dropped - again
            ]
            columns, prefixes = zip(*parts, strict=True)
            yield Step(f"DROP KEY {quote_name(index.name)}", _IN_THE_WAY)
            made = replace(index, columns=columns, prefixes=prefixes)
            yield Step(f"ADD {key_text(made, 'tidb', new_names)}", _ADDED_KEY)


def _part_again(prefix: int | None, old: Column | None, spec: TypeSpec | None) -> int | None:
    if old is None or spec is None:
        return prefix
    sized = spec.arguments if spec.base in ("char", "varchar", "binary", "varbinary") else ()
    return part_again(prefix, old, spec.base, integer(sized[0]) if sized else None)


def renamed_columns(alterations: Iterable[Alteration]) -> dict[str, str]:
    """New names of columns, by the old ones in lower case."""
    found = {}
    for one in alterations:
        match one:
            case ChangeColumn(old, column) if small(old) != small(column.name):
                found[small(old)] = column.name
            case RenameColumn(old, new):
                found[small(old)] = new
    return found


def given_up(alterations: Iterable[Alteration]) -> Names:
    """Names that columns and keys have before the alterations alone."""
    found: set[ColumnOrKey] = set()
    for one in alterations:
        match one:
            case DropColumn(name):
                found.add(("column", small(name)))
            case ChangeColumn(old, column) if small(old) != small(column.name):
                found.add(("column", small(old)))
            case RenameColumn(old, new) | RenameIndex(old, new) if small(old) != small(new):
                found.add(_kind(one, old))
            case DropIndex(name) | DropConstraint(name):
                found.add(("key", small(name)))
    return frozenset(found)


def taken(alterations: Iterable[Alteration]) -> Names:
    """Names that columns and keys have behind them alone."""
    found: set[ColumnOrKey] = set()
    for one in alterations:
        match one:
            case AddColumn(column):
                found.add(("column", small(column.name)))
            case ChangeColumn(old, column) if small(old) != small(column.name):
                found.add(("column", small(column.name)))
            case RenameColumn(old, new) | RenameIndex(old, new) if small(old) != small(new):
                found.add(_kind(one, new))
            case AddIndex(index):
                found.add(("key", "primary" if index.primary else small(index.name)))
    return frozenset(found)


def _kind(one: object, name: str) -> ColumnOrKey:
    return "key" if isinstance(one, RenameIndex) else "column", small(name)


def _step(ddl: Ddl, clause: AlterClause, before: Table | None) -> Step:
    start, end = clause.clause.start, clause.clause.end
    specs = [one.column for one in clause.alterations if isinstance(one, AddColumn | ChangeColumn)]
    edits = [edit for spec in specs if spec.keys for edit in without_keys(spec)]
    edits += [edit for one in clause.alterations for edit in _without_checks(ddl.text, one)]
    places = [one.place or "" for one in clause.alterations if isinstance(one, AddColumn | ChangeColumn)]
    named = [one for one in clause.alterations if not (specs and isinstance(one, AddIndex))]
    return Step(
        edited(ddl.text[start:end], [(first - start, last - start, new) for first, last, new in edits]),
        _stage(clause),
        given_up(named) | _lost_keys(named, before),
        taken(named),
        frozenset(name for one in named for name in _defined(one)),
        frozenset(name for spec in specs for name in _read(spec)),
        frozenset(name for one in named for name in _freed(one, before)),
        next((small(place.removeprefix("AFTER ")) for place in places if place not in ("", FIRST)), ""),
        any(places) or any(isinstance(one, AddColumn) for one in clause.alterations),
        any(isinstance(one, ConvertCharset) for one in named),
    )


def _stage(clause: AlterClause) -> int:
    """Foreign keys go before their keys, and both before their columns; they come in the other order."""
    alterations = clause.alterations

    def has(*kinds: type) -> bool:
        return any(isinstance(one, kinds) for one in alterations)

    if has(RenameTo):
        return _RENAMED
    if any(isinstance(one, PartitionChange) and one.action == "REMOVE" for one in alterations):
        return 0  # without partitions a unique key need not have their columns
    if has(PartitionChange):
        return _PARTITIONS
    if alterations and all(isinstance(one, AddForeignKey) for one in alterations):
        return _ADDED_FOREIGN_KEY
    if clause.clause.key == "ADD" and all(isinstance(one, AddIndex) for one in alterations):
        return _ADDED_KEY
    if has(DropForeignKey, DropConstraint):
        return 0
    is_check = clause.clause.key == "DROP" and not alterations
    return _IN_THE_WAY if is_check or has(DropIndex) else _COLUMNS


def _is_over(one: DropIndex, changed: frozenset[str], before: Table | None, steps: Sequence[Step]) -> bool:
    """Whether the key may be over columns that are changed; a foreign key may need others until their like comes."""
    if any(step.converts for step in steps):
        return True
    index = before.index(one.name) if before is not None else None
    if index is None or not index.columns:
        return bool(changed)
    return any(small(name) in changed or name.startswith("(") for name in index.columns)


def _is_needed(one: DropIndex, ddl: Ddl, before: Table | None) -> bool:
    """Whether a foreign key that stays may need the key until its like is there."""
    index = before.index(one.name) if before is not None else None
    if before is None or index is None or index.primary:
        return False
    dropped = {small(gone.name) for gone in ddl.alterations if isinstance(gone, DropForeignKey | DropConstraint)}
    columns = [small(name) for name in index.columns]
    staying = [key.columns for key in before.foreign_keys if small(key.name) not in dropped]
    return any([small(name) for name in names] == columns[: len(names)] for names in staying)


def _columns(names: Names) -> Iterator[str]:
    return (name for kind, name in names if kind == "column")


def _defined(one: Alteration) -> tuple[str, ...]:
    match one:
        case AddColumn(column) | ChangeColumn(_, column):
            return (small(column.name),)
        case RenameColumn(_, new):
            return (small(new),)
    return ()


def _read(spec: ColumnSpec) -> Iterator[str]:
    """Names in the expressions of a column, and words that may be names."""
    default = spec.default if spec.default and not spec.default.startswith("'") else ""
    yield from (small(token.value) for token in (*spec.expression, *tokenize(default)) if token.is_name)


def _lost_keys(alterations: Iterable[Alteration], before: Table | None) -> Names:
    """Keys that go with their only column."""
    dropped = [[small(one.name)] for one in alterations if isinstance(one, DropColumn)]
    indexes = before.indexes if before is not None and dropped else ()
    return frozenset(
        ("key", small(index.name)) for index in indexes if [small(name) for name in index.columns] in dropped
    )


def _freed(one: Alteration, before: Table | None) -> set[str]:
    if not isinstance(one, DropColumn) or before is None or not (dropped := before.column(one.name)):
        return set()
    return names_in(dropped.expression)


def _waits_for(one: Step, other: Step) -> bool:
    """Whether the place of ``one`` in the order of the columns is before that of ``other``, which it needs."""
    if not one.placed:
        return False
    needed = not one.read.isdisjoint(other.defined) or not one.taken.isdisjoint(other.given)
    return needed or ("column", one.after) in other.taken


def _middles(clauses: Sequence[AlterClause], before: Table | None) -> dict[ColumnOrKey, str]:
    """By names that others take in a circle a name that is free, enough to open each circle."""
    renames = [one for clause in clauses for one in clause.alterations if isinstance(one, _Rename)]
    new_names = {_kind(one, one.old): _kind(one, _new_name(one)) for one in renames}
    new_names = {old: new for old, new in new_names.items() if old != new}
    used = {name for _, name in (*new_names, *new_names.values())}
    if before is not None:
        used |= {small(column.name) for column in before.columns} | {small(index.name) for index in before.indexes}
    found: dict[ColumnOrKey, str] = {}
    while circles := in_circles(new_names):
        first = next(name for name in new_names if name in circles)
        del new_names[first]
        found[first] = _free(first[1], used)
        used.add(found[first])
    return found


def _free(name: str, used: Collection[str]) -> str:
    """A name like this one that is none of the used ones, which are in lower case."""
    tries = (f"{small(name[:50])}_{number}" for number in count(2))
    return next(one for one in tries if one not in used)


def _new_name(one: _Rename) -> str:
    return one.column.name if isinstance(one, ChangeColumn) else one.new


def _to_middle(one: _Rename, middle: str) -> Step:
    text = _renaming(one, one.old, middle)
    return Step(text, _COLUMNS, frozenset({_kind(one, one.old)}), frozenset({_kind(one, middle)}))


def _from_middle(step: Step, ddl: Ddl, clause: AlterClause, one: _Rename, middle: str) -> Step:
    if isinstance(one, ChangeColumn):
        text = _changed(ddl, clause, one, middle, one.place or "")
    else:
        text = _renaming(one, middle, one.new)
    return replace(step, text=text, given=frozenset())


def _renaming(one: _Rename, old: str, new: str) -> str:
    word = "KEY" if isinstance(one, RenameIndex) else "COLUMN"
    return f"RENAME {word} {quote_name(old)} TO {quote_name(new)}"


def _change_and_move(step: Step, ddl: Ddl, clause: AlterClause, one: ChangeColumn, old: str) -> Iterator[Step]:
    """A change of a column that keeps its place, and then its move."""
    yield replace(step, text=_changed(ddl, clause, one, old, ""), after="", placed=False)
    moved = _changed(ddl, clause, one, one.column.name, one.place or "")
    yield Step(moved, _COLUMNS, read=frozenset({small(one.column.name)}), after=step.after, placed=True)


def _changed(ddl: Ddl, clause: AlterClause, one: ChangeColumn, old: str, place: str) -> str:
    start, end = one.column.type_clause.start, clause.clause.end
    if one.place:
        words = tokenize(ddl.text[start:end])[:-1]
        end = start + words[-1 if one.place == FIRST else -2].start
    cuts = [*(without_keys(one.column) if one.column.keys else ()), *_without_checks(ddl.text, one)]
    edits = [(first - start, last - start, new) for first, last, new in cuts]
    definition = edited(ddl.text[start:end], edits).strip()
    behind = place if place in ("", FIRST) else f"AFTER {quote_name(place.removeprefix('AFTER '))}"
    return f"CHANGE COLUMN {quote_name(old)} {quote_name(one.column.name)} {definition} {behind}".rstrip()


def _key_steps(clause: AlterClause) -> Iterator[Step]:
    """Keys behind a column, as clauses of their own, as TiDB wants them."""
    for one in clause.alterations:
        if not isinstance(one, AddColumn | ChangeColumn):
            continue
        for key in one.column.keys:
            text = f"ADD {_key_text(one.column, key, isinstance(one, AddColumn))}"
            yield Step(text, _ADDED_KEY, taken=taken([AddIndex(key)]))


def _check_steps(text: str, clause: AlterClause) -> Iterator[Step]:
    """CHECKs behind a column, as clauses of their own: TiDB refuses them in MODIFY, and drops them in ADD COLUMN."""
    for one in clause.alterations:
        for start, end, _ in _without_checks(text, one):
            yield Step(f"ADD {text[start:end]}", _ADDED_KEY)


def _without_checks(text: str, one: Alteration) -> Iterator[Edit]:
    if isinstance(one, AddColumn | ChangeColumn):
        for check in clauses_of_checks(text, one.column):
            yield check.start, check.end, ""


def _key_text(column: ColumnSpec, key: IndexSpec, is_new: bool) -> str:
    """A key that stands behind its column; a new column's has its name, which no other key has."""
    name = quote_name(column.name)
    return f"PRIMARY KEY ({name})" if key.primary else f"UNIQUE KEY {f'{name} ' * is_new}({name})"


def without_keys(column: ColumnSpec) -> Iterator[Edit]:
    """Without PRIMARY KEY, which says NOT NULL, too, and UNIQUE."""
    for one in column.clauses:
        if one.key in ("PRIMARY", "KEY"):
            yield one.start, one.end, "" if column.nullable is False else "NOT NULL"
        elif one.key == "UNIQUE":
            yield one.start, one.end, ""
