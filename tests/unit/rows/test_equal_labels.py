from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.errors import DMError
from pkg.rows.equal_labels import written_by_number
from pkg.schema.table import Column
from tests.unit.rows.tables import column


def _labels(*labels: str, collation: str = "utf8mb4_general_ci", base: str = "enum") -> Column:
    return replace(column("e", base), charset="utf8mb4", collation=collation, labels=labels)


@pytest.mark.parametrize(
    ("above", "below", "by_number"),
    [
        (_labels("a", "ä"), _labels("a", "ä"), True),
        (_labels("a", "A", base="set"), _labels("a", "A", base="set"), True),
        (_labels("?", "?", collation="utf8mb4_bin"), _labels("?", "?", collation="utf8mb4_bin"), True),
        (_labels("a", "ä"), _labels("a", "ä", collation="utf8mb4_bin"), False),
        (_labels("a", "b"), _labels("b", "a"), False),
        (_labels("a", "ä"), column("e", "varchar"), False),
        (_labels("a", "", base="set"), _labels("a", "", base="set"), True),
        (_labels("a", "", base="set"), _labels("a", "", "b", base="set"), True),
        (_labels("a", "", base="set"), _labels("", "a", base="set"), False),
        (_labels("a", ""), _labels("a", ""), False),
        (column("e"), column("e"), False),
    ],
)
def test_labels_that_are_equal_in_the_target_go_by_their_numbers(above: Column, below: Column, by_number: bool) -> None:
    assert written_by_number(above, below, "s.t") is by_number


@pytest.mark.parametrize(
    ("below", "why_not", "reason"),
    [
        (_labels("ä", "a"), "", "the target's labels are others"),
        (_labels("a", "ä"), "a filter reads them", "a filter reads them"),
    ],
)
def test_equal_labels_that_cannot_are_refused(below: Column, why_not: str, reason: str) -> None:
    with pytest.raises(DMError, match=f"code=36180.*s.t.*{reason}"):
        written_by_number(_labels("a", "ä"), below, "s.t", why_not)


def test_labels_in_a_collation_that_is_not_known_are_not_refused() -> None:
    unknown = _labels("a", "b", collation="utf8mb4_klingon_ci")
    assert written_by_number(_labels("a", "b"), unknown, "s.t")
    assert not written_by_number(_labels("b", "a"), unknown, "s.t", "a filter reads them")
