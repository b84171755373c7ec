"""What a task file that has changed would ignore of what earlier runs have left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pkg.task import SubtaskConfig, TaskMode
from pkg.task.kept import CHANGED_RULES, NO_PLACE, NOT_A_LOAD, SHARDS_WAIT, UNFINISHED_COPY, Kept, Waiting, refusals
from pkg.task.secret import REVEAL

MODES = [TaskMode.ALL, TaskMode.FULL, TaskMode.INCREMENTAL, TaskMode.LOAD]
T = ("a", "t")


def subtask(mode: TaskMode = TaskMode.ALL, **settings: Any) -> SubtaskConfig:
    address = {"host": "h", "port": 1, "user": "u"}
    basic = {"task-name": "t", "source-id": "s1", "task-mode": mode, "upstream": address, "target": address}
    return SubtaskConfig.model_validate(basic | settings)


def codes(config: SubtaskConfig, kept: Kept) -> list[int]:
    return [one.code for one in refusals(config, kept)]


@pytest.mark.parametrize("now", MODES)
@pytest.mark.parametrize(
    ("before", "status", "refused"),
    [
        ("all", "running", {"incremental": UNFINISHED_COPY, "load": NOT_A_LOAD}),
        ("full", "running", {"incremental": UNFINISHED_COPY, "load": NOT_A_LOAD}),
        ("load", "running", {"incremental": UNFINISHED_COPY, "all": UNFINISHED_COPY, "full": UNFINISHED_COPY}),
        ("all", "finished", {"load": NOT_A_LOAD}),
        ("full", "finished", {"load": NOT_A_LOAD}),
        ("load", "finished", {}),
        ("incremental", "", {"load": NOT_A_LOAD}),
        (None, "running", {"incremental": UNFINISHED_COPY}),
        (None, "finished", {}),
    ],
)
def test_each_pair_of_task_modes(now: TaskMode, before: str | None, status: str, refused: dict[str, Any]) -> None:
    taken = subtask(TaskMode(before)).taken if before else ""
    kept = Kept(status, taken, has_checkpoint=before == "incremental")
    assert codes(subtask(now), kept) == [one.code for mode, one in refused.items() if mode == now]
    assert not codes(subtask(now), Kept("", taken)), "nothing was begun"


def test_a_build_that_did_not_say_the_mode() -> None:
    early = json.loads(subtask().taken)
    del early["task-mode"]
    (error,) = refusals(subtask(TaskMode.INCREMENTAL), Kept("running", json.dumps(early)))
    assert "start-task with task-mode: all," in error.workaround


@pytest.mark.parametrize("now", MODES)
def test_a_load_whose_files_do_not_say_their_place(now: TaskMode) -> None:
    taken = subtask(TaskMode.LOAD).taken
    loaded = Kept("finished", taken, has_start=False)
    assert codes(subtask(now), loaded) == [NO_PLACE.code] * now.has_full
    assert not codes(subtask(now), Kept("finished", taken, has_checkpoint=True, has_start=False)), "it has replicated"
    assert not codes(subtask(now), Kept("", taken, has_start=False)), "nothing was begun"


ROUTE = {"schema-pattern": "a", "table-pattern": "t", "target-schema": "b", "target-table": "t"}
OTHER = {"schema-pattern": "c", "target-schema": "d"}
EXTRACT = {"extract-table": {"table-regexp": "(.*)", "target-column": "of"}}
PREFIX = {
    "schema-pattern": "a", "table-pattern": "t", "source-column": "c", "target-column": "c",
    "expression": "add prefix", "arguments": ["A"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "blocks"),
    [
        ({"routes": [ROUTE]}, ""),
        ({"routes": [ROUTE, OTHER], "route-names": ["x", "y"]}, ""),
        ({"routes": []}, "routes changed"),
        ({"routes": [ROUTE | {"target-schema": "e"}]}, "routes changed"),
        ({"routes": [ROUTE | EXTRACT]}, "routes changed"),
        ({"routes": [ROUTE | {"schema-pattern": "A"}]}, ""),
        ({"routes": [ROUTE | {"schema-pattern": "A"}], "case-sensitive": True}, "routes changed"),
        ({"column-mappings": {"other name": PREFIX}}, ""),
        ({"column-mappings": {}}, "column-mappings changed"),
        ({"column-mappings": {"m": PREFIX | {"arguments": ["B"]}}, "routes": []}, "routes and column-mappings changed"),
        ({"routes": [], "block-allow-list": {"do-dbs": ["z"]}}, ""),
    ],
)
def test_rules_of_an_unfinished_copy(changed: dict[str, Any], blocks: str) -> None:
    rules = {"routes": [ROUTE], "route-names": ["r"], "column-mappings": {"m": PREFIX}}
    before = subtask(**rules)
    now = SubtaskConfig.model_validate(json.loads(before.to_wire()) | {"route-names": []} | changed)
    kept = Kept("running", before.taken, planned={T: True})
    found = [str(one) for one in refusals(now, kept)]
    assert [f"source s1: {blocks} for tables" in one and "a.t" in one for one in found] == [True] * bool(blocks)
    assert not codes(now, Kept("finished", before.taken, planned={T: False}))
    assert not codes(now, Kept("running", planned={T: True})), "a build that did not say by what rules it copied"
    early = json.loads(before.taken)
    del early["routes"], early["column-mappings"], early["task-mode"]
    assert not codes(now, Kept("running", json.dumps(early), planned={T: True})) or "case-sensitive" in changed


def test_a_copy_of_one_moment_begins_anew_by_the_changed_rules() -> None:
    before, now = subtask(TaskMode.FULL, routes=[ROUTE]), subtask(TaskMode.FULL)
    assert not codes(now, Kept("running", before.taken, planned={T: True, ("a", "u"): False}))
    assert codes(now, Kept("running", before.taken, planned={T: False})) == [CHANGED_RULES.code]


SHARDED = {"shard-mode": "pessimistic", "routes": [ROUTE]}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (SHARDED, ""),
        (SHARDED | {"shard-mode": ""}, "no shard-mode now"),
        (SHARDED | {"routes": [ROUTE | {"target-table": "u"}]}, "lead to other tables now"),
        (SHARDED | {"task-mode": "full"}, "the task-mode is full now"),
        (SHARDED | {"task-mode": "incremental"}, ""),
    ],
)
def test_shards_that_wait(settings: dict[str, Any], words: str) -> None:
    kept = Kept("finished", subtask(**SHARDED).taken, True, waiting=(Waiting(T, ("b", "t")),) * 2)
    found = [str(one) for one in refusals(subtask(settings.get("task-mode", TaskMode.ALL), **settings), kept)]
    assert [words in one and one.count("a.t") == 1 for one in found] == [True] * bool(words)


def test_rows_that_are_read_again() -> None:
    kept = Kept("finished", subtask(**SHARDED).taken, True, is_reading_again=True)
    assert not codes(subtask(**SHARDED), kept)
    assert codes(subtask(routes=[ROUTE]), kept) == [SHARDS_WAIT.code]


def test_no_password_is_stored() -> None:
    config = subtask(target={"host": "h", "port": 1, "user": "u", "password": "pw-of-target"})
    assert "pw-of-target" in config.model_dump_json(context=REVEAL)
    assert "pw-of-target" not in config.taken
    assert config.before(config.taken).taken == config.taken
