from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.held_literals import bytes_of_defaults
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import edited


@pytest.mark.parametrize(
    ("sql", "connection", "text"),
    [
        ("ALTER TABLE t ADD v CHAR(9) DEFAULT '漢ü\\'' COMMENT '漢'", "latin1", "ALTER TABLE t ADD v CHAR(9) DEFAULT '?ü\\'' COMMENT '漢'"),
        ("CREATE TABLE t (v ENUM('漢', 'é')) COMMENT = '漢'", "latin1", "CREATE TABLE t (v ENUM('?', 'é')) COMMENT = '漢'"),
        ("CREATE TABLE t (comment CHAR(9), CHECK (comment = '漢'))", "ascii", "CREATE TABLE t (comment CHAR(9), CHECK (comment = '?'))"),
        ("ALTER TABLE t ADD v CHAR(9) AS (CONCAT(n, '🦆漢'))", "utf8mb3", "ALTER TABLE t ADD v CHAR(9) AS (CONCAT(n, '?漢'))"),
        ("ALTER TABLE t ADD v INT COMMENT '漢🦆'", "utf8mb4", "ALTER TABLE t ADD v INT COMMENT '漢?'"),
        ("ALTER TABLE t ADD `漢` CHAR(9) DEFAULT _utf8mb4'漢', ADD w CHAR(9) DEFAULT N'漢'", "latin1", None),
        ("ALTER TABLE t ADD v CHAR(9) DEFAULT '漢'", "utf8mb4", None),
        ("ALTER TABLE t ADD v CHAR(9) DEFAULT 'ü', ADD w ENUM('a', 'ü') COMMENT 'ü'", "binary", "ALTER TABLE t ADD v CHAR(9) DEFAULT  0xc3bc, ADD w ENUM('a',  0xc3bc) COMMENT 'ü'"),
        ("ALTER TABLE t ADD v CHAR(9) DEFAULT 'ü'", "latin1", None),
        ("CREATE TABLE t (b VARBINARY(9) DEFAULT 'ü漢', c CHAR(9) CHARACTER SET binary DEFAULT \"ü\")", "latin1", "CREATE TABLE t (b VARBINARY(9) DEFAULT 0xfc3f, c CHAR(9) CHARACTER SET binary DEFAULT 0xfc)"),
        ("ALTER TABLE t ADD b VARBINARY(9) DEFAULT 'ü'", "utf8mb3", None),
    ],
)  # fmt: skip
def test_a_literal_is_what_the_connection_holds(sql: str, connection: str, text: str | None) -> None:
    assert parse_ddl(sql, default_schema="db", sets=("utf8mb4", connection)).text == (text or sql)


@pytest.mark.parametrize(
    ("client", "connection", "default"),
    [
        ("binary", "binary", " 0xc3bc"),
        ("latin1", "binary", " 0xfc"),
        ("binary", "latin1", "'Ã¼'"),
        ("binary", "utf8mb4", "'ü'"),
        ("latin1", "latin1", "'ü'"),
    ],
)
def test_bytes_are_kept_to_and_from_binary(client: str, connection: str, default: str) -> None:
    ddl = parse_ddl("ALTER TABLE t ADD v CHAR(9) DEFAULT 'ü'", default_schema="db", sets=(client, connection))
    assert ddl.text == f"ALTER TABLE t ADD v CHAR(9) DEFAULT {default}"


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("ALTER TABLE `t🦆` ADD `漢🦆` INT, ADD KEY k🦆 (`漢🦆`)", "ALTER TABLE `t?` ADD `漢?` INT, ADD KEY `k?` (`漢?`)"),
        ("CREATE TABLE t (𠀀 INT, g CHAR(9) AS (CONCAT(`𠀀`, '🦆')))", "CREATE TABLE t (`?` INT, g CHAR(9) AS (CONCAT(`?`, '🦆')))"),
        ("CREATE TABLE t (ü INT)", "CREATE TABLE t (`ü` INT)"),
    ],
)  # fmt: skip
def test_names_of_the_binlog_are_what_the_server_holds(sql: str, text: str) -> None:
    assert parse_ddl(sql, default_schema="db", logged_by="mysql").text == text


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("ALTER TABLE t ALTER b SET DEFAULT 'ü', ALTER COLUMN v SET DEFAULT 'ü'", "ALTER TABLE t ALTER b SET DEFAULT 0xfc, ALTER COLUMN v SET DEFAULT 'ü'"),
        ("ALTER TABLE t ADD x CHAR(9) DEFAULT 'ü', ADD y CHAR(9) CHARSET utf8mb4 DEFAULT 'ü'", "ALTER TABLE t ADD x CHAR(9) DEFAULT 0xfc, ADD y CHAR(9) CHARSET utf8mb4 DEFAULT 'ü'"),
        ("ALTER TABLE t DEFAULT CHARSET utf8mb4, ADD x CHAR(9) DEFAULT 'ü'", None),
    ],
)  # fmt: skip
def test_defaults_of_bytes_by_what_the_table_says(sql: str, text: str | None) -> None:
    before = parse_create_table("CREATE TABLE t (b CHAR(9), v CHAR(9) CHARSET utf8mb4) CHARSET binary", schema="db")
    ddl = parse_ddl(sql, default_schema="db")
    assert edited(sql, list(bytes_of_defaults(ddl, "latin1", before))) == (text or sql)
    assert not list(bytes_of_defaults(ddl, "utf8mb4", before))
