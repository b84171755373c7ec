"""Checks of tables that merge: what differs is said once for each form, however many tables have it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dm_master.precheck.facts import ColumnFacts, KeyFacts, TableFacts, UpstreamFacts
from dm_master.precheck.gather import _routed
from dm_master.precheck.report import CHECK_FAILED
from pkg.task.blocks import RouteRule
from tests.unit.dm_master.test_precheck import COUNTED, ID, NOTE, failures, mapped, report, table, target, upstream

INTO = ("shop", "all")


def merging(*forms: tuple[str, int]) -> UpstreamFacts:
    """So many tables whose note has this type."""
    tables = [
        table(f"t{number}_{kind}", ID, replace(NOTE, type=kind)) for kind, count in forms for number in range(count)
    ]
    return upstream(*tables, targets={one.name: INTO for one in tables})


def test_each_form_is_named_once_beside_that_of_most_tables() -> None:
    text, year = failures(merging(("text", 2), ("varchar(20)", 100), ("year", 1)))
    assert text.startswith(
        "`shop`.`t0_varchar(20)` of s1 (and 99 alike) and `shop`.`t0_text` of s1 (and 1 alike) go to"
    )
    assert "column note is varchar(20) and text" in text
    assert "`shop`.`t0_year` of s1 go to `shop`.`all`, but differ: column note is varchar(20) and year" in year


def test_the_refusal_counts_all_forms() -> None:
    refused = report(merging(("text", 1), ("varchar(20)", 2), ("year", 1))).failure()
    assert refused is not None
    assert refused.is_a(CHECK_FAILED)
    assert refused.message.endswith("(and 1 more)")


def test_a_column_that_may_be_null_in_some_shards_is_a_warning_unless_the_target_takes_it() -> None:
    strict = table("b", ID, replace(NOTE, nullable=False))
    facts = upstream(table("a"), strict, targets={("shop", "a"): INTO, ("shop", "b"): INTO})
    made = replace(table("a"), name=INTO)
    tight = replace(strict, name=INTO)
    for there, warns in ((target(), True), (target(tight), True), (target(made), False)):
        found = [one.text for one in report(facts, into=there).warnings]
        wanted = "column note may be NULL in `shop`.`a` of s1, but not in `shop`.`b` of s1; all go to `shop`.`all`"
        assert (wanted in found) == warns
        assert not report(facts, into=there).failures


def named(name: str, collation: str, *keys: KeyFacts) -> TableFacts:
    return table(name, ColumnFacts("k", "varchar(9)", nullable=False, collation=collation), keys=keys)


WHOLE, SHORT = KeyFacts("k", ("k",), True), KeyFacts("k", ("k",), False, (2,))
CALCULATED = KeyFacts("k", ("(lower(`k`))",), False, (None,))
UNLIKE = {
    "collation": ("general_ci", WHOLE, "bin", WHOLE, "(k utf8mb4_general_ci)"),
    "prefix": ("bin", SHORT, "bin", WHOLE, "(k(2) utf8mb4_bin)"),
    "expression": ("bin", CALCULATED, "bin", KeyFacts("k", ("(concat(`k`))",), False, (None,)), "((lower(`k`)))"),
}


@pytest.mark.parametrize(("coarse", "its", "fine", "other", "said"), UNLIKE.values(), ids=UNLIKE)
def test_keys_of_merged_tables_that_hold_other_rows_equal_are_said(
    coarse: str, its: KeyFacts, fine: str, other: KeyFacts, said: str
) -> None:
    into = target(collations=frozenset({"utf8mb4_bin", "utf8mb4_general_ci"}))
    tables = [named("a", f"utf8mb4_{coarse}", its), named("b", f"utf8mb4_{fine}", other)]
    apart = upstream(*tables)
    assert failures(apart, into=into) == []
    merging = upstream(*tables, targets={one.name: INTO for one in tables})
    judged = report(merging, into=into)
    found = [one.text for one in (judged.warnings if coarse != fine else judged.failures)]
    assert f"the key {said} of `shop`.`a` of s1, which goes to `shop`.`all`, too, may hold rows of `shop`.`b`" in str(
        found
    )
    there = replace(into, tables={INTO: replace(tables[0], name=INTO)})
    found = [one.text for one in (*report(merging, into=there).failures, *report(merging, into=there).warnings)]
    assert "in a key" in str(found) or f"the key {said} of the target table `shop`.`all`" in str(found)
    safe = replace(into, tables={INTO: replace(named("x", "utf8mb4_bin", WHOLE), name=INTO)})
    assert not [one for one in failures(merging, into=safe) if said in one]


def test_tables_that_two_routes_claim_are_named_each() -> None:
    routes = (
        {"schema-pattern": "shop", "table-pattern": "a?", "target-schema": "x"},
        {"schema-pattern": "shop", "table-pattern": "a*", "target-schema": "y"},
    )
    rules = [RouteRule.model_validate(one) for one in routes]
    router = upstream().subtask.model_copy(update={"routes": tuple(rules), "route_names": ("narrow", "wide")}).router()
    targets, unrouted = _routed([("shop", "a1"), ("shop", "a22"), ("shop", "a3"), ("shop", "b")], router)
    assert targets == {("shop", "a22"): ("y", "a22"), ("shop", "b"): ("shop", "b")}
    first, second = failures(replace(upstream(), unrouted=unrouted))
    assert "source s1: the table `shop`.`a1` matches two routes, narrow and wide, and neither is" in first
    assert "narrow the schema-pattern or table-pattern of one of them" in first
    assert "`shop`.`a3`" in second


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("t_256", "the table name 't_256' is not 't_', nor 't_' and a number from 0 to 255"),
        ("t_1x", "the table name 't_1x' is not 't_', nor"),
        ("t_-1", "the table name 't_-1' is not"),
        ("t_255", ""),
        ("t_", ""),
    ],
)
def test_a_number_that_has_no_room_in_a_partition_id_is_named(name: str, problem: str) -> None:
    found = failures(mapped(upstream(table(name, COUNTED)), "1", "", "t_"))
    assert [problem in text for text in found] == ([True] if problem else [])
    assert all("the column mapping ids finds no number for `shop`" in text for text in found)


def test_a_mapped_column_that_is_not_there_is_named_with_those_that_are() -> None:
    (text,) = failures(mapped(upstream(table("a", replace(COUNTED, name="number"))), "1", "", ""))
    assert "the column mapping ids names the column id, which shop.a does not have; it has (number bigint" in text
