"""Positions and their order."""

from __future__ import annotations

import pytest

from pkg.binlog.position import Position


@pytest.mark.parametrize("text", ["(mysql-bin.000007, 1234)", "mysql-bin.000007:1234", " mysql-bin.000007 : 1234 "])
def test_positions_are_read_in_both_forms(text: str) -> None:
    assert Position.parse(text) == Position("mysql-bin.000007", 1234)


def test_what_is_no_position_is_refused() -> None:
    with pytest.raises(ValueError, match="no binlog position"):
        Position.parse("mysql-bin.000007")


def test_files_are_ordered_by_number_not_by_text() -> None:
    assert Position("bin.999999", 9) < Position("bin.1000000", 4)
    assert Position("bin.000002", 1 << 33) > Position("bin.000002", 1 << 32)


def test_printing_and_reading_are_inverse() -> None:
    position = Position("a-b.000001", 5_000_000_000)
    assert Position.parse(str(position)) == position
