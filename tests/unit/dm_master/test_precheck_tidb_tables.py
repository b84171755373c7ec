"""The check of layouts of TiDB, on facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dm_master.precheck.facts import ColumnFacts, KeyFacts, TableFacts, TargetFacts, UpstreamFacts
from dm_master.precheck.report import State
from dm_master.precheck.tidb_tables import check_tidb_tables
from pkg.task import TaskMode
from pkg.task.tidb_block import TidbTable
from tests.unit.dm_master.test_precheck import PRIMARY, ROOT, table, upstream

COUNTER = ColumnFacts("id", "bigint(20) unsigned", nullable=False, auto_increment=True)
TARGET = TargetFacts("10.0.0.9:4000", "tidb", ROOT, frozenset(), {})


def with_rules(facts: UpstreamFacts, **rules: dict[str, Any]) -> UpstreamFacts:
    found = {name: TidbTable.model_validate({"schema-pattern": "shop"} | rule) for name, rule in rules.items()}
    return replace(facts, subtask=facts.subtask.model_copy(update={"tidb_tables": found}))


def findings(facts: UpstreamFacts, target: TargetFacts = TARGET) -> list[tuple[State, str]]:
    routed = replace(facts, targets={one.name: one.name for one in facts.tables})
    return [(one.state, one.text) for one in check_tidb_tables([routed], target).findings]


def test_tables_that_a_rule_does_not_fit_are_named() -> None:
    tables = (table("fits", COUNTER), table("int"), TableFacts(("shop", "keyless"), (COUNTER,), ()))
    found = findings(with_rules(upstream(*tables), r={"auto-random": 5}))
    assert [(state, text.split("`")[3]) for state, text in found] == [(State.WARN, "int"), (State.WARN, "keyless")]
    assert "the rule r of tidb-tables is not applied to `shop`.`int`: AUTO_RANDOM needs" in found[0][1]


def test_tables_that_are_there_are_not_asked_about() -> None:
    there = replace(TARGET, tables={("shop", "int"): table("int")})
    assert findings(with_rules(upstream(table("int")), r={"auto-random": 5}), there) == []


def test_nothing_is_created_in_replication_alone() -> None:
    facts = upstream(table("int"), mode=TaskMode.INCREMENTAL)
    assert findings(with_rules(facts, r={"auto-random": 5})) == []


def test_another_target_and_two_rules_of_one_rank() -> None:
    facts = with_rules(upstream(table("xx")), r={"table-pattern": "x*", "auto-random": 5})
    assert findings(facts, replace(TARGET, flavor="mysql"))[0][0] is State.FAIL
    both = with_rules(
        upstream(table("xx")), a={"table-pattern": "x?", "auto-random": 5}, b={"table-pattern": "?x", "auto-random": 5}
    )
    (found,) = findings(both)
    assert found[0] is State.FAIL
    assert "matches two rules of tidb-tables" in found[1]


def test_a_secondary_key_is_no_primary_one() -> None:
    one = TableFacts(("shop", "t"), (COUNTER,), (KeyFacts("u", ("id",), True), PRIMARY))
    assert findings(with_rules(upstream(one), r={"auto-random": 5})) == []
    other = TableFacts(("shop", "t"), (COUNTER,), (KeyFacts("u", ("id",), True),))
    assert len(findings(with_rules(upstream(other), r={"primary-key": "clustered"}))) == 1
