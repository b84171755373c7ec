"""Statements that apply a segment: multi-row INSERT or REPLACE, UPDATE by CASE, DELETE … IN.

The shapes are those that DESIGN.md §8 measured fastest on TiDB: an update writes only the columns
that changed, and rows that change the same columns share one statement.  Cython's pure Python mode.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cython

from pkg.binlog.vector import vector_condition
from pkg.rows.change import Kind, RowImage, TargetTable

if cython.compiled:
    from cython.cimports.pkg.rows.compact import NetChange, TableSegment
else:
    from pkg.rows.compact import NetChange, TableSegment

_INSERT, _UPDATE, _DELETE = Kind.INSERT, Kind.UPDATE, Kind.DELETE
_TEXT_TYPES = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How large one statement may be: bytes, and rows by shape."""

    statement_bytes: int = 1 << 20
    insert_rows: int = 1000
    update_rows: int = 200
    delete_rows: int = 500
    multiple_rows: bool = True

    def rows(self, wanted: int) -> int:
        return wanted if self.multiple_rows else 1


@dataclass(frozen=True, slots=True)
class Statement:
    """``sql`` and, where the shape tells, how many rows it should find (None: not countable)."""

    sql: bytes
    expected: int | None


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
    if table.group:
        yield from _tied(segment, limits)
        return
    if table.keyless:
        yield from _keyless(table, segment.ordered, limits)
        return
    deletes: list = []
    updates: list = []
    inserts: list = []
    change: NetChange
    for change in segment.changes():
        if change.kind is _DELETE or (change.replaced and not segment.safe):
            deletes.append(change)
        if change.after is None:
            continue
        if change.kind is _UPDATE and not segment.safe:
            updates.append(change)
        else:
            inserts.append(change.after)
    yield from _deletes(table, deletes, limits)
    yield from _updates(table, updates, limits)
    yield from _inserts(table, inserts, limits, b"REPLACE" if segment.safe else b"INSERT")


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
        found = _keyless(table, changes, limits)
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
        yield from _deletes(table, changes, limits)
        return
    replaced = _inserts(table, [change.after for change in changes], limits, b"REPLACE")
    moves = first.before is not None and table.take_identity(first.after) != first.key
    if not table.checks_keys:
        yield from _deletes(table, [_removal(first.key)] if moves else [], limits)
        yield from replaced
        return
    if moves:
        yield from _unchecked(_deletes(table, [_removal(table.take_identity(first.after))], limits))
    if first.before is not None:
        yield from [Statement(update.sql, None) for update in _updates(table, changes, limits)]
    yield from _unchecked(replaced)


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


def _key_in(table: TargetTable, keys: list[bytes]) -> bytes:
    names = b",".join(table.names[i] for i in table.identity)
    if len(table.identity) > 1:
        names = b"(" + names + b")"
    if len(keys) == 1:
        return names + b"=" + keys[0]
    return names + b" IN (" + b",".join(keys) + b")"


def _key_value(key: RowImage) -> bytes:
    return key[0] if len(key) == 1 else b"(" + b",".join(key) + b")"


def _deletes(table: TargetTable, changes: list[NetChange], limits: Limits) -> Iterator[Statement]:
    expected = {_key_value(change.key): change.expected for change in changes}
    for run in _cut(expected, limits.rows(limits.delete_rows), limits.statement_bytes):
        sql = b"DELETE FROM " + table.qualified + b" WHERE " + _key_in(table, run)
        yield Statement(sql, sum(expected[key] for key in run))


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
        for start in range(0, len(group), limits.rows(limits.update_rows)):
            run = group[start : start + limits.rows(limits.update_rows)]
            yield from _update_runs(table, changed, run, limits.statement_bytes)


def _update_runs(
    table: TargetTable, changed: tuple[int, ...], run: list[NetChange], statement_bytes: int
) -> Iterator[Statement]:
    sql = _update(table, changed, run)
    if len(sql) <= statement_bytes or len(run) == 1:
        yield Statement(sql, len(run))
        return
    middle = len(run) // 2
    yield from _update_runs(table, changed, run[:middle], statement_bytes)
    yield from _update_runs(table, changed, run[middle:], statement_bytes)


def _update(table: TargetTable, changed: tuple[int, ...], run: list[NetChange]) -> bytes:
    sets = [table.names[i] + b"=" + _new_value(table, i, run) for i in changed]
    where = _key_in(table, [_key_value(change.key) for change in run])
    return b"UPDATE " + table.qualified + b" SET " + b",".join(sets) + b" WHERE " + where


def _new_value(table: TargetTable, ordinal: int, run: list[NetChange]) -> bytes:
    values = [change.after[ordinal] for change in run if change.after is not None]
    if values.count(values[0]) == len(values):
        return values[0]
    if len(table.identity) == 1:
        whens = [b" WHEN " + change.key[0] + b" THEN " + value for change, value in zip(run, values, strict=True)]
        return b"CASE " + table.names[table.identity[0]] + b"".join(whens) + b" END"
    names = [table.names[i] for i in table.identity]
    whens = [
        b" WHEN "
        + b" AND ".join([name + b"=" + part for name, part in zip(names, change.key, strict=True)])
        + b" THEN "
        + value
        for change, value in zip(run, values, strict=True)
    ]
    return b"CASE" + b"".join(whens) + b" END"


def _keyless(table: TargetTable, changes: list[NetChange], limits: Limits) -> Iterator[Statement]:
    pending: list[RowImage] = []
    for change in changes:
        if change.before is None and change.after is not None:
            pending.append(change.after)
            continue
        yield from _inserts(table, pending, limits)
        pending = []
        assert change.before is not None
        where = b" WHERE " + _whole_row(table, change.before) + b" LIMIT 1"
        if change.after is None:
            yield Statement(b"DELETE FROM " + table.qualified + where, 1)
            continue
        changed = _changed(table.written, table.set_by_updates, change.before, change.after)
        sets = b",".join([table.names[i] + b"=" + change.after[i] for i in changed])
        if sets:
            yield Statement(b"UPDATE " + table.qualified + b" SET " + sets + where, 1)
    yield from _inserts(table, pending, limits)


def _whole_row(table: TargetTable, image: RowImage) -> bytes:
    return b" AND ".join(_equals(table, ordinal, image[ordinal]) for ordinal in range(len(image)))


def _equals(table: TargetTable, ordinal: int, value: bytes) -> bytes:
    """A condition that holds for exactly the stored ``value``: no collation, no rounding; tried on all targets."""
    name = table.names[ordinal]
    if value == b"NULL":
        return name + b" IS NULL"
    base_type = table.columns[ordinal].base_type
    if base_type in _TEXT_TYPES:
        exact = b"CAST(CONVERT(" + name + b" USING utf8mb4) AS BINARY)"
        return exact + b"=CAST(" + value + b" AS BINARY)"
    if base_type == "float":
        return name + b"=" + _single_precision(value)
    if base_type == "vector":
        return vector_condition(name, value)
    if base_type == "json":
        return name + b"=CAST(" + value + b" AS JSON)"
    return name + b"=" + value


def _single_precision(value: bytes) -> bytes:
    """The double that a FLOAT column holding ``value`` is compared as, as a floating-point literal."""
    stored: float = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    text = repr(stored)
    return (text if "e" in text else text + "e0").encode()
