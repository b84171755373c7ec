"""Tasks with expression filters: what is written upstream, and the rows of the target's table ``t`` then.

``$DB`` stands for the case's own schema.  A filter is on ``t`` unless it says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Filter = dict[str, str]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    title: str
    filters: tuple[Filter, ...]
    upstream: tuple[str, ...]
    expect: Rows  # of SELECT id, a


@dataclass(frozen=True)
class Pause:
    """A case that pauses until the filters are ``then``."""

    title: str
    filters: tuple[Filter, ...]
    upstream: tuple[str, ...]
    words: tuple[str, ...]
    then: tuple[Filter, ...]
    expect: Rows


def inserts(expression: str, **more: str) -> Filter:
    return {"insert-value-expr": expression, **more}


def deletes(expression: str, **more: str) -> Filter:
    return {"delete-value-expr": expression, **more}


def updates(old: str = "", new: str = "", **more: str) -> Filter:
    given = {"update-old-value-expr": old, "update-new-value-expr": new, **more}
    return {option: text for option, text in given.items() if text}


T = "CREATE TABLE t (id INT PRIMARY KEY, a INT)"
FOUR = "INSERT INTO t VALUES (1, 10), (2, 20), (3, NULL), (4, 40)"

CASES = (
    Case("inserts by number, NULL is not true", (inserts("a > 15"),), (T, FOUR), [(1, 10), (3, None)]),
    Case(
        "deletes of some rows are left out",
        (deletes("a >= 20 OR a IS NULL"),),
        (T, FOUR, "DELETE FROM t"),
        [(2, 20), (3, None), (4, 40)],
    ),
    Case(
        "updates by the old row",
        (updates(old="a = 20"),),
        (T, FOUR, "UPDATE t SET a = a + 1"),
        [(1, 11), (2, 20), (3, None), (4, 41)],
    ),
    Case(
        "updates by the new row",
        (updates(new="`a` BETWEEN 21 AND 41"),),
        (T, FOUR, "UPDATE t SET a = a + 1 ORDER BY id"),
        [(1, 11), (2, 20), (3, None), (4, 40)],
    ),
    Case(
        "updates by the old and the new row, both of which have to match",
        (updates(old="a < 30", new="t.a % 2 = 0"),),
        (T, FOUR, "UPDATE t SET a = 2 WHERE id = 1", "UPDATE t SET a = 3 WHERE id = 2", "UPDATE t SET a = 4 WHERE id = 4"),
        [(1, 10), (2, 3), (3, None), (4, 4)],
    ),
    Case(
        "several filters of one table, of which one has to match",
        (inserts("a = 10"), inserts("id = 4"), deletes("id = 2")),
        (T, FOUR, "DELETE FROM t WHERE id IN (2, 3)"),
        [(2, 20)],
    ),
    Case(
        "text without case and accents, and with them",
        (inserts("name = 'Été'"), inserts("exact LIKE 'drop%'")),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, name VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, "
         "exact VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)",
         "INSERT INTO t VALUES (1, 1, 'ETE', ''), (2, 2, 'étés', 'Drop'), (3, 3, 'ete ', ''), (4, 4, '', 'drop it')"),
        [(2, 2)],
    ),
    Case(
        "dates and times",
        (inserts("d < '2020-01-01'"), deletes("ts >= '2021-06-01 12:00:00'"), updates(new="YEAR(dt) = 2022 AND TIME(dt) > TIME '12:00:00'")),
        ("SET time_zone = '+02:00'",
         "CREATE TABLE t (id INT PRIMARY KEY, a INT, d DATE, dt DATETIME(3), ts TIMESTAMP NULL)",
         "INSERT INTO t VALUES (1, 1, '2019-12-31', NULL, NULL), (2, 2, '2020-01-01', NULL, '2021-06-01 14:00:00'), "
         "(3, 3, NULL, NULL, '2021-06-01 13:59:59'), (4, 4, '2020-02-02', NULL, NULL)",
         "DELETE FROM t WHERE id IN (2, 3)",
         "UPDATE t SET a = 40, dt = '2022-01-01 12:00:00.001' WHERE id = 4"),
        [(2, 2), (4, 4)],
    ),
    Case(
        "documents",
        (inserts("JSON_UNQUOTE(JSON_EXTRACT(j, '$.kind')) = 'test' OR JSON_EXTRACT(j, '$.size[1]') > 5"),),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, j JSON)",
         """INSERT INTO t VALUES (1, 1, '{"kind": "test"}'), (2, 2, '{"kind": "Test", "size": [9, 1]}'), """
         """(3, 3, '{"size": [0, 6.5]}'), (4, 4, NULL)"""),
        [(2, 2), (4, 4)],
    ),
    Case(
        "labels, decimals and conditions",
        (inserts("CASE e WHEN 'new' THEN p * 2 > 2.5 WHEN 'old' THEN IF(a > 1, TRUE, FALSE) END"),),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, e ENUM('new','old','none'), p DECIMAL(6,2))",
         "INSERT INTO t VALUES (1, 1, 'new', 1.25), (2, 1, 'NEW', 1.26), (3, 1, 'old', 9), (4, 2, 'old', 9), (5, 5, 'none', 9)"),
        [(1, 1), (3, 1), (5, 5)],
    ),
    Case(
        "the table's structure changes, and the expression follows its column",
        (inserts("b = 'x'"),),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9))",
         "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y')",
         "ALTER TABLE t ADD COLUMN first INT FIRST, MODIFY b VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin AFTER id",
         "INSERT INTO t (id, a, b) VALUES (3, 3, 'x'), (4, 4, 'X')"),
        [(2, 2), (4, 4)],
    ),
    Case(
        "generated columns",
        (inserts("v = 30"), inserts("p > 70")),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, v INT AS (a * 3) VIRTUAL, p INT AS (a * 2) STORED)",
         "INSERT INTO t (id, a) VALUES (1, 10), (2, 20), (3, NULL), (4, 40)"),
        [(2, 20), (3, None)],
    ),
    Case(
        "bytes, bits, floats, sets and years",
        (inserts("b = x'00FF'"), inserts("bt & 4"), inserts("f = 0.5 AND d < 1e-3"), inserts("FIND = 3"), inserts("y = 1999")),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARBINARY(9), bt BIT(3), f FLOAT, d DOUBLE, find SET('p','q'), y YEAR)",
         "INSERT INTO t VALUES (1, 1, x'00ff', 0, 0, 0, '', 2000), (2, 2, '', 5, 0, 0, '', 2000), (3, 3, '', 0, 0.5, 1e-4, '', 2000), "
         "(4, 4, '', 0, 0, 0, 'q,p', 2000), (5, 5, '', 0, 0, 0, '', 1999), (6, 6, x'00', 3, 0.5, 1, 'q', 0)"),
        [(6, 6)],
    ),
    Case(
        "other tables have no part in it",
        (inserts("a = 10", table="other"),),
        (T, "CREATE TABLE other LIKE t", "INSERT INTO other VALUES (1, 10)", FOUR),
        [(1, 10), (2, 20), (3, None), (4, 40)],
    ),
    Case(
        "transactions with rows that stay and rows that do not",
        (inserts("id % 2"), updates(old="id % 3 = 0"), deletes("id = 8")),
        (T, "BEGIN", "INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (8, 0)", "UPDATE t SET a = id",
         "DELETE FROM t WHERE id > 7", "DELETE FROM t WHERE id < 3", "COMMIT"),
        [(4, 4), (6, 0), (8, 8)],
    ),
)  # fmt: skip

PAUSES = (
    Pause(
        "a DDL takes the column away",
        (inserts("b = 'x'"),),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9))", "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y')",
         "ALTER TABLE t DROP COLUMN b", "INSERT INTO t VALUES (3, 3)"),
        ("code=36161", "filter_0", "insert-value-expr \"b = 'x'\"", "the column b"),
        (),
        [(2, 2), (3, 3)],
    ),
    Pause(
        "a column of a collation that is not known",
        (inserts("b = 'x'"),),
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)",
         "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'X')",
         "ALTER TABLE t MODIFY b VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_swedish_ci", "INSERT INTO t VALUES (3, 3, 'X')"),
        ("code=36160", "filter_0", "utf8mb4_swedish_ci", "COLLATE utf8mb4_bin"),
        (inserts("b COLLATE utf8mb4_bin = 'X'"),),
        [(2, 2)],
    ),
    Pause(
        "a row without a value",
        (deletes("a * 9223372036854775807 > 0"),),
        (T, FOUR, "DELETE FROM t WHERE id > 2", "DELETE FROM t WHERE id = 1"),
        ("code=36162", "filter_0", "out of the range of BIGINT", "40"),
        (deletes("a = 10"),),
        [(1, 10), (2, 20)],
    ),
)  # fmt: skip
