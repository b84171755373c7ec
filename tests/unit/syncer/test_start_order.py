"""Which transaction is the first one at or after a time, and where the binlog does not tell it."""

from __future__ import annotations

import pytest

from dm_worker.syncer.start_order import (
    SECOND,
    Disorder,
    FileHead,
    Transaction,
    file_to_read,
    first_at_or_after,
    transactions,
)
from pkg.binlog.events import AnonymousGtidEvent, Event, GtidEvent, QueryEvent, XidEvent
from pkg.binlog.position import Position

TIME = 1000


def row_of(*seconds: float, is_exact: bool) -> list[Transaction]:
    return [
        Transaction(Position("b.000001", number), int(one * SECOND), is_exact) for number, one in enumerate(seconds)
    ]


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize(
    ("seconds", "place"),
    [
        ((998, 999, 1000, 1001), 2),
        ((1000,), 0),
        ((998, 999), None),
        ((990, 995, 1003, 1004, 1002), 2),  # statements that ran at the same time, all of them behind the place
        ((1005, 1006), 0),
    ],
)
def test_the_first_at_or_after(seconds: tuple[float, ...], place: int | None, is_exact: bool) -> None:
    found = first_at_or_after(row_of(*seconds, is_exact=is_exact), TIME * SECOND)
    assert (None if found is None else found.start.offset) == place


@pytest.mark.parametrize(
    ("seconds", "first", "last"),
    [
        ((990, 90000, 991, 1001), 1, 2),  # dated in the future
        ((990, 90000, 1001), 1, 2),
        ((990, 500, 1001), 1, 2),  # dated in the past, as the last one before the place
        ((990, 1001, 500), 1, 2),
        ((990, 1001, 1002, 1003, 995), 1, 4),  # a statement of 8 seconds that was under way
    ],
)
def test_moments_of_statements_that_contradict_the_order(seconds: tuple[float, ...], first: int, last: int) -> None:
    with pytest.raises(Disorder) as caught:
        first_at_or_after(row_of(*seconds, is_exact=False), TIME * SECOND)
    assert (caught.value.first.offset, caught.value.last.offset) == (first, last)


def test_the_one_that_comes_next() -> None:
    end = Position("b.000001", 99)
    for is_exact in (True, False):
        found = first_at_or_after(row_of(998, 999, is_exact=is_exact), TIME * SECOND, end)
        assert found == Transaction(end, TIME * SECOND, is_exact)
    with pytest.raises(Disorder, match="any later time"):
        first_at_or_after(row_of(990, 995, 500, is_exact=False), TIME * SECOND, end)
    assert first_at_or_after([], TIME * SECOND, end) == Transaction(end, TIME * SECOND, is_exact=False)


def test_statements_of_one_second_are_in_no_order() -> None:
    found = first_at_or_after(row_of(998, 999, 1000, 999, 1000, is_exact=False), TIME * SECOND)
    assert found is not None
    assert found.start.offset == 2


def test_a_clock_that_went_back_over_the_time() -> None:
    with pytest.raises(Disorder):
        first_at_or_after(row_of(999.9, 1000.1, 999.95, 1000.2, is_exact=True), TIME * SECOND)
    found = first_at_or_after(row_of(990, 980, 1000.1, is_exact=True), TIME * SECOND)
    assert found is not None, "back before the time says nothing"
    assert found.start.offset == 2


def heads(*firsts: float | None, is_exact: bool, oldest: int = 1, begun: tuple[float, ...] = ()) -> list[FileHead]:
    made = []
    for number, one in enumerate(firsts):
        name = f"b.{oldest + number:06d}"
        first = None if one is None else Transaction(Position(name, 100), int(one * SECOND), is_exact)
        made.append(FileHead(name, int((begun[number] if begun else 0) * SECOND), first))
    return made


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize(
    ("firsts", "file"),
    [
        ((900, 950, 1000, 1050), "b.000002"),
        ((900, None, None, 1000, None), "b.000001"),
        ((900, 950, None), "b.000002"),
        ((1000, 1001), "b.000001"),
        ((None, None), "b.000001"),
    ],
)
def test_the_file_to_read_from(firsts: tuple[float | None, ...], file: str, is_exact: bool) -> None:
    assert file_to_read(heads(*firsts, is_exact=is_exact), TIME * SECOND) == file


def test_purged_files_may_have_been_at_or_after_the_time() -> None:
    with pytest.raises(Disorder, match="purged"):
        file_to_read(heads(None, 1001, is_exact=True, oldest=7), TIME * SECOND)
    assert file_to_read(heads(999, 1001, is_exact=True, oldest=7), TIME * SECOND) == "b.000007"


def test_files_that_contradict_the_order() -> None:
    with pytest.raises(Disorder, match=r"b\.000003 begins before it"):
        file_to_read(heads(900, 1001, 950, 1002, is_exact=True), TIME * SECOND)


def test_a_file_that_was_begun_by_a_long_statement_is_of_its_first_transaction() -> None:
    files = heads(900, 1001, 1100, is_exact=False, begun=(900, 500, 1100))
    assert file_to_read(files, TIME * SECOND) == "b.000001"


def at(*events: Event) -> list[tuple[Position, Position, Event]]:
    return [
        (Position("b.000001", 10 * number), Position("b.000001", 10 * number + 10), event)
        for number, event in enumerate(events)
    ]


def test_the_moment_of_each_kind_of_transaction() -> None:
    found = transactions(
        at(
            GtidEvent("u:1", 0, 100, committed=7_000_001),
            XidEvent(0, 50),
            AnonymousGtidEvent(0, 100, 8_000_001),
            XidEvent(0, 50),
            AnonymousGtidEvent(0, 9),
            XidEvent(0, 50),
            GtidEvent("0-1-1", 0, 100),
            XidEvent(0, 50),
            GtidEvent("0-1-2", 0, 100, standalone=True),
            QueryEvent("", "ALTER", 0, 100, seconds=20),
            GtidEvent("0-1-3", 0, 90_000, standalone=True),
            QueryEvent("", "ALTER", 0, 90_000, seconds=-89_000),
        )
    )
    assert [(one.start.offset, one.moment, one.is_exact) for one in found] == [
        (0, 7_000_001, True),
        (20, 8_000_001, True),
        (40, 9 * SECOND, False),
        (60, 100 * SECOND, False),
        (80, 120 * SECOND, False),
        (100, 1000 * SECOND, False),
    ]


def test_transactions_without_heads() -> None:
    events = (QueryEvent("", "CREATE", 0, 5), QueryEvent("", "INSERT", 0, 7, in_transaction=True), XidEvent(0, 8))
    assert [(one.start.offset, one.moment) for one in transactions(at(*events))] == [(0, 5 * SECOND), (10, 8 * SECOND)]
