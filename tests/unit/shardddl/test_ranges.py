"""Which rows of a target's tables are looked through for those that moved: each table's rows once, as they were there."""

from __future__ import annotations

import pytest

from pkg.binlog.position import Location, Position
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.group import Group, group_of

T1, T2 = TableName("d", "t1"), TableName("d", "t2")
ADD_B = ("ALTER TABLE `all`.`t` ADD COLUMN `b` INT",)


def at(offset: int) -> Location:
    return Location(Position("bin.000001", offset))


def table(columns: str, name: TableName = T1) -> Table:
    return parse_create_table(f"CREATE TABLE `{name.table}` (`id` int PRIMARY KEY, {columns})", schema=name.schema)


OLD, NEW = table("a INT"), table("a INT, b INT")
WAITS = (
    Group(TableName("all", "t"), frozenset({T1, T2}))
    .meet(T2, at(5), ADD_B, table("a INT", T2), table("a INT, b INT", T2), "event")
    .meet(T1, at(10), ADD_B, OLD, NEW, "event")
)
ALONE = Group(TableName("all", "t"), frozenset({T1, T2})).meet(T1, at(10), ADD_B, OLD, NEW, "event")
ONCE = [(5, 10, OLD), (10, 20, NEW)]


@pytest.mark.parametrize(
    ("group", "wanted"),
    [
        (WAITS, [(5, 10, OLD), (10, None, NEW)]),
        (WAITS.leave(T1, at(20)), ONCE),
        (WAITS.leave(T1, at(20)).join(T1, NEW, at(30)).leave(T1, at(40)), [*ONCE, (20, 30, OLD), (30, 40, NEW)]),
        (
            ALONE.leave(T1, at(20)).join(T1, NEW, at(30)).leave(T1, at(40)),
            [(10, 20, NEW), (20, 30, OLD), (30, 40, NEW)],
        ),
        (WAITS.leave(T1, at(20)).join(T1, OLD, at(30)), [*ONCE, (20, None, OLD)]),
        (
            WAITS.leave(T1, at(20)).join(T1, OLD, at(30)).meet(T1, at(40), ADD_B, OLD, NEW, "event"),
            [*ONCE, (20, 40, OLD), (40, None, NEW)],
        ),
    ],
    ids=[
        "waits",
        "dropped",
        "made with the column",
        "made as it was itself",
        "made without it",
        "made without it, then altered",
    ],
)
def test_each_row_has_one_structure(group: Group, wanted: list[tuple[int, int | None, Table]]) -> None:
    found = [one for _, one in group.ranges(lambda name: OLD if name == T1 else None) if one.table == T1]
    spans = [(one.start.position.offset, one.end and one.end.position.offset, one.structure) for one in found]
    assert sorted((one for one in spans if one[0] != one[1]), key=lambda one: one[0]) == wanted


def test_a_table_that_is_made_anew_under_its_name_is_another_one() -> None:
    group = WAITS.leave(T1, at(20)).join(T1, OLD, at(30))
    ranges = [one for _, one in group.ranges(lambda name: OLD if name == T1 else None) if one.table == T1]
    members = {one.start.position.offset: one.member for one in ranges if one.start != one.end}
    assert members[5] == members[10] != members[20] == (T1, 0)


def test_a_table_that_waits_and_gets_another_name_is_the_same_one() -> None:
    t3, t4 = TableName("d", "t3"), TableName("d", "t4")
    group = WAITS.join(t3, table("a INT, b INT", t3), at(20), T1).leave(T1, at(20), t3).join(T1, OLD, at(25))
    group = group.join(t4, table("a INT, b INT", t4), at(30), t3).leave(t3, at(30), t4)
    ranges = [one for _, one in group.ranges(lambda name: table("a INT", name)) if one.start != one.end]
    members = {(one.table.table, one.start.position.offset): one.member for one in ranges}
    assert {members["t1", 5], members["t1", 10], members["t3", 20], members["t4", 30]} == {(t4, 0)}
    assert members["t1", 20] == (T1, 0)
    stored = group_of(group.target, group.members, [held for queue in group.all_queues for held in queue], 0)
    assert [one.member for _, one in stored.ranges(lambda name: table("a INT", name))] == [
        one.member for _, one in group.ranges(lambda name: table("a INT", name))
    ]


def test_rows_of_a_table_that_was_renamed_have_its_former_names() -> None:
    t3, t4 = TableName("d", "t3"), TableName("d", "t4")
    group = Group(TableName("all", "t"), frozenset({T1, T2, t3})).meet(T1, at(10), ADD_B, OLD, NEW, "event")
    for old, new in ((T2, t4), (t3, T2), (t4, t3)):  # t2 and t3 exchange their names
        group = group.rename(old, new, at(20))
    group = group.rename(t3, t4, at(30)).join(t3, table("a INT", t3), at(35))
    group = group.meet(t4, at(40), ADD_B, table("a INT", t4), table("a INT, b INT", t4), "event")
    found = [one for _, one in group.ranges(lambda name: table("a INT", name))]
    spans = {(one.table.table, one.start.position.offset, one.end and one.end.position.offset) for one in found}
    assert all(one.structure.name == one.table.table for one in found)
    assert {one for one in spans if one[1] != one[2]} == {
        ("t1", 10, None),
        ("t2", 10, 20), ("t3", 20, 30), ("t4", 30, 40), ("t4", 40, None),
        ("t3", 10, 20), ("t2", 20, None),
        ("t3", 30, None),
    }  # fmt: skip
