"""What a statement has done upstream: one that ended with an error, and one that met a view."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dm_worker.syncer.ddl_reading import DdlReader, effect_upstream
from dm_worker.syncer.ddl_target import UpstreamSettings
from dm_worker.syncer.passing import Passing
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import DdlKind, TableName
from pkg.schema.tracker import SchemaTracker

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


VIEW, TABLE, NOTHING = "VIEW", "BASE TABLE", ""
# Over what the upstream has (MySQL 9, MariaDB 10.11): what is logged and changes the names that tables have.  What is
# not here is refused upstream, or (MariaDB: CREATE TABLE and CREATE SEQUENCE IF NOT EXISTS) not logged.
OVER_NAMES = [
    # sql, MySQL's number of a transaction, upstream now, the stream has made a view of that name, read as
    ("CREATE TABLE IF NOT EXISTS x (a INT)", True, VIEW, True, DdlKind.CREATE_TABLE),
    ("CREATE TABLE IF NOT EXISTS x (a INT)", False, VIEW, False, DdlKind.NOT_REPLICATED),
    ("CREATE TABLE IF NOT EXISTS x (a INT)", False, NOTHING, True, DdlKind.NOT_REPLICATED),
    ("CREATE TABLE IF NOT EXISTS x (a INT)", False, TABLE, True, DdlKind.NOT_REPLICATED),
    ("CREATE TABLE IF NOT EXISTS x (a INT)", False, TABLE, False, DdlKind.CREATE_TABLE),
    ("CREATE TABLE IF NOT EXISTS x (a INT) ENGINE=MyISAM", False, TABLE, False, DdlKind.CREATE_TABLE),
    ("CREATE TABLE IF NOT EXISTS x LIKE y", False, VIEW, False, DdlKind.NOT_REPLICATED),
    ("CREATE TABLE IF NOT EXISTS x LIKE y", True, VIEW, False, DdlKind.CREATE_TABLE_LIKE),
    ("CREATE TABLE x (a INT)", False, VIEW, False, DdlKind.CREATE_TABLE),  # and a view later
    ("CREATE TABLE IF NOT EXISTS known (a INT)", False, VIEW, False, DdlKind.CREATE_TABLE),
    ("CREATE TABLE IF NOT EXISTS out_x (a INT)", False, VIEW, False, DdlKind.CREATE_TABLE),
    ("DROP TABLE IF EXISTS x", False, VIEW, True, DdlKind.DROP_TABLE),
]


class Upstream:
    def __init__(self, kind: str) -> None:
        self._kind = kind

    def shown_merge(self, schema: str, table: str) -> str:
        return ""

    def kind_of(self, schema: str, name: str) -> str:
        return self._kind


@pytest.mark.parametrize(("sql", "has_xid", "now", "is_made", "expected"), OVER_NAMES)
@pytest.mark.parametrize("flavor", ["mysql", "mariadb"])
def test_a_table_is_not_created_beside_a_view(
    sql: str, has_xid: bool, now: str, is_made: bool, expected: DdlKind, flavor: str
) -> None:
    tracker = SchemaTracker({"s": "utf8mb4_bin"})
    tracker.apply(parse_ddl("CREATE TABLE known (a INT)", default_schema="s"))
    upstream = UpstreamSettings(flavor, {}, (), lambda zone, at: "+00:00", lambda zone: False)
    reader = DdlReader(
        upstream,
        tracker,
        lambda schema, table: not table.startswith("out"),
        lambda name: None,
        lambda name: False,
        lambda name: is_made,
        cast(Any, Upstream(now)),
    )
    status = QueryStatus(has_xid=has_xid and flavor == "mysql")
    found = reader.read(QueryEvent("s", sql, 0, 0, status), {})
    usual = parse_ddl(sql, default_schema="s", flavor=flavor).kind
    assert found.kind is (expected if flavor == "mysql" else usual)


@pytest.mark.parametrize(
    ("statements", "is_other"),
    [
        (("CREATE VIEW x AS SELECT 1",), True),
        (("CREATE OR REPLACE ALGORITHM=MERGE VIEW s.x AS SELECT 1",), True),
        (("CREATE VIEW IF NOT EXISTS x AS SELECT 1",), False),  # servers log it also beside a table
        (("ALTER VIEW x AS SELECT 1",), True),
        (("CREATE VIEW x AS SELECT 1", "DROP VIEW IF EXISTS a, x"), False),
        (("CREATE VIEW x AS SELECT 1", "DROP DATABASE s"), False),
        (("CREATE VIEW x AS SELECT 1", "DROP DATABASE other"), True),
        (("CREATE SEQUENCE x",), True),
        (("CREATE OR REPLACE SEQUENCE x",), True),
        (("CREATE SEQUENCE x", "DROP SEQUENCE x"), False),
        (("CREATE JSON RELATIONAL DUALITY VIEW x AS SELECT 1",), True),
    ],
)
def test_names_of_views_and_sequences_are_followed(statements: tuple[str, ...], is_other: bool) -> None:
    everything = BlockAllowList(BlockAllowRules(), True)
    passing = Passing(everything, cast(Any, None), cast(Any, None), "mariadb", lambda name: False, list)
    for sql in statements:
        passing.passes(parse_ddl(sql, default_schema="s", flavor="mariadb"), QueryEvent("s", sql, 0, 0), "")
    assert passing.is_other(TableName("s", "x")) is is_other
