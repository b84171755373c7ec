"""What follows from DM's checkpoint rows: where to start, until where safe mode lasts, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from dm_worker.syncer.dm_checkpoint import is_begun, take_over, unfinished_groups, upstream_name
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position

PRESENT = Location(Position("mysql-bin.000009", 900))
UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def row(name: str | None = "mysql-bin.000003", offset: int = 100, gtid: str | None = "", **more: Any) -> dict[str, Any]:
    return {
        "id": "one", "cp_schema": "", "cp_table": "", "binlog_name": name, "binlog_pos": offset, "binlog_gtid": gtid,
        "exit_safe_binlog_name": "", "exit_safe_binlog_pos": 0, "exit_safe_binlog_gtid": "",
        "table_info": "null", "is_global": 1, **more,
    }  # fmt: skip


def exit_at(name: str, offset: int, gtid: str = "") -> dict[str, Any]:
    return {"exit_safe_binlog_name": name, "exit_safe_binlog_pos": offset, "exit_safe_binlog_gtid": gtid}


@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("mysql-bin.000003", "mysql-bin.000003"),
        ("mysql-bin|000001.000003", "mysql-bin.000003"),
        ("my.own|bin|000012.1000003", "my.own|bin.1000003"),
        ("a|b.000001", "a|b.000001"),
        ("", ""),
    ],
)
def test_relay_names_become_the_upstreams(name: str, real: str) -> None:
    assert upstream_name(name) == real


@pytest.mark.parametrize("rows", [[], [row("", 0)], [row(None, 0, None)], [row(is_global=0)]])
def test_without_a_global_point_there_is_nothing_to_take_over(rows: list[dict[str, Any]]) -> None:
    assert not is_begun(rows)
    assert take_over(rows, flavor="mysql", by_gtid=False, present=PRESENT) is None


@pytest.mark.parametrize(
    ("more", "until"),
    [
        pytest.param({}, PRESENT.position, id="killed"),
        pytest.param(exit_at("mysql-bin.000003", 100), None, id="exit at the checkpoint"),
        pytest.param(exit_at("mysql-bin.000004", 7), Position("mysql-bin.000004", 7), id="exit behind it"),
        pytest.param(exit_at("mysql-bin|000002.000004", 7), Position("mysql-bin.000004", 7), id="by the relay log"),
    ],
)
def test_safe_mode_covers_what_dm_may_have_applied(more: dict[str, Any], until: Position | None) -> None:
    taken = take_over([row(**more)], flavor="mysql", by_gtid=False, present=PRESENT)
    assert taken is not None
    assert taken.start == Location(Position("mysql-bin.000003", 100))
    assert taken.safe_until == until


def test_an_early_dm_has_no_exit_columns() -> None:
    old = {name: value for name, value in row().items() if not name.startswith("exit_safe")}
    taken = take_over([old], flavor="mysql", by_gtid=False, present=PRESENT)
    assert taken is not None
    assert taken.safe_until == PRESENT.position


@pytest.mark.parametrize(("exit_gtid", "exact"), [(f"{UUID}:1-5", True), (f"{UUID}:1-6", False), ("", False)])
def test_by_gtid_positions_are_not_trusted(exit_gtid: str, exact: bool) -> None:
    rows = [row(gtid=f"{UUID}:1-5", **exit_at("mysql-bin.000003", 100, exit_gtid))]
    taken = take_over(rows, flavor="mysql", by_gtid=True, present=PRESENT)
    assert taken is not None
    assert taken.start == Location(Position("", 0), parse_gtid_set(f"{UUID}:1-5", "mysql"))
    assert taken.safe_until == (None if exact else PRESENT.position)


def test_a_source_with_gtid_takes_a_checkpoint_without_one_by_position() -> None:
    taken = take_over([row(gtid=None)], flavor="mysql", by_gtid=True, present=PRESENT)
    assert taken is not None
    assert taken.start == Location(Position("mysql-bin.000003", 100))


def test_a_table_ahead_of_the_global_point_is_pinned_and_others_are_not() -> None:
    table: dict[str, Any] = {"cp_schema": "s", "is_global": 0}
    rows = [
        row(),
        row("mysql-bin|000001.000003", 180, cp_table="ahead", **table),
        row("mysql-bin.000003", 100, cp_table="level", **table),
        row("mysql-bin.000002", 999, cp_table="behind", **table),
        row("", 0, cp_table="none", **table),
    ]
    taken = take_over(rows, flavor="mysql", by_gtid=False, present=PRESENT)
    assert taken is not None
    assert taken.pins == {("s", "ahead"): Position("mysql-bin.000003", 180)}


@pytest.mark.parametrize(
    ("data", "active", "is_global", "found"),
    [
        ('[{"ddls": ["ALTER TABLE t ADD c INT"], "source": "`a`.`t1`"}]', 0, 1, ["`d`.`t` (ALTER TABLE t ADD c INT)"]),
        ('[{"ddls": ["ALTER TABLE t ADD c INT"], "source": "`a`.`t1`"}]', 0, 0, []),
        ('[{"ddls": ["x"]}]', 1, 1, []),
        ("[]", 0, 1, []),
        (None, 0, 1, []),
    ],
)
def test_shard_groups_that_wait(data: str | None, active: int, is_global: int, found: list[str]) -> None:
    one = {"target_table_id": "`d`.`t`", "active_index": active, "is_global": is_global, "data": data}
    assert unfinished_groups([one]) == found
