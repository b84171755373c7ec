"""`ALTER TABLE t ADD c INT AFTER a, MODIFY c BIGINT`: what other clauses make of a column that the statement adds.

For MariaDB the last ADD, MODIFY or CHANGE is all that defines the new column.  It has the type, the attributes and the
place that are said there; without a place it stands last.  `ALTER c SET DEFAULT`, wherever it stands, says the default
of the new column, and so what rows get; beside a MODIFY, or with IF EXISTS, it does nothing.  Other servers do not know
this, and read one by one the clauses say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pkg.schema.alter import AddColumn, AlterClause, ChangeColumn, SetDefault
from pkg.schema.columns import ColumnSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, Edit

_SET_DEFAULT = re.compile(r"\bSET\s+(DEFAULT\b.*\S)", re.ASCII | re.IGNORECASE | re.DOTALL)
_BEHIND_DEFAULTS = frozenset({"REFERENCES", "CHECK", "CONSTRAINT"})


def added_again(ddl: Ddl) -> list[Edit]:
    """What to change in the statement's text so that each new column is added once, as it comes out."""
    clauses, left_out = ddl.clauses, set[int]()
    edits: list[Edit] = []
    for first, clause in enumerate(clauses):
        match clause.alterations:
            case (AddColumn(column, _, is_conditional),):
                name = small(column.name)
            case _:
                continue
        changes = [number for number in range(first + 1, len(clauses)) if _said_again(clauses[number]) == name]
        defaults = {number: one for number, other in enumerate(clauses) if (one := _default_of(other, name))}
        if changes and not is_conditional:
            left_out |= {first, *changes[:-1], *defaults}
            edits.append(_as_added(clauses[changes[-1]]))
        elif not changes and len(defaults) == 1:
            ((number, one),) = defaults.items()
            if not one.if_exists:
                edits += _with_default(ddl.text, column, clauses[number])
            lacks_default = one.default is None and column.nullable is not False
            if not is_conditional and (one.if_exists or not lacks_default):
                left_out.add(number)
    return [*edits, *_without(clauses, left_out)]


def _said_again(clause: AlterClause) -> str:
    """The column, in lower case, that the clause defines under its own name; "" where it does more."""
    match clause.alterations:
        case (ChangeColumn(old, column, _, False),) if column.type_clause.start:
            return small(column.name) if small(old) == small(column.name) else ""
    return ""


def _default_of(clause: AlterClause, name: str) -> SetDefault | None:
    """The clause's only work, if it gives the column another default, or none."""
    match clause.alterations:
        case (SetDefault() as one,) if small(one.name) == name:
            return one
    return None


def _as_added(change: AlterClause) -> Edit:
    (one,) = change.alterations
    assert isinstance(one, ChangeColumn)
    column = one.column
    return change.clause.start, column.type_clause.start, f"ADD COLUMN {quote_name(column.name)} "


def _with_default(text: str, column: ColumnSpec, altered: AlterClause) -> Iterator[Edit]:
    """The column's definition with what ``altered`` says of its default: nothing, where it drops that."""
    found = _SET_DEFAULT.search(text[altered.clause.start : altered.clause.end])
    said = found[1] if found is not None else ""
    written = [one for one in column.clauses if one.key == "DEFAULT"]
    yield from ((one.start, one.end, said if one is written[-1] else "") for one in written)
    if said and not written:
        behind = next((one.start for one in column.clauses if one.key in _BEHIND_DEFAULTS), 0)
        end = behind or max([column.type_clause.end, *(one.end for one in column.clauses)])
        yield end, end, f"{said} " if behind else f" {said}"


def _without(clauses: Sequence[AlterClause], left_out: set[int]) -> Iterator[Edit]:
    """Each with one comma: the one behind it, or, at the end, the one before."""
    last = len(clauses)
    while last - 1 in left_out:
        last -= 1
    for number in sorted(left_out):
        if number < last:
            yield clauses[number].clause.start, clauses[number + 1].clause.start, ""
        else:
            yield clauses[number - 1].clause.end, clauses[number].clause.end, ""
