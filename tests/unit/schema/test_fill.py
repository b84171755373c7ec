"""Which columns' defaults the rows of a target do not get by the ALTER itself."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.fill import divides_alike, fills, unrepeatable_word


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("(1 + 2)", ""),
        ("'UUID()'", ""),
        ("(CONCAT('a', `rand` , b))", ""),
        ("(CAST(a AS CHAR(10)))", ""),
        ("(CASE WHEN (a) IN (1, 2) THEN NOW(6) ELSE CURRENT_TIMESTAMP END)", ""),
        ("(a + INTERVAL (b) DAY)", ""),
        ("(UUID())", "UUID"),
        ("uuid()", "uuid"),
        ("(1 + RAND())", "RAND"),
        ("NEXT VALUE FOR s", "NEXT"),
        ("(CURRENT_USER)", "CURRENT_USER"),
        ("(SYSDATE())", "SYSDATE"),
        ("(`own`(1))", "`own`"),
        ("(own_function(1))", "own_function"),
        ("(@a)", "@"),
    ],
)
def test_words_that_give_another_value_at_each_call(expression: str, word: str) -> None:
    assert unrepeatable_word(expression) == word


@pytest.mark.parametrize(
    ("clause", "flavor", "by_update"),
    [
        ("ADD c INT DEFAULT 5", "tidb", []),
        ("ADD c INT", "tidb", []),
        ("ADD c INT DEFAULT NULL", "tidb", []),
        ("ADD c DATETIME DEFAULT CURRENT_TIMESTAMP", "tidb", []),
        ("ADD c DATE DEFAULT (CURDATE())", "tidb", ["c"]),
        ("ADD c INT DEFAULT (5)", "tidb", []),
        ("ADD c INT DEFAULT (5 + id)", "tidb", ["c"]),
        ("ADD c INT DEFAULT (5)", "mysql", []),
        ("ADD c TEXT DEFAULT 'x', ADD d INT DEFAULT 1, ADD (e JSON DEFAULT (JSON_ARRAY()))", "tidb", ["c", "e"]),
        ("ADD c TEXT DEFAULT 'x'", "mariadb", []),
        ("MODIFY c TEXT DEFAULT 'x'", "tidb", []),
        ("ADD c INT AS (a + 1)", "tidb", []),
    ],
)
def test_columns_that_are_written_by_an_update(clause: str, flavor: str, by_update: list[str]) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {clause}", default_schema="s", flavor="mariadb")
    assert [fill.column for fill in fills(ddl, None, flavor)] == by_update


@pytest.mark.parametrize("flavor", ["tidb", "mysql", "mariadb"])
def test_no_target_repeats_what_is_new_at_each_call(flavor: str) -> None:
    ddl = parse_ddl("ALTER TABLE t ADD c VARCHAR(36) DEFAULT UUID()", default_schema="s", flavor="mariadb")
    assert [(fill.column, fill.unrepeatable) for fill in fills(ddl, None, flavor)] == [("c", "UUID")]


@pytest.mark.parametrize(
    ("upstream", "target", "increment", "alike"),
    [
        ("mysql", "tidb", "4", False),
        ("mysql", "mariadb", "4", False),
        ("mariadb", "mysql", "4", False),
        ("mariadb", "tidb", "4", True),
        ("mariadb", "tidb", "0", False),
        ("mariadb", "mariadb", "0", True),
        ("mysql", "mysql", "9", True),
    ],
)
def test_a_quotient_has_other_digits_on_other_servers(upstream: str, target: str, increment: str, alike: bool) -> None:
    assert divides_alike(upstream, target, increment) == alike
    assert unrepeatable_word("(ROUND(`a/b` / 7, 2))", divides_alike=alike) == ("" if alike else "/")
    assert unrepeatable_word("(a DIV 7)", divides_alike=alike) == ""
