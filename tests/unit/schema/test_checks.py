"""The names that MySQL gives CHECKs, followed through statements; each list is what MySQL 9 shows."""

from __future__ import annotations

from pkg.schema.ddl import parse_ddl
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker


def _names(*statements: str) -> list[str]:
    """Of the last statement's table."""
    tracker = SchemaTracker({"s": "utf8mb4_bin"})
    for sql in statements:
        ddl = parse_ddl(sql, default_schema="s")
        tracker.apply(ddl)
    name = ddl.renames[-1][1] if ddl.renames else ddl.subject
    table = tracker.table("s", name.table)
    assert table is not None
    assert Table.from_json(table.to_json()).checks == table.checks
    assert table.checks is not None
    return [one.name for one in table.checks]


T = "CREATE TABLE t (a INT, b INT CHECK (b>0), c INT CHECK (c>1), CONSTRAINT foo_chk_7 CHECK (a>0), CHECK (a<>5))"


def test_in_the_order_of_the_text() -> None:
    assert _names(T) == ["t_chk_1", "t_chk_2", "foo_chk_7", "t_chk_3"]


def test_numbers_go_on_behind_the_largest_that_is_left() -> None:
    statements = [T, "ALTER TABLE t ADD CHECK (b<>9)", "ALTER TABLE t DROP CHECK t_chk_3, ADD CHECK (a<>8)"]
    assert _names(*statements) == ["t_chk_1", "t_chk_2", "foo_chk_7", "t_chk_4", "t_chk_5"]
    assert _names(T, "ALTER TABLE t DROP CONSTRAINT t_chk_3, ADD CHECK (a<>8)")[-1] == "t_chk_3"
    statements.append("ALTER TABLE t DROP COLUMN b, ADD CHECK (a<>10), ADD d INT CHECK (d>0), ADD CHECK (a<>11)")
    assert _names(*statements) == ["t_chk_2", "foo_chk_7", "t_chk_5", "t_chk_6", "t_chk_7", "t_chk_8"]


def test_a_rename_names_them_anew() -> None:
    assert _names(T, "ALTER TABLE t RENAME TO T_chk_9") == [
        "T_chk_9_chk_1",
        "T_chk_9_chk_2",
        "foo_chk_7",
        "T_chk_9_chk_3",
    ]
    renamed = [T, "RENAME TABLE t TO u"]
    assert _names(*renamed, "ALTER TABLE u ADD CHECK (a>-1)") == [
        "u_chk_1",
        "u_chk_2",
        "foo_chk_7",
        "u_chk_3",
        "u_chk_4",
    ]
    within = "ALTER TABLE u RENAME TO v, DROP CHECK u_chk_2, ADD CHECK (a<>77)"
    assert _names(*renamed, within) == ["v_chk_1", "foo_chk_7", "v_chk_3", "v_chk_4"]


def test_only_names_with_the_tables_letters_and_digits_are_mysqls() -> None:
    made = "CREATE TABLE t (a INT, CONSTRAINT T_chk_8 CHECK (a>0), CONSTRAINT t_chk_01 CHECK (a>1), CONSTRAINT t_chk_ CHECK (a>2))"
    assert _names(made, "ALTER TABLE t ADD CHECK (a>3)", "RENAME TABLE t TO u") == [
        "T_chk_8",
        "u_chk_01",
        "t_chk_",
        "u_chk_2",
    ]


def test_like_names_all_anew_in_the_order_of_their_names() -> None:
    tracker = SchemaTracker({"s": "utf8mb4_bin"})
    for sql in (T, "CREATE TABLE u LIKE t"):
        tracker.apply(parse_ddl(sql, default_schema="s"))
    made = tracker.table("s", "u")
    assert made is not None
    assert [(one.name, one.columns) for one in made.checks or ()] == [
        ("u_chk_1", ("a",)),
        ("u_chk_2", ("b",)),
        ("u_chk_3", ("c",)),
        ("u_chk_4", ("a",)),
    ]
