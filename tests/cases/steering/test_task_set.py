"""`task set` and `task show` with real processes: at once, without a restart, and for as long as the task is there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pkg.task import load_task
from tests.cases.e2e.job import binlog_position
from tests.cases.steering.steered import SCHEMA, SOURCE, TARGET, TASK, Steered, query, steered_task
from tests.servers import RunningServer


@pytest.fixture(scope="module")
def task(mariadb: RunningServer, tidb: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Steered]:
    """MariaDB → TiDB; each test has a table of its own and leaves the task running."""
    with steered_task(tmp_path_factory.mktemp("set"), mariadb, tidb, tables=1) as found:
        found.run(
            "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)",
            "INSERT INTO counter SELECT seq, 0 FROM seq_1_to_40",
            "CREATE TABLE log (a INT, b VARCHAR(20))",
        )
        found.wait_in_step()
        yield found


def settings(answer: dict[str, Any]) -> dict[str, int]:
    [source] = answer["sources"]
    found = {one["name"]: int(one["value"]) for one in source["settings"]}
    assert (found.pop("max-bytes-per-second"), found.pop("max-threads-running")) == (0, 100)  # of the full migration
    return found


def show(task: Steered) -> dict[str, int]:
    return settings(task.cluster.expect("task", "show", TASK))


def sync(task: Steered) -> dict[str, Any]:
    return dict(task.status().get("sync") or {})


def wait_channels(task: Steered, number: int) -> None:
    task.cluster.wait(lambda: len(sync(task).get("channels") or ()) == number, f"{number} channels")


def wait_rows(task: Steered, table: str, number: int) -> None:
    schema, name = table.split(".")
    there = f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{schema}' AND table_name = '{name}'"

    def are_there() -> bool:
        return bool(query(task.target, there)) and query(task.target, f"SELECT COUNT(*) FROM {table}") == [(number,)]

    task.cluster.wait(are_there, f"{number} rows in {table}")


class Traffic(threading.Thread):
    """Counters and equal rows without a key, until it is told to end."""

    def __init__(self, task: Steered) -> None:
        super().__init__(name="traffic")
        self._task = task
        self._over = threading.Event()

    def run(self) -> None:
        with closing(self._task.upstream.connect(SCHEMA)) as connection, connection.cursor() as cursor:
            while not self._over.wait(0.005):
                cursor.execute("BEGIN")
                cursor.execute("UPDATE counter SET n = n + 1 WHERE id % 3 = 1")
                cursor.execute("INSERT INTO log VALUES (1, 'same'), (1, 'same')")
                cursor.execute("UPDATE counter SET n = n + 1 WHERE id % 7 = 1")
                cursor.execute("COMMIT")

    def end(self) -> None:
        self._over.set()
        self.join()


def test_settings_change_without_a_restart(task: Steered) -> None:
    assert show(task) == {"worker-count": 8, "batch": 500, "max-rows-per-second": 0}
    [pid] = task.cluster.subtask_pids("worker")
    traffic = Traffic(task)
    traffic.start()
    try:
        for number in (3, 12, 1, 5):
            answer = task.cluster.expect("task", "set", TASK, f"worker-count={number}", f"batch={100 + number}")
            assert settings(answer) == {"worker-count": number, "batch": 100 + number, "max-rows-per-second": 0}
            wait_channels(task, number)
            assert int(sync(task)["batch"]) == 100 + number
    finally:
        traffic.end()
    task.wait_in_step()
    for table in ("counter", "log"):
        counted = f"SELECT COUNT(*), SUM({'n' if table == 'counter' else 'a'}) FROM {{}}.{table}"
        assert query(task.target, counted.format(TARGET)) == query(task.upstream, counted.format(SCHEMA))
    assert query(task.target, f"SELECT * FROM {TARGET}.counter ORDER BY 1") == query(
        task.upstream, f"SELECT * FROM {SCHEMA}.counter ORDER BY 1"
    )
    assert task.cluster.subtask_pids("worker") == [pid]


def test_a_limit_holds_at_once_and_is_lifted(task: Steered) -> None:
    task.cluster.expect("task", "set", TASK, "max-rows-per-second=1", "-s", SOURCE)
    task.run(*["UPDATE counter SET n = n + 1"] * 5)
    task.cluster.wait(lambda: sync(task).get("bottleneck") == "limit", "the limit holds rows back")
    assert int(sync(task)["maxRowsPerSecond"]) == 1
    task.cluster.expect("task", "set", TASK, "max-rows-per-second=0")
    task.wait_in_step()


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("worker-cuont=3", "did you mean worker-count?"),
        ("batch=0", "a whole number from 1 to 100000"),
        ("batch", "batch needs a value"),
        ("queue-size=9", "stop-task steered"),
        ("checkpoint-flush-interval=9", "cannot be changed while the task is there"),
    ],
)
def test_what_is_wrong_is_refused(task: Steered, word: str, reason: str) -> None:
    before = show(task)
    assert reason in task.refused("task", "set", TASK, "worker-count=2", word)
    assert show(task) == before


def test_what_is_unknown_is_refused(task: Steered) -> None:
    assert "task with name nobody not exist" in task.refused("task", "set", "nobody", "batch=1")
    assert "no subtask on sources [two]" in task.refused("task", "show", TASK, "-s", "two")


def test_the_configuration_shows_it(task: Steered) -> None:
    task.cluster.expect("task", "set", TASK, "worker-count=4", "batch=44")
    text = task.cluster.expect("config", "task", TASK)["cfg"]
    [instance] = load_task(text).mysql_instances
    assert instance.syncer is not None
    assert (instance.syncer.worker_count, instance.syncer.batch) == (4, 44)


def test_settings_outlive_every_process_and_a_pause(task: Steered) -> None:
    task.cluster.expect("task", "set", TASK, "worker-count=6", "batch=66")
    task.pause()
    answer = task.cluster.expect("task", "set", TASK, "max-rows-per-second=6000")
    assert task.status()["stage"] == "Paused"
    assert settings(answer) == {"worker-count": 6, "batch": 66, "max-rows-per-second": 6000}
    task.cluster.kill("worker")
    task.cluster.kill("master")
    task.start_processes()
    task.cluster.expect("resume-task", TASK, "--wait")
    assert show(task) == {"worker-count": 6, "batch": 66, "max-rows-per-second": 6000}
    wait_channels(task, 6)
    found = sync(task)
    assert (int(found["workerCount"]), int(found["batch"]), int(found["maxRowsPerSecond"])) == (6, 66, 6000)


def test_settings_move_with_the_source(task: Steered) -> None:
    task.cluster.expect("task", "set", TASK, "worker-count=2", "batch=22")
    task.cluster.start_worker("other")
    task.cluster.wait(lambda: '"other"' in task.cluster.ask("list-member", "--worker").out, "the other is there")
    task.cluster.kill("worker")
    task.cluster.wait(lambda: bool(task.cluster.subtask_pids("other")), "the source is rebound")
    wait_channels(task, 2)
    assert int(sync(task)["batch"]) == 22
    task.run("UPDATE counter SET n = n + 1")
    task.wait_in_step()


def test_a_stopped_task_forgets_them(task: Steered, tmp_path: Path) -> None:
    task.cluster.expect("task", "set", TASK, "batch=99")
    file = str(task.cluster.folder / "task.yaml")
    task.cluster.expect("stop-task", TASK, "--wait")
    task.cluster.expect("start-task", file, "--until", "synced")
    assert show(task) == {"worker-count": 8, "batch": 500, "max-rows-per-second": 0}
    wait_channels(task, 8)


def test_a_pause_does_not_wait_for_somebody_elses_lock(task: Steered) -> None:
    with closing(task.target.connect(TARGET)) as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE counter SET n = -1 WHERE id = 1")
        task.run("UPDATE counter SET n = n + 1")
        task.cluster.wait(lambda: not sync(task).get("synced", True), "a channel waits for the lock")
        [answer] = task.cluster.expect("pause-task", TASK, "--wait")["sources"]
        assert (answer["result"], answer["msg"]) == (True, "")
        assert task.errors() == []
        connection.rollback()
    task.cluster.expect("resume-task", TASK, "--wait")
    task.wait_in_step()
    same = "SELECT * FROM {}.counter ORDER BY 1"
    assert query(task.target, same.format(TARGET)) == query(task.upstream, same.format(SCHEMA))


def test_a_stopped_task_starts_again_behind_ddl_that_it_has_not_replicated(task: Steered, tmp_path: Path) -> None:
    written = binlog_position(task.upstream)
    text = (task.cluster.folder / "task.yaml").read_text()
    file = tmp_path / "behind.yaml"
    file.write_text(
        text.replace(f"name: {TASK}", "name: behind")
        .replace(
            "task-mode: all", "task-mode: incremental\nmeta-schema: behind_meta\nignore-checking-items: [shared_target]"
        )
        .replace(f"target-schema: {TARGET}", "target-schema: steer_behind")
        .replace(
            f"source-id: {SOURCE}",
            f"source-id: {SOURCE}\n    meta: {{binlog-name: {written.name}, binlog-pos: {written.offset}}}",
        )
    )
    try:
        task.cluster.expect("start-task", str(file), "--until", "synced")
        task.run("CREATE TABLE altered (id INT PRIMARY KEY, v DECIMAL(8,3))", "INSERT INTO altered VALUES (1, 1.5)")
        wait_rows(task, "steer_behind.altered", 1)
        task.cluster.expect("stop-task", "behind", "--wait")
        task.run("ALTER TABLE altered MODIFY v VARCHAR(20), ADD w JSON", "INSERT INTO altered VALUES (2, 'two', '[2]')")
        task.cluster.expect("start-task", str(file), "--until", "synced")
        wait_rows(task, "steer_behind.altered", 2)
        assert query(task.target, "SELECT id, v FROM steer_behind.altered ORDER BY id") == [(1, "1.500"), (2, "two")]
    finally:
        task.cluster.ask("stop-task", "behind", "--wait")
        for schema in ("steer_behind", "behind_meta"):
            query(task.target, f"DROP DATABASE IF EXISTS {schema}")
