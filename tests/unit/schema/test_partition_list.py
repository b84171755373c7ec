"""Names, order and bounds of partitions: read, followed through DDL, and compared."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.partitions import other_bounds
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

_COLUMNS = "CREATE TABLE t (n INT, d DATE, v VARCHAR(9))"
_RANGES = "PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))"


def _table(partitioning: str) -> Table:
    return parse_create_table(f"{_COLUMNS} {partitioning}", "db")


@pytest.mark.parametrize(
    ("partitioning", "partitions"),
    [
        ("", []),
        ("PARTITION BY HASH (n)", ["p0"]),
        ("/*!50100 PARTITION BY KEY (n)\nPARTITIONS 2 */", ["p0", "p1"]),
        ("PARTITION BY HASH (n) (PARTITION a, PARTITION `b c` ENGINE = InnoDB)", ["a", "b c"]),
        (_RANGES, ["a: 10", "b: 20"]),
        ("PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN MAXVALUE)", ["a: MAXVALUE"]),
        ("PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (MAXVALUE))", ["a: MAXVALUE"]),
        ("PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (-5))", ["a: -5"]),
        ("PARTITION BY RANGE (to_days(d)) (PARTITION a VALUES LESS THAN (to_days('2020-1-1')))",
         ["a: TO_DAYS ( '2020-1-1' )"]),
        ("PARTITION BY RANGE COLUMNS(d, v) (PARTITION a VALUES LESS THAN (DATE'2020-1-2', 'x'), "
         "PARTITION b VALUES LESS THAN ('2020-01-02 00:00:00', MAXVALUE))", ["a: '2020-01-02, 'x", "b: '2020-01-02, MAXVALUE"]),
        ("PARTITION BY LIST (n) (PARTITION a VALUES IN (3, NULL,1), PARTITION b DEFAULT)", ["a: 1 3 NULL", "b: DEFAULT"]),
        ("PARTITION BY LIST (n) (PARTITION b VALUES IN (DEFAULT))", ["b: DEFAULT"]),
        ("PARTITION BY LIST COLUMNS(n, v) (PARTITION a VALUES IN ((1,_binary 0x78), (0, NULL)))", ["a: 0, NULL 1, 'x"]),
        ("PARTITION BY RANGE (n) SUBPARTITION BY HASH (n) SUBPARTITIONS 2 "
         "(PARTITION a VALUES LESS THAN (10) (SUBPARTITION x, SUBPARTITION y))", ["a: 10"]),
    ],
)  # fmt: skip
def test_what_partitions_there_are(partitioning: str, partitions: list[str]) -> None:
    assert _said(_table(partitioning)) == partitions


@pytest.mark.parametrize(
    ("before", "clause", "after"),
    [
        (_RANGES, "ADD PARTITION (PARTITION c VALUES LESS THAN (30))", ["a: 10", "b: 20", "c: 30"]),
        (_RANGES, "ADD PARTITION IF NOT EXISTS (PARTITION B VALUES LESS THAN (30))", ["a: 10", "b: 20"]),
        (_RANGES, "DROP PARTITION A", ["b: 20"]),
        (_RANGES, "DROP PARTITION IF EXISTS x, a", ["b: 20"]),
        (_RANGES, "TRUNCATE PARTITION a", ["a: 10", "b: 20"]),
        (_RANGES, "EXCHANGE PARTITION a WITH TABLE u", ["a: 10", "b: 20"]),
        (_RANGES, "REORGANIZE PARTITION a INTO (PARTITION x VALUES LESS THAN (5), PARTITION a VALUES LESS THAN (10))",
         ["x: 5", "a: 10", "b: 20"]),
        (_RANGES, "REORGANIZE PARTITION a, b INTO (PARTITION x VALUES LESS THAN (20))", ["x: 20"]),
        (_RANGES, "CONVERT PARTITION a TO TABLE u", ["b: 20"]),
        (_RANGES, "CONVERT TABLE u TO PARTITION c VALUES LESS THAN (30)", ["a: 10", "b: 20", "c: 30"]),
        (_RANGES, "PARTITION BY HASH (n) PARTITIONS 2", ["p0", "p1"]),
        (_RANGES, "REMOVE PARTITIONING", []),
        (_RANGES, "ADD KEY k (n) COMMENT 'x' REMOVE PARTITIONING", []),
        (_RANGES, "ADD CONSTRAINT k CHECK (n > 0) REMOVE PARTITIONING", []),
        (_RANGES, "ORDER BY n REMOVE PARTITIONING", []),
        (_RANGES, "ORDER BY n PARTITION BY HASH (n) PARTITIONS 2", ["p0", "p1"]),
        (_RANGES, "ADD KEY k (n) PARTITION BY HASH (n) PARTITIONS 2", ["p0", "p1"]),
        ("PARTITION BY HASH (n) PARTITIONS 2", "ADD PARTITION PARTITIONS 2", ["p0", "p1", "p2", "p3"]),
        ("PARTITION BY HASH (n) PARTITIONS 4", "COALESCE PARTITION 3", ["p0"]),
        ("PARTITION BY KEY (n) PARTITIONS 4", "REORGANIZE PARTITION", ["p0"]),
        ("PARTITION BY HASH (n) PARTITIONS 2", "REBUILD PARTITION ALL", ["p0", "p1"]),
    ],
)  # fmt: skip
def test_partitions_are_followed(before: str, clause: str, after: list[str]) -> None:
    tracker = SchemaTracker()
    tracker.load(Table.from_json(_table(before).to_json()))
    tracker.apply(parse_ddl(f"ALTER TABLE t {clause}", default_schema="db", flavor="mariadb"))
    altered = tracker.table("db", "t")
    assert altered is not None
    assert _said(Table.from_json(altered.to_json())) == after


@pytest.mark.parametrize(
    ("there", "sql", "reason"),
    [
        (_RANGES, "TRUNCATE PARTITION b", ""),
        (_RANGES.replace("(10)", "(5 + 5)"), "TRUNCATE PARTITION b", ""),
        (_RANGES.replace("(10)", "(11)"), "DROP PARTITION b", "b is from 10"),
        (_RANGES.replace("(20)", "(21)"), "DROP PARTITION a", ""),
        (_RANGES.replace(" b ", " c "), "DROP PARTITION b", ""),  # which the target refuses
        (_RANGES.replace(" b ", " c "), "DROP PARTITION IF EXISTS c, a", "no partition c"),
        (_RANGES.replace("(n)", "(`N`)"), "TRUNCATE PARTITION b", ""),
        (_RANGES.replace("(n)", "(n + 1)"), "TRUNCATE PARTITION b", "otherwise"),
        (_RANGES.replace("(n)", "(n + 1)"), "TRUNCATE PARTITION ALL", ""),
        ("", "TRUNCATE PARTITION b", ""),
    ],
)
def test_which_partitions_hold_other_rows(there: str, sql: str, reason: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {sql}", default_schema="db", flavor="mariadb")
    doubt = other_bounds(ddl, _table(_RANGES), _table(there), (), lambda text, _: str(eval(text)), is_later=False)
    assert (doubt.reason if doubt else "").endswith(reason) if not reason else doubt and reason in doubt.reason


@pytest.mark.parametrize(
    ("now", "there", "reason"),
    [
        ("b < 20, c < 30", "a < 10, b < 20", ""),
        ("b < 20, c < 30", "a < 20, c < 30", "a is called b"),
        ("b < 20, c < 30", "a < 10, b < 15, c < 30", "b has other bounds"),
    ],
)
def test_what_is_seen_after_a_drop(now: str, there: str, reason: str) -> None:
    tables = []
    for text in (now, there):
        parts = ", ".join(f"PARTITION {part.replace('<', 'VALUES LESS THAN (')})" for part in text.split(", "))
        tables.append(_table(f"PARTITION BY RANGE (n) ({parts})"))
    ddl = parse_ddl("ALTER TABLE t DROP PARTITION a", default_schema="db")
    doubt = other_bounds(ddl, *tables, (), lambda _, __: "", is_later=True)
    assert (doubt is not None and reason in doubt.reason) if reason else doubt is None


def test_a_mapped_column_divides() -> None:
    ddl = parse_ddl("ALTER TABLE t TRUNCATE PARTITION a", default_schema="db")
    doubt = other_bounds(ddl, _table(_RANGES), _table(_RANGES), {"n"}, lambda _, __: "", is_later=False)
    assert doubt is not None
    assert "mapped" in doubt.reason


def _said(table: Table) -> list[str]:
    return [f"{one.name}: {' '.join(one.values)}" if one.values else one.name for one in table.partitions]
