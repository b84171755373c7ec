"""The session of a DDL in the target, by what its event says."""

from __future__ import annotations

import pytest

from dm_worker.syncer.ddl_session import StatementSession, asks_for_moments, shift_of_moment, words_of
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.events import QueryStatus
from pkg.binlog.query_event import HEAD, parse_query
from pkg.binlog.sql_modes import mode_names
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table

MARIADB = Server.from_version_text("10.11.6-MariaDB")
MYSQL = Server.from_version_text("9.7.0")
TIDB = Server.from_version_text("8.0.11-TiDB-v8.5.0")
STRICT, NO_ZERO_DATE, INVALID, PAD, ORACLE = 1 << 21, 1 << 24, 1 << 25, 1 << 31, 1 << 9


def session(sql: str = "ALTER TABLE t ADD a INT", flavor: str = "mariadb", **status: object) -> StatementSession:
    return StatementSession(QueryStatus(**status), flavor, 1_500_000_000, words_of(sql))  # type: ignore[arg-type]


def modes(one: StatementSession, server: Server, *, strict: bool) -> set[str]:
    return set(one.sql_mode(server, strict=strict).split(",")) - {""}


@pytest.mark.parametrize(
    ("bits", "server", "strict", "expected"),
    [
        (STRICT | NO_ZERO_DATE, TIDB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}),
        (None, TIDB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}),
        (0, TIDB, True, {"STRICT_ALL_TABLES"}),
        (0, TIDB, False, set()),
        (NO_ZERO_DATE | INVALID, MARIADB, False, {"NO_ZERO_DATE", "ALLOW_INVALID_DATES"}),
        (NO_ZERO_DATE | INVALID, TIDB, True, {"NO_ZERO_DATE", "STRICT_ALL_TABLES"}),
        (STRICT | PAD | 2, MYSQL, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES", "PAD_CHAR_TO_FULL_LENGTH",
                                         "PIPES_AS_CONCAT", "TIME_TRUNCATE_FRACTIONAL"}),
        (STRICT | 1 << 19, TIDB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES", "NO_AUTO_VALUE_ON_ZERO"}),
        (STRICT | ORACLE, MARIADB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}),
        (STRICT | ORACLE, TIDB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}),
        (STRICT | 4 | 1 << 20, MARIADB, True, {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}),
    ],
)  # fmt: skip
def test_the_modes_of_a_statement(bits: int | None, server: Server, strict: bool, expected: set[str]) -> None:
    assert modes(session(sql_mode=bits), server, strict=strict) == expected


@pytest.mark.parametrize(
    ("definition", "has"), [("AS (a || 'x')", True), ("DEFAULT (SUBSTR(a, 1))", True), ("", False)]
)
def test_the_mode_oracle_is_for_expressions_since_types_are_said(definition: str, has: bool) -> None:
    one = session(f"ALTER TABLE t ADD d DATE {definition}", sql_mode=ORACLE)
    assert ("ORACLE" in modes(one, MARIADB, strict=True)) is has


def test_each_flavour_has_its_own_high_bits() -> None:
    assert mode_names(1 << 32, "mysql") == {"TIME_TRUNCATE_FRACTIONAL"}
    assert mode_names(1 << 32 | 1 << 34, "mariadb") == {"EMPTY_STRING_IS_NULL", "TIME_ROUND_FRACTIONAL"}


@pytest.mark.parametrize("checks_keys", [False, True])
def test_keys_are_checked_where_both_sides_want_it(checks_keys: bool) -> None:
    on = session(flags=0).variables(TIDB, "+00:00", checks_keys=checks_keys, strict=True)
    off = session(flags=1 << 26 | 1 << 27).variables(TIDB, "+00:00", checks_keys=checks_keys, strict=True)
    assert (on["foreign_key_checks"], on["unique_checks"]) == (str(int(checks_keys)), "1")
    assert (off["foreign_key_checks"], off["unique_checks"]) == ("0", "0")


@pytest.mark.parametrize(
    ("sql", "variable"),
    [
        ("ALTER TABLE t ADD a INT AUTO_INCREMENT", "auto_increment_increment"),
        ("ALTER TABLE t ADD a INT DEFAULT (DATE_FORMAT(d, '%W'))", "lc_time_names"),
        ("ALTER TABLE t ADD a INT DEFAULT (b / 7)", "div_precision_increment"),
        ("ALTER TABLE t ADD a INT DEFAULT (WEEK(d))", "div_precision_increment"),
    ],
)
def test_what_few_accounts_may_set_is_set_where_it_matters(sql: str, variable: str) -> None:
    def variables(text: str) -> dict[str, str]:
        one = StatementSession(
            QueryStatus(), "mysql", 1, words_of(text), expressions=(("div_precision_increment", "9"),)
        )
        return one.variables(MYSQL, "+00:00", checks_keys=False, strict=True)

    assert variable in variables(sql)
    assert variable not in variables("ALTER TABLE t ADD a INT COMMENT 'AUTO_INCREMENT WEEK( DATE_FORMAT( /'")


def test_words_are_read_as_the_session_read_them() -> None:
    assert "AUTO_INCREMENT" not in words_of("ALTER TABLE t ADD `AUTO_INCREMENT` INT")
    assert "''" in words_of("ALTER TABLE t ADD a VARCHAR(3) DEFAULT ''")
    assert "''" not in words_of("ALTER TABLE t ADD a VARCHAR(3) DEFAULT 'x'")


def test_a_query_event_tells_its_session() -> None:
    status = bytes.fromhex("000000000401000020540000000006037374640307000300040800080008000704001401830108002d00")
    head = bytes(11) + len(status).to_bytes(2, "little") + status + b"db\0"
    found = parse_query(head, b"SELECT 1")
    assert len(head) == HEAD + len(status) + 3
    assert found.status == QueryStatus(
        sql_mode=0x54200000, client_collation=8, connection_collation=8, server_collation=8, flags=1 << 26, locale=4,
        auto_increment_increment=7, auto_increment_offset=3, table_encryption=True, charset_collations=((8, 45),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "asks"),
    [
        ("ALTER TABLE t MODIFY a DATETIME", True),
        ("ALTER TABLE t MODIFY b TIMESTAMP NULL", True),
        ("ALTER TABLE t MODIFY a TIMESTAMP NOT NULL", False),
        ("ALTER TABLE t ADD c TIMESTAMP DEFAULT '2020-01-01 00:00:00'", True),
        ("ALTER TABLE t ADD c TIMESTAMP DEFAULT CURRENT_TIMESTAMP", False),
        ("ALTER TABLE t ADD c TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00'", False),
        ("ALTER TABLE t ALTER a SET DEFAULT '2020-01-01 00:00:00'", True),
        ("ALTER TABLE t ALTER b SET DEFAULT '2020-01-01 00:00:00'", False),
        ("ALTER TABLE t MODIFY unknown DATETIME", True),
        ("ALTER TABLE t ADD c INT DEFAULT (UNIX_TIMESTAMP(b))", True),
        ("ALTER TABLE t ADD PARTITION (PARTITION p VALUES LESS THAN (unix_timestamp ('2020-07-15 00:00:00')))", True),
        ("CREATE TABLE u (a TIMESTAMP) PARTITION BY RANGE (UNIX_TIMESTAMP(a)) (PARTITION p VALUES LESS THAN "
         "(UNIX_TIMESTAMP(TIMESTAMP'2020-07-15 00:00:00')))", True),
        ("CREATE TABLE u (a TIMESTAMP) PARTITION BY RANGE (UNIX_TIMESTAMP(a)) (PARTITION p VALUES LESS THAN (9))", False),
    ],
)  # fmt: skip
def test_statements_that_look_at_other_moments_than_their_own(sql: str, asks: bool) -> None:
    present = parse_create_table("CREATE TABLE t (a TIMESTAMP NOT NULL, b DATETIME)", "d")
    assert asks_for_moments(parse_ddl(sql, default_schema="d"), present) == asks


@pytest.mark.parametrize(
    ("sql", "shift"),
    [
        ("ALTER TABLE t ADD d DATETIME DEFAULT NOW()", 60),
        ("ALTER TABLE t ADD d TIMESTAMP DEFAULT NOW()", 0),
        ("ALTER TABLE t ADD d DATETIME DEFAULT NOW(), ADD e TIMESTAMP DEFAULT NOW()", None),
        ("ALTER TABLE t ADD d DATETIME DEFAULT (UTC_TIMESTAMP())", None),
        ("ALTER TABLE t ADD d TIMESTAMP DEFAULT '2020-01-01'", None),
        ("CREATE TABLE t (d DATETIME DEFAULT NOW(), e TIMESTAMP DEFAULT NOW())", 0),
    ],
)
def test_the_moment_in_a_zone_that_is_a_minute_behind(sql: str, shift: int | None) -> None:
    assert shift_of_moment(parse_ddl(sql, default_schema="db", flavor="mysql"), None, 60) == shift


def test_a_table_is_made_with_zero_dates() -> None:
    made = session("CREATE TABLE t (d DATETIME NOT NULL DEFAULT '0000-00-00')", sql_mode=NO_ZERO_DATE)
    assert modes(made, MARIADB, strict=True) == {"STRICT_ALL_TABLES"}
