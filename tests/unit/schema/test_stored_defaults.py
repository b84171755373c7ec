"""Constants behind DEFAULT, as MySQL and MariaDB store them (tried on 8.0 and 10.11)."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.fill import fills
from pkg.schema.parse import parse_create_table
from pkg.schema.plain_moments import Unlike
from pkg.schema.stored_defaults import Storing, stored, unlike_default, with_stored_defaults
from pkg.schema.table import Column, Table


def table(definition: str) -> Table:
    return parse_create_table(f"CREATE TABLE t (id INT, c {definition})", "s")


def column(definition: str) -> Column:
    found = table(definition).column("c")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("definition", "written", "rounded", "cut"),
    [
        ("DATETIME", "'2024-02-02 10:00:00.5'", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "'2024-12-31 23:59:59.9'", "'2025-01-01 00:00:00'", "'2024-12-31 23:59:59'"),
        ("DATETIME", "'2024-02-02 10:00:00.4999999'", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "('2024-02-02 10:00:00.5')", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "20240202100000.5", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "'20240202100000.5'", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "'24-2-2 1:2:3.5'", "'2024-02-02 01:02:04'", "'2024-02-02 01:02:03'"),
        ("DATETIME(3)", "'2024-02-02 10:00:00.1239'", "'2024-02-02 10:00:00.124'", "'2024-02-02 10:00:00.123'"),
        ("DATETIME(6)", "'2024-02-02 10:00:00.9999999'", "'2024-02-02 10:00:01.000000'",
         "'2024-02-02 10:00:00.999999'"),
        ("TIMESTAMP NULL", "TIMESTAMP'2024-02-02 10:00:00.5'", "'2024-02-02 10:00:01'", "'2024-02-02 10:00:00'"),
        ("DATETIME", "'0000-00-00 00:00:00.4'", "'0000-00-00 00:00:00'", "'0000-00-00 00:00:00'"),
        ("DATE", "'2024-02-02 23:59:59.9'", "'2024-02-03'", "'2024-02-02'"),
        ("DATE", "'2024-02-02T23:59:59.4'", "'2024-02-02'", "'2024-02-02'"),
        ("TIME", "'10:00:00.5'", "'10:00:01'", "'10:00:00'"),
        ("TIME", "'-10:00:00.5'", "'-10:00:01'", "'-10:00:00'"),
        ("TIME", "101112.6", "'10:11:13'", "'10:11:12'"),
        ("TIME", "'2024-02-02 10:11:12.5'", "'10:11:13'", "'10:11:12'"),
        ("TIME(3)", "'1 02:03:04.9996'", "'26:03:05.000'", "'26:03:04.999'"),
        ("YEAR", "0", "'0000'", "'0000'"),
        ("YEAR", "FALSE", "'0000'", "'0000'"),
        ("YEAR", "2024.6", "2025", "2025"),
        ("YEAR", "24", "2024", "2024"),
        ("YEAR", "70", "1970", "1970"),
        ("DOUBLE(10,2)", "2.675", "2.67", "2.67"),
        ("DOUBLE(10,2)", "'-2.675'", "-2.67", "-2.67"),
        ("DOUBLE(10,0)", "2.5", "2", "2"),
        ("CHAR(5) CHARACTER SET utf16le", "X'41'", "X'0041'", "X'0041'"),
        ("CHAR(5) CHARACTER SET utf32", "0x41", "X'00000041'", "X'00000041'"),
        ("CHAR(5) CHARACTER SET utf16", "b'1000001'", "X'0041'", "X'0041'"),
        ("CHAR(5) CHARACTER SET utf16", "0b1000001", "X'0041'", "X'0041'"),
    ],
)  # fmt: skip
def test_what_the_upstream_stores(definition: str, written: str, rounded: str, cut: str) -> None:
    assert stored(column(definition), written, cuts=False) == rounded
    assert stored(column(definition), written, cuts=True) == cut


@pytest.mark.parametrize(
    ("definition", "written"),
    [
        ("DATETIME", "'2024-02-02 10:00:00'"),
        ("DATETIME", "'2024-02-02'"),
        ("DATETIME(3)", "'2024-02-02 10:00:00.123'"),
        ("DATETIME", "(NOW() + INTERVAL 1 DAY)"),
        ("DATETIME", "CURRENT_TIMESTAMP"),
        ("DATETIME", "'2024@02@02 10@00@00'"),
        ("TIME", "'10:00:00'"),
        ("YEAR", "2024"),
        ("INT", "2.5"),
        ("DECIMAL(10,2)", "2.675"),
        ("DOUBLE", "2.675"),
        ("DOUBLE(10,2)", "2.5"),
        ("VARCHAR(40)", "'2024-02-02 10:00:00.5'"),
        ("CHAR(5) CHARACTER SET utf16", "X'0041'"),
        ("BINARY(2)", "X'41'"),
        ("INT", "NULL"),
    ],
)
def test_what_servers_store_alike_stays(definition: str, written: str) -> None:
    assert stored(column(definition), written, cuts=False) == stored(column(definition), written, cuts=True) == written


@pytest.mark.parametrize(
    ("definition", "written"),
    [("DATETIME", "'2024-02-02 10:00:00.5+05:00'"), ("DATETIME", "'2024-00-00 23:59:59.5'"), ("TIME", "'10:11.5'")],
)
def test_what_nobody_knows_is_no_value(definition: str, written: str) -> None:
    with pytest.raises(Unlike):
        stored(column(definition), written, cuts=False)
    ddl = parse_ddl(f"ALTER TABLE t ADD c {definition} DEFAULT {written}", default_schema="s")
    assert [one.unrepeatable for one in fills(ddl, table(definition), "tidb", upstream="mysql")] == [written]
    storing = Storing(("mysql", "tidb"), cuts=False)
    assert with_stored_defaults(ddl, table(definition), storing) is ddl
    assert unlike_default(ddl, table(definition), storing) == ("c", written)
    assert unlike_default(ddl, table(definition), Storing(("mysql", "mysql"), cuts=False)) is None


@pytest.mark.parametrize(
    ("sql", "definition", "wanted"),
    [
        ("CREATE TABLE t (id INT, c YEAR DEFAULT 0)", "YEAR", "CREATE TABLE t (id INT, c YEAR DEFAULT '0000')"),
        ("ALTER TABLE t ADD c DATETIME DEFAULT (NOW(6)), ADD d INT", "DATETIME",
         "ALTER TABLE t ADD c DATETIME DEFAULT (CAST((NOW(6)) AS DATETIME(0))), ADD d INT"),
        ("ALTER TABLE t ADD c DATETIME DEFAULT (NOW())", "DATETIME", "ALTER TABLE t ADD c DATETIME DEFAULT (NOW())"),
        ("ALTER TABLE t MODIFY c DATETIME DEFAULT (NOW(6))", "DATETIME",
         "ALTER TABLE t MODIFY c DATETIME DEFAULT (NOW(6))"),
        ("ALTER TABLE t ALTER c SET DEFAULT '1-1-1', ALTER id SET DEFAULT 5", "DATETIME",
         "ALTER TABLE t ALTER c SET DEFAULT '0001-01-01', ALTER id SET DEFAULT 5"),
        ("ALTER TABLE t ALTER c DROP DEFAULT", "DATETIME", "ALTER TABLE t ALTER c DROP DEFAULT"),
    ],
)  # fmt: skip
def test_statements_for_mariadb(sql: str, definition: str, wanted: str) -> None:
    ddl = parse_ddl(sql, default_schema="s")
    assert with_stored_defaults(ddl, table(definition), Storing(("mysql", "mariadb"), cuts=False)).text == wanted


@pytest.mark.parametrize(
    ("definition", "default", "cuts", "value"),
    [
        ("DATETIME", "(NOW(6))", True,
         "LEFT(CAST((NOW(6)) AS DATETIME(6)), CHAR_LENGTH(CAST((NOW(6)) AS DATETIME(6))) - 7)"),
        ("DATETIME(3)", "(NOW(3))", True, "(NOW(3))"),
        ("DATETIME", "(NOW() + INTERVAL 1 DAY)", True, "(NOW() + INTERVAL 1 DAY)"),
        ("DATETIME", "(NOW(6))", False, "(NOW(6))"),
        ("DATE", "(NOW(6))", False, "CAST((NOW(6)) AS DATETIME)"),
        ("DATE", "(id + 1)", False, "(id + 1)"),
    ],
)  # fmt: skip
def test_values_that_tidb_is_given(definition: str, default: str, cuts: bool, value: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE t ADD c {definition} DEFAULT {default}", default_schema="s")
    assert [one.value for one in fills(ddl, table(definition), "tidb", upstream="mysql", cuts=cuts)] == [value]


@pytest.mark.parametrize(
    ("definition", "written", "shown"),
    [
        ("UUID", "'AAAAAAAA-0000-1000-8000-00000000000A'", "'aaaaaaaa-0000-1000-8000-00000000000a'"),
        ("UUID", "'aaaaaaaa00001000800000000000000a'", "'aaaaaaaa-0000-1000-8000-00000000000a'"),
        ("UUID", "X'aaaaaaaa00001000800000000000000a'", "'aaaaaaaa-0000-1000-8000-00000000000a'"),
        ("INET6", "'1:0:0::1'", "'1::1'"),
        ("INET6", "'::FFFF:1.2.3.4'", "'::ffff:1.2.3.4'"),
        ("INET6", "X'20010DB8000000000000000000000001'", "'2001:db8::1'"),
        ("INET4", "'1.2.3.4'", "'1.2.3.4'"),
        ("INET4", "X'01020304'", "'1.2.3.4'"),
    ],
)
def test_addresses_are_said_as_the_upstream_shows_them(definition: str, written: str, shown: str) -> None:
    assert stored(column(definition), written, cuts=False) == shown


@pytest.mark.parametrize(("definition", "written"), [("UUID", "'no uuid'"), ("INET4", "'::1'"), ("INET6", "''")])
def test_what_is_no_address_is_not_known(definition: str, written: str) -> None:
    with pytest.raises(Unlike):
        stored(column(definition), written, cuts=False)
