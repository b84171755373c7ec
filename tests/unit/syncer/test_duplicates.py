"""Which rows of the target are in the way of a change, and how often that is logged."""

from __future__ import annotations

from dm_worker.syncer.duplicates import LogLimit, conditions, ours
from pkg.rows.causality import Causality
from pkg.rows.change import RowImage, plan_target
from pkg.rows.job import Job, Origin
from pkg.schema.table import Index, Table
from tests.unit.rows.tables import as_event, column, primary, table, unique

COLUMNS = [column("id", nullable=False), column("code", "varchar"), column("note", "varchar")]


def job(structure: Table, before: RowImage | None, after: RowImage | None) -> Job:
    target = plan_target(structure, structure)
    made: list[Job] = Causality(1).jobs(
        target, *as_event(before, after), safe=False, origin=Origin("f", ""), event_end=1, row_index=0, size=1
    )
    return made[-1]


def met(structure: Table, before: RowImage | None, after: RowImage | None) -> list[bytes]:
    one = job(structure, before, after)
    return list(conditions(structure, one.table, one))


def test_an_insert_needs_the_value_of_each_key() -> None:
    found = met(table(COLUMNS, primary("id"), unique("code")), None, (b"1", b"'a'", b"NULL"))
    assert found == [b"`id`=1", b"`code`='a'"]


def test_a_value_with_null_is_in_nobodys_way() -> None:
    assert met(table(COLUMNS, primary("id"), unique("code")), None, (b"1", b"NULL", b"NULL")) == [b"`id`=1"]


def test_an_update_needs_what_it_changes() -> None:
    structure = table(COLUMNS, primary("id"), unique("code"), unique("note", name="n"))
    assert met(structure, (b"1", b"'a'", b"'x'"), (b"1", b"'A'", b"'y'")) == [b"`note`='y'"]


def test_a_prefix_is_compared_as_the_key_sees_it() -> None:
    found = met(table(COLUMNS, unique("code", prefix=3)), None, (b"1", b"'abcdef'", b"NULL"))
    assert found == [b"LEFT(`code`,3)=LEFT('abcdef',3)"]


def test_a_key_over_an_expression_is_left_to_the_target() -> None:
    structure = table(COLUMNS, primary("id"), Index("e", ("(lower(code))", "note"), (None, None), True, False))
    assert met(structure, None, (b"1", b"'a'", b"'x'")) == [b"`id`=1"]


def test_a_delete_needs_nothing() -> None:
    assert met(table(COLUMNS, primary("id")), (b"1", b"'a'", b"'x'"), None) == []


def test_a_row_is_shown_with_its_names() -> None:
    shown = ours(job(table(COLUMNS, primary("id")), None, (b"1", b"'" + b"a" * 100 + b"'", b"NULL")))
    assert shown.startswith("`id`=1, `code`='aaa")
    assert shown.endswith("a …, `note`=NULL")


def test_lines_are_counted_while_they_are_held_back() -> None:
    now = [0.0]
    limit = LogLimit(5, clock=lambda: now[0])
    assert [limit.passes() for _ in range(4)] == [True, False, False, False]
    now[0] = 5.0
    assert limit.passes()
    assert (limit.take_left_out(), limit.take_left_out()) == (3, 0)
