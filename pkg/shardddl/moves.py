"""Rows that go from one table to another of a merge while one of the two waits for a DDL.  No I/O.

What waits is applied late: behind changes that came after it in the stream.  A late row that gives up a unique value
(a primary key, say), which a row of another table has taken since, must not be in the target from where it got the
value up to where it gives it up: its changes there are void.  A row that gets another key is another row.

Values are compared as the target holds them.  Where a DDL gives a key's column another type, that is as the column
is once all DDLs that wait have run (pkg/rows/converted.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pkg.binlog.position import Position
from pkg.binlog.rare_values import quote_text
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import RowImage, TargetTable
from pkg.rows.converted import Conversion, conversion, is_unlike
from pkg.rows.held_values import unescaped
from pkg.rows.job import Job
from pkg.rows.keys import NULL
from pkg.schema.letter_case import small
from pkg.schema.statement import TableName
from pkg.schema.table import Column, Index
from pkg.shardddl.absences import BEGINNING, At
from pkg.shardddl.group import Group, Member

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

KEYLESS_MOVE = ErrorKind(
    36310,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {table}, which waits with its rows for a DDL, gives the value {value} up at {given}, and {other}, which "
    "has not waited, takes it at {taken}: the merged table has no key of NOT NULL columns that tells these rows apart",
    workaround="`dmctl stop-task`, give the merged tables a primary key or a unique key of NOT NULL columns, and start "
    "the task anew with --remove-meta and an empty target table; or alter such tables while no rows are deleted in one "
    "of them and inserted in another",
)

Taker = tuple[Position, RowImage]
"""A change: the end of its event, and its row's identity."""
Value = bytes
"""The columns of a unique key of the target, and a row's values of them, as the target's types have them."""
Altered = Mapping[str, Column]
"""Columns to which the DDLs that wait give another type, by name in lower case, as they leave them."""
Conversions = Sequence[Conversion | None]
"""By ordinal of a row image: to what a DDL makes of the column; None: to what the target has.  () where all are."""
_MOST_COMPARED = 16  # of a value's stays, so that many of them take no long time
_KNOWN, _UNKNOWN = b"\0=", b"\0?"  # between a key and its value; no name has a \0


def altered_columns(group: Group) -> Altered:
    found: dict[str, Column] = {}
    for queue in sorted(group.all_queues, key=len):
        met = [held for held in queue if not held.is_end]
        before, after = met[0].before, met[-1].after
        for new in after.columns if before is not None and after is not None else ():
            old = before.column(new.name) if before is not None else None
            if old is not None and is_unlike(old, new):
                found[small(new.name)] = new
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
        below = altered.get(small(above.name))
        if place in keys and below is not None:
            found[place] = conversion(above, below)
    return found if any(found) else ()


def taker(job: Job) -> Taker:
    return Position(job.origin.file_name, job.event_end), job.key


@dataclass(frozen=True, slots=True)
class Move:
    """A row of ``table`` has and gives up a unique value that another table's row takes."""

    table: TableName
    columns: tuple[bytes, ...]  # the target's identity, quoted
    key: RowImage  # of the row that gives up
    until: At  # it does so here; its changes up to here are void
    taken: Taker  # the change that takes the value
    was_there: bool  # whether the row is in the target then, unless another one has taken its place
    of_key: bool  # whether the value is the identity, so that another row has it
    since: At = BEGINNING  # behind this change, which is void, too; all before it count


@dataclass(slots=True)
class _Stay:
    """A late row has a value, and gives it up."""

    table: Member
    name: TableName
    key: RowImage
    columns: tuple[bytes, ...]
    came: int  # the phase in which it got the value; 0: it was there before
    since: At
    phase: int  # changes of earlier phases find the row there
    until: At
    of_key: bool
    is_found: bool = False  # by a change of the phase ``phase``, which may be void itself


class _Taking(NamedTuple):
    """A row of ``table`` takes a value."""

    by: Taker
    phase: int
    table: Member


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A change of a key that is altered."""

    table: Member
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

    A value may be taken before it is given up: by any change where ``forced``, else by those that are ``asked`` about.
    """

    def __init__(
        self,
        most: int,
        part: int = 0,
        parts: int = 1,
        *,
        forced: bool = False,
        asked: Collection[Taker] = (),
        altered: Altered = MappingProxyType({}),
        keys: Sequence[Index] = (),
    ) -> None:
        """``keys``: see added_keys; the target is looked at as if it had them."""
        self.found: list[Move] = []
        self.altered = altered
        self.keys = keys
        self._most, self._part, self._parts = most, part, parts
        self._forced, self._asked = forced, frozenset(asked)
        self._has: dict[Value, list[tuple[Member, int, At]]] = {}  # late rows; in which phase and where they got it
        self._stays: dict[Value, list[_Stay]] = {}  # in order
        self._stay_count = 0
        self._behind: dict[Member, dict[int, At]] = {}  # by phase, all changes of a table that were seen
        self._names: dict[Member, dict[TableName, At]] = {}  # late ones under each of its names
        self._taken: dict[Value, _Taking] = {}  # by the row that has it now
        self._needed: dict[Value, list[tuple[_Taking, set[Member]]]] = {}  # and the tables that took it since
        self._late: dict[Value, list[_Doubt]] = {}  # by bucket, of keys that are altered: given up late
        self._early: dict[Value, list[_Doubt]] = {}  # taken

    def see(
        self,
        table: Member,
        phase: int,
        job: Job,
        number: int,
        written: Conversions = (),
        name: TableName | None = None,
    ) -> None:
        """One change, with its number in its event.  Raises TooMany and NOT_COMPARED.

        ``name``: the table's then; None: that by which the member is known.
        """
        before, after = dict(_values(job, job.before, written)), dict(_values(job, job.after, written))
        taken, given_up = after.keys() - before.keys(), before.keys() - after.keys()
        by = taker(job)
        at = (by[0], number)
        self._behind.setdefault(table, {})[phase] = (by[0], number + 1)
        name = name or table[0]
        if phase:
            self._names.setdefault(table, {})[name] = (by[0], number + 1)
        if written:
            self._doubt([_Doubt(table, phase, value, after[value], by[0]) for value in taken], is_taken=True)
        for value in filter(self._is_mine, taken):
            self._take(value, _Taking(by, phase, table))
        if written and phase:
            self._doubt([_Doubt(table, phase, value, before[value], by[0]) for value in given_up], is_taken=False)
        for value in filter(self._is_mine, given_up):
            self._leave(value, phase)
        if phase:
            is_other_row = job.after is not None and job.table.take_identity(job.after) != job.key
            for value in filter(self._is_mine, before if is_other_row else given_up):
                self._end(value, table, name, phase, job, at)
            for value in filter(self._is_mine, after if is_other_row else taken):
                self._has.setdefault(value, []).append((table, phase, at))
            if (taken or given_up) and not is_other_row:
                for value in filter(self._is_mine, before.keys() & after.keys()):
                    self._keep(value, table)
        known = (self._has, self._taken, self._needed, self._late, self._early)
        if self._stay_count + sum([len(one) for one in known]) > self._most:
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

    def _take(self, value: Value, taking: _Taking) -> None:
        """A row takes a value; later ones that had it are to be away by then."""
        is_asked = taking.by in self._asked
        needed = self._needed.get(value, [])
        for known, others in needed:
            if taking.phase <= known.phase:
                others.add(taking.table)
        if is_asked or (self._forced and not needed):
            self._needed[value] = [*needed, (taking, set())]
        is_known = value in self._stays or value in self._has
        if not (is_asked or self._forced or is_known or taking.phase):
            return  # nothing late has it that nobody asks about
        taken = self._taken.get(value)
        is_free = taken is None and value not in self._has
        if taken is None or taking.phase <= taken.phase:
            self._taken[value] = taking
        if self._forced or not self._is_had(value, taking.phase):
            self._found(value, taking, is_free=is_free)

    def _leave(self, value: Value, phase: int) -> None:
        """A row gives a value up."""
        taken = self._taken.get(value)
        if taken is not None and taken.phase == phase:
            del self._taken[value]

    def _end(self, value: Value, table: Member, name: TableName, phase: int, job: Job, at: At) -> None:
        """A late row of ``table`` gives a value up, or has it under another key from here on."""
        came, since = self._no_more(value, table)
        stays = self._stays.setdefault(value, [])
        same = (one for one in stays[-_MOST_COMPARED:] if (one.table, one.key, one.phase) == (table, job.key, phase))
        stay = next(same, None)
        if stay is not None:  # what it does between is written where it ends
            stay.until, stay.name = at, name
        else:
            columns = tuple(job.table.names[ordinal] for ordinal in job.table.identity)
            of_key = _key_of(value) == b",".join(columns)
            stays.append(_Stay(table, name, job.key, columns, came, since, phase, at, of_key))
            self._stay_count += 1
        early = self._taken_before(value, table, phase, since)
        if early is not None and (self._forced or not self._is_had(value, early.phase)):
            self._found(value, early)

    def _taken_before(self, value: Value, table: Member, phase: int, since: At) -> _Taking | None:
        """The change of an earlier phase that took a value before a row of ``table`` gave it up."""
        needed = self._needed.get(value, [])
        for one in needed:
            early, others = one
            if early.phase < phase and since[0] <= early.by[0] and table not in (early.table, *others):
                needed.remove(one)
                return early  # even where that row has given it up first
        taken = self._taken.get(value)
        if taken is None or taken.phase >= phase:
            return None
        if taken.table == table:  # by this row, when its table did not wait
            del self._taken[value]
            return None
        return taken

    def _keep(self, value: Value, table: Member) -> None:
        """A late row has a value still, while it changes another: it may be away when a row takes this one."""
        having = self._has.setdefault(value, [])
        if all(one[0] != table for one in having):
            having.append((table, 0, BEGINNING))

    def _no_more(self, value: Value, table: Member) -> tuple[int, At]:
        """Since when, and since which phase, a late row of ``table`` has had a value, which it has no more."""
        having = self._has.get(value, [])
        for one in having:
            if one[0] == table:
                having.remove(one)
                if not having:
                    del self._has[value]
                return one[1], one[2]
        return 0, BEGINNING

    def _is_had(self, value: Value, phase: int) -> bool:
        """Whether it is known that a row which is later than ``phase`` has a value still."""
        return any(max(self._behind[one[0]]) > phase for one in self._has.get(value, ()))

    def _found(self, value: Value, taking: _Taking, *, is_free: bool = False) -> None:
        """Rows that had the value move.  What later rows of its taker's table do comes behind that anyhow.

        Raises KEYLESS_MOVE.
        """
        by, phase, table = taking
        for one in self._stays.get(value, ()):
            if one.table == table or one.phase < phase or (one.phase == phase and not (is_free and one.is_found)):
                continue
            if not one.columns:
                raise _keyless(one, value, taking)
            since = max([one.since, *(at for known, at in self._behind[one.table].items() if known <= phase)])
            self.found += self._moves(one, by, since, was_there=one.came <= phase)
            one.phase, one.is_found = phase, True  # earlier changes find it there still

    def _moves(self, one: _Stay, by: Taker, since: At, *, was_there: bool) -> Iterator[Move]:
        """The move, and what of it is void under former names of the table."""
        yield Move(one.name, one.columns, one.key, one.until, by, was_there, one.of_key, since)
        for name, last in self._names[one.table].items():
            if name != one.name and since < last:
                yield Move(name, one.columns, one.key, min(last, one.until), by, False, one.of_key, since)


def _values(job: Job, image: RowImage | None, written: Conversions) -> Iterator[tuple[Value, Value]]:
    """Each with its bucket where it is converted: what is the same of all values that it may be equal to."""
    table = job.table
    if image is None:
        return
    names, whole = table.names, (None,) * len(table.identity)
    identity = [] if table.keyless else [(table.identity, table.identity_folds, whole)]
    keys = ((plan.ordinals, plan.folds, plan.prefixes) for plan in table.unique_keys)
    for ordinals, folds, prefixes in (*identity, *keys):
        values, mark = [image[ordinal] for ordinal in ordinals], _KNOWN
        if NULL in values:
            continue
        # Collations aside: a value that is taken for another one would void a change.
        held: list[bytes | None] = [
            _seen(one if folding is None else folding.exact(one), prefix)
            for one, folding, prefix in zip(values, folds, prefixes, strict=True)
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


def _seen(literal: bytes, prefix: int | None) -> bytes:
    """What a key sees of a text, of which it may have the first characters only; never less than that."""
    if prefix is None or literal[:1] != b"'":
        return literal
    text = unescaped(literal)
    return quote_text(text[:prefix].encode("utf-8", "surrogatepass")) if len(text) > prefix else literal


def _key_of(value: Value) -> bytes:
    return value.partition(_KNOWN[:1])[0]


def _is_unknown(value: Value) -> bool:
    return value.partition(_KNOWN[:1])[2].startswith(_UNKNOWN[1:])


def _keyless(late: _Stay, value: Value, taking: _Taking) -> Exception:
    columns, _, found = value.partition(_KNOWN[:1])
    return KEYLESS_MOVE.error(
        table=f"{late.name.schema}.{late.name.table}",
        other=f"{taking.table[0].schema}.{taking.table[0].table}",
        value=f"({columns.decode()}) = ({found[1:].decode('utf-8', 'replace')})",
        given=late.until[0],
        taken=taking.by[0],
    )


def _not_compared(late: _Doubt, early: _Doubt) -> Exception:
    def text(one: _Doubt) -> str:
        return one.value.partition(_KNOWN[:1])[2][1:].decode("utf-8", "replace")

    return NOT_COMPARED.error(
        table=f"{late.table[0].schema}.{late.table[0].table}",
        other=f"{early.table[0].schema}.{early.table[0].table}",
        columns=_key_of(late.value).decode(),
        given=f"{text(late)} is given up at {late.place}",
        taken=f"{text(early)} is taken",
        place=early.place,
    )
