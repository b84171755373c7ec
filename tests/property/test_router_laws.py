"""The router and the block-allow list agree with an obvious implementation of the same rules."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.pattern import compile_pattern
from pkg.rules.router import AMBIGUOUS_ROUTE, Router, RouteRule

names = st.text("abAB_1", min_size=1, max_size=4)
parts = st.sampled_from(["a", "b", "A", "_", "1", "?", "*", "[ab]", "[!a]", "[a-z]"])
wildcards = st.lists(parts, min_size=1, max_size=4).map("".join)
expressions = st.sampled_from(
    ["~a", "~^a", "~^ab?", "~^aB*$", "~^a{2}", "~^A_.*1$", "~^a|b", "~^$", "~b$", "~^[ab]+$", "~A|1"]
)
patterns = wildcards | expressions


def matches(pattern: str, name: str, case_sensitive: bool) -> bool:
    """Character by character, without an index."""
    if pattern.startswith("~"):
        return re.search(pattern[1:], name, 0 if case_sensitive else re.IGNORECASE) is not None
    if not case_sensitive:
        pattern, name = pattern.lower(), name.lower()
    return _wildcard(pattern, name)


def _wildcard(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(_wildcard(pattern[1:], name[i:]) for i in range(len(name) + 1))
    if not name:
        return False
    if pattern[0] == "[":
        inside, rest = pattern[1:].split("]", 1)
        found = _in_class(inside.lstrip("!"), name[0]) != inside.startswith("!")
        return found and _wildcard(rest, name[1:])
    return pattern[0] in ("?", name[0]) and _wildcard(pattern[1:], name[1:])


def _in_class(members: str, character: str) -> bool:
    if len(members) == 3 and members[1] == "-":
        return members[0] <= character <= members[2]
    return character in members


@given(patterns, names, st.booleans())
def test_a_pattern_matches_what_it_says(pattern: str, name: str, case_sensitive: bool) -> None:
    compiled = compile_pattern(pattern, case_sensitive)
    folded = name if case_sensitive else name.lower()
    assert compiled.matches(folded) == matches(pattern, name, case_sensitive)
    if compiled.matches(folded):
        assert folded.startswith(compiled.prefix)


@st.composite
def rules(draw: st.DrawFn) -> list[RouteRule]:
    pairs = draw(st.lists(st.tuples(patterns, st.just("") | patterns), max_size=5))
    return [
        RouteRule(f"r{i}", schema, table, f"s{i}", f"t{i}" if table else "") for i, (schema, table) in enumerate(pairs)
    ]


def specificity(pattern: str) -> tuple[int, int]:
    """A name says more than a wildcard, that more than an expression; then by the characters that are fixed."""
    if not pattern or pattern.startswith("~"):
        return 0, 0
    outside_classes = re.sub(r"\[[^]]*\]", "?", pattern)
    fixed = len(re.sub(r"[?*]", "", outside_classes))
    return (2 if outside_classes == re.sub(r"[?*\[]", "", pattern) else 1), fixed


def _expected(all_rules: list[RouteRule], schema: str, table: str, case_sensitive: bool) -> RouteRule | set[str] | None:
    """The rule that decides; the names of those among which nothing decides; None for no rule."""
    hits = [rule for rule in all_rules if matches(rule.schema_pattern, schema, case_sensitive)]
    table_hits = [rule for rule in hits if rule.table_pattern and matches(rule.table_pattern, table, case_sensitive)]
    level = table_hits or [rule for rule in hits if not rule.table_pattern]

    def weights(rule: RouteRule) -> tuple[tuple[int, int], ...]:
        return specificity(rule.schema_pattern), specificity(rule.table_pattern)

    def beaten(rule: RouteRule) -> bool:
        mine = weights(rule)
        return any(
            weights(other) != mine and all(a >= b for a, b in zip(weights(other), mine, strict=True)) for other in level
        )

    best = [rule for rule in level if not beaten(rule)]
    return {rule.name for rule in best} if len(best) > 1 else best[0] if best else None


def _check_names_both(error: DMError, equal: set[str]) -> None:
    assert error.is_a(AMBIGUOUS_ROUTE)
    named = {error.fields["first"], error.fields["second"]}
    assert len(named) == 2
    assert named <= equal
    assert all(name in error.message for name in named)


@given(rules(), names, names, st.booleans())
def test_routes_agree_with_trying_every_rule(
    all_rules: list[RouteRule], schema: str, table: str, case_sensitive: bool
) -> None:
    expected = _expected(all_rules, schema, table, case_sensitive)
    router = Router(all_rules, case_sensitive)
    if isinstance(expected, set):
        with pytest.raises(DMError) as refused:
            router.route(schema, table)
        _check_names_both(refused.value, expected)
        return
    target = router.route(schema, table)
    wanted = (schema, table)
    if isinstance(expected, RouteRule):
        wanted = (expected.target_schema, expected.target_table or table)
    assert (target.schema, target.table) == wanted
    assert router.route(schema, table) == target


@given(
    st.lists(patterns, max_size=3),
    st.lists(patterns, max_size=3),
    st.lists(st.tuples(patterns, patterns), max_size=3),
    st.lists(st.tuples(patterns, patterns), max_size=3),
    st.booleans(),
    st.lists(names, min_size=1, max_size=3),
)
def test_the_allow_list_agrees_with_its_rules_in_words(
    do_dbs: list[str],
    ignore_dbs: list[str],
    do_tables: list[tuple[str, str]],
    ignore_tables: list[tuple[str, str]],
    case_sensitive: bool,
    all_names: list[str],
) -> None:
    rules = BlockAllowRules(tuple(do_dbs), tuple(do_tables), tuple(ignore_dbs), tuple(ignore_tables))
    allow_list = BlockAllowList(rules, case_sensitive)

    def any_schema(among: list[str], schema: str) -> bool:
        return any(matches(pattern, schema, case_sensitive) for pattern in among)

    def any_table(among: list[tuple[str, str]], schema: str, table: str) -> bool:
        return any(matches(a, schema, case_sensitive) and matches(b, table, case_sensitive) for a, b in among)

    for schema, table in product(all_names, all_names):
        passes = any_schema(do_dbs, schema) if do_dbs else not any_schema(ignore_dbs, schema)
        assert allow_list.allows(schema) == passes
        if any_table(do_tables, schema, table):
            kept = True
        elif any_table(ignore_tables, schema, table):
            kept = False
        else:
            kept = not do_tables
        assert allow_list.allows(schema, table) == (passes and kept)
