"""The order in which the clauses of an ALTER TABLE run one by one, for a target that takes none that build on others.

Upstream, all of them see the table before the statement, and the names behind it:

1. Foreign keys go first, then keys and checks, so that no column is changed under them; keys come behind all columns,
   and foreign keys behind keys, so that no other key is made for them (the stages of clause_steps.py).
2. What gives up a name (`DROP a`, `RENAME COLUMN a TO b`) runs before what takes it (`CHANGE c a …`, `ADD … AFTER a`).
3. A generated column goes before the columns that it is calculated from are changed; a column whose expression fills
   rows, or is calculated, comes when the columns that it reads are what they are to be.
4. What places columns keeps its order, from which their order in the table follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pkg.schema.alter import AddColumn, ChangeColumn, DropColumn, RenameColumn
from pkg.schema.clause_steps import DROPS_LAST, Step, given_up, taken
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl
from pkg.schema.table import Table


class _Circle(Exception):
    """Steps that each have to run before the next."""


def in_order(steps: Sequence[Step], *, drops_last: bool = False) -> list[Step] | None:
    """The steps as they can run one after the other; None where they cannot.

    ``drops_last``: columns are dropped behind all others, since no column of before is left.
    """
    if drops_last:
        steps = [replace(step, stage=DROPS_LAST) if _drops_column(step) else step for step in steps]
    found: list[int] = []
    begun: set[int] = set()

    def visit(number: int) -> None:
        if number in found:
            return
        if number in begun:
            raise _Circle
        begun.add(number)
        for other in by_stage:
            if _goes_before(steps, other, number):
                visit(other)
        found.append(number)

    by_stage = sorted(range(len(steps)), key=lambda number: steps[number].stage)
    try:
        for number in by_stage:
            visit(number)
    except _Circle:
        return None
    return [steps[number] for number in found]


def _drops_column(step: Step) -> bool:
    return any(kind == "column" for kind, _ in step.given) and not step.taken


def _goes_before(steps: Sequence[Step], number: int, other: int) -> bool:
    first, second = steps[number], steps[other]
    if number == other:
        return False
    if not first.given.isdisjoint(second.taken) or ("column", second.after) in first.taken:
        return True
    if not first.defined.isdisjoint(second.read) or (first.converts and second.read):
        return True
    if not first.freed.isdisjoint({*second.defined, *(name for kind, name in second.given if kind == "column")}):
        return True
    return first.placed and second.placed and number < other


def takes_over_names(ddl: Ddl) -> bool:
    """Whether a column that is there gets a name that the statement takes from another: run again it loses values."""
    given = given_up(ddl.alterations)
    renamed = [one for one in ddl.alterations if not isinstance(one, AddColumn)]
    return any(kind == "column" and (kind, name) in given for kind, name in taken(renamed))


def moves_columns(ddl: Ddl) -> bool:
    """Whether a column may come to stand elsewhere; where none does, exchanged names show in their order."""
    return any(one.place if isinstance(one, ChangeColumn) else isinstance(one, AddColumn) for one in ddl.alterations)


def done_of(parts: Sequence[Ddl], before: Table, there: Table) -> int | None:
    """How many of the statements, which start at ``before``, the target ``there`` surely had; None: it does not tell.

    Those behind them may be done, too, but change no name of a column, so that they may be done again.
    """
    names = {name for part in parts for name in given_up(part.alterations) | taken(part.alterations)}
    wanted = {name for kind, name in names if kind == "column"}
    state, found = (
        [small(column.name) for column in one.columns if small(column.name) in wanted] for one in (before, there)
    )
    states, changes = [state], [False]
    for part in parts:
        states.append(_behind(part, states[-1]))
        changes.append(any(kind == "column" for kind, _ in given_up(part.alterations) | taken(part.alterations)))
    if any(map(moves_columns, parts)):
        states, found = [sorted(one) for one in states], sorted(found)  # columns move, so their order says nothing
    alike = [number for number, state in enumerate(states) if state == found]
    if not alike or any(changes[alike[0] + 1 : alike[-1] + 1]):
        return None
    return alike[0]


def _behind(part: Ddl, names: Sequence[str]) -> list[str]:
    """The columns of these names behind the statement, in their order; those that are added come last."""
    new_names = {name: name for name in names}
    for one in part.alterations:
        match one:
            case DropColumn(name):
                new_names.pop(small(name), None)
            case ChangeColumn(old, column) if small(old) in new_names:
                new_names[small(old)] = small(column.name)
            case RenameColumn(old, new) if small(old) in new_names:
                new_names[small(old)] = small(new)
    added = [small(one.column.name) for one in part.alterations if isinstance(one, AddColumn)]
    return [*new_names.values(), *added]
