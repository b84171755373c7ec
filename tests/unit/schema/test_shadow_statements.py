"""Which rows of the target a shadow table's partition statements would take."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.partition_list import Partition
from pkg.schema.shadow_statements import lost_rows
from pkg.schema.table import Table

TABLE = Table(
    "a", "t", (), (), "utf8mb4", "utf8mb4_bin", partitions=(Partition("p0"), Partition("p1"), Partition("P 2"))
)


@pytest.mark.parametrize(
    ("clauses", "rows"),
    [
        (["ADD COLUMN v INT"], []),
        (["REORGANIZE PARTITION p0, p1 INTO (PARTITION q VALUES LESS THAN (9))"], []),
        (["DROP PARTITION p0, `p 2`"], [" PARTITION (`p0`, `p 2`)"]),
        (["TRUNCATE PARTITION p1", "DROP PARTITION p0"], [" PARTITION (`p1`)", " PARTITION (`p0`)"]),
        (["TRUNCATE PARTITION ALL"], [""]),
        (["ADD PARTITION (PARTITION q VALUES LESS THAN (9))", "DROP PARTITION q"], [""]),
        (["REORGANIZE PARTITION p0, p1 INTO (PARTITION p0 VALUES LESS THAN (9))", "DROP PARTITION p0"], [""]),
        (["EXCHANGE PARTITION p0 WITH TABLE x"], [""]),
        (["DISCARD PARTITION p0 TABLESPACE"], [""]),
        (["IMPORT PARTITION p0 TABLESPACE"], [""]),
        (["CONVERT PARTITION p0 TO TABLE x"], [""]),
        (["CONVERT TABLE x TO PARTITION q VALUES LESS THAN (9)"], [""]),
        (["COALESCE PARTITION 1"], []),
    ],
)  # fmt: skip
def test_rows_at_risk(clauses: list[str], rows: list[str]) -> None:
    ddls = [parse_ddl(f"ALTER TABLE t {one}", default_schema="a", flavor="mariadb") for one in clauses]
    assert [lost.rows for lost in lost_rows(ddls, TABLE, TABLE)] == rows


def test_partition_that_an_earlier_run_dropped() -> None:
    ddl = parse_ddl("ALTER TABLE t DROP PARTITION p0", default_schema="a", flavor="mysql")
    assert list(lost_rows([ddl], TABLE, replace(TABLE, partitions=TABLE.partitions[1:]))) == []
