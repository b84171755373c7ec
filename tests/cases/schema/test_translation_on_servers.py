"""What one server shows as CREATE TABLE, translated, is taken by each of the others."""

from __future__ import annotations

from typing import Any

import pymysql
import pytest

from pkg.schema.parse import parse_create_table
from pkg.schema.translate import translate_create_database, translate_create_table
from tests.cases.schema.sequences import DATABASE, load_cases

CASES = load_cases()
# Types that have no counterpart there: the target says so itself.
IMPOSSIBLE = {
    ("tidb", "json and spatial types"),
    ("tidb", "column attributes of mysql"),
    ("mariadb", "column attributes of mysql"),
}


@pytest.mark.servers
@pytest.mark.parametrize(
    ("source", "target"), [("mariadb", "tidb"), ("mysql", "tidb"), ("mariadb", "mysql"), ("mysql", "mariadb")]
)
def test_created_tables_are_taken_by_the_target(request: pytest.FixtureRequest, source: str, target: str) -> None:
    upstream = _connect(request.getfixturevalue(source))
    downstream = _connect(request.getfixturevalue(target))
    try:
        with upstream.cursor() as reader, downstream.cursor() as writer:
            writer.execute("SHOW COLLATION")
            collations = {str(row[0]) for row in writer.fetchall() if row[0]}
            writer.execute("SET foreign_key_checks = 0")
            for case in CASES:
                if case.only in ("", source) and (target, case.name) not in IMPOSSIBLE:
                    _prepare(reader, case.statements)
                    for sql in _shown(reader):
                        _take(writer, sql, target, collations)
    finally:
        upstream.close()
        downstream.close()


def _connect(server: Any) -> Any:
    return pymysql.connect(host=server.host, port=server.port, user="root", autocommit=True, ssl_disabled=True)


def _prepare(cursor: Any, statements: tuple[str, ...]) -> None:
    for suffix in ("", "_x", "_y"):
        cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}{suffix}")
    cursor.execute(f"CREATE DATABASE {DATABASE}")
    cursor.execute(f"USE {DATABASE}")
    for statement in statements:
        cursor.execute(statement)


def _shown(cursor: Any) -> list[str]:
    cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (DATABASE,))
    texts = []
    for (name,) in cursor.fetchall():
        cursor.execute(f"SHOW CREATE TABLE `{name.replace('`', '``')}`")
        texts.append(str(cursor.fetchone()[1]))
    return texts


def _take(cursor: Any, sql: str, flavor: str, collations: set[str]) -> None:
    schema = "schema_case_target"
    cursor.execute(f"DROP DATABASE IF EXISTS {schema}")
    cursor.execute(translate_create_database(schema, "latin1_swedish_ci", flavor=flavor, collations=collations).sql)
    translated = translate_create_table(sql, schema=schema, table="t", flavor=flavor, collations=collations)
    cursor.execute(translated.sql)
    cursor.execute(f"SHOW CREATE TABLE {schema}.t")
    created = parse_create_table(str(cursor.fetchone()[1]), schema)
    wanted = parse_create_table(sql, schema)
    assert [column.name for column in created.columns] == [column.name for column in wanted.columns]
    is_by_period = "WITHOUT OVERLAPS" in sql  # no key of MariaDB's by which a row is found, and one there
    assert created.identity_key == wanted.identity_key or flavor == "mariadb" or is_by_period
