"""Statements that an operator gives: cut where they end, and refused with the reason when they cannot be run."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.given import BAD_STATEMENT, given_statements, split_statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("ALTER TABLE a.b ADD c INT", ("ALTER TABLE a.b ADD c INT",)),
        (" DROP TABLE a.b ; DROP TABLE a.c;", ("DROP TABLE a.b", "DROP TABLE a.c")),
        ("ALTER TABLE a.b COMMENT 'x;y' /* ; */ -- ;\n", ("ALTER TABLE a.b COMMENT 'x;y' /* ; */ -- ;",)),
        ("DROP TABLE `a;b`.c", ("DROP TABLE `a;b`.c",)),
        (" ; ;", ()),
    ],
)
def test_cut_at_semicolons(text: str, statements: tuple[str, ...]) -> None:
    assert split_statements(text) == statements


def test_several_texts_are_several_statements() -> None:
    assert given_statements(["DROP TABLE a.b", "CREATE DATABASE d; TRUNCATE TABLE d.e"], "mysql") == (
        "DROP TABLE a.b",
        "CREATE DATABASE d",
        "TRUNCATE TABLE d.e",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INSERT INTO a.b VALUES (1)", "it is no DDL"),
        ("BEGIN", "it is no DDL"),
        ("CREATE VIEW a.v AS SELECT 1", "views: this is not replicated"),
        ("CREATE TABLE a.b AS SELECT 1 AS c", "it would write rows"),
        ("ALTER TABLE b ADD c INT", "without its database"),
        ("ALTER TABLE a.b FROB", "FROB"),
        ("DROP TABLE a.b; 'x", "cannot read on"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(DMError) as caught:
        given_statements([text], "mysql")
    assert caught.value.is_a(BAD_STATEMENT)
    assert reason in str(caught.value)
