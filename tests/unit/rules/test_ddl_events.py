"""The types of DDL, clause by clause."""

from __future__ import annotations

import pytest

from pkg.rules.ddl_events import parts_of
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.ddl import parse_ddl
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

T = """CREATE TABLE s.t (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, n INT DEFAULT 3, v VARCHAR(20), c CHAR(5), x TEXT,
    d DECIMAL(10, 2), e ENUM('a', 'b'), b BINARY(4), w DATETIME(3), f DOUBLE(8, 3), UNIQUE KEY uv (v), KEY kn (n)
) DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin"""


def table() -> Table:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl(T, default_schema="s"))
    found = tracker.table("s", "t")
    assert found is not None
    return found


def shown(sql: str, before: Table | None) -> list[str]:
    """Each part as ``type + further types``."""
    ddl = parse_ddl(sql, default_schema="s")
    parts = [part.event for piece in ddl.pieces() for part in parts_of(piece, before, DEFAULT_CONTEXT)]
    return [" + ".join([event.name, *sorted(event.also)]) for event in parts]


@pytest.mark.parametrize(
    ("sql", "events"),
    [
        ("CREATE TABLE a (id INT)", "create table"),
        ("CREATE TABLE a LIKE t", "create table"),
        ("CREATE OR REPLACE TABLE a (id INT)", "drop table; create table"),
        ("DROP TABLE a, t", "drop table; drop table"),
        ("TRUNCATE t", "truncate table"),
        ("RENAME TABLE t TO u, a TO b", "rename table; rename table"),
        ("CREATE UNIQUE INDEX i ON t (n)", "create index"),
        ("DROP INDEX kn ON t", "drop index"),
        ("DROP INDEX uv ON t", "drop unique key + drop index"),
        ("CREATE DATABASE x", "create database"),
        ("ALTER DATABASE x CHARACTER SET latin1", "alter database + modify schema charset and collate"),
        ("DROP SCHEMA x", "drop database"),
    ],
)
def test_statements(sql: str, events: str) -> None:
    assert shown(sql, table()) == events.split("; ")


@pytest.mark.parametrize(
    ("clause", "events"),
    [
        ("ADD COLUMN z INT", "alter table + add column"),
        ("ADD z INT UNIQUE", "alter table + add column + modify constraint"),
        (
            "ADD COLUMN (y INT, KEY (y)), DROP x",
            "alter table + add column; alter table + modify constraint; drop column",
        ),
        ("RENAME COLUMN n TO m", "rename column"),
        ("RENAME TO u", "rename table"),
        ("RENAME KEY kn TO km", "rename index"),
        ("DROP PRIMARY KEY", "drop primary key"),
        ("DROP KEY kn", "drop index"),
        ("DROP KEY uv", "drop unique key + drop index"),
        ("ADD PRIMARY KEY (n)", "modify constraint + add primary key"),
        ("ADD UNIQUE (n)", "modify constraint"),
        ("ADD KEY (n)", "alter table + modify constraint"),
        ("ADD FULLTEXT (x)", "alter table + modify constraint"),
        ("ADD CHECK (n > 0)", "modify constraint"),
        ("DROP CHECK k", "alter table + modify constraint"),
        ("ADD FOREIGN KEY (n) REFERENCES u (id)", "modify constraint + add foreign key"),
        ("DROP FOREIGN KEY k", "alter table + drop foreign key"),
        ("ALTER n SET DEFAULT 4", "modify default value + set default value"),
        ("ALTER n DROP DEFAULT", "modify default value + set default value"),
        ("ALTER INDEX kn INVISIBLE", "alter table + alter index visibility + modify constraint"),
        ("COMMENT 'x', ENGINE=InnoDB", "alter table + modify table comment; modify storage engine"),
        ("CHARACTER SET latin1", "modify charset + modify table charset and collate"),
        ("COLLATE utf8mb4_bin", "modify collation + modify table charset and collate"),
        ("CONVERT TO CHARACTER SET latin1", "modify charset + modify collation + modify table charset and collate"),
        ("AUTO_INCREMENT = 100", "alter table + rebase auto id"),
        ("ADD PARTITION (PARTITION p VALUES LESS THAN (9))", "alter table + add table partition"),
        ("DROP PARTITION p", "drop table partition"),
        ("TRUNCATE PARTITION p", "truncate table partition"),
        ("EXCHANGE PARTITION p WITH TABLE u", "exchange table partition"),
        ("REORGANIZE PARTITION p INTO (PARTITION q VALUES LESS THAN (9))", "reorganize table partition"),
        ("PARTITION BY HASH (id) PARTITIONS 4", "alter table + alter table partitioning"),
        ("ADD UNIQUE (n) PARTITION BY KEY (n)", "modify constraint; alter table + alter table partitioning"),
        ("REMOVE PARTITIONING", "alter table + remove table partitioning"),
        ("ADD z INT, ALGORITHM=INPLACE, LOCK=NONE", "alter table + add column"),
        ("FORCE", "alter table"),
        ("ORDER BY n", "alter table"),
    ],
)
def test_clauses_of_alter_table(clause: str, events: str) -> None:
    assert shown(f"ALTER TABLE t {clause}", table()) == events.split("; ")


@pytest.mark.parametrize(
    ("clause", "events"),
    [
        ("MODIFY n BIGINT DEFAULT 3", "alter table"),
        ("MODIFY n INT DEFAULT 3 COMMENT 'x'", "alter table"),
        ("MODIFY n INT NOT NULL DEFAULT 3", "alter table"),
        ("MODIFY n SMALLINT DEFAULT 3", "value range decrease"),
        ("MODIFY n INT UNSIGNED DEFAULT 3", "precision decrease"),
        ("MODIFY n BIGINT UNSIGNED DEFAULT 3", "value range decrease"),
        ("MODIFY n VARCHAR(20) DEFAULT 3", "modify column"),
        ("MODIFY n INT DEFAULT 4", "modify default value"),
        ("MODIFY n INT", "modify default value"),
        ("MODIFY n INT DEFAULT 3 FIRST", "modify columns order"),
        ("CHANGE n m INT DEFAULT 3 AFTER v", "modify columns order + rename column"),
        ("CHANGE n m INT DEFAULT 3", "rename column"),
        ("CHANGE N n INT DEFAULT 3", "alter table"),
        ("MODIFY v VARCHAR(30)", "alter table"),
        ("MODIFY v VARCHAR(10)", "value range decrease"),
        ("MODIFY v CHAR(20)", "modify column"),
        ("MODIFY v TEXT", "alter table"),
        ("MODIFY x VARCHAR(20)", "modify column"),
        ("MODIFY x MEDIUMTEXT", "alter table"),
        ("MODIFY v VARCHAR(20) CHARACTER SET latin1", "modify charset"),
        ("MODIFY v VARCHAR(20) COLLATE utf8mb4_general_ci", "modify collation"),
        ("MODIFY d DECIMAL(12, 2)", "precision decrease"),
        ("MODIFY d DECIMAL(10, 2)", "alter table"),
        ("MODIFY e ENUM('a', 'b', 'c')", "alter table"),
        ("MODIFY e ENUM('b', 'a')", "value range decrease"),
        ("MODIFY b BINARY(8)", "precision decrease"),
        ("MODIFY w DATETIME(6)", "alter table"),
        ("MODIFY w DATETIME", "value range decrease"),
        ("MODIFY f DOUBLE(6, 3)", "value range decrease"),
        ("MODIFY id BIGINT UNSIGNED", "remove auto increment"),
        ("MODIFY nowhere INT", "modify column"),
    ],
)
def test_what_modify_and_change_do(clause: str, events: str) -> None:
    assert shown(f"ALTER TABLE t {clause}", table()) == events.split("; ")


def test_a_change_of_a_table_that_is_not_known_counts_as_one_that_loses_data() -> None:
    assert shown("ALTER TABLE t MODIFY n BIGINT", None) == ["modify column"]
    assert shown("ALTER TABLE t DROP KEY kn", None) == ["drop index"]


def test_both_names_of_a_rename_are_asked_about() -> None:
    for sql in ("RENAME TABLE s.t TO r.u", "ALTER TABLE s.t RENAME TO r.u"):
        [part] = parts_of(parse_ddl(sql, default_schema="s"), table(), DEFAULT_CONTEXT)
        assert [(name.schema, name.table) for name in part.tables] == [("s", "t"), ("r", "u")]


def test_a_parent_table_is_not_asked_about() -> None:
    sql = "CREATE TABLE a (id INT, FOREIGN KEY (id) REFERENCES parent (id))"
    [part] = parts_of(parse_ddl(sql, default_schema="s"), None, DEFAULT_CONTEXT)
    assert [name.table for name in part.tables] == ["a"]
