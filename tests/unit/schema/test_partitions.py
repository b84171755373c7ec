"""Whether two servers agree on the rows of partitions."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.partitions import partition_doubts, takes_rows

_IMPOSSIBLE = "((MONTH(`d`) = 0 OR DAYOFMONTH(`d`) = 0) AND `d` + 0 <> 0)"
_COLUMNS = "CREATE TABLE t (n INT NOT NULL, m INT, d DATE NOT NULL, v VARCHAR(9) COLLATE {} NOT NULL, f FLOAT, u TIME)"


@pytest.mark.parametrize(
    ("method", "flavors", "doubt"),
    [
        ("HASH (n)", "mysql tidb", None),
        ("HASH (n + 7)", "mysql tidb", None),
        ("HASH (m)", "mysql tidb", "(m) IS NULL"),
        ("HASH (to_days(d))", "mariadb tidb", f"(to_days(d)) IS NULL | {_IMPOSSIBLE}"),
        ("RANGE (to_days(`d`))", "mysql tidb", _IMPOSSIBLE),
        ("RANGE (to_days(`d`))", "mysql mariadb", None),
        ("HASH (year(d))", "mariadb tidb", "(year(d)) IS NULL"),
        ("RANGE (extract(hour from `u`))", "mysql mariadb", "ABS(TIME_TO_SEC(`u`)) >= 86400"),
        (
            "HASH (EXTRACT(HOUR_MINUTE FROM u))",
            "mariadb tidb",
            "ABS(TIME_TO_SEC(`u`)) >= 86400 | (EXTRACT(HOUR_MINUTE FROM u)) IS NULL",
        ),
        ("RANGE (extract(hour from `u`))", "mysql tidb", None),
        ("RANGE (extract(minute from `u`))", "mysql mariadb", None),
        ("RANGE (hour(`u`))", "mysql mariadb", None),
        ("HASH (dayofweek(d))", "mariadb mysql", ""),
        ("HASH (m)", "mysql mariadb", None),
        ("LINEAR HASH (n)", "mysql mariadb", None),
        ("LINEAR HASH (n)", "mysql tidb", ""),
        ("LINEAR HASH (n)", "tidb tidb", None),
        ("KEY (n)", "mariadb tidb", ""),
        ("KEY ALGORITHM = 2 (n)", "mysql mariadb", None),
        ("KEY */ /*!50611 ALGORITHM = 1 */ /*!50100 (d)", "mysql mariadb", ""),
        ("KEY (v)", "mysql mysql", ""),
        ("KEY (f, n)", "mysql mariadb", "`f` = 0"),
        ("LINEAR KEY (n, f)", "mariadb mysql", "`f` = 0"),
        ("KEY (f)", "mysql mysql", None),
        ("RANGE (YEAR(d))", "mysql tidb", None),
        ("RANGE COLUMNS (n, d)", "mysql tidb", None),
        ("LIST COLUMNS(`v`)", "mysql tidb", ""),
    ],
)
def test_where_partitions_hold_other_rows(method: str, flavors: str, doubt: str | None) -> None:
    above = parse_create_table(
        f"{_COLUMNS.format('latin1_swedish_ci')}\n/*!50100 PARTITION BY {method} (PARTITION p0 ENGINE = InnoDB) */",
        "db",
    )
    below = parse_create_table(_COLUMNS.format("utf8mb4_bin"), "db")
    upstream, target = flavors.split()
    wheres = [one.where for one in partition_doubts(above, below, (upstream, target))]
    assert wheres == ([] if doubt is None else doubt.split(" | "))


@pytest.mark.parametrize(
    ("sql", "takes"),
    [
        ("ALTER TABLE t TRUNCATE PARTITION p0, p1", True),
        ("ALTER TABLE t TRUNCATE PARTITION ALL", False),
        ("ALTER TABLE t DROP PARTITION p0", True),
        ("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE u", True),
        ("ALTER TABLE t COALESCE PARTITION 1", False),
        ("ALTER TABLE t ADD PARTITION (PARTITION p9 VALUES LESS THAN (9))", False),
        ("ALTER TABLE t ENGINE = InnoDB", False),
    ],
)
def test_which_statements_take_the_rows_of_some_partitions(sql: str, takes: bool) -> None:
    assert takes_rows(parse_ddl(sql, default_schema="db")) is takes
