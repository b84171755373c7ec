"""When the upstream's tables are asked for, and when what they show counts."""

from __future__ import annotations

import pytest

from dm_worker.syncer.tracked_check import NOT_AS_UPSTREAM, Compared, TrackedCheck
from pkg.binlog.position import Location, Position
from pkg.schema.hidden_characters import with_doubts
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table

T = TableName("s", "t")


def table(body: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({body}) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin", "s")


class Upstream:
    """Shows one table at a place of its binlog."""

    def __init__(self, shown: Table | None, offset: int) -> None:
        self.shown, self.offset, self.asked = shown, offset, 0

    def table(self, schema: str, table: str) -> Table | None:
        self.asked += 1
        return self.shown

    def present_location(self) -> Location:
        return Location(Position("b.1", self.offset))


def at(offset: int) -> Position:
    return Position("b.1", offset)


def check_of(upstream: Upstream, tracked: Table | None) -> TrackedCheck:
    check = TrackedCheck(upstream, lambda name: tracked, Compared())
    check.changed([T], "b.1:90")
    return check


def test_what_is_the_same_passes_and_is_asked_for_once() -> None:
    upstream = Upstream(table("a INT, KEY k (a)"), 100)
    check = check_of(upstream, table("a INT, KEY k (a)"))
    for now in (0.0, 1.0, 2.0):
        check.look(at(100), now)
    assert upstream.asked == 1


@pytest.mark.parametrize(
    ("shown", "tracked", "words"),
    [
        ("a INT, b INT", "a INT", "the column b is there"),
        ("a INT", "a INT, b INT", "the column b is not there"),
        ("a BIGINT", "a INT", "the column a is bigint, and not int"),
        ("a INT, CONSTRAINT c1 CHECK (a > 0)", "a INT, CONSTRAINT c2 CHECK (a > 0)", "the CHECKs are c1, and not c2"),
        ("a INT", "a INT, CHECK (a > 0)", "the CHECKs are none, and not t_chk_1"),
        (
            "a VARCHAR(9)",
            "a VARCHAR(9) COLLATE utf8mb4_general_ci",
            "utf8mb4_bin, and not varchar(9) utf8mb4_general_ci",
        ),
        ("a TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP", "a TIMESTAMP NULL", "timestamp ON UPDATE, and not timestamp"),
        ("a INT, UNIQUE KEY k (a)", "a INT", "the key UNIQUE k (a) is there"),
        ("a INT", None, "it is there"),
        (None, "a INT", "there is no such table"),
    ],
)
def test_what_differs_is_said(
    shown: str | None, tracked: str | None, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    check = check_of(Upstream(shown and table(shown), 100), tracked and table(tracked))
    check.look(at(100), 0.0)
    assert f"code={NOT_AS_UPSTREAM.code}" in caplog.text
    assert words in caplog.text
    assert "b.1:90" in caplog.text


def test_labels_that_the_upstream_does_not_tell_are_no_difference(caplog: pytest.LogCaptureFixture) -> None:
    shown = with_doubts(table("a ENUM('x', '?')"), {"a"})
    for known, differs in (("a ENUM('x', '😀')", False), ("a ENUM('x', 'y')", True)):
        check_of(Upstream(shown, 100), table(known)).look(at(100), 0.0)
        assert bool(caplog.text) is differs


def test_it_is_judged_when_all_up_to_the_look_is_read(caplog: pytest.LogCaptureFixture) -> None:
    check = check_of(Upstream(table("a INT, b INT"), 200), table("a INT"))
    for offset in (100, 150, 199):
        check.look(at(offset), float(offset))
    assert caplog.text == ""
    check.look(at(201), 300.0)
    assert "the column b is there" in caplog.text


def test_a_later_ddl_makes_the_look_worth_nothing(caplog: pytest.LogCaptureFixture) -> None:
    upstream = Upstream(table("a INT, b INT"), 200)
    check = check_of(upstream, table("a INT"))
    check.look(at(100), 0.0)
    check.changed([T], "b.1:150")  # the one that the upstream showed already
    upstream.shown = table("a INT")
    check.look(at(200), 1.0)
    assert upstream.asked == 2
    assert caplog.text == ""


def test_what_is_not_compared_yet_outlives_a_run(caplog: pytest.LogCaptureFixture) -> None:
    upstream, compared = Upstream(table("a INT, b INT"), 100), Compared()
    first = TrackedCheck(upstream, lambda name: table("a INT"), compared)
    first.changed([T], "b.1:90")
    first.look(at(95), 0.0)  # asked, and not judged
    second = TrackedCheck(upstream, lambda name: table("a INT"), compared)
    second.look(at(100), 0.0)
    assert "b.1:90" in caplog.text
    assert not compared.due
    assert "the column b is there" in compared.said()[0]
    upstream.shown = table("a INT")
    compared.begin_anew()  # it was mended
    third = TrackedCheck(upstream, lambda name: table("a INT"), compared)
    third.look(at(100), 0.0)
    assert not compared.said()
