"""A statement that changes nothing in its own table: who waits with it."""

from __future__ import annotations

import pytest

from dm_worker.syncer.shard_rows import ShardStatements, StoredShards
from dm_worker.syncer.shards import Shards
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Location, Position
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.router import Router, RouteRule
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker


def table(name: str, columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE {name} ({columns}) ENGINE=InnoDB", schema="d")


OLD, NEW = "id INT PRIMARY KEY", "id INT PRIMARY KEY, b INT"


@pytest.mark.parametrize(
    ("clause", "other", "target", "waits"),
    [
        ("ADD COLUMN IF NOT EXISTS b INT", NEW, NEW, False),
        ("ADD COLUMN IF NOT EXISTS b INT", OLD, NEW, True),
        ("ADD COLUMN IF NOT EXISTS b INT", NEW, OLD, True),
        ("ADD COLUMN IF NOT EXISTS b INT", NEW, None, False),
        ("DROP COLUMN IF EXISTS zz", OLD, OLD, False),
        ("ENGINE=InnoDB", OLD, OLD, False),
        ("COMMENT=''", OLD, OLD, False),
    ],
)
def test_who_waits(clause: str, other: str, target: str | None, waits: bool) -> None:
    tracker = SchemaTracker()
    own, there = table("t1", NEW), table("t", target) if target else None
    for one in (own, table("t2", other)):
        tracker.load(one)
    router = Router([RouteRule("r", "d", "t*", "all", "t")], case_sensitive=True)
    allow_list = BlockAllowList(BlockAllowRules(), case_sensitive=True)
    shards = Shards(StoredShards(), tracker, router, allow_list, ShardStatements("m", "s"))
    piece = parse_ddl(f"ALTER TABLE t1 {clause}", default_schema="d")
    event = QueryEvent("d", piece.text, 100, 0)
    texts = (f"ALTER TABLE `all`.`t` {clause}",)
    shards.meet(piece, texts, own, Location(Position("mysql-bin.000001", 100)), event, lambda: there)
    assert shards.waits is waits
