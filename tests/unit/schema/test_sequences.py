"""Which rows are of a sequence."""

from __future__ import annotations

import pytest

from pkg.binlog.table_layout import TableMap
from pkg.schema.sequences import may_be_sequence

NAMES = (
    "next_not_cached_value", "minimum_value", "maximum_value", "start_value", "increment", "cache_size",
    "cycle_option", "cycle_count",
)  # fmt: skip
BIG = bytes((8, 8, 8, 8, 8, 8, 1, 8))


@pytest.mark.parametrize(
    ("types", "unsigned", "names", "expected"),
    [
        (BIG, None, None, True),
        (bytes((3, 3, 3, 3, 8, 8, 1, 8)), None, None, True),
        (BIG, (False,) * 5 + (True, True, False), None, True),
        (BIG, (False,) * 8, None, False),
        (BIG, None, NAMES, True),
        (BIG, None, tuple("abcdefgh"), False),
        (bytes((8, 8, 1, 8)), None, None, False),
        (bytes((8, 8, 1, 8)), (False,) * 4, None, False),
        (bytes((3, 8, 8, 8, 8, 8, 1, 8)), None, None, False),
        (bytes((15, 15, 15, 15, 8, 8, 1, 8)), None, None, False),
        (b"\x03", (False,), None, False),
    ],
)
def test_columns_of_a_sequence(
    types: bytes, unsigned: tuple[bool, ...] | None, names: tuple[str, ...] | None, expected: bool
) -> None:
    table_map = TableMap("d", "s", types, (0,) * len(types), unsigned, column_names=names)
    assert may_be_sequence(table_map) is expected
