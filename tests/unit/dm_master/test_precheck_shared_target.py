"""Whether another task writes the same target tables."""

from __future__ import annotations

import pytest

from dm_master.precheck.report import State
from dm_master.precheck.shared_target import Written, check_shared_target, common_tables

LOG = ("shop", "log")


def written(task: str, source: str = "s1", up: str = "shop", table: str = "log", to: str = "shop") -> Written:
    return Written(task, source, {(up, table): (to, table)}, {up: to})


@pytest.mark.parametrize(
    ("other", "common"),
    [
        (written("b"), ["`shop`.`log`"]),
        (written("b", "s2", up="shop_2"), ["`shop`.`log`"]),
        (written("b", table="LOG"), ["`shop`.`log`"]),
        (written("b", "s2", table="more"), []),
        (written("b", to="elsewhere"), []),
        (Written("b", "s1", {}, {"shop": "shop"}), ["`shop`.*"]),
        (Written("b", "s2", {}, {"shop": "shop"}), []),
    ],
    ids=[
        "same source",
        "another shard",
        "another case",
        "another table",
        "routed away",
        "tables to come",
        "of another",
    ],
)
def test_what_two_tasks_write(other: Written, common: list[str]) -> None:
    assert common_tables([written("a")], other) == common


def test_the_other_task_is_named_with_the_ways_out() -> None:
    (finding,) = check_shared_target([written("a")], [written("b")]).findings
    assert finding.state is State.FAIL
    assert "task b writes `shop`.`log`, too (source s1)" in finding.text
    assert "stop-task b" in finding.instruction
    assert "shared_target" in finding.instruction


def test_a_source_that_does_not_answer_is_told_and_refuses_nothing() -> None:
    (finding,) = check_shared_target([written("a")], [Written("b", "s2", {}, {}, "it is gone")]).findings
    assert finding.state is State.WARN
    assert "it is gone" in finding.text
