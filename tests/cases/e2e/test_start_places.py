"""Where a task starts: a position, a GTID set, a time; only what comes after the place arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cases.e2e.job import source_text
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

pytestmark = pytest.mark.crossed("flavor")

Factory = Callable[..., RunningServer]
FLAVORS = ("mariadb", "mysql")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the upstream's binlog stands, in all the words that a task has for it."""

    meta: str
    gtid_meta: str
    start_time: str


class Places:
    """One upstream table, and a task of its own for each start place, into a schema named like the task."""

    def __init__(self, cluster: Cluster, factory: Factory, flavor: str, *, enable_gtid: bool) -> None:
        self.cluster = cluster
        self.source = factory(flavor)
        self.target = factory("tidb")
        self.execute(self.source, "CREATE DATABASE places", "CREATE TABLE places.t (id INT PRIMARY KEY)")
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        text = source_text("one", self.source) + f"enable-gtid: {str(enable_gtid).lower()}\n"
        cluster.expect("operate-source", "create", self._write("source.yaml", text))

    def _write(self, name: str, text: str) -> str:
        path = self.cluster.folder / name
        path.write_text(text)
        return str(path)

    def execute(self, server: RunningServer, *statements: str) -> list[tuple[object, ...]]:
        with connect(server) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def insert(self, *ids: int) -> None:
        self.execute(self.source, *(f"INSERT INTO places.t VALUES ({one})" for one in ids))

    def new_file(self) -> None:
        self.execute(self.source, "FLUSH BINARY LOGS")

    def here(self) -> Place:
        """The present place; the second of its time has begun after everything before."""
        mysql = self.source.kind == "mysql"
        [row] = self.execute(self.source, "SHOW BINARY LOG STATUS" if mysql else "SHOW MASTER STATUS")
        gtids = row[4] if mysql else self.execute(self.source, "SELECT @@GLOBAL.gtid_binlog_pos")[0][0]
        clock = "SELECT UNIX_TIMESTAMP(), FROM_UNIXTIME(UNIX_TIMESTAMP())"
        before = self.execute(self.source, clock)[0][0]
        self.cluster.wait(lambda: self.execute(self.source, clock)[0][0] != before, "the next second")
        return Place(
            f"{{binlog-name: {row[0]}, binlog-pos: {row[1]}}}",
            "{binlog-gtid: '" + str(gtids).replace("\n", "") + "'}",
            str(self.execute(self.source, clock)[0][1]),
        )

    def task_file(self, name: str, meta: str = "") -> str:
        self.execute(self.target, f"CREATE DATABASE {name}", f"CREATE TABLE {name}.t (id INT PRIMARY KEY)")
        place = f"    meta: {meta}\n" if meta else ""
        text = f"""name: {name}
task-mode: incremental
meta-schema: meta_{name}
target-database: {{host: {self.target.host}, port: {self.target.port}, user: root, password: ""}}
mysql-instances:
  - source-id: one
    route-rules: [there]
    block-allow-list: places
{place}routes:
  there: {{schema-pattern: places, target-schema: {name}}}
block-allow-list:
  places: {{do-dbs: [places]}}
"""
        return self._write(f"{name}.yaml", text)

    def start(self, name: str, meta: str = "", *options: str) -> None:
        self.cluster.expect("start-task", self.task_file(name, meta), *options)

    def ids(self, name: str) -> list[object]:
        return [row[0] for row in self.execute(self.target, f"SELECT id FROM {name}.t ORDER BY id")]

    def assert_only(self, name: str, *expected: int) -> None:
        """The last of them is the last of all, so nothing can come after it."""
        self.cluster.wait(lambda: self.ids(name)[-1:] == [expected[-1]], f"row {expected[-1]} arrives by {name}")
        assert self.ids(name) == list(expected)


@pytest.mark.parametrize("enable_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("flavor", FLAVORS)
def test_only_the_rows_after_the_start_place_arrive(
    flavor: str, enable_gtid: bool, server_factory: Factory, tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        places = Places(cluster, server_factory, flavor, enable_gtid=enable_gtid)
        places.insert(1)
        places.new_file()
        places.insert(2, 3)
        place = places.here()
        places.insert(4)
        places.new_file()
        places.insert(5)
        places.start("by_position", place.meta)
        places.start("by_time", "", "--start-time", place.start_time)
        if enable_gtid:
            places.start("by_gtid", place.gtid_meta)
        places.start("by_now")
        names = ["by_position", "by_time"] + ["by_gtid"] * enable_gtid
        cluster.wait(lambda: cluster.in_step("by_now", 1), "the task without a place runs")
        places.insert(6)
        for name in names:
            places.assert_only(name, 4, 5, 6)
        places.assert_only("by_now", 6)
        cluster.kill_subtasks("worker")
        places.insert(7)
        for name in names:
            places.assert_only(name, 4, 5, 6, 7)


def test_a_task_runs_once_its_place_is_known(server_factory: Factory, tmp_path: Path) -> None:
    """What is written behind the answer of --wait arrives, however long the task takes to begin."""
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.environment["worker"] = {"SPARK_DM_CRASHPOINT": "syncer.taken_over=delay:3"}
        places = Places(cluster, server_factory, "mariadb", enable_gtid=False)
        places.insert(1)
        places.start("by_now", "", "--wait")
        places.insert(2)
        places.assert_only("by_now", 2)


def test_a_start_place_that_cannot_be_is_refused(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        places = Places(cluster, server_factory, "mariadb", enable_gtid=False)
        places.insert(1)
        place = places.here()
        for name, meta, words, said in (
            ("only_gtid", place.gtid_meta, (), "enable-gtid"),
            ("no_file", "{binlog-name: mysql-bin.000099, binlog-pos: 4}", (), "mysql-bin.000099"),
            ("no_time", "", ("--start-time", "yesterday"), "'yesterday' is not a time"),
        ):
            result = cluster.ask("start-task", places.task_file(name, meta), *words)
            assert result.code != 0, name
            assert said in result.out + result.err
            assert cluster.ask("query-status", name).code == 1, "there is no such task"
        # Whether the command itself still sees the error depends on how soon the subtask comes to it.
        result = cluster.ask("start-task", places.task_file("later"), "--start-time", "2037-01-01 00:00:00")
        cluster.wait(lambda: "is behind the end of the upstream's binlog" in cluster.errors("later"), result.out)
        assert cluster.stages("later") == {"Paused"}


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_time_around_which_dates_are_not_in_order(flavor: str, server_factory: Factory, tmp_path: Path) -> None:
    """MySQL says when each was committed; MariaDB's task pauses, and goes on from the place that is found by hand."""
    with Cluster(tmp_path / "cluster") as cluster:
        places = Places(cluster, server_factory, flavor, enable_gtid=False)
        places.execute(
            places.source,
            "SET timestamp = UNIX_TIMESTAMP() + 86400",
            "INSERT INTO places.t VALUES (1)",
            "SET timestamp = DEFAULT",
            "INSERT INTO places.t VALUES (2)",
        )
        place = places.here()
        places.insert(3)
        result = cluster.ask("start-task", places.task_file("by_time"), "--start-time", place.start_time)
        if flavor == "mysql":
            places.assert_only("by_time", 3)
            return
        cluster.wait(lambda: "is no single place" in cluster.errors("by_time"), result.out)
        assert cluster.stages("by_time") == {"Paused"}
        assert places.ids("by_time") == []
        places.start("by_place", place.meta)
        places.assert_only("by_place", 3)
