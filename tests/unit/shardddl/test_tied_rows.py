"""Which changes of tables that a foreign key ties meet values of rows that wait: those have an order, others have none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.shardddl import tied_rows
from pkg.shardddl.tied_rows import Tie, TiedRows

P, C, OTHER = TableName("d", "p"), TableName("d", "c"), TableName("d", "o")
TIE = Tie(C, P, ("pid",), ("id",))
PARENT = parse_create_table("CREATE TABLE p (id INT PRIMARY KEY, v INT)", schema="u")
CHILD = parse_create_table("CREATE TABLE c (id INT PRIMARY KEY, pid INT)", schema="u")
Event = tuple[str, str, list[tuple[int | None, ...]]]
"""``p`` or ``c``, in capital letters where it waits; the kind; the images."""


def known(waiting: set[TableName], tie: Tie = TIE) -> TiedRows:
    """One of which nothing waited at the beginning."""
    rows = TiedRows()
    rows.update([tie], ())
    rows.update([tie], waiting)
    return rows


def see(rows: TiedRows, event: Event, *, checked: bool = True) -> TableName | None:
    who, kind, images = event
    target, structure = (P, PARENT) if who.lower() == "p" else (C, CHILD)
    read = [tuple(b"NULL" if one is None else b"%d" % one for one in image) for image in images]
    return rows.see(target, structure, kind, read, waits=who.isupper(), checked=checked)


def conflict(rows: TiedRows, events: Sequence[Event]) -> int | None:
    return next((place for place, event in enumerate(events) if see(rows, event) is not None), None)


@pytest.mark.parametrize(
    ("events", "at"),
    [
        ([("P", "delete", [(1, 0)]), ("c", "insert", [(6, 1)])], 1),
        ([("P", "delete", [(1, 0)]), ("c", "insert", [(6, 2)]), ("c", "update", [(6, 2), (6, 1)])], 2),
        ([("P", "delete", [(1, 0)]), ("c", "delete", [(6, None)]), ("c", "delete", [(5, 1)])], 2),
        ([("P", "update", [(2, 0), (21, 0)]), ("c", "insert", [(6, 21)])], 1),
        ([("P", "update", [(2, 0), (2, 7)]), ("c", "insert", [(6, 2)])], None),  # it keeps its key
        ([("P", "insert", [(9, 0)]), ("c", "insert", [(6, 8)]), ("c", "insert", [(7, 9)])], 2),
        ([("C", "insert", [(50, 1)]), ("p", "update", [(1, 0), (1, 5)]), ("p", "delete", [(1, 5)])], 2),
        ([("C", "update", [(5, 3), (5, 2)]), ("p", "delete", [(4, 0)]), ("p", "delete", [(3, 0)])], 2),
        ([("C", "insert", [(50, 1)]), ("p", "insert", [(2, 0)])], None),
        ([("P", "delete", [(1, 0)]), ("C", "insert", [(6, 1)])], 1),  # both wait
        ([("p", "delete", [(1, 0)]), ("c", "insert", [(6, 1)])], None),
    ],
)
def test_changes_that_have_an_order(events: list[Event], at: int | None) -> None:
    assert conflict(known({P, C} if any(who in "PC" for who, *_ in events) else {P}), events) == at


def test_what_waited_before_is_not_known() -> None:
    rows = TiedRows()
    rows.update([TIE], {P})
    assert see(rows, ("c", "insert", [(6, 77)])) == P
    rows.update([TIE], ())
    rows.update([TIE], {P})  # it waits anew
    assert see(rows, ("c", "insert", [(6, 77)])) is None


def test_what_waits_is_known_while_it_waits() -> None:
    rows = known({P})
    see(rows, ("P", "delete", [(1, 0)]))
    rows.update([TIE], {P, OTHER})
    assert see(rows, ("c", "insert", [(6, 1)])) == P
    late = Tie(C, P, ("pid",), ("v",))
    rows.update([TIE, late], {P})  # a foreign key that comes while rows wait
    assert see(rows, ("c", "insert", [(6, 5)])) == P


def test_without_checks_parents_change_no_children() -> None:
    rows = known({P, C})
    see(rows, ("C", "insert", [(50, 1)]))
    assert see(rows, ("p", "delete", [(1, 0)]), checked=False) is None
    assert see(rows, ("p", "delete", [(1, 0)])) == C


@pytest.mark.parametrize("columns", ["id VARCHAR(9) PRIMARY KEY, v INT", "k INT PRIMARY KEY, v INT"])
def test_values_that_only_the_target_compares(columns: str) -> None:
    parent = parse_create_table(f"CREATE TABLE p ({columns})", schema="u")
    rows = known({P})
    assert rows.see(P, parent, "delete", [(b"'a'", b"0")], waits=True, checked=True) is None
    assert see(rows, ("c", "insert", [(6, 1)])) == P


def test_many_values_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tied_rows, "MOST_VALUES", 3)
    rows = known({P})
    for key in range(3):
        see(rows, ("P", "delete", [(key, 0)]))
    assert see(rows, ("c", "insert", [(6, 9)])) is None
    see(rows, ("P", "delete", [(3, 0)]))
    assert see(rows, ("c", "insert", [(6, 9)])) == P


def test_a_table_tied_to_itself_waits_with_all_its_rows() -> None:
    rows = known({P}, Tie(P, P, ("v",), ("id",)))
    assert not rows.concern(P)
    assert see(rows, ("P", "delete", [(1, 0)])) is None
