"""The event filter agrees with an obvious implementation of the same rules, tried one after the other."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from pkg.rules.event_filter import EventFilter, EventRule
from pkg.rules.event_types import EventType
from tests.property.test_router_laws import matches, names, patterns

DML = ("insert", "update", "delete")
PLAIN = ("create table", "create index")
LOSING = ("drop table", "truncate table", "drop column")
GROUPS = ("all", "none", "all dml", "none dml", "all ddl", "none ddl", "incompatible ddl changes")
words = st.sampled_from((*DML, *PLAIN, *LOSING, *GROUPS)).flatmap(lambda word: st.sampled_from((word, word.upper())))
sql_patterns = st.sampled_from(["^drop", "TABLE t", "a|b", "[0-9]+$", "nothing like it"])
texts = st.sampled_from(["DROP TABLE t", "create table t9", "alter table a drop b", "TRUNCATE x"])


@st.composite
def rules(draw: st.DrawFn) -> list[EventRule]:
    return [
        EventRule(
            name=f"r{number}",
            schema_pattern=draw(patterns),
            table_pattern=draw(st.just("") | patterns),
            events=tuple(draw(st.lists(words, max_size=4))),
            sql_patterns=tuple(draw(st.lists(sql_patterns, max_size=2))),
            action=draw(st.sampled_from(["Do", "Ignore", "Error"])),
        )
        for number in range(draw(st.integers(0, 5)))
    ]


def _named(rule_words: tuple[str, ...], event: str) -> bool:
    is_dml, loses = event in DML, event in LOSING
    for word in (word.lower() for word in rule_words):
        if word == "all" or word == event:
            return True
        if word == "none" or word == ("none dml" if is_dml else "none ddl"):
            return False
        if word == ("all dml" if is_dml else "all ddl") or (word == "incompatible ddl changes" and loses):
            return True
    return False


def _expected(
    all_rules: list[EventRule], schema: str, table: str, event: str, sql: str, case_sensitive: bool
) -> tuple[str, str]:
    matching = [rule for rule in all_rules if matches(rule.schema_pattern, schema, case_sensitive)]
    for_schemas = [rule for rule in matching if not rule.table_pattern]
    for_tables = [
        rule for rule in matching if rule.table_pattern and matches(rule.table_pattern, table, case_sensitive)
    ]
    for rule in for_schemas + for_tables:
        hits = [_named(rule.events, event)] if event else []
        if sql and rule.sql_patterns:
            hits.append(any(re.search(pattern, sql, re.IGNORECASE) for pattern in rule.sql_patterns))
        if rule.action == "Do" and not all(hits):
            return "Ignore", rule.name
        if rule.action != "Do" and any(hits):
            return rule.action, rule.name
    return "Do", ""


@given(rules(), st.lists(names, min_size=1, max_size=2), st.sampled_from((*PLAIN, *LOSING, "")), texts, st.booleans())
def test_verdicts_agree_with_trying_every_rule(
    all_rules: list[EventRule], all_names: list[str], ddl: str, sql: str, case_sensitive: bool
) -> None:
    events = EventFilter(all_rules, case_sensitive)
    for schema, table in product(all_names, [*all_names, ""]):
        verdict = events.ddl(schema, table, EventType(ddl) if ddl else None, sql)
        assert (verdict.action, verdict.rule) == _expected(all_rules, schema, table, ddl, sql, case_sensitive)
        for kind in DML:
            for _ in range(2):  # the second time from memory
                verdict = events.rows(schema, table, kind)
                assert (verdict.action, verdict.rule) == _expected(all_rules, schema, table, kind, "", case_sensitive)
