from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("CREATE TABLE t (a INT CONSTRAINT CHECK (a > 0), CONSTRAINT UNIQUE (a))", "CREATE TABLE t (a INT CHECK (a > 0), UNIQUE (a))"),
        ("ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (a) REFERENCES p (id)", "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES p (id)"),
        ("ALTER TABLE t ADD CONSTRAINT `CHECK` CHECK (a <> 'CONSTRAINT CHECK'), DROP CONSTRAINT `PRIMARY`", None),
        ("CREATE INDEX wait ON t (`NOWAIT`) WAIT 3", "CREATE INDEX wait ON t (`NOWAIT`)"),
        ("CREATE INDEX i ON t (a) NOWAIT COMMENT 'NOWAIT'", "CREATE INDEX i ON t (a) COMMENT 'NOWAIT'"),
        ("DROP INDEX nowait ON t WAIT 3", "DROP INDEX nowait ON t"),
        ("TRUNCATE TABLE t NOWAIT", "TRUNCATE TABLE t"),
        ("RENAME TABLE t WAIT 3 TO nowait, u NOWAIT TO wait", "RENAME TABLE t TO nowait, u TO wait"),
        ("DROP TABLE nowait WAIT 2", "DROP TABLE nowait"),
    ],
)  # fmt: skip
def test_words_that_say_nothing_are_left_out(sql: str, text: str | None) -> None:
    ddl = parse_ddl(sql, default_schema="db", flavor="mariadb")
    assert " ".join(ddl.text.split()) == (text or sql)


@pytest.mark.parametrize(
    ("sql", "mysql", "mariadb"),
    [
        ("CREATE TABLE t (a INT UNIQUE UNIQUE KEY, b INT)", "CREATE TABLE t (a INT UNIQUE, b INT)", ""),
        ("CREATE TABLE t (a INT UNIQUE PRIMARY KEY COMMENT 'c', b INT)", "CREATE TABLE t (a INT PRIMARY KEY COMMENT 'c', UNIQUE (`a`), b INT)",
         "CREATE TABLE t (a INT PRIMARY KEY COMMENT 'c', b INT)"),
        ("CREATE TABLE t (a SERIAL, PRIMARY KEY (a))", "CREATE TABLE t (a BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE, PRIMARY KEY (a))", ""),
        ("CREATE TABLE t (a INT SERIAL DEFAULT VALUE UNIQUE)", "CREATE TABLE t (a INT NOT NULL AUTO_INCREMENT UNIQUE)", ""),
        ("ALTER TABLE t ADD a SERIAL PRIMARY KEY FIRST, ADD b INT", "ALTER TABLE t ADD a BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY FIRST, ADD UNIQUE (`a`), ADD b INT",
         "ALTER TABLE t ADD a BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY FIRST, ADD b INT"),
    ],
)  # fmt: skip
def test_keys_behind_columns_are_what_the_upstream_makes_of_them(sql: str, mysql: str, mariadb: str) -> None:
    for flavor, text in (("mysql", mysql), ("mariadb", mariadb or mysql)):
        ddl = parse_ddl(sql, default_schema="db", flavor=flavor)
        assert " ".join(ddl.text.split()).replace(" ,", ",").replace(" )", ")") == text
