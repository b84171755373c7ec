"""What the judge of the corpus takes for a documented difference."""

from __future__ import annotations

import pytest

from tests.cases.replicate.comparing import Column
from tests.soak.corpus.documented import columns_without_sequences, without_sequences

NATIVE = "CREATE TABLE `t` (\n  `a` int(11) DEFAULT nextval(`test`.`s`),\n  `b` int(11) DEFAULT {b}\n)"
TARGET = "CREATE TABLE `t` (\n  `a` int(11) DEFAULT NULL,\n  `b` int(11) DEFAULT {b}\n)"


def test_a_default_from_a_sequence_is_documented() -> None:
    one, other = without_sequences(NATIVE.format(b=5), TARGET.format(b=5))
    assert one == other


@pytest.mark.parametrize("target", [TARGET.format(b=6), TARGET.replace("`a` int(11)", "`a` bigint(20)").format(b=5)])
def test_nothing_else_is(target: str) -> None:
    one, other = without_sequences(NATIVE.format(b=5), target)
    assert one != other


def test_the_same_of_columns() -> None:
    def column(name: str, default: str | None) -> Column:
        return Column(name, "int", "int(11)", True, default, "", "", "", False)

    native = [column("a", "nextval(`test`.`s`)"), column("b", "5")]
    one, other = columns_without_sequences(native, [column("a", None), column("b", "5")])
    assert one == other
    one, other = columns_without_sequences(native, [column("a", None), column("b", None)])
    assert one != other
