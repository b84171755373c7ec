"""Rows that go from one table to another of a merge while one of the two waits for a DDL.  No I/O.

What waits is applied late: behind changes that came after it in the stream.  A late change that gives up a
unique value (a primary key, say), which a row of another table has taken since, must not be applied any more:
it would change that row.  Neither must the earlier late changes of its own row, up to there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pkg.binlog.position import Position
from pkg.rows.change import RowImage
from pkg.rows.job import Job
from pkg.rows.keys import NULL
from pkg.schema.statement import TableName

At = tuple[Position, int]
"""Where a change is in the stream: the end of its event, and its number there."""
Taker = tuple[Position, RowImage]
"""A change: the end of its event, and its row's identity."""
Value = bytes
"""The columns of a unique key of the target, and a row's literals of them, as the target's types have them."""


def taker(job: Job) -> Taker:
    return Position(job.origin.file_name, job.event_end), job.key


@dataclass(frozen=True, slots=True)
class Move:
    """A row of ``table`` gives up a unique value that another table's row takes."""

    table: TableName
    columns: tuple[bytes, ...]  # the target's identity, quoted
    key: RowImage  # of the row that gives up
    until: At  # it does so here; its changes up to here are void
    taken: Taker  # the change that takes the value
    was_there: bool  # whether the row is in the target then, unless another one has taken its place
    of_key: bool  # whether the value is the identity, so that another row has it


@dataclass(slots=True)
class _Row:
    table: TableName
    key: RowImage
    columns: tuple[bytes, ...]
    phase: int
    at: At
    came: int  # the phase in which it got the value; 0: it was there before
    of_key: bool


class TooMany(Exception):
    """There are more values than may be remembered at once."""


class MoveFinder:
    """Is told the changes of all tables of one target, in the stream's order; ``found`` are the moves.

    Changes of a phase are applied before those of the next one.  Phase 0 are those that do not wait.
    It sees every ``parts``-th value, beginning with the number ``part``.

    A value may be taken before it is given up: by any change where ``forced``, else by the one that is ``asked`` about.
    """

    def __init__(
        self, most: int, part: int = 0, parts: int = 1, *, forced: bool = False, asked: Taker | None = None
    ) -> None:
        self.found: list[Move] = []
        self._most, self._part, self._parts = most, part, parts
        self._forced, self._asked = forced, asked
        self._came: dict[Value, int] = {}  # late, and in which phase
        self._given_up: dict[Value, _Row] = {}  # late
        self._taken: dict[Value, tuple[Taker, int]] = {}  # and by what, and in which phase

    def see(self, table: TableName, phase: int, job: Job, number: int) -> None:
        """One change, with its number in its event.  Raises TooMany."""
        before, after = set(_values(job, job.before)), set(_values(job, job.after))
        by = taker(job)
        at = (by[0], number)
        for value in after - before:
            if self._is_mine(value):
                self._take(value, phase, by)
        for value in before - after:
            if self._is_mine(value):
                self._give_up(value, table, phase, job, at)
        if len(self._came) + len(self._given_up) + len(self._taken) > self._most:
            raise TooMany

    def _is_mine(self, value: Value) -> bool:
        return self._parts == 1 or hash(value) % self._parts == self._part

    def _take(self, value: Value, phase: int, by: Taker) -> None:
        row = self._given_up.pop(value, None)
        if row is not None and row.phase > phase:
            self._found(row, by, phase)
        if phase:
            self._came[value] = phase
        if self._forced or by == self._asked:
            self._taken[value] = (by, phase)

    def _give_up(self, value: Value, table: TableName, phase: int, job: Job, at: At) -> None:
        taken = self._taken.get(value)
        if taken is not None and taken[1] == phase:
            del self._taken[value]
        came = self._came.pop(value, 0)
        if phase:
            table_of = job.table
            columns = tuple(table_of.names[ordinal] for ordinal in table_of.identity)
            of_key = value == next(_values(job, job.before))
            row = _Row(table, job.key, columns, phase, at, came, of_key)
            if taken is not None and taken[1] < phase:  # it was taken before it was free
                self._found(row, *taken)
            else:
                self._given_up[value] = row

    def _found(self, row: _Row, by: Taker, phase: int) -> None:
        was_there = row.came <= phase
        self.found.append(Move(row.table, row.columns, row.key, row.at, by, was_there, row.of_key))


def _values(job: Job, image: RowImage | None) -> Iterator[Value]:
    table = job.table
    if image is None or table.keyless:
        return
    names = table.names
    keys = ((plan.ordinals, plan.folds) for plan in table.unique_keys)
    for ordinals, folds in ((table.identity, table.identity_folds), *keys):
        values = [image[ordinal] for ordinal in ordinals]
        if NULL not in values:  # collations aside: a value that is taken for another one would void a change
            held = [v if folding is None else folding.exact(v) for v, folding in zip(values, folds, strict=True)]
            yield b",".join([*(names[ordinal] for ordinal in ordinals), *held])
