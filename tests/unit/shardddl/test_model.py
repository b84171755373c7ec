"""Level 1 and level 2 together, in every order, with a crash anywhere."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations

import pytest

from tests.unit.shardddl.model import Event, Wrong, assert_resolved, explore

pytestmark = pytest.mark.slow


def stream(order: str) -> list[Event]:
    """``aab``: the table a meets its first DDL, then its second, then b its first; a row of each table all along."""
    tables = sorted({table.lower() for table in order})
    met = dict.fromkeys(tables, 0)
    events = [Event(table) for table in tables]
    for letter in order:
        table = letter.lower()
        if letter.isupper():
            events.append(Event(table, "drop"))
            met.pop(table)
        else:
            events.append(Event(table, "ddl", met[table]))
            met[table] += 1
        events += [Event(name) for name in met]
    return events


ONE_EACH = sorted({"".join(order) for order in permutations("ab")})
TWO_EACH = sorted({"".join(order) for order in permutations("aabb")})


@pytest.mark.parametrize("orders", list(combinations_with_replacement(["aa", *TWO_EACH], 2)))
def test_two_sources_two_ddls(orders: tuple[str, str]) -> None:
    assert_resolved(explore([stream(order) for order in orders]))


@pytest.mark.parametrize("orders", list(combinations_with_replacement(["a", *ONE_EACH], 3)))
def test_three_sources(orders: tuple[str, ...]) -> None:
    assert_resolved(explore([stream(order) for order in orders]))


@pytest.mark.parametrize(
    "orders", [("aabb", "abba", "aa"), pytest.param(("abab", "aabb", "bbaa"), marks=pytest.mark.thorough)]
)
def test_three_sources_two_ddls(orders: tuple[str, ...]) -> None:
    assert_resolved(explore([stream(order) for order in orders]))


@pytest.mark.parametrize(
    "orders",
    [("aB", "ab"), ("aB", "a"), ("Baa", "aa"), ("aabB", "aabb"), ("aAb", "ab"), ("abAb", "aabb")],
)
def test_a_table_is_dropped(orders: tuple[str, str]) -> None:
    assert_resolved(explore([stream(order) for order in orders]))


def test_a_table_is_created_while_others_wait() -> None:
    """With the DDL's effect, and without it."""
    for version in (0, 1):
        made = [Event("a"), Event("a", "ddl", 0), Event("c", "create", version), Event("c")]
        made += [Event("c", "ddl", 0), Event("c")] if version == 0 else []
        assert_resolved(explore([[*made, Event("b"), Event("b", "ddl", 0), Event("b"), Event("a")], stream("ab")]))


def test_a_source_without_tables_is_not_waited_for() -> None:
    assert_resolved(explore([stream("ab"), []]))


def test_other_ddls_get_stuck_and_nothing_is_run() -> None:
    other = [Event("a"), Event("a", "ddl", 1), Event("a")]
    explored = explore([stream("a"), other])
    for end in explored.ends:
        assert end.executed == ()
        assert [lock.ddls for lock in end.locks.locks] in ([("ADD b",), ("ADD c",)], [("ADD c",), ("ADD b",)])


def test_the_model_sees_a_broken_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner that does not wait for the others applies rows to a table that they still write in the old shape."""
    from pkg.shardddl.lock import TaskLocks

    monkeypatch.setattr(TaskLocks, "members", lambda self, target: frozenset())
    with pytest.raises(Wrong):
        explore([stream("aabb"), stream("abab")])
