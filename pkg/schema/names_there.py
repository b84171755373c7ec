"""The names that keys and foreign keys have in a target, in a statement that drops or renames them.

A key may have another name there: a server chose it, or it kept the name of a table that was renamed since.  It is
known by what it is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    RenameColumn,
    RenameIndex,
)
from pkg.schema.clause_steps import renamed_columns
from pkg.schema.cursor import Clause
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit
from pkg.schema.table import PRIMARY, STAND_IN_KEY, ForeignKey, Index, Table

_OF_KEYS = DropIndex | RenameIndex | DropConstraint | DropForeignKey
_OF_COLUMNS = AddColumn | ChangeColumn | DropColumn | RenameColumn
_Shape = tuple[tuple[str, ...], bool]


class OtherKey(ValueError):
    """The target's key of the name is another one; the message says what both are over."""


def names_keys(ddl: Ddl) -> bool:
    """Whether the statement drops or renames a key by its name."""
    return any(isinstance(one, _OF_KEYS) for one in ddl.alterations)


def changes_columns(ddl: Ddl) -> bool:
    """Whether keys may be over other columns behind a part of the statement."""
    return any(isinstance(one, _OF_COLUMNS) for one in ddl.alterations)


def keys_behind(before: Table, parts: Iterable[Ddl]) -> Table:
    """``before`` with the keys that it has upstream when these parts of a statement are done, in their order.

    Another part then knows its key, and takes none for it that an earlier part has renamed.
    """
    indexes = before.indexes
    for part in parts:
        new_names = renamed_columns(part.alterations)
        indexes = tuple(_with_columns(one, new_names) for one in indexes) if new_names else indexes
        for one in part.alterations:
            indexes = tuple(_keys_behind(indexes, one))
    return before if indexes is before.indexes else replace(before, indexes=indexes)


def _with_columns(index: Index, new_names: Mapping[str, str]) -> Index:
    return replace(index, columns=tuple(new_names.get(small(name), name) for name in index.columns))


def _keys_behind(indexes: Iterable[Index], one: Alteration) -> Iterator[Index]:
    for index in indexes:
        match one:
            case DropIndex(name) | DropConstraint(name) if small(index.name) == small(name):
                continue
            case RenameIndex(old, new) if small(index.name) == small(old):
                yield replace(index, name=new)
            case DropColumn(name) if small(name) in _small(index.columns):
                kept = [at for at, column in enumerate(index.columns) if small(column) != small(name)]
                columns, prefixes = tuple(index.columns[at] for at in kept), tuple(index.prefixes[at] for at in kept)
                if kept:
                    yield replace(index, columns=columns, prefixes=prefixes)
            case _:
                yield index
    if isinstance(one, AddIndex):
        yield one.index.index(PRIMARY if one.index.primary else one.index.name)


def with_names_there(ddl: Ddl, before: Table, there: Table) -> Ddl:
    """The statement with the target's names.  Raises OtherKey.

    ``before``, ``there``: both ends before it; of a part of a statement see keys_behind.
    """
    edits = [edit for clause in ddl.clauses for edit in _edits(ddl, clause, before, there)]
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def with_certain_names_there(ddl: Ddl, whole: Ddl, before: Table, there: Table, *, repeated: bool = False) -> Ddl:
    """The same of foreign keys, and of what stands for a primary key, alone.

    ``there`` may be behind another part of the ``whole`` statement.

    ``repeated``: it may be behind all of it, so that a new foreign key may have the place of a dropped one.
    """
    new = [_small(one.key.columns) for one in whole.alterations if isinstance(one, AddForeignKey) and repeated]
    clauses = [one for one in ddl.clauses if not any(_drops_one_of(one, before, columns) for columns in new)]
    edits = [edit for clause in clauses for edit in _certain_edits(whole, clause, before, there)]
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def stays_unique(before: Table, there: Table, name: str) -> bool:
    """Whether a target without the key ``name`` may hold it under another one: a unique key that the upstream lacks."""
    dropped = before.index(name)
    if dropped is not None and not dropped.unique:
        return False
    surplus = Counter(_shape(one) for one in there.indexes if one.unique and not one.primary)
    kept = (one for one in before.indexes if one is not dropped)
    return any((surplus - Counter(_shape(one) for one in kept)).values())


def left_out(clause: AlterClause, before: Table, there: Table) -> bool:
    """Whether the clause drops or renames a key that the target was not given.

    Such as a FULLTEXT key in TiDB, or a foreign key whose parent the task leaves out.
    """
    match clause.alterations:
        case (DropForeignKey(name),):
            dropped = _foreign_key(before, name)
            return dropped is not None and not any(_may_be(one, dropped) for one in there.foreign_keys)
        case (DropIndex(name) | RenameIndex(name),):
            key = before.index(name)
            is_there = there.index(name) is not None or bool(_index_name(before, there, name))
            return key is not None and not (key.primary or is_there or stays_unique(before, there, name))
    return False


def _may_be(there: ForeignKey, key: ForeignKey) -> bool:
    return small(there.name) == small(key.name) or _small(there.columns) == _small(key.columns)


def _edits(ddl: Ddl, clause: AlterClause, before: Table, there: Table) -> Iterator[Edit]:
    place = clause.clause
    yield from _certain_edits(ddl, clause, before, there)
    match clause.alterations:
        case (DropForeignKey(name) | DropConstraint(name),) if _foreign_key(before, name):
            return
        case (DropIndex(name) | DropConstraint(name),) if other := _index_name(before, there, name):
            yield _drop_edit(ddl, place, other)
        case (RenameIndex(old, new),) if other := _index_name(before, there, old):
            yield place.start, place.end, f"RENAME KEY {quote_name(other)} TO {quote_name(new)}"


def _certain_edits(ddl: Ddl, clause: AlterClause, before: Table, there: Table) -> Iterator[Edit]:
    match clause.alterations:
        case (DropForeignKey(name) | DropConstraint(name),) if key := _foreign_key(before, name):
            if other := _foreign_name(ddl, key, before, there):
                yield clause.clause.start, clause.clause.end, f"DROP FOREIGN KEY {quote_name(other)}"
        case (DropIndex(name),) if small(name) == small(PRIMARY) and _has_stand_in(before, there):
            yield _drop_edit(ddl, clause.clause, STAND_IN_KEY)


def _drop_edit(ddl: Ddl, place: Clause, name: str) -> Edit:
    if ddl.kind is DdlKind.DROP_INDEX:
        return *_dropped_name(ddl.text), quote_name(name)
    return place.start, place.end, f"DROP KEY {quote_name(name)}"


def _has_stand_in(before: Table, there: Table) -> bool:
    wanted, other = before.index(PRIMARY), there.index(STAND_IN_KEY)
    is_one = wanted is not None and other is not None and _shape(wanted) == _shape(other)
    return is_one and there.index(PRIMARY) is None


def _drops_one_of(clause: AlterClause, before: Table, columns: list[str]) -> bool:
    match clause.alterations:
        case (DropForeignKey(name) | DropConstraint(name),) if key := _foreign_key(before, name):
            return _small(key.columns) == columns
    return False


def _foreign_key(table: Table, name: str) -> ForeignKey | None:
    return next((key for key in table.foreign_keys if small(key.name) == small(name)), None)


def _foreign_name(ddl: Ddl, key: ForeignKey, before: Table, there: Table) -> str:
    """Its name in the target; "" where that is the same, or unknown.  Raises OtherKey."""
    named, columns = _foreign_key(there, key.name), [_small(key.columns), _renamed(ddl, key.columns)]
    same = [one for one in there.foreign_keys if _small(one.columns) in columns]
    exact = [one for one in same if _rule(one) == _rule(key)]
    if named in same and (named in exact or not exact):
        return ""
    found = exact or [one for one in same if _small(one.ref_columns) == _small(key.ref_columns)]
    others = [one for one in found if one is not named and not _is_of_another(ddl, one, key, before)]
    if (named is not None and not others) or len({_rule(one) for one in others}) > 1:
        over = "; ".join(f"{one.name} is over {', '.join(one.columns)}" for one in ((named,) if named else others))
        raise OtherKey(f"{key.name} is over {', '.join(key.columns)} upstream; there {over}")
    return others[0].name if others else ""


def _is_of_another(ddl: Ddl, there: ForeignKey, key: ForeignKey, before: Table) -> bool:
    """Whether the upstream has the target's foreign key beside ``key``."""
    other = _foreign_key(before, there.name)
    if other is None or other is key or _rule(other) != _rule(there):
        return False
    return _small(there.columns) in (_small(other.columns), _renamed(ddl, other.columns))


def _rule(key: ForeignKey) -> tuple[object, ...]:
    """What the key asks of rows; servers show RESTRICT, which is what they do anyhow, or they do not."""
    actions = (action.replace("RESTRICT", "") for action in (key.on_delete, key.on_update))
    return (tuple(_small(key.ref_columns)), *actions)


def _renamed(ddl: Ddl, columns: Iterable[str]) -> list[str]:
    """The columns by the names that the statement gives them."""
    new = {small(one.old): one.new for one in ddl.alterations if isinstance(one, RenameColumn)}
    new |= {small(one.old): one.column.name for one in ddl.alterations if isinstance(one, ChangeColumn)}
    return _small(new.get(small(name), name) for name in columns)


def _small(names: Iterable[str]) -> list[str]:
    return [small(name) for name in names]


def _index_name(before: Table, there: Table, name: str) -> str:
    """The key's name in the target; "" where that is the same, or unknown."""
    wanted, same = before.index(name), there.index(name)
    if wanted is None or wanted.primary:
        return ""
    if same is not None and _shape(same)[0] == _shape(wanted)[0] and not _stands_for_another(before, same, wanted):
        return ""
    others = [one for one in there.indexes if _shape(one) == _shape(wanted) and not _is_upstream(before, one)]
    if others and (len(others) == 1 or "(" not in _shape(wanted)[0]):
        return others[0].name
    if same is not None and (same.unique or wanted.unique):
        raise OtherKey(f"{name} is {_told(wanted)} upstream, {_told(same)} there")
    return ""


def _told(index: Index) -> str:
    return f"{'unique ' * index.unique}over {', '.join(index.columns)}"


def _stands_for_another(before: Table, same: Index, wanted: Index) -> bool:
    """Whether the target's unique key of a plain one's name may be the one that the upstream has beside it."""
    return same.unique and not wanted.unique and any(_shape(one) == _shape(same) for one in before.indexes)


def _is_upstream(before: Table, there: Index) -> bool:
    """Whether the upstream has such a key of the same name."""
    index = before.index(there.name)
    return index is not None and _shape(index) == _shape(there)


def _shape(index: Index) -> _Shape:
    """What the key is over; servers write expressions in ways of their own."""
    return tuple("(" if name.startswith("(") else small(name) for name in index.columns), index.unique


def _dropped_name(text: str) -> tuple[int, int]:
    """Where the key's name stands in a DROP INDEX."""
    tokens = tokenize(text)
    at = next(number for number, token in enumerate(tokens) if token.key == "INDEX") + 1
    if tokens[at].key == "IF" and tokens[at].kind is Kind.WORD and tokens[at + 1].key == "EXISTS":
        at += 2
    return tokens[at].start, tokens[at].end
