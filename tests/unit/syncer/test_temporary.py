from __future__ import annotations

import pytest

from dm_worker.syncer.temporary import TemporaryTables
from pkg.binlog.position import Position
from pkg.schema.ddl import Ddl, parse_ddl
from pkg.schema.statement import TableName

T = TableName("db", "t")


def parsed(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="db", flavor="mariadb")


def at(offset: int) -> Position:
    return Position("mysql-bin.000001", offset)


def noted(*statements: str, thread: int = 7) -> TemporaryTables:
    tables = TemporaryTables()
    for number, sql in enumerate(statements, 1):
        tables.note(parsed(sql), thread, at(number * 10))
    return tables


@pytest.mark.parametrize(
    "sql",
    ["TRUNCATE t", "ALTER TABLE db.t ADD b INT", "CREATE INDEX i ON t (a)", "DROP INDEX i ON t", "RENAME TABLE t TO u"],
)
def test_a_table_of_the_session_is_meant(sql: str) -> None:
    tables = noted("CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS t (a INT)")
    assert tables.is_about_one(parsed(sql), 7)
    assert not tables.is_about_one(parsed(sql), 8)
    assert noted("CREATE TEMPORARY TABLE o LIKE t").doubtful(parsed(sql), 7, is_marked=True) is None


def test_drops_and_creations_are_never_of_temporary_tables() -> None:
    tables = noted("CREATE TEMPORARY TABLE t SELECT 1 AS a")
    assert not any(tables.is_about_one(parsed(sql), 7) for sql in ("DROP TABLE t", "CREATE TABLE t (a INT)"))


@pytest.mark.parametrize(
    "sql", ["DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `u`,`t`", "ALTER TABLE t RENAME TO u", "RENAME TABLE t TO u"]
)
def test_a_name_that_is_given_up_is_no_more_the_sessions(sql: str) -> None:
    tables = noted("CREATE TEMPORARY TABLE t (a INT)", sql)
    assert not tables.owns(7, T)
    assert tables.owns(7, TableName("db", "u")) == ("RENAME" in sql)


def test_it_is_doubtful_where_a_marked_statements_session_has_none_that_is_known() -> None:
    tables = noted("CREATE TEMPORARY TABLE t (a INT)")
    assert tables.doubtful(parsed("TRUNCATE t"), 8, is_marked=True)
    assert not tables.doubtful(parsed("TRUNCATE t"), 8, is_marked=False)


@pytest.mark.parametrize("sql", ["RENAME TABLE t TO u, x TO y", "CREATE TABLE x LIKE t"])
def test_it_is_doubtful_beside_other_tables(sql: str) -> None:
    assert noted("CREATE TEMPORARY TABLE t (a INT)").doubtful(parsed(sql), 7, is_marked=False)


def test_what_is_stored_is_right_at_any_location() -> None:
    document = noted("CREATE TEMPORARY TABLE t (a INT)", "DROP TEMPORARY TABLE t").document(at(15)) or ""
    assert [TemporaryTables.at(at(place), document).owns(7, T) for place in (5, 10, 15, 20)] == [
        False,
        True,
        True,
        False,
    ]
    assert TemporaryTables.at(at(20), document).knows(7)
    assert not TemporaryTables.at(at(5), "").knows(7)


def test_it_is_stored_when_it_has_changed() -> None:
    tables = noted("CREATE TEMPORARY TABLE t (a INT)")
    assert tables.document(at(99))
    assert tables.document(at(99)) is None
    tables.forget(at(4))
    assert tables.owns(7, T)  # made since
    tables.forget(at(100))
    assert not tables.owns(7, T)
    assert tables.document(at(99))
