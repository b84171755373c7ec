"""Rules for TiDB's tables: which one counts, which ones cannot be."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.tidb_tables import NOT_A_TIDB, TWO_TIDB_RULES, TidbTableRule, TidbTables, problem_of


def test_the_most_specific_rule_counts() -> None:
    rules = (
        TidbTableRule("schema", "shop", "", primary_key="clustered"),
        TidbTableRule("tables", "shop", "log_*", auto_random=5),
        TidbTableRule("table", "shop", "log_1", auto_random=6),
    )
    tables = TidbTables(rules, case_sensitive=False)
    found = [tables.of("SHOP", name) for name in ("orders", "log_2", "log_1")]
    assert [one.name for one in found if one is not None] == ["schema", "tables", "table"]
    assert tables.of("other", "log_1") is None


def test_two_rules_of_one_rank() -> None:
    rules = (TidbTableRule("a", "s", "x?", auto_random=1), TidbTableRule("b", "s", "?x", auto_random=1))
    with pytest.raises(DMError) as caught:
        TidbTables(rules, case_sensitive=False).of("s", "xx")
    assert caught.value.is_a(TWO_TIDB_RULES)


def test_another_target() -> None:
    TidbTables((), case_sensitive=False).check_target("mariadb")
    tables = TidbTables((TidbTableRule("a", "s", "", auto_random=1),), case_sensitive=False)
    tables.check_target("tidb")
    with pytest.raises(DMError) as caught:
        tables.check_target("mysql")
    assert caught.value.is_a(NOT_A_TIDB)
    assert "(a), and the target is MySQL" in caught.value.message


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ((4, 0, 0, ""), ""),
        ((4, 4, 0, "nonclustered"), ""),
        ((0, 3, 5, "clustered"), ""),
        ((0, 0, 0, "clustered"), ""),
        ((4, 0, 5, ""), "auto-random"),
        ((4, 0, 0, "clustered"), "primary-key"),
        ((0, 0, 5, "nonclustered"), "primary-key"),
        ((0, 3, 0, ""), "pre-split-regions"),
        ((2, 3, 0, ""), "pre-split-regions"),
        ((0, 6, 5, ""), "pre-split-regions"),
        ((0, 0, 0, ""), "schema-pattern"),
    ],
)
def test_what_cannot_be(values: tuple[int, int, int, str], option: str) -> None:
    assert problem_of(*values)[0] == option
