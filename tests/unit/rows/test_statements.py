"""The SQL of a segment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.errors import DMError
from pkg.rows.causality import Causality
from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.compact import segments
from pkg.rows.job import Job, Origin
from pkg.rows.statements import Limits, statements
from pkg.schema.parse import parse_create_table
from tests.unit.rows.tables import as_event, column, keyed, keyless, primary, table

Change = tuple[RowImage | None, RowImage | None]


def jobs(target: TargetTable, *changes: Change, safe: bool = False) -> list[Job]:
    causality = Causality(1)
    return [
        job
        for end, (before, after) in enumerate(changes)
        for job in causality.jobs(
            target,
            *as_event(before, after),
            safe=safe,
            origin=Origin("bin.000001", ""),
            event_end=end,
            row_index=0,
            size=1,
        )
    ]


def sql(target: TargetTable, *changes: Change, safe: bool = False, limits: Limits | None = None) -> list[str]:
    return [
        statement.sql.decode()
        for group in segments(jobs(target, *changes, safe=safe))
        for segment in group
        for statement in statements(segment, limits or Limits())
    ]


ONE = (b"1", b"'a'", b"'x'")
TWO = (b"2", b"'b'", b"'y'")


def test_inserts_share_one_statement() -> None:
    assert sql(keyed(), (None, ONE), (None, TWO)) == [
        "INSERT INTO `s`.`t` (`id`,`code`,`note`) VALUES (1,'a','x'),(2,'b','y')"
    ]


def test_updates_write_only_what_changed() -> None:
    assert sql(keyed(), (ONE, (b"1", b"'a'", b"'z'"))) == ["UPDATE `s`.`t` SET `note`='z' WHERE `id`=1"]


def test_updates_of_the_same_columns_share_one_statement() -> None:
    changes = (ONE, (b"1", b"'a'", b"'p'")), (TWO, (b"2", b"'b'", b"'q'"))
    assert sql(keyed(), *changes) == [
        "UPDATE `s`.`t` SET `note`=CASE `id` WHEN 1 THEN 'p' WHEN 2 THEN 'q' END WHERE `id` IN (1,2)"
    ]


def test_a_changed_identity_is_a_delete_and_an_insert() -> None:
    moved = (b"9", b"'a'", b"'x'")
    assert sql(keyed(), (ONE, moved)) == [
        "DELETE FROM `s`.`t` WHERE `id`=1",
        "INSERT INTO `s`.`t` (`id`,`code`,`note`) VALUES (9,'a','x')",
    ]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ((None, ONE), (None, ONE), ["INSERT", "INSERT"]),
        ((ONE, (b"1", b"'a'", b"'z'")), (None, ONE), ["UPDATE", "INSERT"]),
        ((ONE, None), (ONE, None), ["DELETE", "DELETE"]),
        ((ONE, None), (ONE, (b"1", b"'a'", b"'z'")), ["DELETE", "UPDATE"]),
    ],
)
def test_changes_of_two_rows_with_one_key_do_not_become_one(first: Change, second: Change, kept: list[str]) -> None:
    """Of two shards, or of one without a key: the target is to say that it has the row, or lacks it."""
    assert [one.split()[0] for one in sql(keyed(), first, second)] == kept


def test_changes_of_one_row_become_one() -> None:
    newest = (b"1", b"'a'", b"'newest'")
    assert sql(keyed(), (None, ONE), (ONE, newest)) == [
        "INSERT INTO `s`.`t` (`id`,`code`,`note`) VALUES (1,'a','newest')"
    ]


def test_safe_mode_replaces() -> None:
    assert sql(keyed(), (None, ONE), (TWO, (b"2", b"'b'", b"'z'")), safe=True) == [
        "REPLACE INTO `s`.`t` (`id`,`code`,`note`) VALUES (1,'a','x'),(2,'b','z')"
    ]


def test_a_swapped_unique_value_keeps_its_order() -> None:
    changes = (
        (ONE, (b"1", b"'tmp'", b"'x'")),
        (TWO, (b"2", b"'a'", b"'y'")),
        ((b"1", b"'tmp'", b"'x'"), (b"1", b"'b'", b"'x'")),
    )
    assert sql(keyed(), *changes) == [
        "UPDATE `s`.`t` SET `code`='tmp' WHERE `id`=1",
        "UPDATE `s`.`t` SET `code`='a' WHERE `id`=2",
        "UPDATE `s`.`t` SET `code`='b' WHERE `id`=1",
    ]


def test_keyless_rows_are_found_exactly_and_one_by_one() -> None:
    row = (b"1", b"'a'", b"1.1")
    assert sql(keyless(), (None, row), (row, None)) == [
        "INSERT INTO `s`.`log` (`a`,`b`,`c`) VALUES (1,'a',1.1)",
        "DELETE FROM `s`.`log` WHERE `a`=1 AND `b` BETWEEN 'a' AND 'a' "
        "AND CAST(CONVERT(`b` USING utf8mb4) AS BINARY)=CAST('a' AS BINARY) AND `c`=1.100000023841858e0 LIMIT 1",
    ]


def test_equal_rows_without_a_key_share_a_statement() -> None:
    one, two, three = (b"1", b"NULL", b"NULL"), (b"2", b"NULL", b"NULL"), (b"3", b"NULL", b"NULL")
    null = "`b` IS NULL AND `c` IS NULL"
    removed = [(one, None), (two, None), (one, None)]
    assert sql(keyless(), *removed, (None, one), (one, None)) == [
        f"DELETE FROM `s`.`log` WHERE `a`=1 AND {null} LIMIT 2",
        f"DELETE FROM `s`.`log` WHERE `a`=2 AND {null} LIMIT 1",
        "INSERT INTO `s`.`log` (`a`,`b`,`c`) VALUES (1,NULL,NULL)",
        f"DELETE FROM `s`.`log` WHERE `a`=1 AND {null} LIMIT 1",
    ]
    assert sql(keyless(), (one, two), (one, two), (two, three), (one, two)) == [
        f"UPDATE `s`.`log` SET `a`=2 WHERE `a`=1 AND {null} LIMIT 2",
        f"UPDATE `s`.`log` SET `a`=3 WHERE `a`=2 AND {null} LIMIT 1",
        f"UPDATE `s`.`log` SET `a`=2 WHERE `a`=1 AND {null} LIMIT 1",
    ]


@pytest.mark.parametrize(
    ("charset", "value", "condition"),
    [
        (
            "latin1",
            b"'x'",
            "`k` BETWEEN 'x' AND 'x' AND CAST(`k` AS BINARY)=CAST(CONVERT('x' USING latin1) AS BINARY)",
        ),
        (
            "cp932",
            b"'x'",
            "CAST(`k` AS BINARY)=CAST(CONVERT('x' USING cp932) AS BINARY)",
        ),  # has characters of two codes
        (
            "utf8mb4",
            b"'%s'" % (b"x" * 1000),
            f"CAST(CONVERT(`k` USING utf8mb4) AS BINARY)=CAST('{'x' * 1000}' AS BINARY)",
        ),
    ],
)
def test_a_text_without_a_key_is_asked_for_as_an_index_has_it(charset: str, value: bytes, condition: str) -> None:
    structure = table([replace(column("k", "varchar"), charset=charset), column("g", generated="STORED")])
    assert sql(plan_target(structure, structure), ((value, b"7"), None)) == [
        f"DELETE FROM `s`.`t` WHERE {condition} LIMIT 1"
    ]


def test_composite_keys() -> None:
    columns = [column("a", nullable=False), column("b", nullable=False), column("n")]
    structure = table(columns, primary("a", "b"))
    target = plan_target(structure, structure)
    changes = ((b"1", b"1", b"5"), (b"1", b"1", b"6")), ((b"1", b"2", b"5"), (b"1", b"2", b"7"))
    assert sql(target, *changes) == [
        "UPDATE `s`.`t` SET `n`=CASE WHEN `a`=1 AND `b`=1 THEN 6 WHEN `a`=1 AND `b`=2 THEN 7 END "
        "WHERE (`a`,`b`) IN ((1,1),(1,2))"
    ]


def test_generated_columns_are_left_to_the_target() -> None:
    columns = [column("id", nullable=False), column("twice", generated="STORED"), column("n")]
    structure = table(columns, primary("id"))
    target = plan_target(structure, structure)
    assert sql(target, (None, (b"1", b"10", b"5"))) == ["INSERT INTO `s`.`t` (`id`,`n`) VALUES (1,5)"]


def test_statements_stay_below_the_limits() -> None:
    changes: list[Change] = [(None, (b"%d" % i, b"NULL", b"'%s'" % (b"x" * 50))) for i in range(10)]
    assert len(sql(keyed(), *changes, limits=Limits(insert_rows=4))) == 3
    assert len(sql(keyed(), *changes, limits=Limits(statement_bytes=140))) == 5
    assert len(sql(keyed(), *changes, limits=Limits(multiple_rows=False))) == 10


def test_the_delete_of_a_row_that_came_and_went_finds_none() -> None:
    changes = (None, ONE), (ONE, None), (None, ONE), (ONE, None)
    found = [
        statement.expected
        for group in segments(jobs(keyed(), *changes))
        for segment in group
        for statement in statements(segment, Limits())
    ]
    assert found == [0]


def test_the_empty_value_of_an_enum_is_no_label_of_a_case() -> None:
    structure = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('0', '1'))", "s")
    changes = [((b"%d" % n, b"NULL"), (b"%d" % n, value)) for n, value in enumerate((b"0", b"'1'", b"'0'", b"0"))]
    assert sql(plan_target(structure, structure), *changes) == [
        "UPDATE `s`.`t` SET `e`=0 WHERE `id` IN (0,3)",
        "UPDATE `s`.`t` SET `e`=CASE `id` WHEN 1 THEN '1' WHEN 2 THEN '0' END WHERE `id` IN (1,2)",
    ]


def test_null_where_the_target_counts_pauses() -> None:
    above = parse_create_table("CREATE TABLE t (c INT AUTO_INCREMENT, v INT, UNIQUE KEY (c))", "s")
    below = parse_create_table("CREATE TABLE t (c INT NOT NULL AUTO_INCREMENT, v INT, UNIQUE KEY (c))", "s")
    assert sql(plan_target(above, below), (None, (b"1", b"NULL"))) == ["INSERT INTO `s`.`t` (`c`,`v`) VALUES (1,NULL)"]
    with pytest.raises(DMError, match="column c"):
        sql(plan_target(above, below), (None, (b"NULL", b"1")))


def test_deletes_of_rows_that_the_segment_inserted_stand_apart() -> None:
    found = [
        (statement.sql.decode(), statement.expected)
        for group in segments(jobs(keyed(), (None, ONE), (TWO, None), (ONE, None)))
        for segment in group
        for statement in statements(segment, Limits())
    ]
    assert found == [("DELETE FROM `s`.`t` WHERE `id`=2", 1), ("DELETE FROM `s`.`t` WHERE `id`=1", 0)]
