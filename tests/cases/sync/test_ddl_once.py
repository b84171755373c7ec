"""Every kind of DDL is done once: the process dies around each statement that the target gets.

A task that dies at its points again and again, and one beside it that is left alone, write the same upstream into two
databases of one target; afterwards their structures are the same, and rows are the upstream's.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from dm_worker.syncer.unit import Syncer
from pkg import crashpoints
from pkg.adapters.structures import shown_bytes
from pkg.crashpoints import CrashpointRaised
from pkg.task.blocks import RouteRule
from pkg.task.subtask import SubtaskConfig
from tests.cases.sync.pair import Pair, cursor_on, running, until
from tests.cases.sync.test_crashpoints import points_of
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

POINTS = points_of("tests/cases/sync/test_ddl_once.py")
AROUND_STATEMENT, AROUND_DDL = tuple(POINTS), ("syncer.ddl_marked", "syncer.ddl_executed")
SHARES = 3  # of the cases: unless all tests run, each share meets one target
RANGES = "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
N, NM = "(id INT PRIMARY KEY, n INT)", "(id INT PRIMARY KEY, n INT, m INT)"
REFERS = "(id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES p (id))"
ENOUGH = 400  # deaths of one task
LEFT_OUT = 4  # deaths at statements that a target does not get


@dataclass(frozen=True)
class Case:
    """What is there before, the DDL, and what is written behind it; ``#`` in names is the case's number."""

    ddl: str
    before: Sequence[str] = ()
    behind: Sequence[str] = ()
    not_on: Sequence[str] = ()  # targets that lack it


def of_table(ddl: str, columns: str = N, rows: str = "(1, 1), (2, 2)", row: str = "(11, 11)", **more: Any) -> Case:
    before = (f"CREATE TABLE t# {columns}", f"INSERT INTO t# VALUES {rows}")
    return Case(ddl, before, (f"INSERT INTO t# VALUES {row}",) if row else (), **more)


def of_two(ddl: str, *behind: str, first: str = N, **more: Any) -> Case:
    before = (f"CREATE TABLE a# {first}", f"CREATE TABLE b# {N}")
    rows = ("INSERT INTO a# VALUES (1, 1), (2, 2)", "INSERT INTO b# VALUES (3, 3)")
    return Case(
        ddl, (*before, *rows), behind or ("INSERT INTO a# VALUES (5, 5)", "INSERT INTO b# VALUES (6, 6)"), **more
    )


CASES = (
    Case(f"CREATE TABLE t# {N}", behind=("INSERT INTO t# VALUES (1, 1)",)),
    of_table("CREATE TABLE l# LIKE t#"),
    of_table(f"CREATE OR REPLACE TABLE t# {NM}", row="(1, 2, 3)"),
    of_two("DROP TABLE a#, b#", f"CREATE TABLE b# {NM}", "INSERT INTO b# VALUES (1, 2, 3)"),
    of_two("RENAME TABLE a# TO tmp#, b# TO a#, tmp# TO b#"),
    of_two("RENAME TABLE a# TO c#, b# TO a#", "INSERT INTO a# VALUES (5, 5)", "INSERT INTO c# VALUES (6, 6)"),
    of_table("ALTER TABLE t# RENAME TO r#", row=""),
    of_table("ALTER TABLE t# RENAME TO r#, ADD COLUMN m INT DEFAULT 5", row=""),
    of_table("TRUNCATE TABLE t#", row="(1, 7)"),
    of_table("CREATE INDEX k ON t# (n)"),
    of_table("DROP INDEX k ON t#", "(id INT PRIMARY KEY, n INT, KEY k (n))"),
    Case("CREATE DATABASE {name}_n#", behind=(f"CREATE TABLE {{name}}_n#.t {N}",)),
    Case("ALTER DATABASE {name}_n# COLLATE utf8mb4_bin", ("CREATE DATABASE {name}_n#",)),
    Case("DROP DATABASE {name}_n#", ("CREATE DATABASE {name}_n#", f"CREATE TABLE {{name}}_n#.t {N}")),
    of_table("ALTER TABLE t# ADD COLUMN m INT DEFAULT 5 FIRST", row="(5, 11, 11)"),
    of_table("ALTER TABLE t# ADD COLUMN m VARCHAR(40) DEFAULT (CONCAT('x', n))", row="(11, 11, 'y')"),
    of_table("ALTER TABLE t# ADD COLUMN IF NOT EXISTS m VARCHAR(40) DEFAULT (CONCAT('x', n))", row="(11, 11, 'y')"),
    of_table(
        "ALTER TABLE t# ADD COLUMN m INT DEFAULT 5",
        "(id INT PRIMARY KEY, n VARBINARY(2) DEFAULT X'FFFE')", "(1, X'FD')", "(2, X'FC', 5)",
    ),
    of_table("ALTER TABLE t# MODIFY n BIGINT NOT NULL", row="(11, 5000000000)"),
    of_table("ALTER TABLE t# CHANGE n m BIGINT"),
    of_table("ALTER TABLE t# RENAME COLUMN n TO m"),
    of_table("ALTER TABLE t# RENAME COLUMN n TO m, RENAME COLUMN m TO n", NM, "(1, 2, 3)", "(2, 4, 5)", not_on=("tidb",)),
    of_table("ALTER TABLE t# CHANGE m n INT, DROP n", NM, "(1, 2, 3)", "(2, 4)"),
    of_table("ALTER TABLE t# RENAME COLUMN n TO x, RENAME COLUMN m TO n", NM, "(1, 2, 3)", "(2, 4, 5)"),
    of_table("ALTER TABLE t# DROP COLUMN n", NM, "(1, 2, 3)", "(2, 4)"),
    of_table("ALTER TABLE t# DROP COLUMN n, ADD COLUMN n INT DEFAULT 8", NM, "(1, 2, 3)", "(2, 4, 5)"),
    of_table("ALTER TABLE t# DROP COLUMN n", "(id INT PRIMARY KEY, n INT, m INT, KEY k (n, m))", "(1, 2, 3)", "(2, 4)"),
    of_table(
        "ALTER TABLE t# CHANGE v w VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "(id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, KEY k (id, v), UNIQUE u (v))",
        "(1, 'a')",
        "(2, 'A')",
    ),
    of_table("ALTER TABLE t# ALTER COLUMN n SET DEFAULT 4"),
    of_table("ALTER TABLE t# ADD UNIQUE (n)"),
    of_table("ALTER TABLE t# ADD KEY (n), ADD KEY (n, id)"),
    of_table("ALTER TABLE t# ADD UNIQUE KEY u (n), ADD COLUMN m INT DEFAULT 3", row="(11, 11, 4)"),
    of_table("ALTER TABLE t# ADD PRIMARY KEY (id)", "(id INT NOT NULL, n INT)"),
    of_table("ALTER TABLE t# ADD CHECK (n > 0)"),
    of_table("ALTER TABLE t# ADD CONSTRAINT c# CHECK (n > 0)"),
    of_table("ALTER TABLE t# DROP CONSTRAINT c#", "(id INT PRIMARY KEY, n INT, CONSTRAINT c# CHECK (n > 0))"),
    of_table("ALTER TABLE t# RENAME INDEX k TO l", "(id INT PRIMARY KEY, n INT, KEY k (n))"),
    of_two("ALTER TABLE a# ADD FOREIGN KEY (n) REFERENCES p (id)", "INSERT INTO a# VALUES (5, NULL)"),
    of_two("ALTER TABLE a# ADD CONSTRAINT f# FOREIGN KEY (n) REFERENCES p (id)", "INSERT INTO a# VALUES (5, NULL)"),
    of_two("CREATE INDEX n ON a# (n)", "INSERT INTO a# VALUES (5, NULL)", first=REFERS),
    of_two("ALTER TABLE a# ADD KEY (n), ADD m INT", "INSERT INTO a# VALUES (5, NULL, 3)", first=REFERS),
    of_table("ALTER TABLE t# COMMENT 'other', AUTO_INCREMENT = 100"),
    of_table(
        "ALTER TABLE t# CONVERT TO CHARACTER SET utf8mb4",
        "(id INT PRIMARY KEY, n TEXT) CHARACTER SET latin1", "(1, 'ä')", "(2, 'ö')",
    ),
    of_table("ALTER TABLE t# ADD PARTITION (PARTITION p2 VALUES LESS THAN (30))", f"{N} {RANGES}", row="(21, 1)"),
    of_table("ALTER TABLE t# DROP PARTITION p0", f"{N} {RANGES}"),
    of_table("ALTER TABLE t# TRUNCATE PARTITION p0", f"{N} {RANGES}"),
    of_table(
        "ALTER TABLE t# REORGANIZE PARTITION p0 INTO (PARTITION p VALUES LESS THAN (5), PARTITION q VALUES LESS THAN (10))",
        f"{N} {RANGES}",
    ),
    of_two("ALTER TABLE a# EXCHANGE PARTITION p0 WITH TABLE b#", first=f"{N} {RANGES}"),
    of_table("ALTER TABLE t# REMOVE PARTITIONING", f"{N} {RANGES}"),
    of_table(f"ALTER TABLE t# {RANGES}"),
    of_table("ALTER TABLE t# COALESCE PARTITION 1", f"{N} PARTITION BY HASH (id) PARTITIONS 4"),
    of_table("ALTER TABLE t# ADD PARTITION PARTITIONS 2", f"{N} PARTITION BY HASH (id) PARTITIONS 4"),
)  # fmt: skip


def words(texts: Sequence[str], number: int, name: str) -> list[str]:
    return [text.replace("#", str(number)).replace("{name}", name) for text in texts]


def write(server: RunningServer, database: str, statements: Sequence[str]) -> None:
    with cursor_on(server, database) as cursor:
        for statement in statements:
            cursor.execute(statement)


def databases(server: RunningServer, name: str) -> list[str]:
    """Those of a test."""
    with cursor_on(server) as cursor:
        cursor.execute("SELECT schema_name FROM information_schema.schemata")
        return [one for (one,) in cursor.fetchall() if re.fullmatch(rf"{name}(_n\d+)?", one)]


def prepared(name: str, upstream: RunningServer, target: RunningServer, cases: dict[int, Case]) -> Pair:
    """What is there before, three times: upstream, in the target, and in the target for the task beside."""
    for server, database in ((upstream, name), (target, name), (target, f"{name}x")):
        with cursor_on(server) as cursor:
            for one in (*databases(server, database), f"{database}_meta"):
                cursor.execute(f"DROP DATABASE IF EXISTS {one}")
            cursor.execute(f"CREATE DATABASE {database} DEFAULT CHARACTER SET utf8mb4")
        write(server, database, [f"CREATE TABLE {one} (id INT PRIMARY KEY)" for one in ("finish", "p")])
        write(server, database, ["INSERT INTO p VALUES (1), (2), (3), (4)"])
        for number, case in cases.items():
            write(server, database, words(case.before, number, database))
    return Pair(name, upstream, target)


def tasks(pair: Pair, cases: dict[int, Case]) -> tuple[SubtaskConfig, SubtaskConfig]:
    """The one that dies, and the one beside it."""
    beside, own = f"{pair.name}x", [pair.name, *(f"{pair.name}_n{number}" for number in cases)]
    routes = [{"schema-pattern": one, "target-schema": one.replace(pair.name, beside)} for one in own]
    config = pair.config(block_allow_list={"do-dbs": own})
    more = pair.config(block_allow_list={"do-dbs": own}, routes=tuple(map(RouteRule.model_validate, routes)))
    return config, more.model_copy(update={"task_name": beside, "meta_schema": f"{beside}_meta"})


def is_finished(server: RunningServer, database: str) -> bool:
    with cursor_on(server, database) as cursor:
        cursor.execute("SELECT * FROM finish")
        return bool(cursor.fetchall())


class Dying:
    """A task that dies in this process, at two points in turn, and begins anew until all has arrived."""

    def __init__(
        self, config: SubtaskConfig, points: tuple[str, str], is_done: Callable[[], bool], target: RunningServer
    ) -> None:
        self._config, self._is_done, self._target = config, is_done, target
        self.deaths = 0
        at, nth, last = 0, 1, ""
        while self._dies(f"{points[at]}@{nth}=raise"):
            part = self._part()
            # What may be repeated is, and passes the first point once more.
            nth = 2 if at == 0 and part == last else 1
            at, last = (at, part) if nth == 2 else (1 - at, part)
            self.deaths += 1
            assert self.deaths < ENOUGH, "it dies at the same statement again and again"

    def _part(self) -> str:
        """The statement at which it died."""
        with cursor_on(self._target) as cursor:
            cursor.execute(f"SELECT document FROM {self._config.meta_schema}.{self._config.task_name}_sparkdm_ddl")
            known = json.loads(cursor.fetchone()[0])
        return f"{known['mark']} {len(known['done'])} {known.get('part')}"

    def _dies(self, armed: str) -> bool:
        crashpoints.arm(armed)
        try:
            return not self._run()
        finally:
            crashpoints.arm("")

    def _run(self) -> bool:
        """Whether it came to the end."""
        stop = threading.Event()
        watching = threading.Thread(target=self._watch, args=(stop,))
        watching.start()
        try:
            Syncer(self._config, 1).run(stop)
        except CrashpointRaised:
            return False
        finally:
            stop.set()
            watching.join()
        return True

    def _watch(self, stop: threading.Event) -> None:
        while not stop.wait(0.05):
            if self._is_done():
                stop.set()


def structures(server: RunningServer, database: str) -> dict[str, str]:
    """What SHOW CREATE prints, by name without the test's."""
    with cursor_on(server) as cursor:
        what = [f"DATABASE {one}" for one in databases(server, database)]
        for one in databases(server, database):
            cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (one,))
            what += [f"TABLE {one}.{table}" for (table,) in cursor.fetchall()]
    with server.connect() as connection:
        found = {one: shown_bytes(connection, one).decode("latin1") for one in what}
    return {key.replace(database, ""): text.replace(database, "") for key, text in found.items()}


def rows(server: RunningServer, database: str) -> dict[str, list[Any]]:
    found = {}
    with cursor_on(server) as cursor:
        cursor.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema LIKE %s",
            (f"{database}%",),
        )
        for schema, table in cursor.fetchall():
            if re.fullmatch(rf"{database}(_n\d+)?", schema):
                cursor.execute(f"SELECT * FROM {schema}.{table}")
                found[f"{schema}.{table}"] = sorted(cursor.fetchall(), key=repr)
    return found


@pytest.fixture(params=["mariadb", "mysql", "tidb"])
def target(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("mariadb2" if request.param == "mariadb" else request.param)


def share_of(share: int) -> dict[int, Case]:
    return {number: case for number, case in enumerate(CASES) if number % SHARES == share}


@pytest.mark.parametrize("share", range(SHARES))
def test_each_kind_around_its_statements(target: RunningServer, share: int, mariadb: RunningServer) -> None:
    assert_done_once(f"once_{target.kind}_{share}", mariadb, target, share_of(share), AROUND_STATEMENT)


@pytest.mark.thorough
@pytest.mark.parametrize("share", range(SHARES))
def test_each_kind_around_the_ddl(target: RunningServer, share: int, mariadb: RunningServer) -> None:
    assert_done_once(f"once_{target.kind}_ddl{share}", mariadb, target, share_of(share), AROUND_DDL)


def assert_done_once(
    name: str, upstream: RunningServer, target: RunningServer, cases: dict[int, Case], points: tuple[str, str]
) -> None:
    cases = {number: case for number, case in cases.items() if target.kind not in case.not_on}
    pair = prepared(name, upstream, target, cases)
    config, beside = tasks(pair, cases)
    for one in (config, beside):
        with running(one) as syncer:
            until(lambda syncer=syncer: bool(syncer.status().get("synced")), "it has a checkpoint")
    for number, case in cases.items():
        write(upstream, name, words((case.ddl, *case.behind), number, name))
    write(upstream, name, ["INSERT INTO finish VALUES (1)"])
    with running(beside):
        until(lambda: is_finished(target, f"{name}x"), "the one beside")
    died = Dying(config, points, lambda: is_finished(target, name), target)
    assert died.deaths >= 2 * len(cases) - LEFT_OUT
    wanted, found = structures(target, f"{name}x"), structures(target, name)
    assert found.keys() == wanted.keys()
    assert {key: text for key, text in found.items() if text != wanted[key]} == {}
    expected, arrived = rows(upstream, name), rows(target, name)
    assert {key: some for key, some in arrived.items() if some != expected[key]} == {}
    assert arrived.keys() == expected.keys()
