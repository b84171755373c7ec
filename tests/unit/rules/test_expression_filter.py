"""Which row changes an expression filter leaves out."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.expression_filter import (
    BAD_FILTER,
    MISSING_COLUMN,
    NO_VALUE,
    ExpressionFilters,
    ExpressionRule,
    RowFilter,
    problem_of,
)
from pkg.schema.parse import parse_create_table

TABLE = parse_create_table("CREATE TABLE Orders (id BIGINT, a INT)", "Shop")


def row_filter(*rules: ExpressionRule) -> RowFilter:
    found = ExpressionFilters(rules, case_sensitive=False, flavor="mysql").of(TABLE)
    assert found is not None
    return found


def rule(name: str = "r", **expressions: str) -> ExpressionRule:
    return ExpressionRule(name, "shop", "orders", **expressions)


def image(number: int, a: int | None) -> tuple[bytes, ...]:
    return (b"%d" % number, b"NULL" if a is None else b"%d" % a)


def test_a_kind_without_an_expression_is_not_looked_at() -> None:
    found = row_filter(rule(insert="a > 1"))
    assert [found.concerns(kind) for kind in ("insert", "update", "delete")] == [True, False, False]


def test_an_event_is_cut_where_rows_are_left_out() -> None:
    found = row_filter(rule(insert="a > 1"))
    images = [image(1, 1), image(2, None), image(3, 5), image(4, 6), image(5, 0)]
    assert list(found.runs("insert", images)) == [(True, images[:2]), (False, images[2:4]), (True, images[4:])]


@pytest.mark.parametrize(
    ("old", "new", "left_out"),
    [
        ("a = 1", "", [True, True, False, False]),
        ("", "a = 2", [True, False, True, False]),
        ("a = 1", "a = 2", [True, False, False, False]),
    ],
)
def test_an_update_is_left_out_when_both_of_what_is_given_holds(old: str, new: str, left_out: list[bool]) -> None:
    found = row_filter(rule(update_old=old, update_new=new))
    changes = [(1, 2), (1, 3), (0, 2), (None, 3)]
    assert [found.leaves_out("update", [image(1, before), image(1, after)]) for before, after in changes] == left_out


def test_images_of_an_update_stay_together() -> None:
    found = row_filter(rule(update_new="a = 2"))
    images = [image(1, 0), image(1, 2), image(2, 2), image(2, 0)]
    assert list(found.runs("update", images)) == [(False, images[:2]), (True, images[2:])]


def test_of_several_filters_one_has_to_match() -> None:
    found = row_filter(rule("one", delete="a = 1"), rule("two", delete="id = 7"), rule("three", insert="TRUE"))
    changes = [image(1, 1), image(7, 2), image(8, 2)]
    assert [found.leaves_out("delete", [change]) for change in changes] == [True, True, False]


def test_tables_are_told_by_case_only_where_it_counts() -> None:
    assert ExpressionFilters([rule(insert="TRUE")], case_sensitive=True, flavor="mysql").of(TABLE) is None
    assert ExpressionFilters([rule(insert="TRUE")], case_sensitive=False, flavor="mysql").has("SHOP", "ORDERS")
    assert ExpressionFilters([rule()], case_sensitive=False, flavor="mysql").of(TABLE) is None  # it has no expression


def test_what_does_not_fit_the_table_names_filter_expression_and_place() -> None:
    with pytest.raises(DMError) as missing:
        row_filter(rule(insert="gone > 1"))
    assert missing.value.is_a(MISSING_COLUMN)
    for words in ("r:", "insert-value-expr 'gone > 1'", "column gone", "Shop.Orders"):
        assert words in missing.value.message
    with pytest.raises(DMError) as bad:
        row_filter(rule(update_new="a > 1 AND SOUNDEX(a) = 1"))
    assert bad.value.is_a(BAD_FILTER)
    assert "the function SOUNDEX is not known here (character 11)" in bad.value.message


def test_a_row_without_a_value_shows_itself() -> None:
    found = row_filter(rule(delete="id * 2 > 0"))
    with pytest.raises(DMError) as caught:
        found.leaves_out("delete", [image(9223372036854775807, 5)])
    assert caught.value.is_a(NO_VALUE)
    assert "the row: 9223372036854775807, 5" in caught.value.message
    assert not caught.value.resumable


def test_grammar_is_checked_without_a_table() -> None:
    assert problem_of("anything > 1") == ""
    assert "no expression of MySQL" in problem_of("a >")
