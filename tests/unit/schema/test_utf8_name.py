from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("CREATE TABLE t (v CHAR(9) CHARACTER SET utf8) CHARSET = `utf8`", "CREATE TABLE t (v CHAR(9) CHARACTER SET utf8mb4) CHARSET = utf8mb4"),
        ("CREATE TABLE t (v CHAR(9)) COLLATE='utf8_bin'", "CREATE TABLE t (v CHAR(9)) COLLATE=utf8mb4_bin"),
        ("ALTER TABLE t ADD w TEXT DEFAULT _utf8'x'", "ALTER TABLE t ADD w TEXT DEFAULT _utf8mb4'x'"),
        ("ALTER TABLE t CONVERT TO CHARACTER SET UTF8", "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4"),
        ("CREATE DATABASE d CHAR SET utf8", "CREATE DATABASE d CHAR SET utf8mb4"),
        ("ALTER TABLE t ADD w CHAR(9) AS (CONVERT(v USING utf8))", "ALTER TABLE t ADD w CHAR(9) AS (CONVERT(v USING utf8mb4))"),
        ("ALTER TABLE t ADD utf8 INT, ADD w TEXT CHARSET utf8mb3 COLLATE utf8mb3_bin COMMENT 'CHARSET utf8'", None),
        ("ALTER TABLE t ADD w NATIONAL CHAR(9)", None),
    ],
)  # fmt: skip
def test_utf8_is_what_the_server_means_by_it(sql: str, text: str | None) -> None:
    assert parse_ddl(sql, default_schema="db", flavor="mariadb", utf8_is_utf8mb4=True).text == (text or sql)
    assert parse_ddl(sql, default_schema="db", flavor="mariadb").text == sql
