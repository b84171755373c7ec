"""Columns that a route fills from names."""

from __future__ import annotations

from pkg.rules.extract import ExtractRule, Origin, extracted, problem_of
from pkg.rules.router import Router, RouteRule


def test_the_groups_together_are_the_value() -> None:
    rules = (
        ExtractRule(Origin.TABLE, "_([0-9]+)_(.)", "part"),
        ExtractRule(Origin.SCHEMA, "shop_(.*)", "shop"),
        ExtractRule(Origin.SOURCE, "(.*)", "source"),
    )
    columns = extracted(rules, "shop_eu", "orders_17_b", "mysql-01")
    assert [(one.name, one.value) for one in columns] == [("part", "17b"), ("shop", "eu"), ("source", "mysql-01")]


def test_an_expression_that_does_not_match_gives_an_empty_text_and_says_so() -> None:
    [column] = extracted([ExtractRule(Origin.TABLE, "x(.*)", "part")], "s", "t", "source")
    assert (column.value, column.matched) == ("", False)


def test_a_group_that_takes_no_part_is_empty() -> None:
    [column] = extracted([ExtractRule(Origin.TABLE, "t(a)?(b)?", "part")], "s", "tb", "source")
    assert (column.value, column.matched) == ("b", True)


def test_what_is_wrong_with_an_expression() -> None:
    assert "not a regular expression" in problem_of("(")
    assert "no group" in problem_of("t.*")
    assert problem_of("t(.*)") == ""


def test_the_columns_are_those_of_the_route_that_is_taken() -> None:
    of_table = (ExtractRule(Origin.TABLE, "(.*)", "from_table"),)
    of_schema = (ExtractRule(Origin.SCHEMA, "(.*)", "from_schema"),)
    rules = [RouteRule("a", "s*", "", "x", "", of_schema), RouteRule("b", "s*", "t*", "x", "t", of_table)]
    router = Router(rules, case_sensitive=True)
    assert router.extracts("s1", "t1") == of_table
    assert router.extracts("s1", "other") == of_schema
    assert router.extracts("other", "t1") == ()
