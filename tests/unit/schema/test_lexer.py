from __future__ import annotations

from collections.abc import Collection

import pytest

from pkg.schema.lexer import Kind, LexicalError, blanked, comments, quote_string, string_value, tokenize


def texts(sql: str, modes: Collection[str] = ()) -> list[str]:
    return [token.text for token in tokenize(sql, modes)[:-1]]


def test_comments_of_all_kinds_are_no_tokens() -> None:
    assert texts("a -- x\n b # y\n c /* z; ' */ d --\n e") == ["a", "b", "c", "d", "e"]


def test_two_hyphens_without_a_space_are_signs() -> None:
    assert texts("1--1") == ["1", "-", "-", "1"]


def test_executable_comments_are_code() -> None:
    assert texts("/*!50100 PARTITION */ /*M!100100 x */ /*! y*/") == ["PARTITION", "x", "y"]


def test_a_comment_within_an_executable_comment() -> None:
    assert texts("/*!50100 a /* b */ c */ d") == ["a", "c", "d"]


def test_names_that_begin_with_digits() -> None:
    assert texts("db.2020_log 1e5 1e5x 0x1F") == ["db", ".", "2020_log", "1e5", "1e5x", "0x1F"]


def test_a_number_without_a_leading_zero_is_no_qualified_name() -> None:
    assert texts("DEFAULT .5") == ["DEFAULT", ".5"]
    assert texts("`t`.5") == ["`t`", ".", "5"]


def test_quotes_and_semicolons_within_strings() -> None:
    assert texts(r"'a;''b\';' `x``;y`") == [r"'a;''b\';'", "`x``;y`"]


def test_double_quotes_are_strings_or_names_by_mode() -> None:
    assert tokenize('"a"')[0].kind is Kind.STRING
    assert tokenize('"a""b"', {"ANSI_QUOTES"})[0].value == 'a"b'


def test_backslash_stands_for_itself_by_mode() -> None:
    assert texts(r"'a\' b", {"NO_BACKSLASH_ESCAPES"}) == [r"'a\'", "b"]


def test_values_of_strings() -> None:
    assert string_value(r"""'it''s \"x\" \n \% '""") == 'it\'s "x" \n \\% '
    assert string_value('"a\'\'b""c"') == "a''b\"c"
    assert string_value(quote_string("a'b\\c")) == "a'b\\c"


@pytest.mark.parametrize("sql", ["'open", "`open", "/* open", "/*!50100 open", "a */"])
def test_unfinished_text_is_refused(sql: str) -> None:
    with pytest.raises(LexicalError):
        tokenize(sql)


def test_long_strings_take_linear_time() -> None:
    with pytest.raises(LexicalError):
        tokenize("'" + "a" * 200_000)


@pytest.mark.parametrize(
    ("logged_by", "found"),
    [
        ("mysql", "a b g 00 c"),  # MySQL 9 reads /*!5000000 as the version 50000 before 00
        ("mariadb", "a b d e g 0 c"),
        ("", "a b d e /*T! f */ g 0 c"),
    ],
)
def test_what_is_code_for_the_server_that_logged_it(logged_by: str, found: str) -> None:
    sql = "a /*!50000 b */ /*M! d */ /*M!100100 e */ /*T! f */ /* 99999 x */ -- y\n g /*m! z */ /*!5000000 c */ # w"
    assert blanked(sql, comments(sql, logged_by=logged_by)).split() == found.split()


def test_places_in_the_text_stay_where_comments_were() -> None:
    sql = "CREATE /*!50100 TABLE */ t (a INT COMMENT '/* no */ -- comment')"
    text = blanked(sql, comments(sql))
    assert text.index("t (") == sql.index("t (")
    assert text.endswith("COMMENT '/* no */ -- comment')")


def test_comments_stand_where_the_modes_say() -> None:
    sql = r"""a "-- x" 'b\' /* c */ d"""
    found = blanked(sql, comments(sql, {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}))
    assert found.split() == ["a", '"--', 'x"', "'b\\'", "d"]
