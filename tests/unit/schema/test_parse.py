from __future__ import annotations

import time

import pytest

from pkg.errors import DMError
from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column

LATIN1 = Charset("latin1", "latin1_swedish_ci")


def column(definition: str, *, defaults: Charset = LATIN1, **context: object) -> Column:
    table = parse_create_table(f"CREATE TABLE t (c {definition})", "d", defaults, DdlContext(**context))  # type: ignore[arg-type]
    return table.columns[0]


@pytest.mark.parametrize(
    ("definition", "kind", "base", "length", "fsp"),
    [
        ("INT(11) UNSIGNED", "int(11) unsigned", "int", None, 0),
        ("INT ZEROFILL", "int unsigned zerofill", "int", None, 0),
        ("BOOL", "tinyint(1)", "tinyint", None, 0),
        ("DEC(5)", "decimal(5,0)", "decimal", None, 0),
        ("CHAR", "char(1)", "char", 1, 0),
        ("BIT", "bit(1)", "bit", 1, 0),
        ("CHARACTER VARYING(7)", "varchar(7)", "varchar", 7, 0),
        ("DATETIME(3)", "datetime(3)", "datetime", None, 3),
        ("TIMESTAMP(0)", "timestamp", "timestamp", None, 0),
        ("YEAR(4)", "year", "year", None, 0),
        ("FLOAT(30)", "double", "double", None, 0),
        ("ENUM('a','it''s ')", "enum('a','it''s')", "enum", None, 0),
        ("CHAR(4) CHARACTER SET binary", "binary(4)", "binary", 4, 0),
        ("TEXT(70000)", "mediumtext", "mediumtext", None, 0),
        ("LONG VARBINARY", "mediumblob", "mediumblob", None, 0),
    ],
)
def test_types(definition: str, kind: str, base: str, length: int | None, fsp: int) -> None:
    found = column(definition)
    assert (found.type, found.base_type, found.length, found.fsp) == (kind, base, length, fsp)


@pytest.mark.parametrize(
    ("definition", "charset"),
    [
        ("VARCHAR(3)", ("latin1", "latin1_swedish_ci")),
        ("VARCHAR(3) BINARY", ("latin1", "latin1_bin")),
        ("VARCHAR(3) CHARACTER SET utf8", ("utf8mb3", "utf8mb3_general_ci")),
        ("VARCHAR(3) COLLATE utf8_bin", ("utf8mb3", "utf8mb3_bin")),
        ("VARCHAR(3) CHARSET utf8mb4 COLLATE uca1400_ai_ci", ("utf8mb4", "utf8mb4_uca1400_ai_ci")),
        ("NCHAR(3)", ("utf8mb3", "utf8mb3_general_ci")),
        ("BLOB", ("binary", "binary")),
        ("JSON", (None, None)),
        ("INT", (None, None)),
    ],
)
def test_character_sets_are_resolved(definition: str, charset: tuple[str | None, str | None]) -> None:
    found = column(definition)
    assert (found.charset, found.collation) == charset


def test_a_set_named_alone_has_the_servers_default_collation() -> None:
    found = column("TEXT CHARACTER SET utf8mb4", default_collations={"utf8mb4": "utf8mb4_0900_ai_ci"})
    assert found.collation == "utf8mb4_0900_ai_ci"


def test_json_of_mariadb_is_a_text() -> None:
    found = column("JSON", flavor="mariadb")
    assert (found.base_type, found.collation) == ("longtext", "utf8mb4_bin")


@pytest.mark.parametrize(
    ("definition", "default"),
    [
        ("INT DEFAULT 5", "'5'"),
        ("INT DEFAULT -5", "'-5'"),
        ("INT", "NULL"),
        ("INT NOT NULL", None),
        ("VARCHAR(9) DEFAULT 'it''s'", "'it''s'"),
        ("DATETIME DEFAULT NOW()", "current_timestamp()"),
        ("DATETIME(6) DEFAULT LOCALTIME(6)", "current_timestamp(6)"),
        ("VARCHAR(36) DEFAULT (uuid())", "(uuid())"),
        ("BIT(3) DEFAULT b'101'", "b'101'"),
        ("INT AUTO_INCREMENT", None),
    ],
)
def test_defaults(definition: str, default: str | None) -> None:
    assert column(definition).default == default


def test_a_time_stamp_is_not_null_where_defaults_are_implicit() -> None:
    assert not column("TIMESTAMP", explicit_defaults_for_timestamp=False).nullable
    assert column("TIMESTAMP").nullable


def test_a_sequence_is_told_from_a_table() -> None:
    sql = "CREATE TABLE `s` (`next_not_cached_value` bigint(21) NOT NULL) ENGINE=InnoDB SEQUENCE=1"
    assert parse_create_table(sql, "d").kind == "sequence"


@pytest.mark.parametrize(
    "sql", ["CREATE VIEW v AS SELECT 1", "CREATE TABLE t", "CREATE TABLE t (a INT", "nonsense", ""]
)
def test_what_is_no_table_is_refused_with_its_text(sql: str) -> None:
    with pytest.raises(DMError) as caught:
        parse_create_table(sql, "shop")
    assert caught.value.code == 44008
    assert "`shop`" in caught.value.message
    assert sql in caught.value.message


def test_a_key_over_a_missing_column_is_named() -> None:
    with pytest.raises(DMError, match="the key k names the column x"):
        parse_create_table("CREATE TABLE t (a INT, KEY k (x))", "d")


@pytest.mark.slow
def test_two_thousand_tables_load_in_seconds() -> None:
    columns = ",".join(f"`c{i}` varchar(64) CHARACTER SET latin1 NOT NULL DEFAULT 'x' COMMENT 'y'" for i in range(10))
    sql = f"CREATE TABLE `t` (`id` bigint(20) NOT NULL,{columns},PRIMARY KEY (`id`),KEY `k` (`c1`,`c2`(4))) CHARSET=gbk"
    begun = time.process_time()
    for _ in range(2000):
        parse_create_table(sql, "d")
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("definition", "said", "shown"),
    [
        ("INT AUTO_INCREMENT UNIQUE", False, True),
        ("INT AUTO_INCREMENT NULL UNIQUE", True, True),
        ("INT NULL AUTO_INCREMENT UNIQUE", False, True),
        ("INT NOT NULL AUTO_INCREMENT UNIQUE", False, False),
        ("INT AUTO_INCREMENT NULL PRIMARY KEY", False, False),
        ("SERIAL", False, False),
        ("SERIAL NULL", True, True),
        ("BIGINT UNSIGNED NULL SERIAL DEFAULT VALUE", False, False),
        ("BIGINT UNSIGNED SERIAL DEFAULT VALUE NULL", True, True),
    ],
)
def test_a_column_that_counts_takes_null_where_the_server_lets_it(definition: str, said: bool, shown: bool) -> None:
    assert (column(definition).nullable, column(definition, is_shown=True).nullable) == (said, shown)
