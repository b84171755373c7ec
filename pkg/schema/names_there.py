"""The names that keys and foreign keys have in a target, in a statement that drops or renames them.

A key may have another name there: a server chose it, or it kept the name of a table that was renamed since.  It is
known by what it is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AlterClause,
    ChangeColumn,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    RenameColumn,
    RenameIndex,
)
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit
from pkg.schema.table import ForeignKey, Index, Table

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


def with_names_there(ddl: Ddl, before: Table, there: Table) -> Ddl:
    """The statement with the target's names; ``before``, ``there``: both ends before it.  Raises OtherKey."""
    edits = [edit for clause in ddl.clauses for edit in _edits(ddl, clause, before, there)]
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def with_foreign_names_there(ddl: Ddl, before: Table, there: Table) -> Ddl:
    """The same of foreign keys alone that the target lacks by their names: ``there`` may be behind a part of it."""
    edits = [edit for clause in ddl.clauses for edit in _foreign_edits(clause, before, there, is_behind=True)]
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
    """Whether the clause drops or renames a key that the target was not given, such as a FULLTEXT key in TiDB."""
    match clause.alterations:
        case (DropIndex(name) | RenameIndex(name),):
            key = before.index(name)
            is_there = there.index(name) is not None or bool(_index_name(before, there, name))
            return key is not None and not (key.primary or is_there or stays_unique(before, there, name))
    return False


def _edits(ddl: Ddl, clause: AlterClause, before: Table, there: Table) -> Iterator[Edit]:
    place = clause.clause
    yield from _foreign_edits(clause, before, there, is_behind=False)
    match clause.alterations:
        case (DropForeignKey(name) | DropConstraint(name),) if _foreign_key(before, name):
            return
        case (DropIndex(name) | DropConstraint(name),) if other := _index_name(before, there, name):
            if ddl.kind is DdlKind.DROP_INDEX:
                yield (*_dropped_name(ddl.text), quote_name(other))
            else:
                yield place.start, place.end, f"DROP KEY {quote_name(other)}"
        case (RenameIndex(old, new),) if other := _index_name(before, there, old):
            yield place.start, place.end, f"RENAME KEY {quote_name(other)} TO {quote_name(new)}"


def _foreign_edits(clause: AlterClause, before: Table, there: Table, *, is_behind: bool) -> Iterator[Edit]:
    match clause.alterations:
        case (DropForeignKey(name) | DropConstraint(name),) if key := _foreign_key(before, name):
            other = "" if is_behind and _foreign_key(there, name) else _foreign_name(key, there)
            if other:
                yield clause.clause.start, clause.clause.end, f"DROP FOREIGN KEY {quote_name(other)}"


def _foreign_key(table: Table, name: str) -> ForeignKey | None:
    return next((key for key in table.foreign_keys if key.name.lower() == name.lower()), None)


def _foreign_name(key: ForeignKey, there: Table) -> str:
    """Its name in the target; "" where that is the same, or unknown."""
    named = _foreign_key(there, key.name)
    if named is not None and _small(named.columns) == _small(key.columns):
        return ""
    same = [one for one in there.foreign_keys if _small(one.columns) == _small(key.columns)]
    exact = [one for one in same if _small(one.ref_columns) == _small(key.ref_columns)]
    if named is not None and not exact:
        raise OtherKey(f"{key.name} is over {', '.join(key.columns)} upstream, over {', '.join(named.columns)} there")
    return exact[0].name if exact else ""


def _small(names: Iterable[str]) -> list[str]:
    return [name.lower() for name in names]


def _index_name(before: Table, there: Table, name: str) -> str:
    """The key's name in the target; "" where that is the same, or unknown."""
    wanted, same = before.index(name), there.index(name)
    if wanted is None or wanted.primary or (same is not None and _shape(same)[0] == _shape(wanted)[0]):
        return ""
    others = [one for one in there.indexes if _shape(one) == _shape(wanted) and not _is_upstream(before, one)]
    if others and (len(others) == 1 or "(" not in _shape(wanted)[0]):
        return others[0].name
    if same is not None and (same.unique or wanted.unique):
        raise OtherKey(f"{name} is over {', '.join(wanted.columns)} upstream, over {', '.join(same.columns)} there")
    return ""


def _is_upstream(before: Table, there: Index) -> bool:
    """Whether the upstream has such a key of the same name."""
    index = before.index(there.name)
    return index is not None and _shape(index) == _shape(there)


def _shape(index: Index) -> _Shape:
    """What the key is over; servers write expressions in ways of their own."""
    return tuple("(" if name.startswith("(") else name.lower() for name in index.columns), index.unique


def _dropped_name(text: str) -> tuple[int, int]:
    """Where the key's name stands in a DROP INDEX."""
    tokens = tokenize(text)
    at = next(number for number, token in enumerate(tokens) if token.key == "INDEX") + 1
    if tokens[at].key == "IF" and tokens[at].kind is Kind.WORD and tokens[at + 1].key == "EXISTS":
        at += 2
    return tokens[at].start, tokens[at].end
