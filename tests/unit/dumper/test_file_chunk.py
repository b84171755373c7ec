"""The statements of a chunk's file and of reading it."""

from __future__ import annotations

import pytest

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.dumper.copy_plan import plan_copy
from dm_worker.dumper.file_chunk import insert_prefix, select_rows
from pkg.schema.parse import parse_create_table

_KEYED = plan_copy(
    parse_create_table("CREATE TABLE `a``b` (id INT PRIMARY KEY, g INT AS (id) STORED)", "d"), "d", "a`b"
)
_KEYLESS = plan_copy(parse_create_table("CREATE TABLE a (b INT)", "d"), "d", "a")


@pytest.mark.parametrize(
    ("where", "chunk", "end"),
    [
        ("", WHOLE, " FROM `d`.`a``b`"),
        ("", Range(None, ("7",)), " FORCE INDEX (`PRIMARY`) WHERE `id` <= 7"),
        ("x OR y -- z", WHOLE, " FROM `d`.`a``b` WHERE (x OR y -- z\n)"),
        ("x OR y", Range(("1",), ("7",)), " WHERE `id` > 1 AND `id` <= 7 AND (x OR y\n)"),
    ],
)
def test_a_condition_is_added_to_the_chunks_own(where: str, chunk: Range, end: str) -> None:
    assert select_rows(_KEYED, chunk, where).endswith(end)


def test_a_keyless_table_has_the_condition_alone() -> None:
    assert select_rows(_KEYLESS, WHOLE, "x").endswith(" FROM `d`.`a` WHERE (x\n)")


def test_rows_name_their_columns_and_no_schema() -> None:
    assert insert_prefix(_KEYED) == b"INSERT INTO `a``b` (`id`) VALUES "
