"""MariaDB's hidden columns of unique keys by hash: how many a table may have."""

from __future__ import annotations

import pytest

from pkg.binlog.column_plan import Kind, plan_columns
from pkg.binlog.events import TableMap
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table


@pytest.mark.parametrize(
    ("keys", "most"),
    [
        ("UNIQUE KEY (b)", 1),
        ("UNIQUE KEY (b) USING HASH", 1),
        ("UNIQUE KEY (b(10))", 0),
        ("UNIQUE KEY (b), UNIQUE KEY (t, id)", 2),
        ("UNIQUE KEY (id) USING HASH", 1),
        ("UNIQUE KEY USING HASH (id)", 1),
        ("UNIQUE KEY (id) USING BTREE", 0),
        ("UNIQUE KEY (v)", 1),
        ("UNIQUE KEY (v(250))", 0),
        ("UNIQUE KEY (v, w)", 1),
        ("KEY (b(10)), PRIMARY KEY (id)", 0),
    ],
)
def test_how_many(keys: str, most: int) -> None:
    sql = (
        "CREATE TABLE t (id INT, b BLOB, t TEXT, v VARCHAR(700) CHARACTER SET utf8mb4, w VARCHAR(100) CHARACTER SET "
        f"utf8mb4, {keys})"
    )
    assert parse_create_table(sql, "s").most_hidden_columns == most


def _table_map(*codes: int, names: tuple[str, ...] | None = None) -> TableMap:
    return TableMap("s", "t", bytes(codes), (0,) * len(codes), column_names=names)


STRUCTURE = parse_create_table("CREATE TABLE t (id INT, b BIGINT, UNIQUE KEY (b) USING HASH)", "s")


def test_hidden_columns_are_read_and_left_out() -> None:
    plan = RowPlan.build(STRUCTURE.columns, _table_map(3, 8, 8), most_hidden=1)
    image = b"\x00" + (5).to_bytes(4, "little") + (6).to_bytes(8, "little") + (7).to_bytes(8, "little")
    assert plan.decode(image * 2, 0, 2 * len(image)) == [(b"5", b"6")] * 2


@pytest.mark.parametrize(
    "table_map",
    [_table_map(3, 8, 3), _table_map(3, 8, 8, 8), _table_map(3), _table_map(3, 8, 8, names=("id", "b", "new"))],
)
def test_another_column_is_none_of_them(table_map: TableMap) -> None:
    with pytest.raises(DMError, match="36027"):
        plan_columns(STRUCTURE.columns, table_map, most_hidden=1)


def test_a_hash_is_known_by_its_name() -> None:
    plans = plan_columns(STRUCTURE.columns, _table_map(3, 8, 8, names=("id", "b", "DB_ROW_HASH_1")), most_hidden=1)
    assert [plan.kind for plan in plans] == [Kind.INT] * 3
