from __future__ import annotations

import pytest

from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules


@pytest.mark.parametrize(
    ("rules", "schema", "table", "allowed"),
    [
        (BlockAllowRules(), "a", "b", True),
        (BlockAllowRules(do_dbs=("a*",)), "ab", "t", True),
        (BlockAllowRules(do_dbs=("a*",)), "b", "t", False),
        (BlockAllowRules(do_dbs=("a",), ignore_dbs=("a",)), "a", "t", True),
        (BlockAllowRules(ignore_dbs=("~^tmp",)), "tmp_1", "t", False),
        (BlockAllowRules(ignore_dbs=("~^tmp",)), "x", "t", True),
        (BlockAllowRules(do_tables=(("a", "t?"),)), "a", "t1", True),
        (BlockAllowRules(do_tables=(("a", "t?"),)), "a", "x", False),
        (BlockAllowRules(do_tables=(("a", "t?"),)), "a", None, True),
        (BlockAllowRules(do_tables=(("a", "t"),), ignore_tables=(("a", "t"),)), "a", "t", True),
        (BlockAllowRules(ignore_tables=(("~.", "log"),)), "a", "log", False),
        (BlockAllowRules(do_dbs=("a",), do_tables=(("b", "t"),)), "b", "t", False),
        (BlockAllowRules(do_dbs=("*",)), "mysql", "user", False),
        (BlockAllowRules(), "INFORMATION_SCHEMA", None, False),
    ],
)
def test_decisions(rules: BlockAllowRules, schema: str, table: str | None, allowed: bool) -> None:
    assert BlockAllowList(rules, True).allows(schema, table) is allowed


def test_case_is_folded_unless_it_matters() -> None:
    rules = BlockAllowRules(do_tables=(("Shop", "Orders"),))
    assert BlockAllowList(rules, False).allows("SHOP", "orders")
    assert not BlockAllowList(rules, True).allows("SHOP", "orders")


@pytest.mark.parametrize(
    ("rules", "takes_all"),
    [
        (BlockAllowRules(), True),
        (BlockAllowRules(do_dbs=("shop",), ignore_tables=(("other", "t"),)), True),
        (BlockAllowRules(do_tables=(("shop", "*"),)), True),
        (BlockAllowRules(do_tables=(("shop", "~.*"),), ignore_tables=(("shop", "t"),)), True),
        (BlockAllowRules(do_tables=(("shop", "t*"),)), False),
        (BlockAllowRules(ignore_tables=(("sh*", "log"),)), False),
        (BlockAllowRules(ignore_dbs=("shop",)), False),
    ],
)
def test_a_schema_is_taken_with_all_its_tables(rules: BlockAllowRules, takes_all: bool) -> None:
    assert BlockAllowList(rules, True).takes_all("shop") is takes_all
