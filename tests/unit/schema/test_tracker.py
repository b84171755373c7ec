from __future__ import annotations

import json

import pytest

from pkg.errors import DMError
from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.tracker import Changes, SchemaTracker


def tracker_with(*tables: str, **options: object) -> SchemaTracker:
    tracker = SchemaTracker(**options)  # type: ignore[arg-type]
    for sql in tables:
        tracker.load(parse_create_table(sql, "db"))
    return tracker


def apply(tracker: SchemaTracker, sql: str, context: DdlContext | None = None) -> Changes:
    return tracker.apply(parse_ddl(sql, default_schema="db"), context or DdlContext())


def columns(tracker: SchemaTracker, name: str) -> list[str]:
    table = tracker.table("db", name)
    assert table is not None
    return [column.name for column in table.columns]


def test_apply_says_what_changed() -> None:
    tracker = tracker_with("CREATE TABLE t (a INT)", "CREATE TABLE u (a INT)")
    changes = apply(tracker, "ALTER TABLE t ADD b INT")
    assert list(changes) == [("db", "t")]
    assert changes["db", "t"] is tracker.table("db", "t")
    assert apply(tracker, "ALTER TABLE t FORCE") == {}
    assert apply(tracker, "DROP TABLE u, missing") == {("db", "u"): None}


def test_tables_swap_their_names() -> None:
    tracker = tracker_with("CREATE TABLE a (x INT)", "CREATE TABLE b (y INT)")
    changes = apply(tracker, "RENAME TABLE a TO tmp, b TO a, tmp TO b")
    assert (columns(tracker, "a"), columns(tracker, "b")) == (["y"], ["x"])
    assert changes["db", "tmp"] is None
    assert tracker.table("db", "tmp") is None


def test_an_alter_of_an_unknown_table_changes_nothing() -> None:
    assert apply(tracker_with(), "ALTER TABLE t ADD a INT") == {}


def test_what_does_not_fit_leaves_everything_as_it_was() -> None:
    tracker = tracker_with("CREATE TABLE t (a INT)")
    with pytest.raises(DMError, match="there is no column zz") as caught:
        apply(tracker, "ALTER TABLE t ADD b INT, DROP COLUMN zz")
    assert caught.value.code == 44006
    assert columns(tracker, "t") == ["a"]


def test_a_create_select_has_no_columns_to_know() -> None:
    with pytest.raises(DMError, match="come from a SELECT"):
        apply(tracker_with(), "CREATE TABLE t SELECT 1")


def test_implicit_character_sets_come_from_the_database_then_the_event_then_the_server() -> None:
    tracker = SchemaTracker({"db": "gbk_bin"})
    context = DdlContext(server=Charset("latin1", "latin1_bin"), database=Charset("cp850", "cp850_bin"))
    for schema in ("db", "other"):
        apply(tracker, f"CREATE TABLE {schema}.t (a TEXT)", context)
    apply(tracker, "CREATE DATABASE fresh", context)
    apply(tracker, "CREATE TABLE fresh.t (a TEXT)", context)
    found = [tracker.table(schema, "t") for schema in ("db", "other", "fresh")]
    assert [table.charset for table in found if table] == ["gbk", "cp850", "latin1"]


def test_a_dropped_database_takes_its_tables_along() -> None:
    tracker = tracker_with("CREATE TABLE t (a INT)", "CREATE TABLE x.t (a INT)")
    assert apply(tracker, "DROP DATABASE db") == {("db", "t"): None}
    assert tracker.table("x", "t") is not None


def test_names_in_another_case_where_case_does_not_matter() -> None:
    tracker = tracker_with("CREATE TABLE Orders (a INT)", case_sensitive=False)
    apply(tracker, "ALTER TABLE ORDERS ADD b INT")
    assert columns(tracker, "orders") == ["a", "b"]
    assert tracker_with("CREATE TABLE Orders (a INT)").table("db", "orders") is None


def test_changes_count_from_the_mark() -> None:
    tracker = tracker_with("CREATE TABLE t (a INT)")
    apply(tracker, "ALTER TABLE t ADD b INT")
    tracker.mark()
    apply(tracker, "CREATE TABLE u LIKE t")
    assert list(tracker.changes()) == [("db", "u")]


def test_a_snapshot_restores_everything() -> None:
    tracker = tracker_with(
        "CREATE TABLE t (a INT PRIMARY KEY, b TEXT CHARACTER SET gbk)", default_collations={"db": "latin1_bin"}
    )
    fresh = SchemaTracker()
    fresh.restore(json.loads(json.dumps(tracker.snapshot())))
    assert fresh.tables() == tracker.tables()
    assert fresh.database("db") == Charset("latin1", "latin1_bin")


def test_a_table_is_of_the_kind_of_its_engine() -> None:
    tracker = tracker_with("CREATE TABLE m (a INT) ENGINE=MyISAM")
    kinds = []
    for clause in ("ENGINE=MERGE UNION=(b)", "UNION=(b, c)", "ENGINE = Aria"):
        apply(tracker, f"ALTER TABLE m {clause}")
        table = tracker.table("db", "m")
        assert table is not None
        kinds.append(table.kind)
    assert kinds == ["merge", "merge", "table"]


def test_a_table_is_created_where_a_sequence_was() -> None:
    tracker = tracker_with("CREATE TABLE s (a INT) SEQUENCE=1")
    apply(tracker, "CREATE TABLE IF NOT EXISTS s (b INT)")
    table = tracker.table("db", "s")
    assert table is not None
    assert (table.kind, [column.name for column in table.columns]) == ("table", ["b"])
    for number, kind in ((1, "sequence"), (0, "table")):
        apply(tracker, f"ALTER TABLE s SEQUENCE={number}")
        table = tracker.table("db", "s")
        assert table is not None
        assert table.kind == kind
