"""Which MERGE tables have rows of a task's tables."""

from __future__ import annotations

import pytest

from dm_worker.syncer.merge_tables import MergeTables
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
