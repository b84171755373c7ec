"""The order in which the clauses of an ALTER TABLE run one by one, for a target that takes none that build on others.

Upstream, all of them see the table before the statement, and the names behind it:

1. What gives up a name (`DROP a`, `RENAME COLUMN a TO b`) runs before what takes it (`CHANGE c a …`).
2. Foreign keys go before their keys, and both before their columns.
3. Keys and checks come behind the columns that they are over, whose collation may change; foreign keys behind keys,
   so that no other key is made for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pkg.schema.alter import (
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
    RenameColumn,
    RenameIndex,
    RenameTo,
)
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_Names = frozenset[tuple[str, str]]  # ("column" | "key", the name in lower case)


def in_order(clauses: Sequence[AlterClause], *, drops_last: bool = False) -> list[AlterClause]:
    """The clauses as they can run one after the other; in the order of the text where nothing is said against it.

    ``drops_last``: columns are dropped behind all others, since no column of before is left.
    """
    found: list[AlterClause] = []

    def visit(clause: AlterClause) -> None:
        if clause in begun:
            return
        begun.append(clause)
        for other in clauses:
            if _goes_before(other, clause):
                visit(other)
        found.append(clause)

    begun: list[AlterClause] = []

    def rank(clause: AlterClause) -> float:
        return 2.5 if drops_last and _drops(clause, DropColumn) else _rank(clause, clauses)

    for clause in sorted(clauses, key=rank):
        visit(clause)
    return found


def _rank(clause: AlterClause, clauses: Sequence[AlterClause]) -> int:
    if any(isinstance(one, RenameTo) for one in clause.alterations):
        return 3
    if clause.alterations and all(isinstance(one, AddForeignKey) for one in clause.alterations):
        return 2
    behind = clauses[list(clauses).index(clause) + 1 :]
    return int(any(_is_over(clause, other) for other in behind))


def _is_over(clause: AlterClause, other: AlterClause) -> bool:
    """Whether ``clause`` adds a key or check over columns that ``other`` defines."""
    if not all(isinstance(one, AddIndex) for one in clause.alterations) or clause.clause.key != "ADD":
        return False
    if any(isinstance(one, ConvertCharset) for one in other.alterations):
        return True
    parts = [name.lower() for one in clause.alterations if isinstance(one, AddIndex) for name, _ in one.index.parts]
    is_over_any = not parts or any(name.startswith("(") for name in parts)
    defined = {name for one in other.alterations for name in _defined(one)}
    return bool(defined) if is_over_any else not defined.isdisjoint(parts)


def _defined(one: Alteration) -> tuple[str, ...]:
    match one:
        case AddColumn(column) | ChangeColumn(_, column):
            return (column.name.lower(),)
        case RenameColumn(_, new):
            return (new.lower(),)
    return ()


def _goes_before(first: AlterClause, second: AlterClause) -> bool:
    if first is second:
        return False
    if not _given_up(first).isdisjoint(_taken(second)):
        return True
    if _drops(first, DropForeignKey) and (_drops(second, DropIndex) or _drops(second, DropColumn)):
        return True
    return _drops(first, DropIndex) and (_drops(second, DropColumn) or _is_foreign_key(second))


def _drops(clause: AlterClause, what: type) -> bool:
    kinds = (what, DropConstraint) if what is DropForeignKey else what
    return any(isinstance(one, kinds) for one in clause.alterations)


def _is_foreign_key(clause: AlterClause) -> bool:
    return len(clause.alterations) == 1 and isinstance(clause.alterations[0], AddForeignKey)


def _given_up(clause: AlterClause) -> _Names:
    """Names that columns and keys have before the clause alone."""
    found: set[tuple[str, str]] = set()
    for one in clause.alterations:
        match one:
            case DropColumn(name):
                found.add(("column", name.lower()))
            case ChangeColumn(old, column) if old.lower() != column.name.lower():
                found.add(("column", old.lower()))
            case RenameColumn(old, new) if old.lower() != new.lower():
                found.add(("column", old.lower()))
            case DropIndex(name) | DropConstraint(name):
                found.add(("key", name.lower()))
            case RenameIndex(old, new) if old.lower() != new.lower():
                found.add(("key", old.lower()))
    return frozenset(found)


def _taken(clause: AlterClause) -> _Names:
    """Names that columns and keys have behind it alone."""
    found: set[tuple[str, str]] = set()
    for one in clause.alterations:
        match one:
            case AddColumn(column):
                found.add(("column", column.name.lower()))
            case ChangeColumn(old, column) if old.lower() != column.name.lower():
                found.add(("column", column.name.lower()))
            case RenameColumn(old, new) if old.lower() != new.lower():
                found.add(("column", new.lower()))
            case AddIndex(index):
                found.add(("key", "primary" if index.primary else index.name.lower()))
            case RenameIndex(old, new) if old.lower() != new.lower():
                found.add(("key", new.lower()))
    return frozenset(found)


def takes_over_names(ddl: Ddl) -> bool:
    """Whether a column that is there gets a name that the statement takes from another: run again it loses values."""
    given = {name for clause in ddl.clauses for name in _given_up(clause)}
    renamed = [clause for clause in ddl.clauses if not any(isinstance(one, AddColumn) for one in clause.alterations)]
    return any(kind == "column" and (kind, name) in given for one in renamed for kind, name in _taken(one))


def done_of(parts: Sequence[Ddl], before: Table, there: Table) -> int | None:
    """How many of the statements, which start at ``before``, the target ``there`` surely had; None: it does not tell.

    Those behind them may be done, too, but change no name of a column, so that they may be done again.
    """
    names = {name for part in parts for one in part.clauses for name in _given_up(one) | _taken(one)}
    wanted = {name for kind, name in names if kind == "column"}
    found = {column.name.lower() for column in there.columns} & wanted
    states = [{column.name.lower() for column in before.columns} & wanted]
    changes: list[bool] = []
    for part in parts:
        given, taken = ({name for one in part.clauses for name in of(one)} for of in (_given_up, _taken))
        states.append((states[-1] - _columns(given)) | _columns(taken))
        changes.append(bool(_columns(given) | _columns(taken)))
    alike = [number for number, state in enumerate(states) if state == found]
    if not alike or any(changes[alike[0] : alike[-1]]):
        return None
    return alike[0]


def _columns(names: set[tuple[str, str]]) -> set[str]:
    return {name for kind, name in names if kind == "column"}
