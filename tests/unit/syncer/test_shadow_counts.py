"""Rows of shadow tables: what is stored with a checkpoint is what held there."""

from __future__ import annotations

import json
from typing import Any

from dm_worker.syncer.shadow_counts import ShadowCounts
from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Position
from pkg.binlog.table_layout import TableMap
from pkg.schema.ddl import parse_ddl
from pkg.schema.shadow_tables import Looks
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

SHADOW = TableName("s", "_t_gho")
MAP = TableMap("s", "_t_gho", bytes((3, 3)), (0, 0))
FIRST_ROW = [(b"1", b"5")]


def made(sql: str) -> Table:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl(sql, default_schema="s", flavor="mariadb"))
    return next(iter(tracker.tables()))


REAL = made("CREATE TABLE t (id INT PRIMARY KEY)")
ALTERED = made("CREATE TABLE _t_gho (id INT PRIMARY KEY, n INT)")


def at(offset: int) -> Position:
    return Position("b.000001", offset)


def see(counts: ShadowCounts, place: int, committed: int, rows: Any, kind: str = "insert") -> None:
    counts.see(RowsEvent(MAP, kind, rows, place - 1, place, 0), at(place), at(committed))


def begun() -> ShadowCounts:
    counts = ShadowCounts()
    counts.begin(SHADOW, at(10))
    assert counts.plan(MAP, ALTERED, REAL) is not None
    return counts


def stored(counts: ShadowCounts, offset: int) -> tuple[int, int]:
    document = counts.document(SHADOW, at(offset))
    assert document is not None
    assert document["at"] == str(at(offset))
    return document["count"], document["sums"].get("id", 0)


def test_what_is_stored_is_what_held_at_the_location() -> None:
    counts = begun()
    see(counts, 20, 10, [(b"1", b"5"), (b"2", b"5")])
    see(counts, 30, 10, [(b"4", b"5")])  # of the same transaction
    see(counts, 50, 40, [(b"4", b"5")], "delete")
    assert (stored(counts, 5), stored(counts, 15)) == ((0, 0), (0, 0))
    assert stored(counts, 40) == (3, 7)
    assert stored(counts, 60) == (2, 3)


def test_a_run_goes_on_where_the_checkpoint_is() -> None:
    counts, later = begun(), ShadowCounts()
    see(counts, 20, 10, FIRST_ROW)
    document = json.loads(json.dumps(counts.document(SHADOW, at(40))))
    looks = Looks.at(ALTERED, REAL)
    later.go_on(SHADOW, at(60), document, looks)
    assert later.of(SHADOW) is None  # rows between are not known
    for place in (at(40), Position("", 0)):  # the second: on another server
        later.go_on(SHADOW, place, document, looks)
        later.plan(MAP, ALTERED, REAL)
        see(later, 50, 40, [(b"2", b"6")])
        rows = later.of(SHADOW)
        assert rows is not None
        assert (rows.count, rows.sums, rows.has_several("n")) == (2, {"id": 3}, True)


def test_a_transaction_that_does_not_count() -> None:
    counts = begun()
    see(counts, 20, 10, FIRST_ROW)
    see(counts, 50, 40, [(b"2", b"5")])
    counts.undo(at(40))
    counts.undo(at(40))
    assert stored(counts, 60) == (1, 1)


def test_a_table_that_is_made_anew_or_cannot_be_read() -> None:
    counts = begun()
    see(counts, 20, 10, FIRST_ROW)
    counts.begin(SHADOW, at(30))
    assert stored(counts, 30) == (0, 0)
    assert counts.plan(MAP, made("CREATE TABLE _t_gho (id INT PRIMARY KEY)"), REAL) is None
    assert counts.of(SHADOW) is None
    assert counts.document(SHADOW, at(30)) is None
