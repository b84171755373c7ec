from __future__ import annotations

import time

import pytest

from pkg.errors import DMError
from pkg.rules.router import Router, RouteRule, Target


def rule(name: str, schema: str, table: str, target_schema: str = "", target_table: str = "") -> RouteRule:
    return RouteRule(name, schema, table, target_schema or name, target_table)


def test_a_table_without_a_rule_keeps_its_name() -> None:
    assert Router([], True).route("a", "b") == Target("a", "b")


def test_a_table_rule_beats_a_schema_rule() -> None:
    router = Router([rule("whole", "shop_*", ""), rule("orders", "shop_*", "orders_?", "shop", "orders")], True)
    assert router.route("shop_1", "orders_7") == Target("shop", "orders")
    assert router.route("shop_1", "users") == Target("whole", "users")
    assert router.route("shop_1", "") == Target("whole", "")


def test_a_table_rule_does_not_move_the_schema_itself() -> None:
    assert Router([rule("t", "shop", "*", "x", "y")], True).route("shop", "") == Target("shop", "")


def test_the_more_specific_rule_wins_whatever_the_order() -> None:
    rules = [rule("wide", "shop_*", "*"), rule("narrow", "shop_01", "*"), rule("one", "shop_01", "orders")]
    for ordered in (rules, rules[::-1]):
        router = Router(ordered, True)
        assert router.route("shop_01", "orders").schema == "one"
        assert router.route("shop_01", "users").schema == "narrow"
        assert router.route("shop_02", "users").schema == "wide"


@pytest.mark.parametrize(
    ("first", "second"),
    [(("shop_*", "a"), ("shop_1", "*")), (("~^shop", "a"), ("~1$", "a")), (("shop_1", ""), ("shop_1", ""))],
)
def test_rules_that_are_equally_specific_are_both_named(first: tuple[str, str], second: tuple[str, str]) -> None:
    router = Router([rule("first", *first), rule("second", *second)], True)
    with pytest.raises(DMError, match=r"`shop_1`\.`a` matches two routes, first and second") as caught:
        router.route("shop_1", "a")
    assert caught.value.workaround


def test_case_is_folded_unless_it_matters() -> None:
    rules = [rule("r", "Shop_[A-C]", "~^Orders_\\D$", "t", "T")]
    assert Router(rules, False).route("sHOP_b", "ORDERS_x") == Target("t", "T")
    assert Router(rules, True).route("sHOP_b", "ORDERS_x") == Target("sHOP_b", "ORDERS_x")


def test_system_schemas_are_never_routed() -> None:
    assert Router([rule("all", "*", "*", "x", "y")], True).route("mysql", "user") == Target("mysql", "user")


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (rule("r", "", "a"), "no schema-pattern"),
        (RouteRule("r", "a", "b", "", ""), "no target-schema"),
        (RouteRule("r", "a", "", "x", "y"), "no table-pattern"),
        (rule("r", "a[", "b"), "`\\[` without `\\]`"),
        (rule("r", "~(", "b"), "not valid"),
    ],
)
def test_bad_rules_are_refused_at_once(bad: RouteRule, text: str) -> None:
    with pytest.raises(DMError, match=text):
        Router([bad], True)


def test_a_thousand_routes_and_ten_thousand_tables() -> None:
    router = Router([rule(f"r{i}", "shop_*", f"orders_{i}_*", "shop", f"orders_{i}") for i in range(1000)], False)
    begun = time.process_time()
    for i in range(10_000):
        assert router.route(f"shop_{i % 10}", f"orders_{i % 1000}_{i}").table == f"orders_{i % 1000}"
    assert time.process_time() - begun < 2
