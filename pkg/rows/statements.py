"""Statements that apply a segment: multi-row INSERT or REPLACE, UPDATE by CASE, DELETE … IN.

The shapes are those that DESIGN.md §8 measured fastest on TiDB: an update writes only the columns
that changed, and rows that change the same columns share one statement.  Cython's pure Python mode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import cython

from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.conditions import equals, exactly, is_apart, kind_of
from pkg.rows.keys import fold_identity

if cython.compiled:
    from cython.cimports.pkg.rows.compact import NetChange, TableSegment
else:
    from pkg.rows.compact import NetChange, TableSegment

NULL_WOULD_CHANGE = ErrorKind(
    36124,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {table} has NULL in the column {column}, which is NOT NULL in the target, which would "
    "count or put the time there",
    workaround="let the column take NULL downstream (in TiDB without AUTO_INCREMENT), then resume-task",
)

_INSERT, _UPDATE, _DELETE = Kind.INSERT, Kind.UPDATE, Kind.DELETE


@dataclass(frozen=True, slots=True)
class Limits:
    """How large one statement may be: bytes, and rows by shape."""

    statement_bytes: int = 1 << 20
    insert_rows: int = 1000
    compared_rows: int = 200
    update_rows: int = 200
    delete_rows: int = 500
    multiple_rows: bool = True

    def rows(self, wanted: int) -> int:
        return wanted if self.multiple_rows else 1


@dataclass(frozen=True, slots=True)
class Statement:
    """``sql`` and, where the shape tells, how many rows it should find (None: not countable).

    ``may_miss``: fewer rows are no difference.
    """

    sql: bytes
    expected: int | None
    may_miss: bool = False


def statements(segment: TableSegment, limits: Limits) -> Iterator[Statement]:
    """What applies ``segment``: deletes, then updates, then inserts; a keyless table keeps its order."""
    found = _statements(segment, limits)
    clock = segment.table.seconds_ahead
    return found if clock is None else _in_local_time(found, clock())


CLOCK_RIGHT = Statement(b"SET timestamp=DEFAULT", None)


def local_clock(seconds_ahead: int) -> bytes:
    """The statement by which a session in UTC takes that for the present moment; CLOCK_RIGHT ends it."""
    return b"SET timestamp=UNIX_TIMESTAMP(UTC_TIMESTAMP(6))+%d" % seconds_ahead


def _in_local_time(found: Iterator[Statement], seconds_ahead: int) -> Iterator[Statement]:
    yield Statement(local_clock(seconds_ahead), None)
    yield from found
    yield CLOCK_RIGHT


def _statements(segment: TableSegment, limits: Limits) -> Iterator[Statement]:
    table = segment.table
    if table.never_null:
        _check_nulls(table, segment)
    if table.group:
        yield from _tied(segment, limits)
        return
    if table.keyless:
        yield from _keyless(table, segment.ordered, limits, segment.safe)
        return
    deletes: list = []
    updates: list = []
    inserts: list = []
    has_moves: cython.bint = segment.safe and bool(table.own_columns)
    change: NetChange
    for change in segment.changes():
        if change.kind is _DELETE or (change.replaced and not segment.safe) or (has_moves and _moves(table, change)):
            deletes.append(change)
        if change.after is None:
            continue
        if change.kind is _UPDATE and not segment.safe:
            updates.append(change)
        else:
            inserts.append(change.after)
    yield from _deletes(table, deletes, limits, segment.safe)
    yield from _updates(table, updates, limits)
    yield from _inserts(table, inserts, limits, b"REPLACE" if segment.safe else b"INSERT")


def _moves(table: TargetTable, change: NetChange) -> bool:
    """Whether the row gets another key."""
    return change.after is not None and table.take_identity(change.after) != change.key


def _check_nulls(table: TargetTable, segment: TableSegment) -> None:
    for change in segment.changes():
        for ordinal in table.never_null if change.after is not None else ():
            if change.after[ordinal] == b"NULL":
                name = table.columns[ordinal].name
                raise NULL_WOULD_CHANGE.error(table=f"{table.schema}.{table.name}", column=name)


_CHECKS_OFF = Statement(b"SET foreign_key_checks=0", None)
_CHECKS_ON = Statement(b"SET foreign_key_checks=1", None)


def _tied(segment: TableSegment, limits: Limits) -> Iterator[Statement]:
    """One change, or a run of inserts, of a table that foreign keys, which are checked, tie to others."""
    table = segment.table
    changes: list = list(segment.changes())
    first: NetChange = changes[0]
    if segment.safe and not table.keyless:
        found = _tied_safely(table, changes, limits)
    elif first.kind is _INSERT:
        found = _inserts(table, [change.after for change in changes], limits)
    elif table.keyless:
        found = _keyless(table, changes, limits, segment.safe)
    else:
        found = _deletes(table, changes, limits) if first.kind is _DELETE else _updates(table, changes, limits)
    yield from found if table.checks_keys else _unchecked(found)


def _unchecked(found: Iterator[Statement]) -> Iterator[Statement]:
    yield _CHECKS_OFF
    yield from found
    yield _CHECKS_ON


def _tied_safely(table: TargetTable, changes: list, limits: Limits) -> Iterator[Statement]:
    """May be repeated: a REPLACE leaves the children of its row alone, a key that changes takes them along."""
    first: NetChange = changes[0]
    if first.after is None:
        yield from _deletes(table, changes, limits, True)
        return
    replaced = _inserts(table, [change.after for change in changes], limits, b"REPLACE")
    moves = first.before is not None and _is_another(table, table.take_identity(first.after), first.key)
    if not table.checks_keys:
        yield from _deletes(table, [_removal(first.key)] if moves else [], limits, True)
        yield from replaced
        return
    if moves:
        yield from _unchecked(_deletes(table, [_removal(table.take_identity(first.after))], limits, True))
    if first.before is not None:
        yield from [Statement(update.sql, None) for update in _updates(table, changes, limits)]
    yield from _unchecked(replaced)


def _is_another(table: TargetTable, new: RowImage, old: RowImage) -> bool:
    """Whether two keys are those of two rows: not where their texts are equal by the column's collation."""
    return fold_identity(table, new) != fold_identity(table, old)


def _removal(key: RowImage) -> NetChange:
    return NetChange(_DELETE, key, None, None, False, 0)


def _cut(pieces: Iterable[bytes], rows: cython.Py_ssize_t, size: cython.Py_ssize_t) -> Iterator[list[bytes]]:
    """Runs of at most ``rows`` pieces and about ``size`` bytes; a larger piece stands alone."""
    run: list = []
    length: cython.Py_ssize_t = 0
    piece: bytes
    for piece in pieces:
        if run and (len(run) >= rows or length + len(piece) > size):
            yield run
            run, length = [], 0
        run.append(piece)
        length += len(piece) + 1
    if run:
        yield run


def _inserts(
    table: TargetTable, images: list[RowImage], limits: Limits, verb: bytes = b"INSERT"
) -> Iterator[Statement]:
    if not images:
        return
    names = b",".join([table.names[i] for i in table.written])
    head = verb + b" INTO " + table.qualified + b" (" + names + b") VALUES ("
    for run in _cut(_values(table, images), limits.rows(limits.insert_rows), limits.statement_bytes):
        yield Statement(head + b"),(".join(run) + b")", len(run) if verb == b"INSERT" else None)


@cython.cfunc
def _values(table: TargetTable, images: list) -> list:
    """The rows as `VALUES` names them, without parentheses."""
    take = table.take_written
    if take is None:
        return [b",".join(image) for image in images]
    return [b",".join(take(image)) for image in images]


def _keys(table: TargetTable, changes: list) -> list:
    """The changes' keys, written as they are compared with columns."""
    write = table.write_key
    change: NetChange
    keys: list = []
    for change in changes:
        keys.append(change.key if write is None else write(change.key))
    return keys


@cython.ccall
def key_value(table: TargetTable, key: tuple) -> bytes:
    """One row's part of a condition, as `key_in` takes it."""
    if len(key) == 1:
        value: bytes = key[0]
        return value
    return b"(" + (_key_equals(table, key) if table.compares_apart else b",".join(key)) + b")"


def _key_equals(table: TargetTable, key: RowImage) -> bytes:
    """``key`` is as `_keys` writes it."""
    ordinals = table.identity
    if not table.has_own_forms:
        names = table.names
        return b" AND ".join([names[i] + b"=" + value for i, value in zip(ordinals, key, strict=True)])
    return b" AND ".join(
        [equals(table.columns[i], table.names[i], value) for i, value in zip(ordinals, key, strict=True)]
    )


def key_in(table: TargetTable, keys: list[bytes]) -> bytes:
    """What is true of the rows with these keys, each as ``key_value`` writes it."""
    if table.compares_apart:
        return b" OR ".join(keys)
    names = b",".join(table.names[i] for i in table.identity)
    if len(table.identity) > 1:
        names = b"(" + names + b")"
    elif _stands_apart(table, keys):
        return b" OR ".join([_key_equals(table, (key,)) for key in keys])
    if len(keys) == 1:
        return names + b"=" + keys[0]
    return names + b" IN (" + b",".join(keys) + b")"


def _stands_apart(table: TargetTable, keys: list[bytes]) -> bool:
    """Whether a key of one column has values that are compared by themselves: no text, or the largest FLOAT(M,D)."""
    return table.has_own_forms and any(map(is_apart, keys))


def _deletes(table: TargetTable, changes: list[NetChange], limits: Limits, safe: bool = False) -> Iterator[Statement]:
    expected: dict = {}
    write = table.write_key
    change: NetChange
    for change in changes:
        expected[key_value(table, change.key if write is None else write(change.key))] = change.expected
    # Those that the segment itself inserted stand apart: whoever finds one has met a row of somebody else.
    there = [key for key, count in expected.items() if count or safe]
    gone = [key for key, count in expected.items() if not (count or safe)]
    for keys in (there, gone):
        for run in _cut(keys, limits.rows(limits.delete_rows), limits.statement_bytes):
            sql = b"DELETE FROM " + table.qualified + b" WHERE " + key_in(table, run)
            count = None if safe else sum([expected[key] for key in run])
            # Of tables that checked foreign keys tie, the target may have deleted the row when it deleted the parent.
            yield Statement(sql, count, table.may_miss or bool(table.group))


@cython.cfunc
def _changed(written: tuple, set_by_updates: tuple, before: tuple, after: tuple) -> tuple:
    """The ordinals of the columns that an update has to name: what it changes, and what the target would set itself."""
    changed = tuple([i for i in written if before[i] != after[i]])
    if changed and set_by_updates:
        return tuple([i for i in written if before[i] != after[i] or i in set_by_updates])
    return changed


def _updates(table: TargetTable, changes: list[NetChange], limits: Limits) -> Iterator[Statement]:
    groups: dict[tuple[int, ...], list[NetChange]] = {}
    written, set_by_updates = table.written, table.set_by_updates
    change: NetChange
    for change in changes:
        assert change.before is not None
        assert change.after is not None
        changed = _changed(written, set_by_updates, change.before, change.after)
        if changed:
            groups.setdefault(changed, []).append(change)
    for changed, group in groups.items():
        # Columns are set one after the other: behind a key that changes, no other row's is found by its old key.
        most = 1 if not set(table.identity).isdisjoint(changed) else limits.rows(limits.update_rows)
        for alike in _by_kinds(table, changed, group):
            for start in range(0, len(alike), most):
                run = alike[start : start + most]
                yield from _update_runs(table, changed, run, limits.statement_bytes)


def _by_kinds(table: TargetTable, changed: tuple[int, ...], group: list[NetChange]) -> Iterable[list[NetChange]]:
    """``group`` in parts that may share a statement: literals of several kinds in one CASE become one kind."""
    several = [i for i in changed if i in table.several_kinds]
    if not several:
        return (group,)
    parts: dict[tuple[bytes, ...], list[NetChange]] = {}
    for change in group:
        assert change.after is not None
        parts.setdefault(tuple([kind_of(change.after[i]) for i in several]), []).append(change)
    return parts.values()


def _update_runs(
    table: TargetTable, changed: tuple[int, ...], run: list[NetChange], statement_bytes: int
) -> Iterator[Statement]:
    sql = _update(table, changed, run)
    if len(sql) <= statement_bytes or len(run) == 1:
        yield Statement(sql, len(run), table.may_miss)
        return
    middle = len(run) // 2
    yield from _update_runs(table, changed, run[:middle], statement_bytes)
    yield from _update_runs(table, changed, run[middle:], statement_bytes)


def _update(table: TargetTable, changed: tuple[int, ...], run: list[NetChange]) -> bytes:
    keys = _keys(table, run)
    sets = [table.names[i] + b"=" + _new_value(table, i, run, keys) for i in changed]
    where = key_in(table, [key_value(table, key) for key in keys])
    return b"UPDATE " + table.qualified + b" SET " + b",".join(sets) + b" WHERE " + where


def _new_value(table: TargetTable, ordinal: int, run: list[NetChange], keys: list[RowImage]) -> bytes:
    values = [change.after[ordinal] for change in run if change.after is not None]
    if values.count(values[0]) == len(values):
        return values[0]
    if len(table.identity) == 1 and not _stands_apart(table, [key[0] for key in keys]):
        whens = [b" WHEN " + key[0] + b" THEN " + value for key, value in zip(keys, values, strict=True)]
        return b"CASE " + table.names[table.identity[0]] + b"".join(whens) + b" END"
    whens = [b" WHEN " + _key_equals(table, key) + b" THEN " + value for key, value in zip(keys, values, strict=True)]
    return b"CASE" + b"".join(whens) + b" END"


def _keyless(table: TargetTable, changes: list[NetChange], limits: Limits, safe: bool = False) -> Iterator[Statement]:
    """The changes in their order; equal rows that go, or change, one after the other are found by one statement."""
    most = limits.rows(limits.delete_rows)
    for shape, run in groupby(changes, _shape):
        alike = list(run)
        if shape is _INSERT:
            yield from _inserts(table, [change.after for change in alike if change.after is not None], limits)
        elif shape is _DELETE:
            for before, count in Counter([change.before for change in alike]).items():
                yield from _found_by_values(table, b"DELETE FROM " + table.qualified, before, count, most, safe)
        else:
            before, after = alike[0].before, alike[0].after
            assert before is not None
            assert after is not None
            changed = _changed(table.written, table.set_by_updates, before, after)
            sets = b",".join([table.names[i] + b"=" + after[i] for i in changed])
            if sets:
                head = b"UPDATE " + table.qualified + b" SET " + sets
                yield from _found_by_values(table, head, before, len(alike), most, safe)


def _shape(change: NetChange) -> object:
    """What changes of a table without a key share that may be applied together."""
    if change.before is None:
        return _INSERT
    return _DELETE if change.after is None else (change.before, change.after)


def _found_by_values(
    table: TargetTable, head: bytes, image: RowImage | None, count: int, most: int, safe: bool
) -> Iterator[Statement]:
    """What changes so many of the rows that equal ``image``."""
    assert image is not None
    where = b" WHERE " + whole_row(table, image) + b" LIMIT "
    for start in range(0, count, most):
        rows = min(most, count - start)
        yield Statement(head + where + b"%d" % rows, None if safe else rows, table.may_miss)


def row_condition(table: TargetTable, image: RowImage) -> bytes:
    """What is true of the row ``image``: by its key, or by all its values where the table has none."""
    if table.keyless:
        return whole_row(table, image)
    return key_condition(table, table.take_identity(image))


def key_condition(table: TargetTable, key: RowImage) -> bytes:
    """What is true of the row with this identity."""
    return _key_equals(table, key if table.write_key is None else table.write_key(key))


def whole_row(table: TargetTable, image: RowImage) -> bytes:
    """All values but those of generated columns, which follow from the others and take long to compute for each row."""
    conditions = [
        exactly(column, name, value)
        for column, name, value in zip(table.columns, table.names, image, strict=True)
        if not column.generated
    ]
    return b" AND ".join(conditions) or b"TRUE"
