"""Tables that are merged and that the target's foreign keys tie to others, while some of their rows wait for a DDL.

What waits comes late, and a foreign key acts when a row comes.  So the stream stops before a change that had to come
behind rows that wait, and the operator has these written first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import pytest

from tests.cases.shardddl.test_moved_rows import Source
from tests.cases.shardddl.world import CHECKER, TASK, World
from tests.cluster import Cluster
from tests.conftest import start_or_report
from tests.servers import RunningServer
from tests.workload.shop import connect

ACTS = "ON DELETE CASCADE ON UPDATE CASCADE"
CHILD = "id INT PRIMARY KEY, pid INT, v INT, KEY k (pid), FOREIGN KEY (pid) REFERENCES {}(id) " + ACTS


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    with ExitStack() as stack:
        server = stack.enter_context(start_or_report("mariadb"))
        cluster = stack.enter_context(Cluster(tmp_path_factory.mktemp("cluster")))
        World(cluster, {"s1": server}, server, source_more=CHECKER).start_cluster()
        yield cluster, server


@pytest.fixture(params=["mariadb", "tidb"])
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue("mariadb2" if request.param == "mariadb" else request.param)
    return server


class Family:
    """Parents and children of one database, of which some are merged."""

    def __init__(self, source: Source, target: RunningServer, parents: Sequence[str], children: Sequence[str]) -> None:
        self.cluster, self.server = source
        self.target = target
        self.parents, self.children = parents, children

    def sql(self, server: RunningServer, *statements: str) -> list[Any]:
        with closing(connect(server)) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def run(self, *statements: str) -> None:
        self.sql(self.server, "USE fam", *statements)

    @contextmanager
    def running(self) -> Iterator[Family]:
        try:
            self._start()
            yield self
            self.wait_equal()
            self.wait_resolved()
        finally:
            self.cluster.ask("stop-task", TASK, "--wait")
            for server in (self.server, self.target):
                self.sql(server, "DROP DATABASE IF EXISTS fam", "DROP DATABASE IF EXISTS dm_meta")

    def _start(self) -> None:
        self.sql(self.server, "CREATE DATABASE fam")
        self.run(*(f"CREATE TABLE {parent} (id INT PRIMARY KEY, v INT)" for parent in self.parents))
        for number, child in enumerate(self.children):
            self.run(f"CREATE TABLE {child} ({CHILD.format(self.parents[number % len(self.parents)])})")
        self.sql(
            self.target,
            "CREATE DATABASE fam",
            "CREATE TABLE fam.p (id INT PRIMARY KEY, v INT)",
            f"CREATE TABLE fam.c ({CHILD.format('p')})",
        )
        self.run(
            *(f"INSERT INTO {parent} VALUES {self.rows_of(parent, 'NULL')}" for parent in self.parents),
            *(f"INSERT INTO {child} VALUES ({60 + number}, NULL, 0)" for number, child in enumerate(self.children)),
        )
        (self.cluster.folder / "family.yaml").write_text(f"""name: {TASK}
task-mode: all
shard-mode: pessimistic
target-database:
  {{host: {self.target.host}, port: {self.target.port}, user: root, password: "", session: {{foreign_key_checks: 1}}}}
mysql-instances: [{{source-id: s1, route-rules: [p, c], block-allow-list: fam}}]
routes:
  p: {{schema-pattern: fam, table-pattern: "p*", target-schema: fam, target-table: p}}
  c: {{schema-pattern: fam, table-pattern: "c*", target-schema: fam, target-table: c}}
block-allow-list: {{fam: {{do-dbs: [fam]}}}}
""")
        self.cluster.expect("start-task", str(self.cluster.folder / "family.yaml"), "--remove-meta")
        self.wait_equal()
        self.cluster.wait(lambda: "sync" in self.cluster.subtasks(TASK).get("s1", {}), "replication")

    def rows_of(self, parent: str, value: str) -> str:
        begin = 10 * self.parents.index(parent)
        return ", ".join(f"({begin + number}, {value})" for number in range(1, 6))

    def is_equal(self) -> bool:
        def rows(server: RunningServer, tables: Sequence[str]) -> list[Any]:
            columns = "id, v" if tables[0].startswith("p") else "id, pid, v"
            return sorted(row for table in tables for row in self.sql(server, f"SELECT {columns} FROM fam.{table}"))

        return all(
            rows(self.server, here) == rows(self.target, there)
            for here, there in ((self.parents, "p"), (self.children, "c"))
        )

    def wait_equal(self) -> None:
        self.cluster.wait(self.is_equal, "the rows of all tables")

    def go_on(self, ddl: str) -> None:
        """As the error says: the DDL by hand, it is skipped, and what waits is applied."""
        self.cluster.wait(lambda: "36306" in str(self.cluster.expect("query-status", TASK)), "the change that waits")
        said = str(self.cluster.expect("query-status", TASK))
        place = said.split("binlog skip <task> -s <source> -b ")[1].split("`")[0]
        self.cluster.expect("resume-task", TASK)
        self.cluster.wait(lambda: "36306" in str(self.cluster.expect("query-status", TASK)), "nothing has changed")
        self.sql(self.target, "USE fam", ddl)
        self.cluster.expect("binlog", "skip", TASK, "-s", "s1", "-b", place)
        self.cluster.expect("resume-task", TASK)

    def wait_resolved(self) -> None:
        def groups() -> Any:
            return self.cluster.subtasks(TASK).get("s1", {}).get("sync", {}).get("unresolvedGroups", "?")

        self.cluster.wait(lambda: not groups(), "no group waits")


@pytest.mark.crossed("target")
def test_children_wait(source: Source, target: RunningServer) -> None:
    with Family(source, target, ["p"], ["c1", "c2"]).running() as family:
        family.run("INSERT INTO c1 VALUES (1, 1, 0), (2, 2, 0)", "INSERT INTO c2 VALUES (11, 2, 0)")
        family.wait_equal()
        family.run("ALTER TABLE c1 ADD y INT", "INSERT INTO c1 VALUES (50, 1, 0, 7)", "UPDATE p SET v = 5 WHERE id = 1")
        family.run(
            "UPDATE p SET id = 20 WHERE id = 3", "INSERT INTO c2 VALUES (12, 1, 1)", "DELETE FROM p WHERE id = 4"
        )
        family.cluster.wait(lambda: family.sql(target, "SELECT id FROM fam.c WHERE id = 12"), "what does not wait")
        family.run("DELETE FROM p WHERE id = 1", "INSERT INTO p VALUES (1, 8)", "INSERT INTO c2 VALUES (13, 1, 1)")
        family.go_on("ALTER TABLE c ADD y INT")
        family.run("ALTER TABLE c2 ADD y INT", "INSERT INTO c2 VALUES (14, 1, 1, 3)")


@pytest.mark.crossed("target")
def test_parents_wait(source: Source, target: RunningServer) -> None:
    with Family(source, target, ["p1", "p2"], ["c1", "c2"]).running() as family:
        family.run("INSERT INTO c1 VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)", "INSERT INTO c2 VALUES (11, 12, 0)")
        family.wait_equal()
        family.run("ALTER TABLE p1 ADD x INT", "DELETE FROM p1 WHERE id = 1", "UPDATE p1 SET id = 9 WHERE id = 2")
        family.run(
            "INSERT INTO c1 VALUES (4, 3, 0)", "INSERT INTO c2 VALUES (15, 13, 0)", "DELETE FROM p2 WHERE id = 12"
        )
        family.cluster.wait(lambda: family.sql(target, "SELECT id FROM fam.c WHERE id = 15"), "what does not wait")
        family.run(
            "INSERT INTO p1 VALUES (2, 7, 7)", "INSERT INTO c1 VALUES (5, 2, 1)", "INSERT INTO p1 VALUES (1, 0, 0)"
        )
        family.run("INSERT INTO c1 VALUES (6, 1, 1)")
        family.go_on("ALTER TABLE p ADD x INT")
        family.run("ALTER TABLE p2 ADD x INT", "INSERT INTO p2 VALUES (19, 1, 1)", "INSERT INTO c2 VALUES (19, 19, 1)")


def test_what_waited_before_a_restart_is_not_known(source: Source, mariadb2: RunningServer) -> None:
    with Family(source, mariadb2, ["p"], ["c1", "c2"]).running() as family:
        family.run(
            "ALTER TABLE c1 ADD y INT", "INSERT INTO c1 VALUES (50, 1, 0, 7)", "INSERT INTO c2 VALUES (11, 2, 0)"
        )
        family.cluster.wait(lambda: family.sql(mariadb2, "SELECT id FROM fam.c WHERE id = 11"), "what does not wait")
        family.cluster.kill_subtasks("w-s1")
        family.run("DELETE FROM p WHERE id = 5")
        family.go_on("ALTER TABLE c ADD y INT")
        family.run("ALTER TABLE c2 ADD y INT")
