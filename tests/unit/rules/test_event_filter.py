"""The event filter: words, groups, their order, text of DDL, and what decides where several rules match."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.event_filter import PASSES, Action, EventFilter, EventRule, Verdict
from pkg.rules.event_types import EVENT_WORDS, GROUP_OF, EventType, canonical, names_it

DROP = EventType("drop table")
ADD = EventType("alter table", frozenset({"add column"}))


def rule(
    name: str, action: str, *events: str, schema: str = "shop", table: str = "", sql: tuple[str, ...] = ()
) -> EventRule:
    return EventRule(name, schema, table, events, sql, action)


def ignored(by: str) -> Verdict:
    return Verdict(Action.IGNORE, by)


def test_without_rules_everything_passes() -> None:
    empty = EventFilter([], False)
    assert not empty.has_rules
    assert empty.rows("shop", "t", "delete") == PASSES
    assert empty.ddl("shop", "t", DROP, "DROP TABLE t") == PASSES


def test_ignore_leaves_out_what_is_named_and_do_what_is_not() -> None:
    one = EventFilter([rule("i", "Ignore", "delete", "drop table")], False)
    assert one.rows("shop", "t", "delete") == ignored("i")
    assert one.rows("shop", "t", "insert").passes
    assert one.rows("other", "t", "delete").passes
    assert one.ddl("shop", "t", DROP, "") == ignored("i")
    assert one.ddl("shop", "t", ADD, "").passes
    two = EventFilter([rule("d", "Do", "insert", "drop table")], False)
    assert two.rows("shop", "t", "delete") == ignored("d")
    assert two.rows("shop", "t", "insert").passes
    assert two.ddl("shop", "t", ADD, "") == ignored("d")
    assert two.ddl("shop", "t", DROP, "").passes


def test_error_names_its_rule() -> None:
    events = EventFilter([rule("e", "Error", "all dml")], False)
    assert events.rows("shop", "t", "update") == Verdict(Action.ERROR, "e")
    assert events.refused_rows("shop", "t") == {"insert": "e", "update": "e", "delete": "e"}
    assert events.ignored_rows("shop", "t") == frozenset()
    assert events.refused_rows("other", "t") == {}


def test_do_without_events_names_nothing() -> None:
    assert EventFilter([rule("d", "Do")], False).rows("shop", "t", "insert") == ignored("d")
    assert EventFilter([rule("i", "Ignore")], False).rows("shop", "t", "insert").passes


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("all", "insert delete drop add"),
        ("none", ""),
        ("all dml", "insert delete"),
        ("all ddl", "drop add"),
        ("incompatible ddl changes", "drop"),
        ("none dml, all", "drop add"),
        ("none ddl, all", "insert delete"),
        ("none, all", ""),
        ("delete, none, insert", "delete"),
        ("alter table", "add"),
        ("add column", "add"),
        ("drop table, insert", "insert drop"),
        ("none ddl, drop table, all dml", "insert delete"),
    ],
)
def test_words_are_read_from_left_to_right(words: str, named: str) -> None:
    events = {"insert": EventType("insert"), "delete": EventType("delete"), "drop": DROP, "add": ADD}
    found = [name for name, event in events.items() if names_it(words.split(", "), event)]
    assert found == named.split()


def test_words_in_any_case_and_by_their_other_names() -> None:
    assert canonical("Drop SCHEMA") == "drop database"
    assert canonical("ALL DML") == "all dml"
    assert {canonical(word) for word in EVENT_WORDS} >= set(GROUP_OF)
    with pytest.raises(ValueError, match="'deletes' is not a type of event"):
        canonical("deletes")


def test_the_text_of_a_ddl_counts_after_its_type() -> None:
    ignoring = EventFilter([rule("i", "Ignore", "create index", sql=("^drop ", "ENGINE=(MyISAM|Aria)"))], False)
    assert ignoring.ddl("shop", "t", ADD, "DROP what").action is Action.IGNORE
    assert ignoring.ddl("shop", "t", ADD, "x engine=aria").action is Action.IGNORE
    assert ignoring.ddl("shop", "t", ADD, "x DROP what").passes
    assert ignoring.rows("shop", "t", "insert").passes
    doing = EventFilter([rule("d", "Do", "all", sql=("^alter",))], False)
    assert doing.ddl("shop", "t", ADD, "ALTER TABLE t").passes
    assert doing.ddl("shop", "t", DROP, "DROP TABLE t") == ignored("d")
    assert doing.rows("shop", "t", "insert").passes


def test_a_statement_that_cannot_be_read_is_known_by_its_text_alone() -> None:
    events = EventFilter([rule("i", "Ignore", "all", sql=("^create weird",), schema="*")], False)
    assert events.ddl("shop", "", None, "CREATE WEIRD x") == ignored("i")
    assert events.ddl("", "", None, "CREATE WEIRD x") == ignored("i")
    assert events.ddl("shop", "", None, "CREATE STRANGE x").passes


def test_rules_of_schemas_come_first_then_those_of_tables_in_their_order() -> None:
    rules = [
        rule("table error", "Error", "delete", table="t"),
        rule("table", "Ignore", "update", "delete", table="*"),
        rule("schema", "Ignore", "update", schema="s*"),
    ]
    events = EventFilter(rules, False)
    assert events.rows("shop", "t", "update") == ignored("schema")
    assert events.rows("shop", "t", "delete") == Verdict(Action.ERROR, "table error")
    assert events.rows("shop", "u", "delete") == ignored("table")


def test_a_rule_for_tables_holds_for_the_database_itself_where_its_pattern_takes_anything() -> None:
    create = EventType("create database")
    assert EventFilter([rule("i", "Ignore", "all", table="*")], False).ddl("shop", "", create, "") == ignored("i")
    assert EventFilter([rule("i", "Ignore", "all", table="t*")], False).ddl("shop", "", create, "").passes


def test_case_matters_only_where_it_does() -> None:
    rules = [rule("i", "Ignore", "insert", schema="Shop_[A-C]", table="~^Orders_\\D$")]
    assert EventFilter(rules, False).rows("sHOP_b", "ORDERS_x", "insert") == ignored("i")
    assert EventFilter(rules, True).rows("sHOP_b", "ORDERS_x", "insert").passes


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (rule("r", "Ignore", "insert", schema=""), "the binlog event filter r: it has no schema-pattern"),
        (rule("r", "ignore", "insert"), "must be Do, Ignore or Error, not 'ignore'"),
        (rule("r", "Ignore", "inserts"), "'inserts' is not a type of event"),
        (rule("r", "Ignore", sql=("(",)), r"'\(' is not a regular expression"),
        (rule("r", "Ignore", schema="a["), "`\\[` without `\\]`"),
        (rule("r", "Ignore", table="~("), "not valid"),
    ],
)
def test_bad_rules_are_refused_at_once(bad: EventRule, text: str) -> None:
    with pytest.raises(DMError, match=text):
        EventFilter([bad], True)


def test_a_thousand_rules_and_ten_thousand_tables() -> None:
    rules = [rule(f"r{i}", "Ignore", "delete", schema="shop_*", table=f"orders_{i}_*") for i in range(1000)]
    events = EventFilter(rules, False)
    for i in range(10_000):
        assert events.rows(f"shop_{i % 10}", f"orders_{i % 1000}_{i}", "delete") == ignored(f"r{i % 1000}")
