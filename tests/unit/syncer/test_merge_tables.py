"""Which MERGE tables have rows of a task's tables."""

from __future__ import annotations

import pytest

from dm_worker.syncer.bindings import MERGE_TABLE, Bindings
from dm_worker.syncer.merge_tables import MergeTables
from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.event_filter import EventFilter, EventRule
from pkg.rules.router import Router
from pkg.schema.ddl import parse_ddl
from pkg.schema.merge_tables import members
from pkg.schema.statement import TableName
from pkg.schema.tracker import SchemaTracker

SHOWN = (
    "CREATE TABLE `m` (\n `UNION` int COMMENT 'UNION=(`q`)'\n) ENGINE=MRG_MyISAM COMMENT='UNION=(q)' INSERT_METHOD=LAST"
)
M = TableName("out", "m")


class Upstream:
    def __init__(self, shown: str = "") -> None:
        self.shown = shown
        self.asked = 0

    def shown_merge(self, schema: str, table: str) -> str:
        self.asked += 1
        return self.shown


def merge_tables(upstream: Upstream, made: str = "") -> MergeTables:
    tracker = SchemaTracker()
    if made:
        tracker.apply(parse_ddl(made, default_schema="out"))
    return MergeTables(lambda name: tracker.table(name.schema, name.table), lambda schema, _: schema == "s", upstream)


@pytest.mark.parametrize(
    ("union", "expected"),
    [
        ("", ()),
        (" UNION=(`a`,`s`.`b``c`)", (TableName("out", "a"), TableName("s", "b`c"))),
        (" UNION=(`UNION`)", (TableName("out", "UNION"),)),
    ],
)
def test_the_tables_of_a_merge_table_stand_in_its_text(union: str, expected: tuple[TableName, ...]) -> None:
    assert members(SHOWN + union, "out") == expected


@pytest.mark.parametrize(
    ("union", "made", "expected"),
    [
        ("s.a", "", True),
        ("a, s.a", "", True),
        ("a, other.a", "", False),
        (None, "", False),
        (None, "CREATE TABLE m (a INT) ENGINE=MERGE", True),  # it is gone, and had tables that nobody knows
        ("s.a", "CREATE TABLE m (a INT) ENGINE=MyISAM", False),  # and a MERGE table later
    ],
)
def test_rows_of_a_merge_table_may_be_those_of_the_task(union: str | None, made: str, expected: bool) -> None:
    upstream = Upstream(f"{SHOWN} UNION=({union})" if union is not None else "")
    assert merge_tables(upstream, made).reaches(M) is expected


def test_the_upstream_is_asked_once_until_a_statement_is_about_the_table() -> None:
    upstream = Upstream()
    merges = merge_tables(upstream)
    merges.forget(parse_ddl("CREATE TABLE other (a INT)", default_schema="out"))
    assert not any(merges.reaches(M) for _ in range(3))
    assert upstream.asked == 1
    upstream.shown = f"{SHOWN} UNION=(s.a)"
    merges.forget(parse_ddl("ALTER TABLE m UNION=(s.a)", default_schema="out"))
    assert merges.reaches(M)
    upstream.shown = ""
    merges.forget(parse_ddl("DROP DATABASE x", default_schema=""))
    assert not merges.reaches(M)


@pytest.mark.parametrize("schema", ["out", "s"])
@pytest.mark.parametrize(
    ("ignored", "expected"), [(("insert", "update"), True), (("insert", "update", "delete"), False)]
)
def test_rows_of_merge_tables_pause_unless_a_filter_leaves_them_out(
    schema: str, ignored: tuple[str, ...], expected: bool
) -> None:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl("CREATE TABLE s.m (a INT) ENGINE=MERGE UNION=(s.a)", default_schema="s"))
    bindings = Bindings(
        tracker,
        Router([], True),
        BlockAllowList(BlockAllowRules(do_dbs=("s",)), True),
        {},
        fetch_upstream=lambda schema, table: None,
        fetch_downstream=lambda schema, table: None,
        events=EventFilter([EventRule("merge", schema, "m", ignored)], True),
        is_way_in=lambda name: True,
    )
    if not expected:
        assert bindings.of(schema, "m") is None
        return
    for _ in range(2):
        with pytest.raises(DMError) as caught:
            bindings.of(schema, "m")
        assert caught.value.is_a(MERGE_TABLE)
