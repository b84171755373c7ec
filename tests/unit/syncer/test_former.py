"""Whether today's structure of a table is the one that its rows of earlier have."""

from __future__ import annotations

import pytest

from dm_worker.syncer.former import (
    FORMER_DEFAULT,
    FORMER_STRUCTURE,
    Change,
    ChangeAhead,
    Former,
    NotLookedUp,
    changes,
    hides,
    takes_default,
)
from pkg.binlog.events import TableMap
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.schema.charset import UTF8MB4
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

T = ("s", "t")
HERE, DDL, READ = (Position("bin.000001", offset) for offset in (100, 200, 300))
ROWS = TableMap("s", "t", b"\x03\x03", (0, 0))
WITH_TYPES = TableMap("s", "t", b"\x03\x03", (0, 0), unsigned=(False, False))
WITH_NAMES = TableMap("s", "t", b"\x03\x03", (0, 0), column_names=("a", "b"))


def ddl(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="s", flavor="mariadb")


def former(*sqls: str) -> Former:
    ahead = [ChangeAhead(DDL, change, sql) for sql in sqls for change in [changes(ddl(sql)).get(T, Change.NONE)]]
    return Former({T: READ}, {T: [one for one in ahead if one.change]})


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("ALTER TABLE t CHANGE a b INT, CHANGE b a INT", {T: Change.NAMES}),
        ("ALTER TABLE t RENAME COLUMN a TO b", {T: Change.NAMES}),
        ("ALTER TABLE t MODIFY b INT FIRST", {T: Change.NAMES}),
        ("ALTER TABLE t MODIFY b ENUM('x')", {T: Change.NAMES}),
        ("ALTER TABLE t MODIFY b VARCHAR(9)", {T: Change.TYPES}),
        ("ALTER TABLE t CONVERT TO CHARACTER SET latin1", {T: Change.TYPES}),
        ("ALTER TABLE t ADD PRIMARY KEY (a)", {T: Change.KEY}),
        ("ALTER TABLE t DROP a, ADD z INT", {T: Change.MORE | Change.FEWER}),
        ("DROP TABLE t, u", {T: Change.NAMES, ("s", "u"): Change.NAMES}),
        ("RENAME TABLE t TO u, v TO t", {T: Change.NAMES, ("s", "v"): Change.NAMES}),
        ("ALTER TABLE t RENAME TO u", {T: Change.NAMES}),
        ("CREATE OR REPLACE TABLE t (a INT)", {T: Change.NAMES}),
        ("DROP DATABASE s", {("s", ""): Change.NAMES}),
        ("ALTER DATABASE s COLLATE latin1_bin", {("s", ""): Change.DEFAULT}),
        ("ALTER DATABASE s COMMENT 'x'", {}),
        ("CREATE DATABASE s", {("s", ""): Change.DEFAULT}),
        ("CREATE TABLE IF NOT EXISTS t (a INT)", {}),
        ("CREATE DATABASE IF NOT EXISTS s", {}),
        ("TRUNCATE TABLE t", {}),
        ("ALTER TABLE t ADD INDEX i (a), ALTER a SET DEFAULT 4, ENGINE=InnoDB", {}),
        ("ALTER TABLE t ADD INDEX (a), ADD INDEX i (b)", {("s", "t"): Change.CALLED}),
    ],
)
def test_what_a_statement_may_have_changed(sql: str, found: dict[tuple[str, str], Change]) -> None:
    assert changes(ddl(sql)) == found


def test_another_number_of_columns_is_seen_in_the_rows_themselves() -> None:
    more, fewer = (ChangeAhead(DDL, one, "") for one in (Change.MORE, Change.FEWER))
    assert [hides(found) for found in ([], [more], [fewer], [more, more])] == [False] * 4
    assert hides([more, fewer])


def test_rows_are_refused_where_the_binlog_does_not_say_what_was_changed() -> None:
    exchanged, retyped = former("ALTER TABLE t CHANGE a b INT, CHANGE b a INT"), former("ALTER TABLE t MODIFY a TEXT")
    for refusing, rows in ((exchanged, ROWS), (exchanged, WITH_TYPES), (retyped, ROWS)):
        with pytest.raises(DMError) as refused:
            refusing.check_rows(rows, HERE)
        assert refused.value.is_a(FORMER_STRUCTURE)
    for taking, rows in ((exchanged, WITH_NAMES), (retyped, WITH_TYPES), (former(), ROWS)):
        taking.check_rows(rows, HERE)
    exchanged.passed(DDL)
    exchanged.check_rows(ROWS, DDL)


def test_what_lies_ahead_is_asked_for_when_it_matters() -> None:
    asked = Former({T: READ})
    asked.check_rows(WITH_NAMES, HERE)
    asked.check_rows(TableMap("s", "u", b"\x03", (0,)), HERE)
    assert not asked.is_asked
    with pytest.raises(NotLookedUp):
        asked.check_rows(ROWS, HERE)
    assert asked.is_asked


def test_a_statement_is_not_applied_to_what_has_it_already() -> None:
    for sql in ("ALTER TABLE t CHANGE a b INT, CHANGE b a INT", "RENAME TABLE t TO u, v TO t"):
        with pytest.raises(DMError):
            former(sql).check_ddl(ddl(sql), DDL)
        former(sql).check_ddl(ddl(sql), Position("bin.000001", 301))  # the structure was read before it
    with pytest.raises(DMError):
        former("ALTER TABLE t MODIFY b INT FIRST").check_ddl(ddl("CREATE TABLE u LIKE t"), HERE)
    for sql in ("ALTER TABLE t MODIFY a BIGINT", "DROP TABLE t", "ALTER TABLE t ADD INDEX (a)"):
        former(sql).check_ddl(ddl(sql), DDL)
    for sql in ("DROP DATABASE s", "CREATE DATABASE s", "ALTER DATABASE s COLLATE latin1_bin"):
        Former({("s", ""): READ, T: READ}).check_ddl(ddl(sql), DDL)


def test_a_table_that_the_stream_makes_is_known() -> None:
    for sql, known in (
        ("CREATE TABLE t (a INT, b INT)", True),
        ("RENAME TABLE u TO t", True),
        ("DROP TABLE t", True),
        ("ALTER TABLE t MODIFY a BIGINT", False),
    ):
        table = former("ALTER TABLE t MODIFY b INT FIRST")
        table.follow(ddl(sql), {T})
        assert (T not in table.read_at) is known, sql
    unchanged = former("ALTER TABLE t MODIFY b INT FIRST")
    unchanged.follow(ddl("CREATE TABLE IF NOT EXISTS t (a INT)"), set())
    assert T in unchanged.read_at


def test_a_table_that_is_met_without_a_structure_is_asked_for_again() -> None:
    known = former()
    known.check_rows(ROWS, HERE)
    known.meet(Table("s", "u", (), (), "utf8mb4", "utf8mb4_bin"), READ)
    with pytest.raises(NotLookedUp):
        known.check_rows(TableMap("s", "u", b"\x03", (0,)), HERE)
    assert known.met.keys() == {("s", "u")}
    assert known.is_asked


@pytest.mark.parametrize(
    ("sql", "takes"),
    [
        ("CREATE TABLE t (a INT)", True),
        ("CREATE TABLE t (a INT) CHARSET latin1", False),
        ("CREATE TABLE t (a INT) COLLATE latin1_bin", False),
        ("CREATE TABLE t (a INT) CHARSET DEFAULT", True),
        ("CREATE TABLE t LIKE u", False),
        ("ALTER TABLE t CONVERT TO CHARACTER SET DEFAULT", True),
        ("ALTER TABLE t CHARACTER SET DEFAULT", True),
        ("ALTER TABLE t CONVERT TO CHARACTER SET latin1, ADD b INT", False),
        ("ALTER TABLE t ADD b VARCHAR(9)", False),
    ],
)
def test_which_statements_take_a_database_s_default(sql: str, takes: bool) -> None:
    assert takes_default(ddl(sql)) == takes


def test_a_database_s_default_is_known_from_the_statement_on_that_sets_it() -> None:
    database, create = ("s", ""), ddl("CREATE TABLE t (a INT)")
    known = Former({database: READ}, {database: [ChangeAhead(DDL, Change.DEFAULT, "ALTER …")]})
    with pytest.raises(DMError) as raised:
        known.check_default(create, HERE, UTF8MB4)
    assert raised.value.is_a(FORMER_DEFAULT)
    for sql in (
        "ALTER DATABASE s COMMENT 'x'",
        "CREATE DATABASE IF NOT EXISTS s",
        "ALTER DATABASE u COLLATE latin1_bin",
    ):
        known.follow(ddl(sql), ())
        assert known.read_at
    known.follow(ddl("ALTER DATABASE s COLLATE latin1_bin"), ())
    known.check_default(create, HERE, UTF8MB4)
    with pytest.raises(DMError) as raised:
        known.check_default(create, HERE, None)
    assert raised.value.is_a(FORMER_DEFAULT)
    with pytest.raises(NotLookedUp):
        Former({database: READ}).check_default(create, HERE, UTF8MB4)
    Former({database: READ}).check_default(create, Position("bin.000001", 301), UTF8MB4)  # what was read holds there
