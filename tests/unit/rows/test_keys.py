"""Causality keys join what collations call equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.folding import column_folding
from pkg.rows.keys import fold, unique_values
from pkg.schema.table import Column, Index
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


def _target_with(*keys: Index, columns: Sequence[Column] = (), upstream: Sequence[Column] | None = None) -> TargetTable:
    id_ = column("id", nullable=False)
    name = column("name", "varchar", nullable=False)
    above = table([id_, name, *(columns if upstream is None else upstream)])
    return plan_target(above, table([id_, name, *columns], *keys))


def test_a_unique_prefix_of_the_primary_key_is_a_key_of_its_own() -> None:
    target = _target_with(primary("name"), unique("name", prefix=3))
    assert target.take_identity((b"1", b"'abcX'")) == (b"'abcX'",)
    assert list(unique_values(target, (b"1", b"'abcX'"))) == list(unique_values(target, (b"2", b"'abcY'"))) != []


def test_a_second_unique_key_over_the_identity_says_nothing_new() -> None:
    assert _target_with(primary("id"), unique("id")).unique_keys == ()


def _others(target: TargetTable, image: RowImage) -> Iterator[tuple[object, ...]]:
    """Without the identity, which is among the keys where the target has columns of its own."""
    keys = target.unique_keys[:-1] if target.own_columns else target.unique_keys
    return unique_values(replace(target, unique_keys=keys), image)


def test_a_key_that_changes_is_a_unique_value_where_the_target_has_columns_of_its_own() -> None:
    target = _target_with(primary("id"), columns=[column("own")], upstream=[])
    one, other = (b"1", b"'a'"), (b"2", b"'a'")
    assert list(unique_values(target, one)) != list(unique_values(target, other))
    assert _target_with(primary("id")).unique_keys == ()


@pytest.mark.parametrize(
    ("extra", "waits"),
    [
        (column("g", generated="VIRTUAL"), True),
        (column("g", generated="STORED"), True),
        (replace(column("g"), default="'x'"), True),
        (replace(column("g"), default="NULL"), False),
        (replace(column("g"), default="curdate()"), True),
        (replace(column("g"), default="(1 + 1)"), True),
        (replace(column("g"), default="uuid()"), False),
        (replace(column("g"), default="(uuid_to_bin(uuid()))"), False),
        (replace(column("g"), default="nextval(`d`.`s`)"), False),
        (replace(column("g"), auto_increment=True), False),
    ],
)
def test_a_unique_key_over_a_column_that_only_the_target_has(extra: Column, waits: bool) -> None:
    alone = _target_with(primary("id"), unique("g"), columns=[extra], upstream=[])
    beside = _target_with(primary("id"), unique("g", "name"), columns=[extra], upstream=[])
    one, other, third = (b"1", b"'a'"), (b"2", b"'A'"), (b"3", b"'b'")
    assert bool(list(_others(alone, one))) == waits
    assert list(_others(alone, one)) == list(_others(alone, third)), "its value is not known"
    assert list(_others(beside, one)) == list(_others(beside, other))
    assert (list(_others(beside, one)) != list(_others(beside, third))) == waits


def test_what_only_the_target_generates_is_not_known() -> None:
    target = _target_with(primary("id"), unique("g"), columns=[column("g", generated="STORED")], upstream=[column("g")])
    assert list(unique_values(target, (b"1", b"'a'", b"7"))) == list(unique_values(target, (b"2", b"'b'", b"8")))


@pytest.mark.parametrize("base_type", ["float", "double"])
def test_both_zeros_are_one_value(base_type: str) -> None:
    target = _target_with(primary("id"), unique("d"), columns=[column("d", base_type)])
    zeros = [list(unique_values(target, (b"1", b"'a'", zero))) for zero in (b"0", b"0.0", b"-0e0")]
    assert zeros[0] == zeros[1] == zeros[2] != list(unique_values(target, (b"1", b"'a'", b"0.1")))


@pytest.mark.parametrize("literal", [b"1.1", b"-2.5e-30", b"123.456", b"1e+30", b"16777216"])
def test_a_float_is_folded_to_itself(literal: bytes) -> None:
    folding = column_folding(column("f", "float"), column("f", "float"))
    assert folding is not None
    assert float(folding.fold(literal)) == float(literal)
    assert folding.fold(folding.fold(literal)) == folding.fold(literal)
