from __future__ import annotations

import pytest

from pkg.schema.dml_text import written_by
from pkg.schema.statement import TableName


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("INSERT INTO t VALUES (1)", "db.t"),
        ("insert ignore `x`.`t` (a) select * from o.u", "x.t"),
        ("REPLACE DELAYED INTO t SET a = 1", "db.t"),
        ("INSERT INTO t PARTITION (p) (a) VALUES (1)", "db.t"),
        ("LOAD DATA LOCAL INFILE 'INTO TABLE x' REPLACE INTO TABLE `o`.`t` FIELDS TERMINATED BY ',' (a)", "o.t"),
        ("UPDATE LOW_PRIORITY o.t SET a = (SELECT 1 FROM w.x)", "o.t"),
        ("UPDATE t AS a, o.u b SET a.x = 1", "db.t o.u"),
        ("UPDATE t a LEFT JOIN o.u b ON a.x = b.x JOIN v USING (x) SET b.x = 1", "db.t o.u db.v"),
        ("UPDATE (t, (o.u JOIN v)) STRAIGHT_JOIN w SET x = 1", "db.t o.u db.v db.w"),
        ("UPDATE t JOIN (SELECT * FROM w.x) s ON t.a IN (SELECT a FROM w.y) SET x = 1", "db.t"),
        ("UPDATE t PARTITION (p0, p1) SET x = 1 WHERE a IN (SELECT 1 FROM w.x)", "db.t"),
        ("DELETE FROM o.t WHERE a = 1", "o.t"),
        ("DELETE QUICK FROM t", "db.t"),
        ("DELETE a, b.* FROM o.t a JOIN u b USING (x) WHERE 1", "o.t db.u"),
        ("DELETE FROM a, b.* USING o.t AS a, u AS b", "o.t db.u"),
        ("WITH RECURSIVE c (a) AS (SELECT 1 FROM w.x), d AS (SELECT 2) DELETE FROM t WHERE a IN (SELECT a FROM c)", "db.t"),
        ("WITH c AS (SELECT 1 a) UPDATE t, c SET x = 1", "db.t db.c"),
        ("ANALYZE FORMAT=JSON UPDATE o.t SET a = 1", "o.t"),
        ("CREATE TEMPORARY TABLE IF NOT EXISTS t (a INT) SELECT 1", "db.t"),
        ("SELECT o.f()", ""),
        ("CALL p()", ""),
        ("DO f()", ""),
        ("UPDATE", ""),
    ],
)  # fmt: skip
def test_tables_that_a_text_may_write(sql: str, tables: str) -> None:
    written = written_by(sql, "db").tables
    assert " ".join(f"{one.schema}.{one.table}" for one in written or ()) == tables
    assert (written is None) == (not tables)


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("INSERT INTO t SELECT * FROM a, o.b AS x, (SELECT 1 FROM c) d JOIN (e JOIN f USING (i)) ON g = h WHERE i = 1, j", "a b c e f"),
        ("INSERT INTO t (a) SELECT EXTRACT(YEAR FROM x), TRIM(BOTH 'y' FROM z) FROM DUAL", ""),
        ("WITH RECURSIVE c (i) AS (SELECT 1 FROM w), d AS (SELECT i FROM c) DELETE FROM t WHERE a IN (SELECT a FROM d)", "t w"),
        ("INSERT INTO t SELECT j.a FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$')) j, LATERAL (SELECT 1 FROM k) l", "k"),
        ("UPDATE t SET a = (SELECT MAX(b) FROM `u v` ORDER BY b, c LIMIT 1), d = 2", "u v"),
        ("INSERT INTO t SELECT 1 UNION SELECT a, b FROM x GROUP BY c, d", "x"),
    ],
)  # fmt: skip
def test_tables_that_a_text_reads(sql: str, tables: str) -> None:
    read = {one.table for one in written_by(sql, "db").read}
    assert " ".join(sorted(read)) == tables


def test_names_before_a_parenthesis_may_be_functions() -> None:
    functions = written_by("INSERT INTO t VALUES (o.f(1), `g` (2), MAX(3), 'h(1)')", "db").functions
    assert {TableName("o", "f"), TableName("db", "g"), TableName("db", "MAX")} <= set(functions)
    assert not any(one.table == "h" for one in functions)
