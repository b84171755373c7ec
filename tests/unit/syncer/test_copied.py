"""DDL that moves rows between names while tables are copied."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dm_worker.syncer.copied import (
    DEPENDS_ON_ROWS,
    MOVED_WHILE_COPIED,
    NAMES_EXCHANGED,
    REMOVED_BEFORE_PIN,
    TYPES_UNDONE,
    CopyWindow,
    moved_names,
)
from dm_worker.syncer.planned_tables import PlannedTables
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import Ddl, TableName
from pkg.schema.tracker import SchemaTracker

UNTIL = Position("bin.000002", 500)
COPIED = {("s", "t"): False, ("s", "ended"): False, ("s", "gone"): True, ("s", "u"): False}
PRESENT = {"t", "gone", "ended"}


def ddl(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="s", flavor="mariadb", sql_mode=frozenset())


TABLE = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT)", "s")
PIN = Position("bin.000002", 300)
AGAIN = Position("bin.000002", 400)
ANEW = {("s", "anew"): AGAIN, ("s", "anew2"): AGAIN}
WINDOW = CopyWindow(
    UNTIL,
    {("s", "keyless"): PIN} | ANEW,
    ANEW,
    lambda: COPIED | dict.fromkeys(ANEW, False),
    lambda name: name.table in PRESENT,
    lambda name: TABLE if name.table == "t" else None,
    frozenset({("s", "keyless")}),
    {("s", "ended"): PIN},
)


@pytest.mark.parametrize(
    "sql",
    [
        "RENAME TABLE t TO old, fresh TO t",
        "RENAME TABLE fresh TO t",
        "ALTER TABLE t RENAME TO other.t",
        "ALTER TABLE x ADD COLUMN a INT, RENAME t",
        "RENAME TABLE gone TO elsewhere",
        "ALTER TABLE x EXCHANGE PARTITION p WITH TABLE t",
        "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE x WITHOUT VALIDATION",
    ],
)
def test_rows_of_a_copied_name_that_move_are_refused_within_the_copy(sql: str) -> None:
    with pytest.raises(DMError) as refused:
        WINDOW.is_copied(ddl(sql), UNTIL)
    assert refused.value.is_a(MOVED_WHILE_COPIED)
    assert not WINDOW.is_copied(ddl(sql), Position("bin.000002", 501))


@pytest.mark.parametrize(
    "sql",
    [
        "RENAME TABLE u TO elsewhere",  # the whole of it was copied before
        "RENAME TABLE x TO y",
        "ALTER TABLE t ADD COLUMN a INT",
        "ALTER TABLE t DROP PARTITION p",
        "ALTER TABLE t RENAME COLUMN a TO b, RENAME INDEX c TO d",
        "DROP TABLE t",
        "TRUNCATE TABLE t",
    ],
)
def test_other_ddl_passes(sql: str) -> None:
    assert not WINDOW.is_copied(ddl(sql), UNTIL)


def test_a_truncate_before_its_table_was_copied_is_done() -> None:
    assert WINDOW.is_copied(ddl("TRUNCATE keyless"), PIN)
    assert not WINDOW.is_copied(ddl("TRUNCATE keyless"), Position("bin.000002", 301))


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE t, keyless",
        "DROP DATABASE s",
        "CREATE OR REPLACE TABLE keyless (a INT)",
        "ALTER TABLE keyless DROP PARTITION p",
        "ALTER TABLE keyless TRUNCATE PARTITION p",
    ],
)
def test_rows_that_were_removed_before_the_copy_are_not_removed_after_it(sql: str) -> None:
    with pytest.raises(DMError) as refused:
        WINDOW.is_copied(ddl(sql), PIN)
    assert refused.value.is_a(REMOVED_BEFORE_PIN)
    assert not WINDOW.is_copied(ddl(sql), UNTIL)


def test_a_table_that_was_created_while_the_copy_was_planned_is_there() -> None:
    for sql in ("CREATE TABLE t (id INT)", "CREATE TABLE t LIKE x"):
        assert WINDOW.is_copied(ddl(sql), UNTIL)
        assert not WINDOW.is_copied(ddl(sql), Position("bin.000002", 501))
    for sql in ("CREATE TABLE x LIKE t", "CREATE OR REPLACE TABLE t (id INT)"):
        assert not WINDOW.is_copied(ddl(sql), UNTIL)


def test_each_name_is_named_once() -> None:
    names = [name.table for name in moved_names(ddl("RENAME TABLE a TO tmp, b TO a, tmp TO b"))]
    assert names == ["a", "tmp", "b"]


BEFORE, BEHIND = AGAIN, Position("bin.000002", 401)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE anew RENAME COLUMN a TO b, DROP PARTITION p",
        "ALTER TABLE anew ADD FOREIGN KEY (a) REFERENCES t (a)",
        "CREATE INDEX i ON anew (a)",
        "TRUNCATE anew",
        "DROP TABLE anew, anew2",
        "CREATE TABLE anew (a INT REFERENCES t (a))",
        "CREATE TABLE anew LIKE anew2",
        "CREATE TABLE anew LIKE u",
        "CREATE OR REPLACE TABLE anew (a INT)",
        "RENAME TABLE anew TO anew2",
        "ALTER TABLE anew EXCHANGE PARTITION p WITH TABLE anew2",
    ],
)
def test_what_a_table_that_was_made_anew_has_in_it_is_only_tracked(sql: str) -> None:
    assert WINDOW.is_only_tracked(ddl(sql), BEFORE)
    assert not WINDOW.is_only_tracked(ddl(sql), BEHIND)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("DROP TABLE anew, u", REMOVED_BEFORE_PIN),
        ("CREATE TABLE x LIKE anew", REMOVED_BEFORE_PIN),
        ("RENAME TABLE anew TO old, fresh TO anew", MOVED_WHILE_COPIED),
        ("ALTER TABLE anew RENAME TO other.t", MOVED_WHILE_COPIED),
        ("ALTER TABLE x EXCHANGE PARTITION p WITH TABLE anew", MOVED_WHILE_COPIED),
    ],
)
def test_what_changes_other_tables_too_is_refused(sql: str, code: ErrorKind) -> None:
    with pytest.raises(DMError) as refused:
        WINDOW.is_only_tracked(ddl(sql), BEFORE)
    assert refused.value.is_a(code)
    assert not WINDOW.is_only_tracked(ddl(sql), BEHIND)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a INT)",
        "ALTER TABLE u ADD FOREIGN KEY (a) REFERENCES anew (a)",
        "DROP DATABASE s",
        "ALTER DATABASE s CHARACTER SET utf8mb4",
        "TRUNCATE keyless",
    ],
)
def test_other_ddl_is_no_matter_of_tables_that_were_made_anew(sql: str) -> None:
    assert not WINDOW.is_only_tracked(ddl(sql), BEFORE)


def test_the_end_of_an_online_ddl_is_only_tracked_where_its_table_was_made_anew() -> None:
    exchange = ddl("RENAME TABLE anew TO _anew_del, _anew_gho TO anew")
    anew, other = TableName("s", "anew"), TableName("s", "u")
    assert WINDOW.is_behind([anew], exchange, BEFORE)
    assert not WINDOW.is_behind([anew], exchange, BEHIND)
    assert not WINDOW.is_behind([other], exchange, BEFORE)
    for changed, also in (([anew, other], False), ([anew], True)):
        with pytest.raises(DMError) as refused:
            WINDOW.is_behind(changed, exchange, BEFORE, also=also)
        assert refused.value.is_a(MOVED_WHILE_COPIED)


@pytest.mark.parametrize(
    "statements",
    [
        ["ALTER TABLE t CHANGE a b INT, CHANGE b a INT AFTER id"],
        ["ALTER TABLE t DROP COLUMN b, RENAME COLUMN a TO b"],
        ["ALTER TABLE t DROP COLUMN b", "ALTER TABLE t RENAME COLUMN a TO b"],
        ["ALTER TABLE t RENAME COLUMN a TO x, RENAME COLUMN b TO y", "ALTER TABLE t RENAME COLUMN x TO b"],
    ],
)
def test_a_column_that_gets_anothers_name_is_refused_within_the_copy(statements: list[str]) -> None:
    window = replace(WINDOW, planned=PlannedTables())
    for sql in statements[:-1]:
        assert not window.is_copied(ddl(sql), PIN)
    with pytest.raises(DMError) as refused:
        window.is_copied(ddl(statements[-1]), PIN)
    assert refused.value.is_a(NAMES_EXCHANGED)
    assert not replace(WINDOW, planned=PlannedTables()).is_copied(ddl(statements[-1]), Position("bin.000002", 501))


@pytest.mark.parametrize(
    "statements",
    [
        ["ALTER TABLE t RENAME COLUMN a TO x", "ALTER TABLE t RENAME COLUMN x TO a"],  # undone, as the task asks for
        ["ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t RENAME COLUMN x TO a"],
        ["ALTER TABLE t CHANGE a a BIGINT"],
    ],
)
def test_columns_that_have_their_own_names_are_no_concern(statements: list[str]) -> None:
    window = replace(WINDOW, planned=PlannedTables())
    assert not any(window.is_copied(ddl(sql), PIN) for sql in statements)


def test_names_are_followed_over_a_restart() -> None:
    window = replace(WINDOW, planned=PlannedTables())
    assert not window.is_copied(ddl("ALTER TABLE t RENAME COLUMN a TO x, RENAME COLUMN b TO y"), PIN)
    document = window.planned.changed()
    assert document
    assert not window.planned.changed()
    now = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, x INT, y INT, c INT)", "s")
    again = replace(WINDOW, tracked=lambda name: now, planned=PlannedTables(document))
    with pytest.raises(DMError) as refused:
        again.is_copied(ddl("ALTER TABLE t RENAME COLUMN x TO b"), PIN)
    assert refused.value.is_a(NAMES_EXCHANGED)


@pytest.mark.parametrize(
    ("types", "is_refused"),
    [
        (["ENUM('a', 'b')", "INT", "ENUM('b', 'a')", "ENUM('a', 'b')"], True),
        (["VARCHAR(9) CHARACTER SET latin1", "VARBINARY(9)", "VARCHAR(9) CHARACTER SET latin1"], True),
        (["ENUM('a', 'b')", "ENUM('a', 'b', 'c')", "ENUM('a', 'b')"], False),
        (["INT", "VARCHAR(9)", "INT"], False),
        (["DATETIME(3)", "DATE", "DATETIME(3)"], False),
        (["DATETIME", "TIMESTAMP", "DATETIME"], True),
        (["TIMESTAMP(3)", "DATETIME(3)", "TIMESTAMP(3)"], True),
        (["VARCHAR(30)", "TIMESTAMP", "VARCHAR(30)"], True),
        (["TIMESTAMP", "TIMESTAMP(6)", "TIMESTAMP"], False),
        (["ENUM('a', 'b')", "INT"], False),
    ],
)
def test_types_that_are_changed_and_changed_back_are_refused_within_the_copy(
    types: list[str], is_refused: bool
) -> None:
    tracker = SchemaTracker()
    tracker.load(parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, a {types[0]})", "s"))
    window = replace(WINDOW, tracked=lambda name: tracker.table("s", "t"), planned=PlannedTables())
    met, document = [], ""
    for one in types[1:]:
        changed = ddl(f"ALTER TABLE t MODIFY a {one}")
        try:
            window.is_copied(changed, PIN)
        except DMError as exc:
            met.append(exc.is_a(TYPES_UNDONE))
        document = window.planned.changed() or document
        window = replace(window, planned=PlannedTables(document))  # also behind a restart
        tracker.apply(changed)
    assert met == [True] * is_refused


@pytest.mark.parametrize(
    "clauses",
    [
        "ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY (n)",
        "ADD n SERIAL",
        "MODIFY id INT NOT NULL AUTO_INCREMENT",
        "CHANGE id i BIGINT AUTO_INCREMENT",
    ],
)
def test_rows_that_are_numbered_within_the_copy_are_refused(clauses: str) -> None:
    for window in (WINDOW, replace(WINDOW, tracked=lambda name: None)):
        with pytest.raises(DMError) as refused:
            window.is_copied(ddl(f"ALTER TABLE t {clauses}"), UNTIL)
        assert refused.value.is_a(DEPENDS_ON_ROWS)
        assert "gave rows numbers" in str(refused.value)
    for sql, place in (
        (f"ALTER TABLE t {clauses}", Position("bin.000002", 501)),
        (f"ALTER TABLE ended {clauses}", UNTIL),
    ):
        assert not replace(WINDOW, planned=PlannedTables()).is_copied(ddl(sql), place)


def test_rows_that_ignore_deletes_within_the_copy_are_refused() -> None:
    sql = "ALTER IGNORE TABLE {} ADD UNIQUE KEY (a)"
    window = replace(WINDOW, copied=lambda: COPIED | {("s", "anew"): False, ("s", "keyless"): False})
    for table, place in (("t", UNTIL), ("keyless", PIN), ("anew", BEHIND)):
        with pytest.raises(DMError) as refused:
            window.is_copied(ddl(sql.format(table)), place)
        assert refused.value.is_a(DEPENDS_ON_ROWS)
    assert not window.is_copied(ddl(sql.format("keyless")), BEHIND)
    assert WINDOW.is_only_tracked(ddl(sql.format("anew")), BEFORE)
    assert not WINDOW.is_copied(ddl(sql.format("fresh")), UNTIL)  # made since
    counted = parse_create_table("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY)", "s")
    window = replace(WINDOW, tracked=lambda name: counted, planned=PlannedTables())
    assert not window.is_copied(ddl("ALTER TABLE t MODIFY id BIGINT AUTO_INCREMENT"), UNTIL)


def test_a_table_that_was_made_anew_is_followed_from_there() -> None:
    window = replace(WINDOW, tracked=lambda name: TABLE, planned=PlannedTables())
    with pytest.raises(DMError) as refused:
        window.is_copied(ddl("ALTER TABLE anew CHANGE a b INT, CHANGE b a INT AFTER id"), BEHIND)
    assert refused.value.is_a(NAMES_EXCHANGED)


def test_names_that_change_behind_the_last_chunk_are_no_concern() -> None:
    for sql in ("RENAME TABLE ended TO x, fresh TO ended", "ALTER TABLE ended CHANGE a b INT, CHANGE b a INT"):
        assert not WINDOW.is_copied(ddl(sql), AGAIN)
    with pytest.raises(DMError):
        WINDOW.is_copied(ddl("RENAME TABLE ended TO x, fresh TO ended"), PIN)


def test_columns_that_were_as_planned_at_the_pin_are_only_tracked() -> None:
    for sql in ("ALTER TABLE keyless DROP COLUMN a", "ALTER TABLE keyless ADD COLUMN a INT, ADD INDEX (a)"):
        assert WINDOW.is_only_tracked(ddl(sql), PIN)
        assert not WINDOW.is_only_tracked(ddl(sql), AGAIN)
        assert not replace(WINDOW, exact=frozenset()).is_only_tracked(ddl(sql), PIN)
    assert not WINDOW.is_only_tracked(ddl("ALTER TABLE keyless ADD INDEX (a)"), PIN)
