"""Files and commands that are wrong, or right at the wrong moment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.bad_input.arena import SOURCE, WORKERS, Arena, run

KEYED = "t (id INT PRIMARY KEY, v INT)"


@pytest.fixture(scope="module")
def running(arena: Arena) -> Iterator[tuple[str, str]]:
    """A task that replicates: its name and its schema."""
    schema, name = arena.schema(KEYED), arena.fresh("running")
    arena.schema(KEYED, server=arena.target, name=schema)
    task = arena.task(schema, name, mode="incremental", instance=arena.here())
    arena.cluster.expect("start-task", str(task), "--wait")
    yield name, schema
    arena.cluster.expect("stop-task", name, "--wait")


def test_an_unknown_option_in_a_task_file(arena: Arena) -> None:
    task = arena.task(arena.fresh("db"), more="remove-metta: true\n")
    said = arena.refused("start-task", str(task))
    assert f"{task}:3: `remove-metta`: there is no such option" in said
    assert "did you mean `remove-meta`?" in said


def test_an_unknown_option_in_a_source_file(arena: Arena) -> None:
    source = arena.source(more="enable-gtdi: true\n")
    said = arena.refused("operate-source", "create", str(source))
    assert f"{source}:2: `enable-gtdi`: there is no such option — did you mean `enable-gtid`?" in said


def test_all_problems_of_a_file_are_said_at_once(arena: Arena) -> None:
    task = arena.task(arena.fresh("db"), mode="everything", more="ondline-ddl: true\n")
    said = arena.refused("check-config", str(task))
    assert f"{task}:2: `task-mode`" in said
    assert f"{task}:3: `ondline-ddl`" in said


def test_unbalanced_yaml(arena: Arena) -> None:
    task = arena.write("unbalanced.yaml", "name: [broken\ntask-mode: all\n")
    said = arena.refused("start-task", str(task))
    assert f"{task}:2: not valid YAML" in said
    assert "expected ',' or ']'" in said


def test_a_file_that_is_not_there(arena: Arena) -> None:
    said = arena.refused("start-task", "nowhere/task.yaml")
    assert "nowhere/task.yaml: No such file or directory" in said


def test_a_source_that_exists_and_is_bound(arena: Arena) -> None:
    said = arena.refused("operate-source", "create", str(arena.source(SOURCE)))
    assert (
        f"error 46007 · internal source config with ID main already exists and is bound to dm-worker {WORKERS[0]}"
        in said
    )
    assert "change it with `operate-source update`" in said


def test_a_worker_that_has_another_source(arena: Arena) -> None:
    said = arena.refused("operate-source", "create", str(arena.source()), "--worker", WORKERS[0])
    assert f"dm-worker {WORKERS[0]} is bound, a source can be bound to a free worker only" in said


def test_a_task_on_an_unknown_source(arena: Arena) -> None:
    said = arena.refused("start-task", str(arena.task(arena.schema(KEYED), source="nobody")))
    assert "names a source that dm-master does not have: nobody" in said
    assert "`operate-source create source.yaml`" in said


def test_stopping_a_source_that_has_a_task(arena: Arena, running: tuple[str, str]) -> None:
    said = arena.refused("operate-source", "stop", SOURCE)
    assert f"source main need to operate has existing tasks [{running[0]}]" in said
    assert "stop them first: `stop-task TASK`" in said


def test_a_task_that_exists(arena: Arena, running: tuple[str, str]) -> None:
    name, schema = running
    said = arena.refused("start-task", str(arena.task(schema, name)))
    assert f"error 46014 · internal subtasks with name {name} for sources [main] already exist" in said
    assert f"see `query-status {name}`; `stop-task {name}` before it is started anew" in said


@pytest.mark.parametrize("verb", ["pause-task", "resume-task", "stop-task", "query-status"])
def test_a_task_that_does_not_exist(arena: Arena, verb: str) -> None:
    said = arena.refused(verb, "nothing")
    assert "nothing" in said
    assert "query-status" in said


def test_a_table_that_is_dropped_in_the_target_while_it_is_replicated(arena: Arena) -> None:
    schema, name = arena.schema(KEYED), arena.fresh("dropped")
    arena.schema(KEYED, server=arena.target, name=schema)
    task = arena.task(schema, name, mode="incremental", instance=arena.here())
    arena.cluster.expect("start-task", str(task), "--wait")
    try:
        run(arena.upstream, f"INSERT INTO {schema}.t VALUES (1, 1)")
        arena.cluster.wait(lambda: run(arena.target, f"SELECT * FROM {schema}.t") == [(1, 1)], "the first row arrives")
        run(arena.target, f"DROP TABLE {schema}.t")
        run(arena.upstream, f"INSERT INTO {schema}.t VALUES (2, 2)")
        arena.cluster.wait(lambda: arena.cluster.stages(name) == {"Paused"}, "the task pauses")
        said = arena.refused("query-status", name, code=0)
        assert f"{schema}.t" in said
        assert "downstream" in said
        assert "create the table" in said
        assert "resume-task" in said
    finally:
        arena.cluster.expect("stop-task", name, "--wait")


def test_a_wrong_option_of_dmctl(arena: Arena) -> None:
    said = arena.refused("start-task", "--remove-metta", "task.yaml", code=2)
    assert "No such option '--remove-metta'" in said
    assert "--remove-meta" in said.partition("Did you mean")[2]


def test_a_mistyped_command(arena: Arena) -> None:
    said = arena.refused("strat-task", "task.yaml", code=2)
    assert "there is no command 'strat-task'; did you mean start-task?" in said
