"""Causality keys join what collations call equal."""

from __future__ import annotations

import pytest

from pkg.rows.change import plan_target
from pkg.rows.keys import fold, unique_values
from tests.unit.rows.tables import column, keyed, primary, table, unique


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("'abc'", "'ABC'"),
        ("'abc'", "'abc  '"),
        ("'e'", "'É'"),
        ("'strasse'", "'Straße'"),
        ("'s'", "'ß'"),  # utf8mb4_general_ci
        ("'α'", "'ᾳ'"),  # its iota is a mark, which weighs nothing
        ("'12'", "'١٢'"),
        ("'c'", "'ͨ'"),  # a letter above others
        ("'ae'", "'Æ'"),
        ("'あ'", "'ア'"),
        ("'🍣'", "'🍺'"),  # one weight in the older collations
        ("'a\\0b'", "'ab'"),  # control characters weigh nothing
        ("'ｱ'", "'ア'"),
    ],
)
def test_values_that_a_collation_calls_equal_share_a_key(one: str, other: str) -> None:
    assert fold(one.encode()) == fold(other.encode())


@pytest.mark.parametrize(("one", "other"), [("'a'", "'b'"), ("'1'", "'10'"), ("''", "'x'"), ("'日'", "'本'")])
def test_different_values_differ(one: str, other: str) -> None:
    assert fold(one.encode()) != fold(other.encode())


def test_a_null_part_constrains_nothing() -> None:
    assert list(unique_values(keyed(), (b"1", b"NULL", b"'x'"))) == []


def test_a_prefix_key_sees_at_most_its_prefix() -> None:
    structure = table(
        [column("id", nullable=False), column("code", "varchar")], primary("id"), unique("code", prefix=3)
    )
    target = plan_target(structure, structure)
    assert list(unique_values(target, (b"1", b"'abcX'"))) == list(unique_values(target, (b"2", b"'abcY'")))


@pytest.mark.parametrize(
    ("one", "other"), [("'ssaX'", "'ssaY'"), ("'a\u0301bX'", "'a\u0301bY'"), ("'\\nabX'", "'\\nabY'")]
)
def test_a_prefix_counts_characters_before_they_are_folded(one: str, other: str) -> None:
    assert fold(one.encode(), 3) == fold(other.encode(), 3)
