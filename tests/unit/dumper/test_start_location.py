"""A location at which tables were as they are planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from dm_worker.dumper.chunks import TableSize
from dm_worker.dumper.source_tables import ListedTable, SourceTable
from dm_worker.dumper.start_location import ALTERED_ALL_THE_TIME, StartLocation
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table


def at(offset: int) -> Location:
    return Location(Position("bin.000001", offset))


def table(columns: str, counter: int = 1, name: str = "t") -> SourceTable:
    sql = f"CREATE TABLE `{name}` ({columns}) ENGINE=InnoDB AUTO_INCREMENT={counter} DEFAULT CHARSET=utf8mb4"
    return SourceTable(ListedTable("s", name, TableSize(0, 0)), sql, parse_create_table(sql, "s"))


def settled(first: list[SourceTable], locations: Iterator[int], *reads: list[SourceTable]) -> tuple[int, int, int]:
    """Where it starts, how often structures were read again, and columns of the first table.

    Each of ``reads`` is of tables that are all there when they are listed, and when they are listed once more.
    """
    left = [one for one in reads for _ in range(2)]
    read: list[SourceTable] = []

    def listed() -> list[ListedTable]:
        read[:] = left.pop(0)
        return [one.listed for one in read]

    def structures(wanted: Sequence[ListedTable]) -> list[SourceTable]:
        return [one for one in read if one.listed in wanted]

    start = StartLocation(lambda: at(next(locations)), listed, structures)
    location, found = start.settled(at(4), first)
    return location.position.offset, len(reads) - len(left) // 2, len(found[0].structure.columns)


OLD, NEW = [table("a INT")], [table("a INT, b INT")]


def test_nothing_is_read_twice_where_nothing_was_written() -> None:
    assert settled(OLD, iter([4])) == (4, 0, 1)


def test_rows_that_were_written_move_the_location_only() -> None:
    assert settled(OLD, iter([100]), [table("a INT", counter=7)]) == (100, 1, 1)


def test_a_table_that_was_altered_meanwhile_is_read_again() -> None:
    assert settled(OLD, iter([100, 200]), NEW, NEW) == (200, 2, 2)
    assert settled(OLD, iter([100, 100]), NEW) == (100, 1, 2)


def test_a_table_that_came_meanwhile_is_in_it() -> None:
    more = [*OLD, table("a INT", name="u")]
    assert settled(OLD, iter([100, 200]), more, more) == (200, 2, 1)


def test_tables_that_are_altered_all_the_time_are_told() -> None:
    reads = [NEW, OLD] * 20
    assert settled(OLD, iter(range(100, 200)), *reads[:6], OLD)[:2] == (106, 7)
    with pytest.raises(DMError) as told:
        settled(OLD, iter(range(100, 200)), *reads)
    assert told.value.is_a(ALTERED_ALL_THE_TIME)
    assert "s.t at last" in told.value.message


def test_tables_that_come_and_go_all_the_time_do_not_keep_it_from_ending() -> None:
    """Each reading of all lasts: one table goes meanwhile, the next one has come when the names are listed again."""
    offsets, number = iter(range(100, 200)), 0

    def name() -> str:
        return f"work{number}"

    def listed() -> list[ListedTable]:
        return [OLD[0].listed, table("a INT", name=name()).listed]

    def structures(wanted: Sequence[ListedTable]) -> list[SourceTable]:
        nonlocal number
        if len(wanted) > 1:
            number += 1  # while all are read
        return [table("a INT", name=one.name) for one in wanted if one.name in ("t", name())]

    location, found = StartLocation(lambda: at(next(offsets)), listed, structures).settled(at(4), OLD)
    assert location.position.offset == 101
    assert [one.listed.name for one in found] == ["t", "work1"]  # which is gone by now, and was there at 101
