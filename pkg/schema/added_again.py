"""`ALTER TABLE t ADD c INT AFTER a, MODIFY c BIGINT`: for MariaDB the last clause is all that defines the new column.

It has the type, the attributes and the place that are said there; without a place it stands last.  Other servers do not
know this, and read one by one the clauses say something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import AddColumn, AlterClause, ChangeColumn
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, Edit


def added_again(ddl: Ddl) -> list[Edit]:
    """What to change in the statement's text so that each new column is added once, as it comes out."""
    return list(_edits(ddl.clauses))


def _edits(clauses: tuple[AlterClause, ...]) -> Iterator[Edit]:
    for first, one in enumerate(clauses):
        changes = [number for number in range(first + 1, len(clauses)) if _said_again(clauses[number]) == _added(one)]
        if not changes or not _added(one):
            continue
        *before, last = first, *changes
        for number in before:  # with the comma behind it
            yield clauses[number].clause.start, clauses[number + 1].clause.start, ""
        (change,) = clauses[last].alterations
        assert isinstance(change, ChangeColumn)
        column = change.column
        yield clauses[last].clause.start, column.type_clause.start, f"ADD COLUMN {quote_name(column.name)} "


def _said_again(clause: AlterClause) -> str:
    """The column, in lower case, that the clause defines under its own name; "" where it does more."""
    match clause.alterations:
        case (ChangeColumn(old, column, _, False),) if column.type_clause.start:
            return column.name.lower() if old.lower() == column.name.lower() else ""
    return ""


def _added(clause: AlterClause) -> str:
    """The column that the clause adds, in lower case; "" where it does more, or may do nothing."""
    match clause.alterations:
        case (AddColumn(column, _, False),):
            return column.name.lower()
    return ""
