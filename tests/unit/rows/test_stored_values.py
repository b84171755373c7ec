"""Queries for rows of which the target calculated another value."""

from __future__ import annotations

from pkg.rows.causality import Causality
from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.compact import segments
from pkg.rows.job import Origin
from pkg.rows.statements import Limits
from pkg.rows.stored_values import compared
from pkg.schema.parse import parse_create_table
from tests.unit.rows.tables import as_event

Change = tuple[RowImage | None, RowImage | None]
CALCULATED = parse_create_table(
    "CREATE TABLE t (id INT PRIMARY KEY, a INT, s INT AS (a + 1) STORED, v INT AS (a) VIRTUAL, j JSON AS (a) STORED)",
    schema="s",
)


def queries(target: TargetTable, *changes: Change, limits: Limits | None = None) -> list[str]:
    causality = Causality(1)
    jobs = [
        job
        for end, (before, after) in enumerate(changes)
        for job in causality.jobs(
            target,
            *as_event(before, after),
            safe=False,
            origin=Origin("bin.000001", ""),
            event_end=end,
            row_index=0,
            size=1,
        )
    ]
    found = (compared(segment, limits or Limits()) for group in segments(jobs) for segment in group)
    return [statement.sql.decode() for some in found for statement in some]


def image(key: int, value: int) -> RowImage:
    return (b"%d" % key, b"%d" % value, b"%d" % (value + 1), b"%d" % value, b"'%d'" % value)


def planned(text: str) -> TargetTable:
    structure = parse_create_table(text, schema="s")
    return plan_target(structure, structure)


def test_rows_are_asked_for_by_their_texts() -> None:
    target = plan_target(CALCULATED, CALCULATED)
    found = queries(target, (None, image(1, 5)), (image(2, 6), image(2, 7)), (image(3, 1), None))
    text = r"CAST(CONCAT_WS('#',IFNULL(CAST(`id` AS CHAR),'~'),IFNULL(CAST(`s` AS CHAR),'~')) AS BINARY)"
    assert [one.replace("\x01", "#").replace("\x02", "~") for one in found] == [
        f"SELECT 1 FROM `s`.`t` WHERE (`id` IN (1,2)) AND ({text} NOT IN ('1#6','2#8')) LIMIT 1"
    ]


def test_large_batches_are_asked_for_in_runs() -> None:
    changes = [(None, image(number, 5)) for number in range(5)]
    target = plan_target(CALCULATED, CALCULATED)
    assert len(queries(target, *changes, limits=Limits(compared_rows=2))) == 3
    assert len(queries(target, *changes, limits=Limits(statement_bytes=1))) == 5


def test_a_row_that_goes_again_is_not_asked_for() -> None:
    target = plan_target(CALCULATED, CALCULATED)
    assert not queries(target, (None, image(1, 5)), (image(1, 5), None))


def test_rows_that_rules_change_are_not_asked_for() -> None:
    assert not queries(plan_target(CALCULATED, CALCULATED, compares_stored=False), (None, image(1, 5)))


def test_a_column_that_the_target_does_not_calculate_is_not_asked_for() -> None:
    plain = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, a INT, s INT, v INT, j JSON)", schema="s")
    assert not queries(plan_target(CALCULATED, plain), (None, image(1, 5)))


def test_values_with_several_texts_are_asked_for_one_by_one() -> None:
    target = planned("CREATE TABLE t (id INT PRIMARY KEY, a INT, s FLOAT AS (a) STORED)")
    found = queries(target, (None, (b"1", b"5", b"5")), (None, (b"2", b"NULL", b"NULL")))
    assert found == [
        "SELECT 1 FROM `s`.`t` WHERE (`id` IN (1,2)) AND "
        "((`id`=1 AND (`s`=5.0e0) IS NOT TRUE) OR (`id`=2 AND (`s` IS NULL) IS NOT TRUE)) LIMIT 1"
    ]


def test_a_text_with_the_bytes_that_part_texts_is_asked_for_alone() -> None:
    target = planned("CREATE TABLE t (id INT PRIMARY KEY, a TEXT, s TEXT AS (a) STORED) CHARSET=utf8mb4")
    found = queries(target, (None, (b"1", b"'x'", b"'x'")), (None, (b"2", b"'\x01'", b"'\x01'")))
    assert "NOT IN ('1\x01x')" in found[0]
    assert "`id`=2 AND" in found[1]


def test_a_row_without_a_key_is_found_by_its_other_values() -> None:
    found = queries(planned("CREATE TABLE t (a INT, s INT AS (a + 1) STORED)"), (None, (b"1", b"2")))
    assert found == ["SELECT 1 FROM `s`.`t` WHERE (`a`=1 AND (`s`=2) IS NOT TRUE) LIMIT 1"]


def test_a_row_whose_key_the_target_calculates_is_found_by_its_other_values() -> None:
    target = planned("CREATE TABLE t (a INT NOT NULL, s INT AS (a + 1) STORED NOT NULL, PRIMARY KEY (a, s))")
    assert queries(target, (None, (b"1", b"2"))) == [
        "SELECT 1 FROM `s`.`t` WHERE (`a`=1 AND (`s`=2) IS NOT TRUE) LIMIT 1"
    ]
