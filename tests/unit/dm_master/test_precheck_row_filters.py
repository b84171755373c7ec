"""Expression filters against the tables that the upstream has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dm_master.precheck.facts import ColumnFacts, UpstreamFacts
from dm_master.precheck.row_filters import check_row_filters
from tests.unit.dm_master.test_precheck import ID, NOTE, table, upstream

PRICE = ColumnFacts("price", "decimal(10,2)", collation="")
CREATED = ColumnFacts("created", "datetime(3)", collation="")


def with_filter(expression: str, name: str = "orders") -> UpstreamFacts:
    facts = upstream(table("orders", ID, replace(NOTE, collation="utf8mb4_general_ci"), PRICE, CREATED))
    given = facts.subtask.model_dump() | {
        "expression_filters": {"f": {"schema": "shop", "table": name, "insert-value-expr": expression}},
        "upstream": facts.subtask.upstream,
        "target": facts.subtask.target,
    }
    return replace(facts, subtask=type(facts.subtask).model_validate(given))


def test_an_expression_that_fits_passes() -> None:
    assert not check_row_filters(with_filter("note = 'x' AND price > 1.5 AND created < '2020-01-01'")).findings


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("prize > 1", "names the column prize, which shop.orders does not have"),
        ("price > 1 AND SOUNDEX(note) = 'x'", "the function SOUNDEX is not known here (character 15)"),
        ("created < 'yesterday'", "'yesterday' is no date: write it as '2024-01-31' (character 11)"),
    ],
)
def test_one_that_does_not_fit_fails(expression: str, words: str) -> None:
    [finding] = check_row_filters(with_filter(expression)).findings
    assert words in finding.text
    assert "expression-filter f: insert-value-expr" in finding.text
    assert finding.state.name == "FAIL"


def test_a_table_that_is_not_there_is_worth_a_warning() -> None:
    [finding] = check_row_filters(with_filter("x > 1", name="order")).findings
    assert "no table shop.order that is migrated" in finding.text
    assert finding.state.name == "WARN"


def test_no_filters_no_findings() -> None:
    assert not check_row_filters(upstream()).findings
