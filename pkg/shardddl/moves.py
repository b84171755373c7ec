"""Rows that go from one table to another of a merge while one of the two waits for a DDL.  No I/O.

What waits is applied late: behind changes that came after it in the stream.  A late change that gives up a
unique value (a primary key, say), which a row of another table has taken since, must not be applied any more:
it would change that row.  Neither must the earlier late changes of its own row, up to there.

Values are compared as the target holds them.  Where a DDL gives a key's column another type, that is as the column
is once all DDLs that wait have run (pkg/rows/converted.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import RowImage, TargetTable
from pkg.rows.converted import Conversion, conversion, is_unlike
from pkg.rows.job import Job
from pkg.rows.keys import NULL
from pkg.schema.statement import TableName
from pkg.schema.table import Column, Index
from pkg.shardddl.group import Group

NOT_COMPARED = ErrorKind(
    36239,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "whether a row of {table}, which waits with its rows for a DDL, has gone to {other}, which has not waited, cannot "
    "be known: the DDL gives {columns} another type, and what becomes of a value by it is not known here "
    "({given}; {taken} at {place})",
    workaround="`dmctl stop-task`, and start the task anew with --remove-meta and an empty target table; alter such "
    "key columns of tables that are merged while no rows of them are deleted in one and inserted in another",
)

At = tuple[Position, int]
"""Where a change is in the stream: the end of its event, and its number there."""
Taker = tuple[Position, RowImage]
"""A change: the end of its event, and its row's identity."""
Value = bytes
"""The columns of a unique key of the target, and a row's values of them, as the target's types have them."""
Altered = Mapping[str, Column]
"""Columns to which the DDLs that wait give another type, by name in lower case, as they leave them."""
Conversions = Sequence[Conversion | None]
"""By ordinal of a row image: to what a DDL makes of the column; None: to what the target has.  () where all are."""
_KNOWN, _UNKNOWN = b"\0=", b"\0?"  # between a key and its value; no name has a \0


def altered_columns(group: Group) -> Altered:
    found: dict[str, Column] = {}
    for queue in sorted(group.all_queues, key=len):
        met = [held for held in queue if not held.is_end]
        before, after = met[0].before, met[-1].after
        for new in after.columns if before is not None and after is not None else ():
            old = before.column(new.name) if before is not None else None
            if old is not None and is_unlike(old, new):
                found[new.name.lower()] = new
    return found


def added_keys(group: Group) -> tuple[Index, ...]:
    """Unique keys that the first DDL that waits adds: by them, too, rows run into each other behind it."""
    head = group.head
    if head is None or head.before is None or head.after is None:
        return ()
    known = {(index.columns, index.prefixes) for index in head.before.indexes if index.unique}
    return tuple(one for one in head.after.indexes if one.unique and (one.columns, one.prefixes) not in known)


def conversions(altered: Altered, columns: Sequence[Column], target: TargetTable) -> Conversions:
    """For rows of a table with these ``columns``."""
    keys = {*target.identity, *(ordinal for plan in target.unique_keys for ordinal in plan.ordinals)}
    found: list[Conversion | None] = [None] * len(target.names)
    for place, above in enumerate(columns[: len(found)]):
        below = altered.get(above.name.lower())
        if place in keys and below is not None:
            found[place] = conversion(above, below)
    return found if any(found) else ()


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


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A change of a key that is altered."""

    table: TableName
    phase: int
    value: Value
    bucket: Value
    place: Position

    @property
    def is_unknown(self) -> bool:
        return _is_unknown(self.value)


class TooMany(Exception):
    """There are more values than may be remembered at once."""


class MoveFinder:
    """Is told the changes of all tables of one target, in the stream's order; ``found`` are the moves.

    Changes of a phase are applied before those of the next one.  Phase 0 are those that do not wait.
    It sees every ``parts``-th value, beginning with the number ``part``.

    A value may be taken before it is given up: by any change where ``forced``, else by the one that is ``asked`` about.
    """

    def __init__(
        self,
        most: int,
        part: int = 0,
        parts: int = 1,
        *,
        forced: bool = False,
        asked: Taker | None = None,
        altered: Altered = MappingProxyType({}),
        keys: Sequence[Index] = (),
    ) -> None:
        """``keys``: see added_keys; the target is looked at as if it had them."""
        self.found: list[Move] = []
        self.altered = altered
        self.keys = keys
        self._most, self._part, self._parts = most, part, parts
        self._forced, self._asked = forced, asked
        self._came: dict[Value, int] = {}  # late, and in which phase
        self._given_up: dict[Value, _Row] = {}  # late
        self._taken: dict[Value, tuple[Taker, int]] = {}  # and by what, and in which phase
        self._late: dict[Value, list[_Doubt]] = {}  # by bucket, of keys that are altered: given up late
        self._early: dict[Value, list[_Doubt]] = {}  # taken

    def see(self, table: TableName, phase: int, job: Job, number: int, written: Conversions = ()) -> None:
        """One change, with its number in its event.  Raises TooMany and NOT_COMPARED."""
        before, after = dict(_values(job, job.before, written)), dict(_values(job, job.after, written))
        taken, given_up = after.keys() - before.keys(), before.keys() - after.keys()
        by = taker(job)
        at = (by[0], number)
        if written:
            self._doubt([_Doubt(table, phase, value, after[value], by[0]) for value in taken], is_taken=True)
        for value in taken:
            if self._is_mine(value):
                self._take(value, phase, by)
        if written and phase:
            self._doubt([_Doubt(table, phase, value, before[value], by[0]) for value in given_up], is_taken=False)
        for value in given_up:
            if self._is_mine(value):
                self._give_up(value, table, phase, job, at)
        doubts = len(self._late) + len(self._early)
        if len(self._came) + len(self._given_up) + len(self._taken) + doubts > self._most:
            raise TooMany

    def _doubt(self, changes: Sequence[_Doubt], *, is_taken: bool) -> None:
        """Remember what is given up late, and what is taken, of keys that are altered.  Raises NOT_COMPARED."""
        for one in changes:
            if not self._is_mine(one.bucket):
                continue
            for other in (self._late if is_taken else self._early).get(one.bucket, ()):
                late, early = (other, one) if is_taken else (one, other)
                if late.phase > early.phase and (late.is_unknown or early.is_unknown):
                    raise _not_compared(late, early)
            if not is_taken:
                self._add(self._late, one)
            elif self._forced:
                self._add(self._early, one)

    @staticmethod
    def _add(known: dict[Value, list[_Doubt]], one: _Doubt) -> None:
        """One of each phase is enough, of those that are known and of those that are not."""
        kept = known.setdefault(one.bucket, [])
        if all((other.phase, other.is_unknown) != (one.phase, one.is_unknown) for other in kept):
            kept.append(one)

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
            of_key = _key_of(value) == b",".join(columns)
            row = _Row(table, job.key, columns, phase, at, came, of_key)
            if taken is not None and taken[1] < phase:  # it was taken before it was free
                self._found(row, *taken)
            else:
                self._given_up[value] = row

    def _found(self, row: _Row, by: Taker, phase: int) -> None:
        was_there = row.came <= phase
        self.found.append(Move(row.table, row.columns, row.key, row.at, by, was_there, row.of_key))


def _values(job: Job, image: RowImage | None, written: Conversions) -> Iterator[tuple[Value, Value]]:
    """Each with its bucket where it is converted: what is the same of all values that it may be equal to."""
    table = job.table
    if image is None or table.keyless:
        return
    names = table.names
    keys = ((plan.ordinals, plan.folds) for plan in table.unique_keys)
    for ordinals, folds in ((table.identity, table.identity_folds), *keys):
        values, mark = [image[ordinal] for ordinal in ordinals], _KNOWN
        if NULL in values:
            continue
        # Collations aside: a value that is taken for another one would void a change.
        held: list[bytes | None] = [
            one if folding is None else folding.exact(one) for one, folding in zip(values, folds, strict=True)
        ]
        if written:
            pairs = zip(ordinals, values, held, strict=True)
            held = [one if (to := written[ordinal]) is None else to(value) for ordinal, value, one in pairs]
        known = [one for one in held if one is not None]
        if len(known) < len(held):
            known, mark = values, _UNKNOWN
        key, bucket = b",".join([names[ordinal] for ordinal in ordinals]), b""
        if written:
            same = zip(ordinals, held, strict=True)
            bucket = b",".join([key, *(one for ordinal, one in same if one is not None and written[ordinal] is None)])
        yield key + mark + b",".join(known), bucket


def _key_of(value: Value) -> bytes:
    return value.partition(_KNOWN[:1])[0]


def _is_unknown(value: Value) -> bool:
    return value.partition(_KNOWN[:1])[2].startswith(_UNKNOWN[1:])


def _not_compared(late: _Doubt, early: _Doubt) -> Exception:
    def text(one: _Doubt) -> str:
        return one.value.partition(_KNOWN[:1])[2][1:].decode("utf-8", "replace")

    return NOT_COMPARED.error(
        table=f"{late.table.schema}.{late.table.table}",
        other=f"{early.table.schema}.{early.table.table}",
        columns=_key_of(late.value).decode(),
        given=f"{text(late)} is given up at {late.place}",
        taken=f"{text(early)} is taken",
        place=early.place,
    )
