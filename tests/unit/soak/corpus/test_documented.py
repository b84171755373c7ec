"""What the judge of the corpus takes for a documented difference."""

from __future__ import annotations

import pytest

from tests.cases.replicate.comparing import Column
from tests.soak.corpus.documented import (
    columns_without_sequences,
    with_keys_there,
    without_defaults,
    without_sequences,
)

NATIVE = "CREATE TABLE `t` (\n  `a` int(11) DEFAULT nextval(`test`.`s`),\n  `b` int(11) DEFAULT {b}\n)"
TARGET = "CREATE TABLE `t` (\n  `a` int(11) DEFAULT NULL,\n  `b` int(11) DEFAULT {b}\n)"


def test_a_default_from_a_sequence_is_documented() -> None:
    one, other = without_sequences(NATIVE.format(b=5), TARGET.format(b=5))
    assert one == other


@pytest.mark.parametrize("target", [TARGET.format(b=6), TARGET.replace("`a` int(11)", "`a` bigint(20)").format(b=5)])
def test_nothing_else_is(target: str) -> None:
    one, other = without_sequences(NATIVE.format(b=5), target)
    assert one != other


def _column(name: str, default: str | None, kind: str = "int") -> Column:
    return Column(name, kind, kind, True, default, "", "", "", False)


def test_the_same_of_columns() -> None:
    native = [_column("a", "EXPRESSION"), _column("b", "5")]
    found = columns_without_sequences(NATIVE.format(b=5), native)
    assert found == [_column("a", None), _column("b", "5")]


@pytest.mark.parametrize(
    ("kind", "default", "target", "left"),
    [
        ("int", "EXPRESSION", None, None),
        ("text", "x", None, None),
        ("bit", "CURRENT_TIMESTAMP", None, None),
        ("int", "5", None, "5"),
        ("datetime", "CURRENT_TIMESTAMP", None, "CURRENT_TIMESTAMP"),
        ("datetime", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP(3)", "CURRENT_TIMESTAMP(3)"),
        ("int", "EXPRESSION", "5", "EXPRESSION"),
    ],
)
def test_defaults_that_tidb_does_not_take(kind: str, default: str, target: str | None, left: str | None) -> None:
    assert without_defaults([_column("a", default, kind)], [_column("a", target, kind)]) == [_column("a", left, kind)]


@pytest.mark.parametrize(
    ("native", "target", "is_said"),
    [
        (("b", False, ("b", 250)), ("b", False, ("b", None)), True),
        (("b", True, ("b", None)), ("B", False, ("b", 3072)), True),
        (("b", True, ("b", 10)), ("b", True, ("b", None)), False),
        (("b", False, ("b", None)), ("b", False, ("c", None)), False),
        (("b", True, ("b", None)), ("b_2", True, ("b", None)), True),
        (("b", True, ("b", None)), ("c", False, ("b", None)), False),
    ],
)
def test_keys_of_other_lengths_and_names(native: tuple[object, ...], target: tuple[object, ...], is_said: bool) -> None:
    assert (with_keys_there([native], [target]) == [target]) is is_said


def test_a_key_that_both_have_keeps_its_name() -> None:
    native = [("PRIMARY", True, ("a", None)), ("a", True, ("a", None))]
    target = [("PRIMARY", True, ("a", None)), ("a_2", True, ("a", None))]
    assert with_keys_there(native, target) == target
