"""A SET by its number: what its text says, and what it does not."""

from __future__ import annotations

import pytest

from pkg.binlog.rare_values import SetReader

LABELS = (b"a", b"", b"0")


@pytest.mark.parametrize(
    ("number", "literal"), [(0, b"''"), (1, b"'a'"), (2, b"''"), (3, b"'a,'"), (4, b"'0'"), (6, b"'0'"), (7, b"'a,,0'")]
)
def test_a_text_is_the_one_that_the_upstream_shows(number: int, literal: bytes) -> None:
    assert SetReader(LABELS)(number) == literal


@pytest.mark.parametrize("number", [2, 6])
def test_a_value_that_begins_with_the_empty_label_is_refused_where_its_text_is_read_again(number: int) -> None:
    read = SetReader(LABELS, lambda number: LookupError(number))
    assert read(3) == b"'a,'"
    with pytest.raises(LookupError, match=str(number)):
        read(number)


def test_a_member_beyond_the_labels_is_damage() -> None:
    with pytest.raises(ValueError, match="beyond its 3 labels"):
        SetReader(LABELS)(8)
