"""What a shadow table's rows and keys tell beside its DDL."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.shadow_tables import ShadowRows, difference, new_unique_keys, renamed_columns
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) COLLATE utf8mb4_bin, w INT, UNIQUE KEY uv (v))"


def made(*sqls: str) -> Table:
    tracker = SchemaTracker()
    for sql in sqls:
        tracker.apply(parse_ddl(sql, default_schema="s", flavor="mariadb"))
    table = tracker.table("s", "t")
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("alter", "keys"),
    [
        ("ADD KEY k (w)", []),
        ("ADD UNIQUE k (w)", ["k"]),
        ("ADD UNIQUE k (w, id)", []),
        ("ADD UNIQUE k (v(3), w)", ["k"]),
        ("MODIFY v VARCHAR(9) COLLATE utf8mb4_general_ci", ["uv"]),
        ("MODIFY v VARCHAR(5) COLLATE utf8mb4_bin", ["uv"]),
        ("MODIFY w BIGINT, ADD n INT UNIQUE", ["n"]),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY (w)", ["PRIMARY"]),
    ],
)
def test_which_unique_keys_may_refuse_rows_that_are_there(alter: str, keys: list[str]) -> None:
    before, after = made(CREATE), made(CREATE, f"ALTER TABLE t {alter}")
    names = {column.name.lower(): column.name.lower() for column in after.columns}
    assert [one.name for one in new_unique_keys(before, after, names)] == keys


def test_a_key_follows_its_renamed_column() -> None:
    sql = "ALTER TABLE t CHANGE id no INT"
    before, after = made(CREATE), made(CREATE, sql)
    renamed = renamed_columns([parse_ddl(sql, default_schema="s", flavor="mariadb")], after)
    assert renamed == {"no": "id"}
    assert new_unique_keys(before, after, {"no": "id", "v": "v", "w": "w"}) == []


def test_columns_that_are_renamed_twice_have_one_origin() -> None:
    sqls = ["ALTER TABLE t CHANGE w x INT", "ALTER TABLE t CHANGE x y INT, CHANGE v v VARCHAR(9)"]
    ddls = [parse_ddl(sql, default_schema="s", flavor="mariadb") for sql in sqls]
    assert renamed_columns(ddls, made(CREATE, *sqls)) == {"y": "w"}


def test_rows_are_counted_and_values_looked_at() -> None:
    rows = ShadowRows(frozenset({1}))
    rows.see("insert", [(b"1", b"3"), (b"2", b"3")])
    assert (rows.count, rows.one_value(1)) == (2, b"3")
    rows.see("update", [(b"1", b"3"), (b"1", b"3")])
    rows.see("delete", [(b"1", b"9")])
    assert (rows.count, rows.one_value(1)) == (1, b"3")
    rows.see("insert", [(b"4", b"3"), (b"5", b"4")])
    assert (rows.count, rows.one_value(1)) == (3, None)
    assert rows.are_filled
    rows.emptied()
    assert (rows.count, rows.one_value(1)) == (0, None)


@pytest.mark.parametrize(
    ("create", "found"),
    [
        (CREATE, ""),
        ("CREATE TABLE t (id INT NOT NULL, v VARCHAR(9) COLLATE utf8mb4_bin, w INT, UNIQUE (v), PRIMARY KEY (id))", ""),
        (CREATE.replace("w INT", "w INT(7)"), ""),
        (CREATE.replace("w INT", "w BIGINT"), "`w` bigint"),
        (CREATE.replace("w INT", "w INT NOT NULL"), "NOT NULL instead of `w`"),
        (CREATE.replace("w INT,", ""), "no column"),
        (CREATE.replace("UNIQUE KEY", "KEY"), "KEY (v)"),
    ],
)
def test_another_definition_is_told(create: str, found: str) -> None:
    told = difference(made(create), made(CREATE))
    assert (found in told) if found else not told
