"""`ALTER TABLE t ADD c INT AFTER a, MODIFY c BIGINT`: what other clauses make of a column that the statement defines.

For MariaDB the last ADD, MODIFY or CHANGE is all that defines a new column.  It has the type, the attributes and the
place that are said there; without a place it stands last.  `ALTER c SET DEFAULT`, wherever it stands, says the default
of a column that is added, and so what rows get, or of one that MODIFY or CHANGE moves (FIRST, AFTER), by its new name;
of one that they do not move it is refused.  It does nothing where ADD and MODIFY define the column, for a default of
NOW(), for AUTO_INCREMENT, and with IF EXISTS under a name that is new.  Other servers do not know this, and read one by
one the clauses say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pkg.schema.alter import AddColumn, Alteration, AlterClause, ChangeColumn, SetDefault
from pkg.schema.clause_steps import given_up
from pkg.schema.columns import ColumnSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, Edit

_SET_DEFAULT = re.compile(r"\bSET\s+(DEFAULT\b.*\S)", re.ASCII | re.IGNORECASE | re.DOTALL)
_NOW = re.compile(
    r"\(*\s*(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)\s*(?:\(\s*\d*\s*\))?\s*\)*", re.ASCII | re.IGNORECASE
)
_BEHIND_DEFAULTS = frozenset({"REFERENCES", "CHECK", "CONSTRAINT"})


def added_again(ddl: Ddl) -> list[Edit]:
    """What to change in the statement's text so that each column is defined once, as it comes out."""
    clauses, left_out = ddl.clauses, set[int]()
    edits: list[Edit] = []
    added = {small(one.column.name) for one in ddl.alterations if isinstance(one, AddColumn)}
    for first, clause in enumerate(clauses):
        match clause.alterations:
            case (AddColumn(column, _, is_conditional), *others):
                name = small(column.name)
                changes = [number for number in range(first + 1, len(clauses)) if _said_again(clauses[number]) == name]
                if changes and not (others or is_conditional):
                    left_out |= {first, *changes[:-1], *_defaults(clauses, name)}
                    edits.append(_as_added(clauses[changes[-1]]))
                elif not changes:
                    edits += _with_default_said(ddl, first, column, left_out, is_conditional=is_conditional)
            case (ChangeColumn(_, column, place), *_) if place is not None and small(column.name) not in added:
                edits += _with_default_said(ddl, first, column, left_out)
    return [*edits, *_without(clauses, left_out)]


def moved_columns(alterations: Iterable[Alteration]) -> set[str]:
    """Columns that MODIFY or CHANGE moves, by their new names in lower case: MariaDB then takes an ALTER of them."""
    return {small(one.column.name) for one in alterations if isinstance(one, ChangeColumn) and one.place is not None}


def _defaults(clauses: Sequence[AlterClause], name: str) -> dict[int, SetDefault]:
    return {number: one for number, other in enumerate(clauses) if (one := _default_of(other, name))}


def _with_default_said(
    ddl: Ddl, first: int, column: ColumnSpec, left_out: set[int], *, is_conditional: bool = False
) -> Iterator[Edit]:
    """The definition in the clause ``first`` with the default that another clause says, which is then ``left_out``.

    DROP DEFAULT of a column that may be NULL stays, behind it: no definition says that there is none at all.
    """
    defaults = _defaults(ddl.clauses, small(column.name))
    if len(defaults) != 1:
        return
    ((number, one),) = defaults.items()
    is_new = _old_name(ddl.clauses[first]) != small(column.name)
    if (one.if_exists and is_new and small(column.name) not in _names_given_up(ddl)) or _keeps_default(column):
        if not is_conditional:
            left_out.add(number)
        return
    yield from _with_default(ddl.text, column, ddl.clauses[number])
    lacks_default = one.default is None and column.nullable is not False
    if is_conditional or (lacks_default and number > first):
        return
    left_out.add(number)
    if lacks_default:
        end, said = ddl.clauses[first].clause.end, ddl.clauses[number].clause
        yield end, end, f", {ddl.text[said.start : said.end]}"


def _old_name(clause: AlterClause) -> str:
    one = clause.alterations[0]
    return small(one.old) if isinstance(one, ChangeColumn) else ""


def _names_given_up(ddl: Ddl) -> set[str]:
    """Names of columns that are there before the statement and that it takes from them."""
    return {name for kind, name in given_up(ddl.alterations) if kind == "column"}


def _keeps_default(column: ColumnSpec) -> bool:
    """Whether MariaDB passes over another clause about the column's default."""
    is_now = column.default is not None and _NOW.fullmatch(column.default) is not None
    return column.auto_increment or (is_now and column.type.base in ("datetime", "timestamp"))


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
