"""`binlog` and `binlog-schema` on real servers: a task that stands still goes on as the operator decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dm_worker.syncer.ddl_errors import DDL_FAILED
from pkg.binlog.position import Position
from pkg.schema.errors import DDL_DOES_NOT_FIT
from tests.cases.e2e.job import binlog_position
from tests.cases.steering.steered import SCHEMA, SOURCE, TASK, Steered, place, query, steered_task
from tests.servers import RunningServer

NEW_KEY = "ALTER TABLE {0} DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)"  # TiDB cannot: the key is clustered


@pytest.fixture(scope="module")
def task(mariadb: RunningServer, tidb: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Steered]:
    """MariaDB → TiDB; each test has a table of its own and leaves the task running."""
    with steered_task(tmp_path_factory.mktemp("steered"), mariadb, tidb, tables=9) as found:
        yield found


def test_a_refused_ddl_names_the_ways_out_and_skip_goes_on(task: Steered) -> None:
    task.run(NEW_KEY.format("t0"), "INSERT INTO t0 VALUES (3, 'three')")
    place_of_error = task.wait_paused(DDL_FAILED.code)
    [error] = task.errors()
    assert str(place_of_error) in error["Message"]
    assert "dmctl binlog skip" in error["Workaround"]
    assert "dmctl binlog replace" in error["Workaround"]
    answer = task.expect("skip", TASK)
    assert (answer["result"], answer["msg"], answer["source"], answer["worker"]) == (True, "", SOURCE, "worker")
    task.wait_in_step()
    assert task.rows("t0") == [(1, "one"), (2, "two"), (3, "three")]
    assert task.expect("list", TASK)["operators"] == []  # it came past


def test_replace_runs_other_statements_by_the_routes(task: Steered) -> None:
    task.run("ALTER TABLE t1 ADD COLUMN p POINT", "INSERT INTO t1 VALUES (3, 'three', NULL)")
    task.wait_paused(DDL_FAILED.code)
    sqls = f"ALTER TABLE {SCHEMA}.t1 ADD COLUMN p VARBINARY(100); ALTER TABLE {SCHEMA}.t1 ADD KEY later (v, id)"
    task.expect("replace", TASK, sqls, "-s", SOURCE)
    task.wait_in_step()
    assert task.column_types("t1")["p"].startswith("varbinary")
    assert task.rows("t1")[2] == (3, "three", None)


def test_inject_runs_another_statement_first(task: Steered) -> None:
    task.run_on_target("ALTER TABLE t2 ADD COLUMN extra INT")
    task.run("ALTER TABLE t2 ADD COLUMN extra VARCHAR(9)", "INSERT INTO t2 VALUES (3, 'three', 'x')")
    task.wait_paused(DDL_FAILED.code)
    task.expect("inject", TASK, "ALTER", "TABLE", f"{SCHEMA}.t2", "DROP", "COLUMN", "extra")  # unquoted, as DM takes it
    task.wait_in_step()
    assert task.column_types("t2")["extra"] == "varchar(9)"
    assert task.rows("t2")[2] == (3, "three", "x")


def test_a_statement_that_tidb_gets_in_parts_is_told_whole_and_goes_on_at_its_part(task: Steered) -> None:
    """Inject does not begin with the first part again, and skip says what else it leaves out."""
    task.run_on_target("ALTER TABLE t8 ADD KEY k (v)")
    task.run("ALTER TABLE t8 ADD KEY k (v(3)), ADD n INT DEFAULT 3, ADD m INT DEFAULT 4")
    task.wait_paused(DDL_FAILED.code)
    [error] = task.errors()
    assert "in which the target gets the statement" in error["Message"]
    assert "ADD KEY k (v(3)), ADD n INT DEFAULT 3, ADD m INT DEFAULT 4" in error["Message"]
    assert "replaces, what is left of the whole statement" in error["Workaround"]
    task.refused("binlog", "inject", TASK, f"ALTER TABLE {SCHEMA}.t8 ADD UNIQUE k2 (v, id)")  # which does not help
    task.wait_paused(DDL_FAILED.code)
    task.refused("binlog", "revert", TASK)  # the part is refused again, and not the ones before it
    task.wait_paused(DDL_FAILED.code)
    task.expect("inject", TASK, f"ALTER TABLE {SCHEMA}.t8 DROP KEY k, DROP KEY k2")
    task.run("INSERT INTO t8 (id, v) VALUES (3, 'three')")
    task.wait_in_step()
    assert task.rows("t8")[2] == (3, "three", 3, 4)
    assert {"n", "m"} <= task.column_types("t8").keys()


def test_a_replacement_that_fails_is_told_and_taken_back(task: Steered) -> None:
    task.run(NEW_KEY.format("t3"))
    at = task.wait_paused(DDL_FAILED.code)
    reason = task.refused("binlog", "replace", TASK, f"ALTER TABLE {SCHEMA}.nowhere ADD COLUMN x INT")
    assert "nowhere" in reason
    assert task.wait_paused(DDL_FAILED.code) == at
    [stored] = task.expect("list", TASK)["operators"]
    assert stored == {
        "op": "replace",
        "binlogPos": place(at),
        "sqls": [f"ALTER TABLE {SCHEMA}.nowhere ADD COLUMN x INT"],
    }
    assert "DROP PRIMARY KEY" in task.refused("binlog", "revert", TASK)  # the statement itself is refused again
    assert task.expect("list", TASK)["operators"] == []
    assert "nothing is decided" in task.refused("binlog", "revert", TASK, "-b", place(at))
    task.expect("skip", TASK)
    task.wait_in_step()


def test_places_and_statements_that_make_no_sense_are_refused(task: Steered) -> None:
    assert "stands at no statement that fails" in task.refused("binlog", "skip", TASK)
    passed = binlog_position(task.upstream)
    task.wait_in_step()
    task.run("INSERT INTO t4 VALUES (3, 'three')", NEW_KEY.format("t4"))
    at = task.wait_paused(DDL_FAILED.code)
    for text, reason in (
        ("here", "no binlog position"),
        (place(passed), "replication has passed it"),
        (f"{at.name}:{at.offset - 1}", "everything before it is done"),
        ("other.000001:4", "are called like"),
    ):
        assert reason in task.refused("binlog", "skip", TASK, "-b", text)
    for sql, reason in (
        (f"INSERT INTO {SCHEMA}.t4 VALUES (9, 'x')", "it is no DDL"),
        ("ALTER TABLE t4 COMMENT 'x'", "without its database"),
        (f"ALTER TABLE {SCHEMA}.t4 FROB", "FROB"),
    ):
        assert reason in task.refused("binlog", "replace", TASK, sql)
    later = Position(at.name, at.offset + 1_000_000)
    assert "stays paused at another statement" in task.expect("skip", TASK, "-b", place(later))["msg"]
    assert [one["binlogPos"] for one in task.expect("list", TASK)["operators"]] == [place(later)]
    assert task.status()["stage"] == "Paused"
    task.expect("revert", TASK, "-b", place(later))
    assert task.cluster.expect("handle-error", TASK, "skip")["sources"][0]["result"]
    task.wait_in_step()


def test_a_decision_outlives_every_process(task: Steered) -> None:
    task.pause()
    task.run(NEW_KEY.format("t5"), "INSERT INTO t5 VALUES (3, 'three')")
    [(_, end)] = [
        (row[1], row[4])
        for row in query(task.upstream, f"SHOW BINLOG EVENTS IN '{binlog_position(task.upstream).name}'")
        if NEW_KEY.format("t5") in str(row[5])
    ]
    at = Position(binlog_position(task.upstream).name, end)
    task.cluster.kill("worker")
    task.cluster.wait(lambda: task.status() == {}, "the worker is missed")
    sql = f"ALTER TABLE {SCHEMA}.t5 ADD COLUMN mark INT"
    assert "does not run now" in task.expect("replace", TASK, sql, "-b", place(at))["msg"]
    task.cluster.kill("master")
    task.start_processes()
    assert [one["sqls"] for one in task.expect("list", TASK)["operators"]] == [[sql]]
    task.cluster.expect("resume-task", TASK, "--wait")
    task.wait_in_step()
    assert "mark" in task.column_types("t5")
    assert task.rows("t5")[2][:2] == (3, "three")


def test_a_ddl_that_does_not_fit_the_tracked_structure_can_be_skipped(task: Steered) -> None:
    task.run("SET sql_log_bin = 0", "ALTER TABLE t6 ADD COLUMN unseen INT", "SET sql_log_bin = 1")
    task.run("ALTER TABLE t6 DROP COLUMN unseen", "INSERT INTO t6 VALUES (3, 'three')")
    task.wait_paused(DDL_DOES_NOT_FIT.code)
    task.expect("skip", TASK)
    task.wait_in_step()
    assert task.rows("t6")[2] == (3, "three")


def test_a_structure_is_listed_updated_and_deleted(task: Steered, tmp_path: Path) -> None:
    def listed() -> str:
        answer = task.cluster.expect("binlog-schema", "list", TASK, SCHEMA, "t7", "-s", SOURCE)
        return str(answer["sources"][0]["msg"])

    assert listed().startswith("CREATE TABLE `t7` (\n  `id` int")
    assert "the subtask is Running" in task.refused("binlog-schema", "delete", TASK, SCHEMA, "t7")
    task.run("SET sql_log_bin = 0", "ALTER TABLE t7 ADD COLUMN unseen INT DEFAULT 7", "SET sql_log_bin = 1")
    task.run("INSERT INTO t7 VALUES (3, 'three', 33)")
    task.cluster.wait(lambda: bool(task.errors()), "rows that do not fit pause the task")
    assert task.errors()[0]["location"] == ""
    assert "is another one" in task.refused("binlog", "skip", TASK)

    before = listed()
    assert "unseen" not in before
    file = tmp_path / "t7.sql"
    file.write_text(before.replace("  PRIMARY KEY", "  `unseen` int(11) DEFAULT '7',\n  PRIMARY KEY") + ";\n")
    task.cluster.expect("binlog-schema", "update", TASK, SCHEMA, "t7", str(file))
    from_file = listed()
    assert "`unseen` int(11) DEFAULT '7'" in from_file
    task.cluster.expect("binlog-schema", "update", TASK, SCHEMA, "t7", "--from-target")
    assert "unseen" not in listed()
    task.cluster.expect("operate-schema", "set", TASK, "-d", SCHEMA, "-t", "t7", "--from-source", "-s", SOURCE)
    assert listed() == from_file
    file.write_text("CREATE TABLE t7 (id INT, nonsense)")
    assert "is no CREATE TABLE" in task.refused("binlog-schema", "update", TASK, SCHEMA, "t7", str(file))
    assert "no table" in task.refused("binlog-schema", "update", TASK, SCHEMA, "nowhere", "--from-source")
    assert listed() == from_file

    assert task.cluster.expect("binlog-schema", "delete", TASK, SCHEMA, "t7")["sources"][0]["result"]
    assert (
        listed()
        == "-- not tracked yet: this is the upstream's structure now, which is read when the next rows come\n"
        + from_file
    )
    assert "was not tracked" in task.cluster.expect("binlog-schema", "delete", TASK, SCHEMA, "t7")["sources"][0]["msg"]
    task.run_on_target("ALTER TABLE t7 ADD COLUMN unseen INT")
    task.cluster.expect("resume-task", TASK, "--wait")
    task.wait_in_step()
    assert task.rows("t7")[2] == (3, "three", 33)
