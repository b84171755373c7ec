from __future__ import annotations

import pytest

from pkg.rules.merged import DroppedDatabase, Merged, once_per_target
from pkg.rules.taken import taken_pieces
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import Ddl, TableName


def name(text: str) -> TableName:
    schema, _, table = text.partition(".")
    return TableName(schema, table)


def route(one: TableName) -> TableName:
    """db.a* and by.* to db.a1, moved to T, the rest to itself."""
    if one.schema == "moved":
        return TableName("t", one.table)
    return name("db.a1") if one.table.startswith("a") else one


def pieces(sql: str) -> tuple[Ddl, ...]:
    return taken_pieces(parse_ddl(sql, default_schema="db", flavor="mariadb"), lambda schema, table: True)


def merged(tables: str, elsewhere: str = "") -> Merged:
    return Merged([name(one) for one in tables.split()], route, lambda target: target == name(elsewhere))


@pytest.mark.parametrize(
    ("tables", "sql", "changed"),
    [
        ("db.a1 db.a2", "DROP TABLE a1", "db.a1"),
        ("db.a1 db.a2", "DROP TABLE a2, a1", None),
        ("db.a1 db.a2 by.a", "DROP TABLE a2, a1", "db.a2"),
        ("db.a1", "DROP TABLE a1", None),
        ("db.a1", "DROP TABLE IF EXISTS a9", None),
        ("db.a1", "DROP TABLE a9", "db.a9"),
        ("db.a1 db.a2", "TRUNCATE a1", "db.a1"),
        ("db.a1", "ALTER TABLE a1 ADD x INT", None),
        ("db.a1 by.a", "CREATE INDEX i ON a1 (id)", "db.a1"),
        ("db.a1 db.a2", "RENAME TABLE a1 TO b", "db.a1"),
        ("db.a1 db.a2", "RENAME TABLE a1 TO a5", None),
        ("db.a1 db.a2", "ALTER TABLE a1 RENAME TO a5", None),
        ("db.a1 db.a2", "ALTER TABLE a1 RENAME TO a5, COMMENT 'x'", "db.a1"),
        ("db.a1 db.b", "RENAME TABLE b TO a5", "db.a5"),
        ("db.a1 db.b", "RENAME TABLE a1 TO c, b TO a1", None),
        ("db.b", "RENAME TABLE b TO a5", None),
        ("db.a1 db.a2", "ALTER TABLE a1 ADD x INT, RENAME TO b", "db.a1"),
        ("db.b db.a1 db.a2", "ALTER TABLE b EXCHANGE PARTITION p WITH TABLE a1", "db.a1"),
        ("db.a1 db.a2", "CREATE TABLE a3 LIKE a1", None),
        ("db.a1 db.a2", "CREATE OR REPLACE TABLE a1 (id INT)", "db.a1"),
        ("db.a1 db.a2", "CREATE OR REPLACE TABLE a3 (id INT)", None),
        ("db.b db.c", "ALTER TABLE b ADD FOREIGN KEY (x) REFERENCES a1 (id)", None),
    ],
)
def test_a_statement_changes_rows_of_others(tables: str, sql: str, changed: str | None) -> None:
    found = merged(tables).changed_for_others(pieces(sql))
    assert found == (name(changed) if changed else None)


def test_other_sources_count() -> None:
    assert merged("db.b", "db.b").changed_for_others(pieces("TRUNCATE b")) == name("db.b")
    assert merged("db.b", "db.c").changed_for_others(pieces("TRUNCATE b")) is None


@pytest.mark.parametrize(
    ("tables", "database", "takes_all", "dropped"),
    [
        ("db.b db.a1", "db", True, DroppedDatabase((), True, False)),
        ("db.b db.a1", "db", False, DroppedDatabase((name("db.a1"), name("db.b")), False, False)),
        ("db.b by.a", "db", True, DroppedDatabase((name("db.b"),), False, False)),
        ("db.b db.a1 by.a", "db", True, DroppedDatabase((name("db.a1"), name("db.b")), False, False, name("db.a1"))),
        ("moved.x moved.y", "moved", True, DroppedDatabase((name("moved.x"), name("moved.y")), False, True)),
        ("moved.x t.y", "moved", True, DroppedDatabase((name("moved.x"),), False, False)),
        ("by.a by.x", "by", True, DroppedDatabase((name("by.a"),), True, False)),
        ("", "db", True, DroppedDatabase((), True, False)),
    ],
)
def test_a_database_takes_its_own_tables_alone(
    tables: str, database: str, takes_all: bool, dropped: DroppedDatabase
) -> None:
    assert merged(tables).dropped_database(name(database), takes_all=takes_all) == dropped


def test_merged_tables_are_dropped_once() -> None:
    left = once_per_target(pieces("DROP TABLE a1, b, a2"), route)
    assert [one.subject.table for one in left] == ["a1", "b"]
