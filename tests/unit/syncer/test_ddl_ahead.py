"""Looking through a binlog for DDL, without reading its rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from dm_worker.syncer.ddl_ahead import changes_ahead
from dm_worker.syncer.former import Change, ChangeAhead, Name
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import Ddl

DATA = Path(__file__).parents[2] / "golden" / "data"
START, BEHIND = Position("mysql-bin.000002", 4), Position("mysql-bin.000003", 4)


class Recorded:
    """A file's bytes, a few at a time."""

    framing: Literal["packets", "file"] = "file"
    binlog_type: Literal["remote", "local"] = "local"
    checksum: bool | None = None

    def __init__(self, data: bytes) -> None:
        self._pieces: Iterator[bytes] = (data[at : at + 100] for at in range(0, len(data), 100))

    def read(self, timeout: float) -> bytes | None:
        return next(self._pieces, None)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
def test_each_statement_is_found_at_its_place(flavor: Literal["mariadb", "mysql"]) -> None:
    data = (DATA / f"{flavor}.binlog").read_bytes()
    met: list[str] = []

    def read(event: QueryEvent) -> Ddl:
        met.append(event.sql)
        return parse_ddl("ALTER TABLE t MODIFY a INT FIRST", default_schema="s", flavor=flavor)

    found: dict[Name, list[ChangeAhead]] = {}
    stop = threading.Event()
    assert changes_ahead(Recorded(data), START, BEHIND, flavor, read, [("s", "t"), ("s", "u")], stop, found) == BEHIND
    assert met
    assert set(found) == {("s", "t")}
    assert [one.change for one in found["s", "t"]] == [Change.NAMES] * len(met)
    assert all(START < one.position < BEHIND for one in found["s", "t"])

    cut = data[: len(data) // 2]
    reached = changes_ahead(Recorded(cut), START, BEHIND, flavor, read, [("s", "t")], stop, {}, waits=False)
    assert START < reached < BEHIND
    stop.set()
    assert changes_ahead(Recorded(cut), START, BEHIND, flavor, read, [("s", "t")], stop, {}) < BEHIND


class Ending(Recorded):
    """Nothing comes behind these bytes: whoever asks for more waits in vain."""

    def read(self, timeout: float) -> bytes | None:
        return next(self._pieces)


def test_nothing_is_waited_for_at_the_end_of_any_event() -> None:
    data = (DATA / "mariadb.binlog").read_bytes()
    stop, end = threading.Event(), 4

    def read(event: QueryEvent) -> Ddl:
        return parse_ddl("ALTER TABLE t MODIFY a INT FIRST", default_schema="s", flavor="mariadb")

    while end < len(data):
        end += int.from_bytes(data[end + 9 : end + 13], "little")  # the size in the event's header
        until = Position(START.name, end)
        reached = changes_ahead(Ending(data[:end]), START, until, "mariadb", read, [("s", "t")], stop, {})
        assert reached >= until
