"""Literals that name their character set, for servers that misread them."""

from __future__ import annotations

import pytest

from pkg.schema.introducers import (
    decoded,
    literals_in_a_row,
    may_be_mangled,
    unplain_literal,
    with_bytes_as_digits,
    without_introducers,
)
from pkg.schema.statement import edited


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (b"(concat(`a`,_latin1'\xe9\\n\\''))", "(concat(`a`,_utf8mb4'é\n'''))"),
        (b"(_sjis'\x95\\\\')", "(_utf8mb4'表')"),
        (b"(_utf8mb4'a\xf0\x9f\xa6\x86') COMMENT 'x_latin1''\xc3\xa9'", "(_utf8mb4'a🦆') COMMENT 'x_latin1''é'"),
        (b"(_binary'\xff' + 1)", "(_binary X'ff' + 1)"),
        (b"(_gbk'\xff')", "(_gbk X'ff')"),
    ],
)
def test_literals_of_a_shown_table_are_read_in_their_sets(shown: bytes, text: str) -> None:
    assert decoded(shown) == text


def test_defaults_that_are_no_text_are_read_as_digits() -> None:
    shown = "DEFAULT 'ä' COMMENT 'я''s'".encode() + b", `b` binary(2) DEFAULT '\xff\\0', (_binary'\xfe'''), 'x'"
    text = "DEFAULT 'ä' COMMENT 'я''s', `b` binary(2) DEFAULT X'ff00', (_binary X'fe27'), 'x'"
    assert with_bytes_as_digits(shown) == text


def test_only_texts_with_such_literals_are_asked_for_again() -> None:
    assert may_be_mangled("(_latin1'?')")
    assert may_be_mangled("(_latin1'é')")
    assert not may_be_mangled("(_latin1'e')")
    assert not may_be_mangled("(a = 'é?')")


@pytest.mark.parametrize(
    ("literal", "mariadb", "tidb"),
    [
        ("_utf8mb4'é'", "'é'", None),
        ("_utf8mb4'x'", None, None),
        ("_utf8mb4'\\n\\\\\\''", "'\n\\\\'''", None),
        ("_utf8mb4 x'C3A9'", "'é'", None),
        ("_latin1 0xE9", "'é'", "'é'"),
        ("_latin1 0b11101001", "'é'", "'é'"),
        ("_latin1 b'11101001'", "'é'", "'é'"),
        ("_latin1'é'", "'Ã©'", "'Ã©'"),
        (
            "_latin1 X'E9' COLLATE latin1_bin",
            "CONVERT(X'e9' USING latin1) COLLATE latin1_bin",
            "_latin1'é' COLLATE latin1_bin",
        ),
        ("_utf16 x'0061'", "'a'", "'a'"),
        ("_utf32 0x41", "'A'", "'A'"),
        ("_ucs2'a'", "'a'", "'a'"),
        ("_binary'é'", "X'c3a9'", None),
        ("_utf8mb4'é' 'ü'", "'éü'", None),
        ("_utf8mb4 x'ff'", "CONVERT(X'ff' USING utf8mb4)", None),
        ("_unknown'é'", None, None),
        ("'_latin1''é'", None, None),
    ],
)
def test_literals_are_written_as_the_target_reads_them(literal: str, mariadb: str | None, tidb: str | None) -> None:
    for flavor, wanted in (("mariadb", mariadb), ("tidb", tidb), ("mysql", None)):
        sql = f"ALTER TABLE t ADD g INT AS (f({literal}))"
        assert without_introducers(sql, flavor) == (sql if wanted is None else sql.replace(literal, wanted))


def test_a_literal_is_of_the_set_of_its_client_and_keeps_what_the_connection_lacks() -> None:
    assert without_introducers("SELECT _latin1'é'", "mariadb", client="latin1") == "SELECT 'é'"
    assert without_introducers("SELECT _utf8mb4'日'", "mariadb", connection="latin1") == (
        "SELECT CONVERT(X'e697a5' USING utf8mb4)"
    )
    assert without_introducers("SELECT _gbk 0xC8D5", "tidb", connection="latin1") == "SELECT _utf8mb4'日'"
    assert without_introducers("SELECT _gbk 0xC8D5", "tidb", connection="utf8mb4") == "SELECT '日'"
    assert without_introducers("SELECT _cp1251'я'", "tidb", client="cp1251", connection="cp1251") == (
        "SELECT _utf8mb4'я'"
    )


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT N'a' 'b', n'it''s' \"x'y\"  'z'", "SELECT N'ab', n'it''sx''yz'"),
        ("SELECT _utf8mb4'a' 'b' COLLATE utf8mb4_bin", "SELECT _utf8mb4'ab' COLLATE utf8mb4_bin"),
        ("SELECT _utf8mb4 'a'\"b\"\n'c'", "SELECT _utf8mb4 'abc'"),
        ("SELECT 'a' 'b', N'a', 'n' 'x', `n` 'a', n 'a' 'b'", None),
        ("SELECT _utf8mb4'\\\\' 'b'", "SELECT _utf8mb4'\\\\b'"),
    ],
)
def test_literals_in_a_row_are_one(sql: str, text: str | None) -> None:
    assert edited(sql, list(literals_in_a_row(sql))) == (text or sql)


@pytest.mark.parametrize(
    ("expression", "literal"),
    [
        ("(CONCAT(a, _utf8mb4'é'))", "_utf8mb4'é'"),
        ("(CONCAT(a, _latin1 X'E9'))", "_latin1 X'E9'"),
        ("(CONCAT(a, _latin1'a' 'é'))", "_latin1'a' 'é'"),
        ("(_latin1'a\\\\b')", "_latin1'a\\\\b'"),
        ("(_latin1'a''b')", "_latin1'a''b'"),
        ("(_ucs2'a')", "_ucs2'a'"),
        ("(CONCAT(_latin1 X'41', _utf8mb4'x \"y\"', _latin1'', 'é', N'é'))", ""),
    ],
)
def test_literals_that_name_their_set_and_are_more_than_plain(expression: str, literal: str) -> None:
    assert unplain_literal(expression) == literal
