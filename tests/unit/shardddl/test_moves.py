"""Moves between a table that waits and one that does not: which are found, and which late changes they make void."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dm_worker.syncer.moved_rows import OTHER_KEY, UNKNOWN_MOVE, MovedRows
from dm_worker.syncer.shard_rows import ShardStatements, read_rows
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.rows.change import Kind, RowImage, TargetTable, plan_target
from pkg.rows.job import Job, Origin
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.absences import BEGINNING, Absences
from pkg.shardddl.moves import NOT_COMPARED, Move, MoveFinder, TooMany, conversions, taker

MERGED = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, u INT, UNIQUE KEY (u)) ENGINE=InnoDB", schema="all")
TARGET = plan_target(MERGED, MERGED)
T, LATE, OTHER = TableName("all", "t"), TableName("d", "t1"), TableName("d", "t2")
FILE = "mysql-bin.000001"
Row = tuple[int, int | None]


def image(row: Row | None) -> RowImage | None:
    return None if row is None else tuple(b"NULL" if value is None else b"%d" % value for value in row)


def job(place: int, before: Row | None, after: Row | None, target: TargetTable = TARGET) -> Job:
    kind = Kind.INSERT if before is None else Kind.DELETE if after is None else Kind.UPDATE
    key = target.take_identity(image(before if before is not None else after) or ())
    return Job(place, 0, kind, target, key, key, image(before), image(after), False, Origin(FILE, ""), place, 0, 1)


Step = tuple[str, Row | None, Row | None]
"""``late`` or ``now``, the row before, the row after; the n-th step is at place n."""


def found(steps: Sequence[Step], finder: MoveFinder | None = None) -> list[Move]:
    finder = finder or MoveFinder(100)
    for place, (who, before, after) in enumerate(steps, 1):
        late = who == "late"
        finder.see((LATE if late else OTHER, 0), int(late), job(place, before, after), 0)
    return finder.found


@pytest.mark.parametrize(
    ("steps", "wanted"),  # of each move: until, taken, was_there, of_key
    [
        ([("late", (1, 5), None), ("now", None, (1, 5))], [(1, 2, True, True), (1, 2, True, False)]),
        ([("late", (1, 5), None), ("now", None, (2, 5))], [(1, 2, True, False)]),
        ([("late", (1, 5), (1, None)), ("now", None, (2, 5))], [(1, 2, True, False)]),
        ([("late", (1, 5), (1, 6)), ("now", (2, 6), (2, 5))], [(1, 2, True, False)]),
        ([("late", (1, None), None), ("late", None, (1, None)), ("now", None, (1, None))], []),
        ([("late", None, (1, None)), ("late", (1, None), None), ("now", None, (1, 5))], [(2, 3, False, True)]),
        ([("now", (1, 5), None), ("late", None, (1, 5))], []),
        ([("now", (1, 5), None), ("now", None, (1, 5))], []),
        ([("late", (1, None), None), ("late", None, (1, None))], []),
        ([("late", (1, 5), (1, 6)), ("late", (1, 6), (1, 5))], []),
        ([("now", None, (1, None)), ("late", (1, None), None)], []),  # taken too early, and nobody asks
        (  # under two keys
            [("late", (1, 5), None), ("late", None, (2, 5)), ("late", (2, 5), None), ("now", None, (2, 5))],
            [(1, 4, True, False), (3, 4, False, False), (3, 4, False, True)],
        ),
        (  # it had come back meanwhile
            [("late", (1, None), None), ("late", None, (1, None)), ("late", (1, None), None), ("now", None, (1, 5))],
            [(3, 4, True, True)],
        ),
        (  # two rows exchange it
            [("late", (1, 5), (1, None)), ("late", (2, 6), (2, 5)), ("late", (2, 5), None), ("now", None, (3, 5))],
            [(1, 4, True, False), (3, 4, False, False)],
        ),
        ([("late", None, (1, 5)), ("now", None, (2, 5)), ("late", (1, 5), None)], [(3, 2, False, False)]),
    ],
)
def test_moves_are_found(steps: list[Step], wanted: list[tuple[int, int, bool, bool]]) -> None:
    moves = found(steps)
    assert {(m.until[0].offset, m.taken[0].offset, m.was_there, m.of_key) for m in moves} == set(wanted)
    assert {m.table for m in moves} <= {LATE}


@pytest.mark.parametrize("finder", [MoveFinder(9, forced=True), MoveFinder(9, asked=[taker(job(1, None, (1, None)))])])
def test_a_value_that_was_taken_before_it_was_given_up(finder: MoveFinder) -> None:
    (move,) = found([("now", None, (1, None)), ("late", (1, None), None)], finder)
    assert (move.until[0].offset, move.taken[0].offset) == (2, 1)


def test_a_row_does_not_take_its_value_from_itself() -> None:
    finder = MoveFinder(9, forced=True)
    finder.see((OTHER, 0), 0, job(1, None, (1, 5)), 0)
    finder.see((OTHER, 0), 1, job(2, (1, 5), None), 0)
    assert not finder.found


@pytest.mark.parametrize("came", [True, False])
def test_a_row_of_a_table_that_was_made_anew_under_its_name(came: bool) -> None:
    """The one before was dropped while it waited: its rows are late, and are not those of the new one."""
    finder = MoveFinder(9, forced=True)
    if came:
        finder.see((LATE, 5), 1, job(1, None, (1, 5)), 0)
    finder.see((LATE, 5), 1, job(2, (1, 5), None), 0)
    finder.see((LATE, 0), 0, job(3, None, (1, 7)), 0)
    (move,) = finder.found
    assert (move.table, move.until[0].offset, move.taken[0].offset, move.was_there) == (LATE, 2, 3, not came)


def test_a_row_that_is_asked_about_gets_another_key() -> None:
    steps: list[Step] = [("now", None, (2, 5)), ("now", (2, 5), None), ("now", None, (3, 5)), ("late", (1, 5), None)]
    (move,) = found(steps, MoveFinder(9, asked=[taker(job(1, None, (2, 5)))]))
    assert (move.key, move.taken[0].offset) == ((b"1",), 1)


@pytest.mark.parametrize(("taker_phase", "was_there"), [(0, False), (1, True)])
def test_a_row_that_came_late_is_there_for_those_that_are_as_late(taker_phase: int, was_there: bool) -> None:
    finder = MoveFinder(9)
    finder.see((LATE, 0), 1, job(1, None, (1, None)), 0)
    finder.see((LATE, 0), 2, job(2, (1, None), None), 0)
    finder.see((OTHER, 0), taker_phase, job(3, None, (1, None)), 0)
    assert [move.was_there for move in finder.found] == [was_there]


def test_parts_find_together_what_one_finds() -> None:
    steps: list[Step] = [("late", (number, None), None) for number in range(20)]
    steps += [("now", None, (number, None)) for number in range(20)]
    with pytest.raises(TooMany):
        found(steps, MoveFinder(10))
    parts = [move for part in range(4) for move in found(steps, MoveFinder(35, part, 4))]
    assert sorted(parts, key=str) == sorted(found(steps), key=str)
    assert len(parts) == 20


def left(steps: Sequence[Step]) -> list[tuple[Kind, RowImage | None, bool]]:
    """What is applied of the late changes."""
    moved = MovedRows(lambda: [T], {T: found(steps)})
    jobs = [job(place, before, after) for place, (who, before, after) in enumerate(steps, 1) if who == "late"]
    if not moved.has_void(LATE):
        return [(one.kind, one.after, one.safe) for one in jobs]
    kept = [one for late in jobs for one in moved.without_void(LATE, 0, [late])]
    return [(one.kind, one.after, one.safe) for one in kept]


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([("late", (1, 5), None), ("now", None, (1, 5))], []),
        ([("late", (1, 5), (1, 7)), ("late", (1, 7), None), ("now", None, (1, 5)), ("late", (9, 9), None)], ["9"]),
        ([("late", (1, 5), None), ("now", None, (2, 5))], ["safe"]),
        ([("late", (1, 5), (1, None)), ("now", None, (2, 5)), ("late", (1, None), (1, 8))], ["safe", "written", "8"]),
        ([("late", (1, 4), (1, 5)), ("late", (1, 5), (1, 6)), ("now", None, (2, 5))], ["gone", "safe", "written"]),
        ([("late", (1, 4), None), ("now", None, (1, 4)), ("now", (1, 4), None), ("late", None, (1, 4))], ["back"]),
        (
            [("late", (1, 5), None), ("late", None, (2, 5)), ("late", (2, 5), None), ("now", None, (2, 5))],
            ["safe"],
        ),
        ([("late", (1, 5), (2, 5)), ("late", (2, 5), None), ("now", None, (2, 5))], ["safe"]),
        ([("late", (1, None), (2, None)), ("late", (2, None), None), ("now", None, (2, None))], ["gone"]),
        (
            [("late", (1, None), (2, None)), ("late", None, (1, 5)), ("late", (1, 5), None), ("now", None, (3, 5))],
            ["moved", "safe"],
        ),
    ],
)
def test_late_changes_of_a_row_that_has_gone_are_void(steps: list[Step], wanted: list[str]) -> None:
    assert len(left(steps)) == len(wanted)
    assert [kind for kind, _, safe in left(steps) if safe] == [Kind.DELETE] * wanted.count("safe")
    assert [kind for kind, _, _ in left(steps)].count(Kind.INSERT) == wanted.count("written") + wanted.count("back")


@pytest.mark.parametrize("is_older", [False, True])
def test_moves_are_stored(is_older: bool) -> None:
    moves = found([("late", None, (1, 5)), ("late", (1, 5), None), ("now", None, (1, 5))])
    documents = [json.loads(values[-1]) for _, values in ShardStatements("t", "s").moved_rows(T, moves, 0)]
    if is_older:  # that version has no beginnings
        moves = [replace(one, since=BEGINNING) for one in moves]
        for document in documents:
            del document["since"]
    rows = [("all", "t", "moved", number, json.dumps(one)) for number, one in enumerate(documents)]
    assert read_rows(rows, "mysql").moves == {T: moves}


def test_absences_that_meet_are_one() -> None:
    places = [(Position(FILE, number), 0) for number in range(9)]
    key = (b"1",)
    away = Absences([(key, places[5], places[7]), (key, places[1], places[3]), (key, places[3], places[4])])
    assert [number for number, at in enumerate(places) if away.before(key, at)] == [2, 3, 4, 6, 7]
    assert [number for number, at in enumerate(places) if away.behind(key, at)] == [1, 2, 3, 5, 6]
    assert not away.before((b"2",), places[2])


def test_what_is_not_known_is_asked_once() -> None:
    late = job(7, None, (1, 5))
    moved = MovedRows(lambda: [T])
    with pytest.raises(DMError) as told:
        moved.ask(late)
    assert told.value.is_a(UNKNOWN_MOVE)
    assert moved.asked == (T, taker(late))
    MovedRows(lambda: [T], {}, {T: Position(FILE, 7)}).ask(late)
    MovedRows(lambda: [T], {}, {}, {(T, taker(late))}).ask(late)
    MovedRows().ask(late)


def test_a_key_that_has_changed_since_is_refused() -> None:
    other = plan_target(
        parse_create_table("CREATE TABLE t (id INT, u INT PRIMARY KEY) ENGINE=InnoDB", schema="all"),
        parse_create_table("CREATE TABLE t (id INT, u INT PRIMARY KEY) ENGINE=InnoDB", schema="all"),
    )
    moved = MovedRows(lambda: [T], {T: found([("late", (1, 5), None), ("now", None, (1, 5))])})
    with pytest.raises(DMError) as told:
        list(moved.without_void(LATE, 0, [job(1, (1, 5), None, other)]))
    assert told.value.is_a(OTHER_KEY)


OLD_KEY, NEW_KEY = (
    parse_create_table(f"CREATE TABLE t (id {kind} PRIMARY KEY) ENGINE=InnoDB", schema="d")
    for kind in ("VARCHAR(9)", "INT")
)


def altered(steps: Sequence[tuple[str, bytes | None, bytes | None]], *, forced: bool = False) -> list[Move]:
    """Moves while `id VARCHAR(9)` becomes an INT."""
    (new,), (old,) = NEW_KEY.columns, OLD_KEY.columns
    finder = MoveFinder(100, forced=forced, altered={"id": new})
    for place, (who, before, after) in enumerate(steps, 1):
        late, images = who == "late", [None if one is None else (one,) for one in (before, after)]
        target = plan_target(NEW_KEY if late else OLD_KEY, OLD_KEY)
        key = images[1] or images[0] or ()
        kind = Kind.INSERT if before is None else Kind.DELETE if after is None else Kind.UPDATE
        one = Job(place, 0, kind, target, key, key, *images, False, Origin(FILE, ""), place, 0, 1)
        written = conversions(finder.altered, (new if late else old,), target)
        finder.see((LATE if late else OTHER, 0), int(late), one, 0, written)
    return finder.found


def test_a_key_is_compared_as_the_ddl_leaves_it() -> None:
    (move,) = altered([("late", b"5", None), ("now", None, b"'05'")])
    assert (move.key, move.taken[1], move.of_key) == ((b"5",), (b"'05'",), True)
    assert not altered([("late", b"5", None), ("now", None, b"'6'")])
    assert not altered([("now", None, b"'x'"), ("late", b"5", None), ("late", None, b"6"), ("now", b"'x'", None)])


@pytest.mark.parametrize(
    ("steps", "forced"),
    [
        ([("late", b"5", None), ("now", None, b"'x'")], False),
        ([("now", None, b"'x'"), ("late", b"5", None)], True),
    ],
)
def test_a_key_of_which_nobody_knows_what_it_becomes(
    steps: list[tuple[str, bytes | None, bytes | None]], forced: bool
) -> None:
    with pytest.raises(DMError) as told:
        altered(steps, forced=forced)
    assert told.value.is_a(NOT_COMPARED)
    assert "'x' is taken" in str(told.value)


def test_a_key_with_a_column_that_tells_rows_apart_leaves_no_doubt() -> None:
    old, new = (
        parse_create_table(f"CREATE TABLE t (id INT, d {kind}, PRIMARY KEY (id, d)) ENGINE=InnoDB", schema="d")
        for kind in ("DATETIME", "TIMESTAMP")
    )
    finder = MoveFinder(100, altered={"d": new.columns[1]})

    def see(table: Table, place: int, before: RowImage | None, after: RowImage | None) -> None:
        target = plan_target(table, old)
        kind, key = Kind.INSERT if before is None else Kind.DELETE, after or before or ()
        one = Job(place, 0, kind, target, key, key, before, after, False, Origin(FILE, ""), place, 0, 1)
        late = table is new
        finder.see((LATE if late else OTHER, 0), int(late), one, 0, conversions(finder.altered, table.columns, target))

    see(new, 1, (b"1", b"'2020-01-01 10:00:00'"), None)
    see(old, 2, None, (b"2", b"'2020-01-01 10:00:00'"))
    with pytest.raises(DMError) as told:
        see(old, 3, None, (b"1", b"'2020-01-01 12:00:00'"))
    assert told.value.is_a(NOT_COMPARED)


@pytest.mark.parametrize(
    ("late", "now", "below", "given_up", "taken", "is_found"),
    [
        ("DECIMAL(9,1)", "DECIMAL(9,2)", "DECIMAL(9,2)", b"7.5", b"7.50", True),
        ("DATE", "DATETIME", "DATETIME", b"'2020-01-01'", b"'2020-01-01 00:00:00'", True),
        ("INT", "VARCHAR(9)", "VARCHAR(9)", b"5", b"'5'", True),
        ("INT", "VARCHAR(9)", "VARCHAR(9)", b"5", b"'05'", False),
        ("VARBINARY(9)", "VARCHAR(9)", "VARCHAR(9)", b"x'61'", b"'A'", False),  # whether it is the same says the target
    ],
)
def test_values_of_unlike_types_are_found(
    late: str, now: str, below: str, given_up: bytes, taken: bytes, is_found: bool
) -> None:
    def planned(kind: str) -> TargetTable:
        above, there = (parse_create_table(f"CREATE TABLE t (k {one} PRIMARY KEY)", "all") for one in (kind, below))
        return plan_target(above, there)

    def change(place: int, kind: Kind, target: TargetTable, value: bytes) -> Job:
        before, after = ((value,), None) if kind is Kind.DELETE else (None, (value,))
        return Job(
            place, 0, kind, target, (value,), (value,), before, after, False, Origin(FILE, ""), place, 0, 1
        )  # fmt: skip

    finder = MoveFinder(9)
    finder.see((LATE, 0), 1, change(1, Kind.DELETE, planned(late), given_up), 0)
    finder.see((OTHER, 0), 0, change(2, Kind.INSERT, planned(now), taken), 0)
    assert [move.key for move in finder.found] == [(given_up,)] * is_found
