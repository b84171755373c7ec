"""Literals of expressions, which MySQL shows in their own character sets and MariaDB misreads."""

from __future__ import annotations

import pytest

from tests.cases.full.migration import assert_same, execute, migrate, query, subtask
from tests.servers import RunningServer


def _migrated(source: RunningServer, target: RunningServer, schema: str, *statements: str) -> None:
    for end in (source, target):
        execute(end, f"DROP DATABASE IF EXISTS {schema}", f"DROP DATABASE IF EXISTS {schema}_meta")
    execute(source, f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")
    execute(source, *statements, database=schema)
    migrate(subtask(source, target, schema))


@pytest.mark.parametrize("kind", ["mariadb2", "tidb"])
@pytest.mark.parametrize(("charset", "text"), [("utf8mb4", "é🦆"), ("latin1", "é")])
def test_literals_of_expressions_of_mysql_keep_their_characters(
    charset: str, text: str, kind: str, mysql: RunningServer, request: pytest.FixtureRequest
) -> None:
    """`_utf8mb4'é'` became `xC3xA9` in MariaDB, `_latin1'é'` a `?` everywhere."""
    target = request.getfixturevalue(kind)
    columns = f"id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(40) AS (CONCAT(a, '{text}')), CHECK (a <> 'ä')"
    create = f"CREATE TABLE t ({columns}) CHARSET {charset}"
    _migrated(mysql, target, "full_literals", create, "INSERT INTO t (id, a) VALUES (1, 'b')")
    assert query(target, "SELECT g FROM full_literals.t") == [(f"b{text}",)]


def test_a_line_end_in_an_expression_of_mysql(mysql: RunningServer, mariadb2: RunningServer) -> None:
    create = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(40) AS (CONCAT(a, '\\n')))"
    _migrated(mysql, mariadb2, "full_lines", create, "INSERT INTO t (id, a) VALUES (1, 'b')")
    assert_same(mysql, mariadb2, "full_lines", ["t"])


def test_a_check_of_mysql_that_is_not_enforced_has_its_name_and_lets_all_rows_in(
    mysql: RunningServer, mariadb2: RunningServer
) -> None:
    create = (
        "CREATE TABLE t (id INT PRIMARY KEY, CHECK (id > 0), CONSTRAINT off CHECK (id > 5 AND id < 9) NOT ENFORCED)"
    )
    _migrated(mysql, mariadb2, "full_checks", create, "INSERT INTO t VALUES (1)")
    execute(mariadb2, "INSERT INTO full_checks.t VALUES (2)", "ALTER TABLE full_checks.t DROP CONSTRAINT off")
    assert query(mariadb2, "SELECT id FROM full_checks.t ORDER BY id") == [(1,), (2,)]


def test_checks_that_mariadb_has_named_are_one_in_each_table(mariadb: RunningServer, mysql: RunningServer) -> None:
    """MySQL's names of CHECKs are one in the schema."""
    made = "CREATE TABLE {} (id INT PRIMARY KEY, a INT CHECK (a > -9), CHECK (id > 0))"
    named = "ALTER TABLE t ADD CONSTRAINT own CHECK (id < 99)"
    _migrated(mariadb, mysql, "full_made", made.format("t"), made.format("u"), "CREATE TABLE v LIKE u", named)
    shown = "SELECT CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'full_made'"
    names = ["own", *(f"{name}_chk_{number}" for name in "tuv" for number in (1, 2))]
    assert sorted(name for (name,) in query(mysql, shown)) == names
