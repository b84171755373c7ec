from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("CREATE TABLE c (id INT, CHECK (c.id > 0.5))", "CREATE TABLE c (id INT, CHECK (`id` > 0.5))"),
        (
            "CREATE TABLE db.c (id INT, g INT AS (`db`.`C`.`id` + c.id) STORED)",
            "CREATE TABLE db.c (id INT, g INT AS (`id` + `id`) STORED)",
        ),
        (
            "ALTER TABLE c ADD CONSTRAINT k CHECK (c.id <> 'c.id')",
            "ALTER TABLE c ADD CONSTRAINT k CHECK (`id` <> 'c.id')",
        ),
        ("CREATE TABLE c (id INT REFERENCES c.c (id))", None),
        ("CREATE TABLE c (id INT, p INT, FOREIGN KEY (p) REFERENCES c.p (id))", None),
        ("CREATE TABLE c (id INT DEFAULT nextval(c.s))", None),
        ("CREATE TABLE c (id INT, CHECK (other.id > 0))", None),
        ("ALTER TABLE c RENAME TO c.d", None),
    ],
)
def test_a_column_stands_without_its_table(sql: str, text: str | None) -> None:
    assert parse_ddl(sql, default_schema="db", flavor="mariadb").text == (text or sql)
