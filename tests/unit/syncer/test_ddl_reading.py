"""What a statement that ended with an error has done upstream."""

from __future__ import annotations

import pytest

from dm_worker.syncer.ddl_reading import effect_upstream
from pkg.schema.ddl import parse_ddl

AS_IT_IS = "as it is"


@pytest.mark.parametrize(
    ("sql", "error", "flavor", "did"),
    [
        ("DROP TABLE a, y.b", 1051, "mysql", "DROP TABLE IF EXISTS `x`.`a`, `y`.`b`"),
        ("DROP TABLE a CASCADE", 1051, "mysql", "DROP TABLE IF EXISTS `x`.`a` CASCADE"),
        ("DROP TABLE a, b", 0, "mariadb", "DROP TABLE IF EXISTS `x`.`a`, `x`.`b`"),
        ("DROP TABLE a", 0, "mariadb", AS_IT_IS),
        ("DROP TABLE a, b", 0, "mysql", AS_IT_IS),
        ("DROP TABLE a, b", 1317, "mysql", None),
        ("CREATE OR REPLACE TABLE a (b INT, b INT)", 1060, "mariadb", "DROP TABLE IF EXISTS `x`.`a`"),
        ("CREATE OR REPLACE TABLE a LIKE b", 1005, "mariadb", "DROP TABLE IF EXISTS `x`.`a`"),
        ("CREATE OR REPLACE TABLE a AS SELECT 1", 1317, "mariadb", "DROP TABLE IF EXISTS `x`.`a`"),
        ("CREATE OR REPLACE TABLE a (b INT)", 0, "mariadb", AS_IT_IS),
        ("CREATE TABLE a (b INT)", 1050, "mariadb", None),
        ("TRUNCATE TABLE a", 1030, "mysql", None),
        ("ALTER TABLE a ADD COLUMN c INT", 1317, "mariadb", None),
        ("DROP VIEW v, nope", 4092, "mariadb", AS_IT_IS),
        ("INSERT INTO a VALUES (1)", 1062, "mysql", AS_IT_IS),
    ],
)
def test_what_a_statement_did_before_it_failed(sql: str, error: int, flavor: str, did: str | None) -> None:
    ddl = parse_ddl(sql, default_schema="x", flavor=flavor)
    effect = effect_upstream(ddl, error, flavor)
    if did == AS_IT_IS:
        assert effect is ddl
    else:
        assert (effect and effect.text) == did


def test_tables_that_are_dropped_are_dropped_one_by_one() -> None:
    effect = effect_upstream(parse_ddl("DROP TABLE a, b", default_schema="x"), 1051, "mysql")
    assert effect is not None
    assert [piece.text for piece in effect.pieces()] == ["DROP TABLE IF EXISTS `x`.`a`", "DROP TABLE IF EXISTS `x`.`b`"]
