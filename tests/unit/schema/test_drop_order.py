"""Tables are dropped before what they refer to."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from pkg.schema.drop_order import children_first
from pkg.schema.statement import TableName


def order(tables: str, *references: str) -> tuple[str, str]:
    """Tables of one letter each, references as child and parent: "ba" is b's foreign key to a."""
    names = [TableName("d", name) for name in tables]
    places, held = children_first(
        names, [(TableName("D", one[0]), TableName("d", one[1].upper())) for one in references]
    )
    return "".join(tables[place] for place in places), "".join(sorted(tables[place] for place in held))


@pytest.mark.parametrize(
    ("tables", "references", "wanted"),
    [
        ("abc", (), ("abc", "")),
        ("ab", ("ba",), ("ba", "")),
        ("ab", ("ab",), ("ab", "")),
        ("abc", ("ba", "cb"), ("cba", "")),
        ("abc", ("aa", "xa", "bx"), ("abc", "")),  # to itself, and of tables that stay
        ("abc", ("ab", "bc", "ca"), ("abc", "a")),
        ("abcd", ("ab", "ba", "cb", "da"), ("cdab", "a")),
    ],
)
def test_order(tables: str, references: Iterable[str], wanted: tuple[str, str]) -> None:
    assert order(tables, *references) == wanted


def test_all_are_dropped_and_only_the_held_ones_have_children_left() -> None:
    rng = random.Random(5)
    for _ in range(300):
        tables = "abcdefgh"[: rng.randint(1, 8)]
        references = ["".join(rng.choices(tables, k=2)) for _ in range(rng.randint(0, 12))]
        dropped, held = order(tables, *references)
        assert sorted(dropped) == sorted(tables)
        for child, parent in references:
            assert child == parent or parent in held or dropped.index(child) < dropped.index(parent)


def test_a_long_chain_takes_no_time() -> None:
    names = [TableName("d", f"t{number}") for number in range(20_000)]
    places, held = children_first(names, zip(names[1:], names, strict=False))
    assert (places[0], held) == (19_999, frozenset())
