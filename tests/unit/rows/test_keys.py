"""Causality keys join what collations call equal."""

from __future__ import annotations

import pytest

from pkg.rows.change import plan_target
from pkg.rows.keys import fold, unique_values
from tests.unit.rows.tables import column, keyed, primary, table, unique

GENERAL, UNICODE, NEW, MARIADB = (
    "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb4_uca1400_ai_ci",
)  # fmt: skip
ALL = (GENERAL, UNICODE, NEW, MARIADB, "utf8mb4_unicode_520_nopad_ci", "utf8mb4_0900_as_cs", "latin1_swedish_ci")


def _folded(text: str, collation: str, prefix: int | None = None) -> bytes:
    return fold(text.encode(), prefix, collation=collation)


@pytest.mark.parametrize("collation", ALL)
@pytest.mark.parametrize(("one", "other"), [("'abc'", "'ABC'"), ("'abc'", "'abc  '"), ("'e'", "'É'"), ("''", "'  '")])
def test_values_that_every_collation_calls_equal_share_a_key(one: str, other: str, collation: str) -> None:
    assert _folded(one, collation) == _folded(other, collation)


@pytest.mark.parametrize(
    ("one", "other", "collation"),
    [
        ("'s'", "'ß'", GENERAL),
        ("'🍣x'", "'🍺x'", GENERAL),  # all supplementary characters are one
        ("'🍣'", "'🍺'", UNICODE),
        ("'strasse'", "'Straße'", UNICODE),
        ("'г'", "'ґ'", UNICODE),
        ("'α'", "'ᾳ'", NEW),
        ("'12'", "'١٢'", NEW),
        ("'ae'", "'Æ'", NEW),
        ("'あ'", "'ア'", NEW),
        ("'ｱ'", "'ア'", MARIADB),
        ("'ა'", "'Ა'", MARIADB),
        ("'𝐀'", "'a'", NEW),
        ("'a\\0b'", "'ab'", NEW),  # control characters weigh nothing
        ("'a\u00a0'", "'a'", NEW),
        ("'เก'", "'กเ'", MARIADB),  # a vowel that is written before its consonant
        ("'\u0438\u0306'", "'й'", MARIADB),
        ("'Ü'", "'y'", "latin1_swedish_ci"),
        ("'a\ufffdb'", "'a'", GENERAL),  # where TiDB stops reading
        ("'x'", "'y'", "utf8mb4_thai_520_w2"),  # nothing is known of it
        ("'it''s'", "'IT\\'S'", GENERAL),
    ],
)
def test_values_that_a_collation_calls_equal_share_a_key(one: str, other: str, collation: str) -> None:
    assert _folded(one, collation) == _folded(other, collation)


@pytest.mark.parametrize("collation", ALL)
@pytest.mark.parametrize(("one", "other"), [("'a'", "'b'"), ("'1'", "'10'"), ("''", "'x'"), ("'日'", "'本'")])
def test_different_values_differ(one: str, other: str, collation: str) -> None:
    assert _folded(one, collation) != _folded(other, collation)


def test_values_of_a_binary_collation_differ_by_all_but_trailing_spaces() -> None:
    values = ["'a'", "'A'", "'ä'", "'🍣'", "'🍺'", "'a\\0'"]
    assert len({_folded(value, "utf8mb4_bin") for value in [*values, "'ä  '"]}) == len(values)


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
    assert _folded(one, UNICODE, 3) == _folded(other, UNICODE, 3)
