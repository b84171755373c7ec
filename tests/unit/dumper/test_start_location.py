"""A location at which tables were as they are planned."""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.dumper.chunks import TableSize
from dm_worker.dumper.source_tables import ListedTable, SourceTable
from dm_worker.dumper.start_location import StartLocation
from pkg.binlog.position import Location, Position
from pkg.schema.parse import parse_create_table


def at(offset: int) -> Location:
    return Location(Position("bin.000001", offset))


def table(columns: str, counter: int = 1, name: str = "t") -> SourceTable:
    sql = f"CREATE TABLE `{name}` ({columns}) ENGINE=InnoDB AUTO_INCREMENT={counter} DEFAULT CHARSET=utf8mb4"
    return SourceTable(ListedTable("s", name, TableSize(0, 0)), sql, parse_create_table(sql, "s"))


def settled(first: list[SourceTable], locations: Iterator[int], *reads: list[SourceTable]) -> tuple[int, int, int]:
    """Where it starts, how often structures were read again, and columns of the first table."""
    left = list(reads)
    start = StartLocation(lambda: at(next(locations)), lambda: left.pop(0))
    location, found = start.settled(at(4), first)
    return location.position.offset, len(reads) - len(left), len(found[0].structure.columns)


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


def test_it_ends_where_tables_are_altered_all_the_time() -> None:
    reads = [NEW, OLD] * 10
    assert settled(OLD, iter(range(100, 200)), *reads)[:2] == (104, 5)
