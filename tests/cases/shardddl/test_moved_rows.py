"""Rows that a source moves between tables which are merged, while one of these waits with its rows for a DDL.

Every way has a key of its own; all are gone at once.  Whatever the policies are, the merged table must have
the shards' rows: what waits is older than what the others have written meanwhile under the same key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

import pymysql
import pytest

from tests.cases.shardddl.world import CHECKER, TARGET, TASK, Sources, World
from tests.cluster import Cluster
from tests.conftest import start_or_report
from tests.servers import RunningServer
from tests.unit.rows.test_converted import PAIRS
from tests.workload.shop import connect

pytestmark = pytest.mark.crossed("source", "target")

COLUMNS = "id INT PRIMARY KEY, a VARCHAR(20), u INT, UNIQUE KEY u (u)"
ADD = "ALTER TABLE {} ADD COLUMN b INT NOT NULL DEFAULT 7"
OUT = ("DELETE FROM t1 WHERE id = {k}", "INSERT INTO t2 (id, a, u) VALUES ({k}, 'old', {k})")
BACK = ("DELETE FROM t2 WHERE id = {k}", "INSERT INTO t1 (id, a, u) VALUES ({k}, 'old', {k})")
AWAY = "UPDATE t1 SET id = {k} + 1 WHERE id = {k}"
AND_OUT = ("DELETE FROM t1 WHERE id = {k} + 1", "INSERT INTO t2 (id, a, u) VALUES ({k} + 1, 'old', {k})")
THERE = ("UPDATE t2 SET id = {k} + 2 WHERE id = {k} + 1", "UPDATE t2 SET u = NULL WHERE id = {k} + 2")

Ways = dict[str, tuple[str, Sequence[str]]]
WAYS: Ways = {  # which table has the row, and what happens to it; t1 waits
    "moved": ("t1", ("BEGIN", *OUT, "COMMIT")),
    "moved, and changed there": ("t1", (*OUT, "UPDATE t2 SET a = 'new' WHERE id = {k}")),
    "moved, and deleted there": ("t1", (*OUT, "DELETE FROM t2 WHERE id = {k}")),
    "changed, and moved": ("t1", ("UPDATE t1 SET a = 'changed', b = 3 WHERE id = {k}", *OUT)),
    "inserted before it is deleted": ("t1", ("BEGIN", *reversed(OUT), "COMMIT")),
    "to the table that waits": ("t2", ("BEGIN", *BACK, "COMMIT")),
    "there and back": ("t2", (*BACK, *OUT)),
    "back and there": ("t1", (*OUT, *BACK)),
    "back, there and back": ("t1", (*OUT, *BACK, "UPDATE t1 SET a = 'mine' WHERE id = {k}", *OUT)),
    "its key changes": (
        "t1",
        ("UPDATE t1 SET id = {k} + 1 WHERE id = {k}", "INSERT INTO t2 (id, a) VALUES ({k}, 'next')"),
    ),
    "another row takes its key": (
        "t1",
        (
            "DELETE FROM t1 WHERE id = {k}",
            "INSERT INTO t2 (id, a, u) VALUES ({k} + 1, 'next', {k} + 1)",
            "UPDATE t2 SET id = {k} WHERE id = {k} + 1",
        ),
    ),
    "its unique value goes": (
        "t1",
        ("UPDATE t1 SET u = NULL, a = 'poor' WHERE id = {k}", "INSERT INTO t2 (id, u) VALUES ({k} + 1, {k})"),
    ),
    "its unique value goes with it": (
        "t1",
        ("DELETE FROM t1 WHERE id = {k}", "INSERT INTO t2 (id, u) VALUES ({k} + 1, {k})"),
    ),
    "its new unique value goes with it": (
        "t1",
        (
            "UPDATE t1 SET u = {k} + 1 WHERE id = {k}",
            "DELETE FROM t1 WHERE id = {k}",
            "INSERT INTO t2 (id, u) VALUES ({k} + 1, {k} + 1)",
        ),
    ),
    "its unique value comes and goes": (
        "t2",
        (
            "UPDATE t2 SET u = NULL WHERE id = {k}",
            "INSERT INTO t1 (id, a, u) VALUES ({k} + 1, 'x', {k})",
            "UPDATE t1 SET u = {k} + 1 WHERE id = {k} + 1",
            "UPDATE t2 SET u = {k} WHERE id = {k}",
        ),
    ),
    "its key changes, and it moves": ("t1", (AWAY, *AND_OUT)),
    "its key changes, it moves, and comes back": (
        "t1",
        (
            AWAY,
            *AND_OUT,
            "DELETE FROM t2 WHERE id = {k} + 1",
            "INSERT INTO t1 (id, a, u) VALUES ({k} + 1, 'mine', {k})",
        ),
    ),
    "its key changes there and back, and it moves": ("t1", (AWAY, "UPDATE t1 SET id = {k} WHERE u = {k}", *OUT)),
    "all of its keys change, and it moves": (
        "t1",
        (
            "UPDATE t1 SET id = {k} + 1 WHERE id = {k}",
            "UPDATE t1 SET id = {k} + 2, u = {k} + 3 WHERE id = {k} + 1",
            "DELETE FROM t1 WHERE id = {k} + 2",
            "INSERT INTO t2 (id, a, u) VALUES ({k} + 2, 'old', {k} + 3), ({k}, 'next', {k})",
        ),
    ),
    "only its key tells it, which changes, and it moves": (
        "t1",
        (
            "UPDATE t1 SET u = NULL WHERE id = {k}",
            AWAY,
            "DELETE FROM t1 WHERE id = {k} + 1",
            "INSERT INTO t2 (id, a) VALUES ({k} + 1, 'old')",
        ),
    ),
    "its key changes, another row gets it, and moves": (
        "t1",
        (
            AWAY,
            "INSERT INTO t1 (id, a, u) VALUES ({k}, 'other', {k} + 1)",
            "DELETE FROM t1 WHERE id = {k}",
            "INSERT INTO t2 (id, a, u) VALUES ({k}, 'other', {k} + 1)",
        ),
    ),
    "it is replaced, and moves": ("t1", ("REPLACE INTO t1 (id, a, u) VALUES ({k} + 1, 'new', {k})", *AND_OUT)),
    "it is made anew, and moves": (
        "t1",
        ("DELETE FROM t1 WHERE id = {k}", "INSERT INTO t1 (id, a, u) VALUES ({k}, 'new', {k})", *OUT),
    ),
    "another row gets its unique value, and moves": (
        "t1",
        (
            "INSERT INTO t1 (id, a, u) VALUES ({k} + 1, 'other', {k} + 1)",
            "UPDATE t1 SET u = NULL WHERE id = {k}",
            "UPDATE t1 SET u = {k} WHERE id = {k} + 1",
            "UPDATE t1 SET u = {k} + 1 WHERE id = {k}",
            *AND_OUT,
        ),
    ),
    "its key changes, it moves, and its key changes there": ("t1", (AWAY, *AND_OUT, *THERE)),
    "it is there before it has gone, and its key changes there": (
        "t1",
        ("BEGIN", "INSERT INTO t2 (id, a, u) VALUES ({k} + 1, 'old', {k})", *THERE, OUT[0], "COMMIT"),
    ),
    "it comes with another key, which changes, and goes back": (
        "t2",
        (
            "DELETE FROM t2 WHERE id = {k}",
            "INSERT INTO t1 (id, a, u) VALUES ({k} + 2, 'old', {k})",
            "UPDATE t1 SET id = {k} + 1 WHERE id = {k} + 2",
            *AND_OUT,
        ),
    ),
}
KEYS = {title: 10 * number for number, title in enumerate(WAYS, 10)}
Source = tuple[Cluster, RunningServer]


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """A cluster of one source."""
    with ExitStack() as stack:
        server = stack.enter_context(start_or_report(request.param))
        cluster = stack.enter_context(Cluster(tmp_path_factory.mktemp("cluster")))
        World(cluster, {"s1": server}, server, source_more=CHECKER).start_cluster()
        yield cluster, server


@pytest.fixture(scope="module")
def merged(mariadb: RunningServer, tidb: RunningServer) -> dict[str, RunningServer]:
    return {"mariadb": mariadb, "tidb": tidb}


def go_ways(world: World, more: int = 0, source: str = "s1", waits: str = "t1") -> Iterator[int]:
    """Go all the ways, with rows that are there; the number of each that was gone.  ``more`` is for other keys."""
    for number, (way, (_, statements)) in enumerate(WAYS.items()):
        world.run(source, *(among(waits, statement).format(k=KEYS[way] + more) for statement in statements))
        yield number


def fill(world: World, more: int = 0, source: str = "s1", waits: str = "t1") -> None:
    keys = {way: KEYS[way] + more for way in WAYS}
    rows = (
        f"INSERT INTO {table} (id, a, u) VALUES ({keys[way]}, 'old', {keys[way]})" for way, (table, _) in WAYS.items()
    )
    world.run(source, *(among(waits, row) for row in rows))


def among(waits: str, statement: str) -> str:
    """A statement with the tables in their parts: t1 is the one that waits."""
    return statement if waits == "t1" else statement.replace("t1", "t0").replace("t2", "t1").replace("t0", "t2")


def wait_equal(world: World, columns: str) -> None:
    cluster = world.cluster
    cluster.wait(lambda: world.is_merged(columns) or bool(failure(cluster)), "all rows, or an error")
    assert not failure(cluster)
    world.wait_resolved()
    world.wait_merged(columns)


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
@pytest.mark.parametrize("policy", ["", "on-duplicate: replace", "on-duplicate: ignore", "safe-mode: true"])
def test_rows_move_while_a_shard_waits(
    source: Source, merged: dict[str, RunningServer], target: str, policy: str
) -> None:
    cluster, server = source
    with World(cluster, {"s1": server}, merged[target], COLUMNS, sync_more=policy).running() as world:
        fill(world)
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"))
        for number in go_ways(world):
            if number % 4 == 0:
                cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t2"))
        wait_equal(world, "id, a, u, b")


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
def test_rows_move_while_a_shard_is_two_ddls_ahead(
    source: Source, merged: dict[str, RunningServer], target: str
) -> None:
    cluster, server = source
    more = "ALTER TABLE {} ADD COLUMN c VARCHAR(9) DEFAULT 'c'"
    with World(cluster, {"s1": server}, merged[target], COLUMNS).running() as world:
        for place in range(3):
            fill(world, place * 1000)
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"))
        list(go_ways(world))
        world.run("s1", more.format("t1"))
        list(go_ways(world, 1000))
        cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t2"))
        list(go_ways(world, 2000))
        world.run("s1", more.format("t2"))
        wait_equal(world, "id, a, u, b, c")


def test_rows_move_in_two_sources(sources: Sources, mariadb: RunningServer) -> None:
    """In the one the first table waits for the second one, in the other the second one for the first one."""
    cluster, servers = sources
    waits = {"s1": "t1", "s2": "t2"}
    with World(cluster, servers, mariadb, COLUMNS).running() as world:
        for place, source in enumerate(servers):
            fill(world, place * 1000, source, waits[source])
        world.wait_merged("id, a, u")
        for place, source in enumerate(servers):
            world.run(source, ADD.format(waits[source]))
            list(go_ways(world, place * 1000, source, waits[source]))
        cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t2"))
        world.wait_waiting("s1")
        world.run("s2", ADD.format("t1"))
        wait_equal(world, "id, a, u, b")


@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_move_to_a_table_that_gets_another_name_later(
    source: Source, merged: dict[str, RunningServer], policy: str
) -> None:
    cluster, server = source
    with World(cluster, {"s1": server}, merged["mariadb"], COLUMNS, sync_more=policy).running() as world:
        fill(world)
        world.run("s1", "CREATE TABLE t3 LIKE t2")
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"))
        list(go_ways(world))
        world.run("s1", "RENAME TABLE t2 TO t0, t3 TO t2, t0 TO t3", "RENAME TABLE t3 TO t5")
        world.run("s1", "INSERT INTO t2 (id) VALUES (5)", "ALTER TABLE t2 RENAME TO t3")
        world.tables["s1"] = ["t1", "t3", "t5"]
        cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t3"), ADD.format("t5"))
        wait_equal(world, "id, a, u, b")


@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_of_a_table_that_waits_and_gets_another_name(
    source: Source, merged: dict[str, RunningServer], policy: str
) -> None:
    """They are its own rows, whatever it is called: it gives up what it took under its former name."""
    cluster, server = source
    rows = "INSERT INTO {} (id, a, u) VALUES ({k}, 'x', {k})"
    more = "ALTER TABLE {} MODIFY a VARCHAR(30)"
    with World(cluster, {"s1": server}, merged["mariadb"], COLUMNS, sync_more=policy).running() as world:
        world.run("s1", *(rows.format("t1", k=key) for key in (1, 2)), rows.format("t2", k=11))
        world.run("s1", "CREATE TABLE t4 LIKE t1", rows.format("t4", k=21))
        world.tables["s1"] = ["t1", "t2", "t4"]
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"), *(rows.format("t1", k=key) for key in (5, 6, 7, 8)))
        world.run("s1", "UPDATE t1 SET a = 'y' WHERE id = 8", "RENAME TABLE t1 TO t3")
        cluster.wait(lambda: "36131" in str(cluster.expect("query-status", TASK)), "the renamed table")
        cluster.expect("binlog", "skip", TASK)
        world.run("s1", rows.format("t4", k=31), "RENAME TABLE t4 TO t5")  # it does not wait
        world.run("s1", "UPDATE t3 SET a = 'z' WHERE id = 5", "DELETE FROM t3 WHERE id = 6")
        world.run("s1", rows.format("t2", k=6), "DELETE FROM t3 WHERE id IN (1, 8)", rows.format("t2", k=1))
        world.run("s1", rows.format("t2", k=8), f"CREATE TABLE t1 ({COLUMNS})", rows.format("t1", k=41))
        world.run("s1", more.format("t3"), "DELETE FROM t3 WHERE id = 5", rows.format("t1", k=5))
        world.tables["s1"] = ["t1", "t2", "t3", "t5"]
        world.run("s1", ADD.format("t5"), "DELETE FROM t5 WHERE id = 31", more.format("t5"))
        cluster.kill_subtasks("w-s1")
        world.run("s1", *(one.format(table) for table in ("t2", "t1") for one in (ADD, more)))
        wait_equal(world, "id, a, u, b")


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_of_a_table_that_is_dropped_while_it_waits_and_made_anew(
    source: Source, merged: dict[str, RunningServer], target: str, policy: str
) -> None:
    """The former one's changes come behind the new one's rows, which have its keys."""
    cluster, server = source
    rows = "INSERT INTO t1 (id, a, u) VALUES {}"
    with World(cluster, {"s1": server}, merged[target], COLUMNS, sync_more=policy).running() as world:
        world.run("s1", rows.format("(1, 'old', 1), (2, 'old', 2)"))
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"), rows.format("(3, 'late', 3)"), "DELETE FROM t1", "DROP TABLE t1")
        world.run("s1", f"CREATE TABLE t1 ({COLUMNS})", rows.format("(1, 'new', 7), (3, 'new', 3), (4, 'new', 2)"))
        cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t1"), ADD.format("t2"))
        wait_equal(world, "id, a, u, b")


@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_a_row_moves_behind_the_place_where_the_stream_went_on(
    source: Source, merged: dict[str, RunningServer], policy: str
) -> None:
    """An operator has passed over a statement: rows count from there on, where no DDL stands."""
    cluster, server = source
    rows = "INSERT INTO {} (id, a, u) VALUES ({k}, 'x', {k})"
    key = "ALTER TABLE {} ADD KEY ka (a)"
    with World(cluster, {"s1": server}, merged["mariadb"], COLUMNS, sync_more=policy).running() as world:
        world.run("s1", *(rows.format("t1", k=number) for number in (1, 2, 3)), rows.format("t2", k=11))
        world.wait_merged("id, a, u")
        world.run("s1", key.format("t1"), ADD.format("t1"), rows.format("t2", k=12))

        def first() -> str:
            found = re.search(r"'firstLocation': '\(([^,]+), (\d+)\)'", str(cluster.subtasks(TASK)))
            return f"{found[1]}:{found[2]}" if found else ""

        cluster.wait(lambda: bool(first()), "the statement that waits")
        place = first()
        cluster.expect("binlog", "skip", TASK, "-s", "s1", "-b", place)
        cluster.expect("pause-task", TASK)
        cluster.expect("resume-task", TASK)
        cluster.wait(lambda: first() not in ("", place), "the next statement waits")
        world.run("s1", "BEGIN", *(one.format(k=1) for one in OUT), "COMMIT")
        world.run("s1", rows.format("t1", k=50), "DELETE FROM t1 WHERE id = 50", rows.format("t2", k=50))
        cluster.kill_subtasks("w-s1")
        world.run("s1", ADD.format("t2"))
        wait_equal(world, "id, a, u, b")


# All columns of the key come to have other types, by which the servers write its values otherwise.
TYPED = (
    "i INT NOT NULL, n DECIMAL(10,2) NOT NULL, d DATE NOT NULL, t DATETIME NOT NULL, b BINARY(4) NOT NULL, "
    "v VARCHAR(9) NOT NULL, e ENUM('o','p') NOT NULL, a VARCHAR(20), UNIQUE KEY k (i, n, d, t, b, v, e)"
)
TYPES = {  # TiDB leaves those of bytes alone
    "i": "VARCHAR(20)", "n": "DECIMAL(12,3)", "d": "DATETIME", "t": "DATETIME(3)", "e": "VARCHAR(9)",
}  # fmt: skip
OF_BYTES = {"b": "BINARY(8)", "v": "VARBINARY(20)"}
GONE, COME = "DELETE FROM {} WHERE i = '{}'", "INSERT INTO {} VALUES ({}, 1.5, {}, {}, 'ab', 'v', 'p', '{}')"


def typed(table: str, key: int, text: str) -> str:
    return COME.format(table, key, "'2020-01-01'", "'2020-01-01 10:00:00'", text)


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_move_whose_keys_are_written_otherwise_behind_the_ddl(
    source: Source, merged: dict[str, RunningServer], target: str, policy: str
) -> None:
    cluster, server = source
    types = TYPES if target == "tidb" else TYPES | OF_BYTES
    modify = "ALTER TABLE {} " + ", ".join(f"MODIFY {name} {kind} NOT NULL" for name, kind in types.items())
    with World(cluster, {"s1": server}, merged[target], TYPED, sync_more=policy).running() as world:
        world.run("s1", *(typed("t1", key, "old") for key in range(1, 5)), typed("t2", 5, "old"))
        world.wait_merged("i, n, a")
        world.run("s1", modify.format("t1"))
        world.run("s1", "BEGIN", GONE.format("t1", 1), typed("t2", 1, "moved"), "COMMIT")
        world.run("s1", "UPDATE t1 SET a = 'changed' WHERE i = '2'", GONE.format("t1", 2), typed("t2", 2, "moved"))
        world.run("s1", GONE.format("t1", 3), typed("t2", 3, "moved"), GONE.format("t2", 3))
        world.run("s1", GONE.format("t1", 4), typed("t2", 4, "there"), GONE.format("t2", 4), typed("t1", 4, "back"))
        world.run("s1", GONE.format("t2", 5), typed("t1", 5, "come"))
        world.run("s1", typed("t1", 6, "born"), GONE.format("t1", 6), typed("t2", 6, "moved"))
        world.run("s1", modify.format("t2"))
        wait_equal(world, ", ".join((*types, "a")))


@pytest.mark.parametrize("target", ["mariadb", "mysql", "tidb"])
def test_a_server_makes_of_a_key_what_is_compared(request: pytest.FixtureRequest, target: str) -> None:
    """Each ALTER of the unit test: the value behind it is the one that another table holds in the new type."""
    server, unlike = request.getfixturevalue(target), []
    with closing(connect(server)) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE converted DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute("USE converted")
        cursor.execute("SET sql_mode=''")
        for number, (old, new, before, behind) in enumerate(PAIRS):
            if behind is None:
                continue
            try:
                cursor.execute(f"CREATE TABLE a{number} (k {old})")
                cursor.execute(f"INSERT INTO a{number} VALUES ({before.decode()})")
                cursor.execute(f"ALTER TABLE a{number} MODIFY k {new}")
            except pymysql.err.MySQLError:
                if target != "tidb":  # which refuses some
                    raise
                continue
            cursor.execute(f"CREATE TABLE b{number} (k {new})")
            cursor.execute(f"INSERT INTO b{number} VALUES ({behind.decode()})")
            cursor.execute(f"SELECT HEX(a.k), HEX(b.k), a.k = b.k FROM a{number} a, b{number} b")
            found = cursor.fetchone()
            if found[0] != found[1] or not found[2]:
                unlike.append((old, new, found))
        cursor.execute("DROP DATABASE converted")
    assert not unlike


def test_a_row_of_which_nobody_knows_what_its_key_becomes(source: Source, merged: dict[str, RunningServer]) -> None:
    cluster, server = source
    with World(cluster, {"s1": server}, merged["mariadb"], "k DATETIME PRIMARY KEY, a VARCHAR(20)").running() as world:
        world.run("s1", "INSERT INTO t1 VALUES ('2020-01-01', 'old')")
        world.wait_merged("k, a")
        world.run("s1", "ALTER TABLE t1 MODIFY k TIMESTAMP NOT NULL DEFAULT '2000-01-01'", "DELETE FROM t1")
        world.run("s1", "INSERT INTO t2 VALUES ('2020-01-01', 'moved')")
        cluster.wait(lambda: "cannot be known" in failure(cluster), "the task pauses")
        assert world.rows(merged["mariadb"], TARGET, "a") == [("old",)]


def test_rows_move_while_a_shard_waits_with_a_new_key(source: Source, merged: dict[str, RunningServer]) -> None:
    cluster, server = source
    key, row = "ALTER TABLE {} ADD PRIMARY KEY (id), ADD UNIQUE KEY u (u)", "INSERT INTO {} VALUES ({}, '{}', {})"
    with World(cluster, {"s1": server}, merged["mariadb"], "id INT, a VARCHAR(20), u INT").running() as world:
        world.run("s1", *(row.format("t1", one, "old", one) for one in (1, 2)))
        world.wait_merged("id, a, u")
        world.run("s1", key.format("t1"), row.format("t1", 3, "born", 3), "DELETE FROM t1 WHERE id = 3")
        world.run("s1", row.format("t2", 3, "moved", 3), "DELETE FROM t1 WHERE id = 1", row.format("t2", 1, "moved", 1))
        world.run("s1", "UPDATE t1 SET u = NULL WHERE id = 2", row.format("t2", 4, "has u", 2), key.format("t2"))
        cluster.wait(lambda: "db1.t1 (`id`) = (1)" in failure(cluster), "the task pauses")
        assert "(2), deleted or changed" in failure(cluster)
        world.sql_downstream(f"DELETE FROM {TARGET} WHERE id = 1 AND a = 'old'")
        world.sql_downstream(f"UPDATE {TARGET} SET u = NULL WHERE id = 2")
        cluster.expect("resume-task", TASK)
        wait_equal(world, "id, a, u")


@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_without_a_key_of_their_own_that_move_are_refused(
    source: Source, merged: dict[str, RunningServer], policy: str
) -> None:
    """A unique key whose columns may be NULL does not tell them from those that have gone to another table."""
    cluster, server = source
    columns = "k VARCHAR(9), v INT, UNIQUE KEY k (k)"
    with World(cluster, {"s1": server}, merged["tidb"], columns, sync_more=policy).running() as world:
        world.run("s1", "INSERT INTO t1 VALUES ('a', 1), (NULL, 2), (NULL, 3)", "INSERT INTO t2 VALUES ('c', 1)")
        world.wait_merged("v")
        world.run("s1", ADD.format("t1"), "DELETE FROM t1 WHERE v = 2", "INSERT INTO t2 (v) VALUES (2)")
        world.run("s1", "DELETE FROM t1 WHERE k = 'a'", "INSERT INTO t2 VALUES ('a', 1)", ADD.format("t2"))
        cluster.wait(lambda: "no key of NOT NULL columns that tells these rows apart" in failure(cluster), "it pauses")
        assert ("a", 1) in world.rows(merged["tidb"], TARGET, "IFNULL(k, ''), v")


@pytest.mark.parametrize("target", ["mariadb", "tidb"])
@pytest.mark.parametrize("policy", ["", "safe-mode: true"])
def test_rows_move_of_which_a_key_sees_a_prefix(
    source: Source, merged: dict[str, RunningServer], target: str, policy: str
) -> None:
    cluster, server = source
    columns = "id INT PRIMARY KEY, k VARCHAR(20), UNIQUE KEY k (k(3))"
    with World(cluster, {"s1": server}, merged[target], columns, sync_more=policy).running() as world:
        world.run("s1", "INSERT INTO t1 VALUES (1, 'abcX'), (2, 'äöüß'), (3, 'z')", "INSERT INTO t2 VALUES (11, 'ccc')")
        world.wait_merged("id, k")
        world.run("s1", ADD.format("t1"), "UPDATE t1 SET k = 'zzz' WHERE id = 1", "INSERT INTO t2 VALUES (13, 'abcY')")
        world.run("s1", "DELETE FROM t1 WHERE id = 2", "INSERT INTO t2 VALUES (14, 'äöüx'), (15, 'zz')")
        world.run("s1", ADD.format("t2"))
        wait_equal(world, "id, k, b")


def test_a_table_is_made_anew_without_the_ddl_that_the_others_had(source: Source, mariadb: RunningServer) -> None:
    cluster, server = source
    with World(cluster, {"s1": server}, mariadb, COLUMNS).running() as world:
        fill(world)
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"), "DELETE FROM t2", "DROP TABLE t2", f"CREATE TABLE t2 ({COLUMNS})")
        list(go_ways(world, 1000))
        world.run("s1", "DELETE FROM t1 WHERE id = 100", "INSERT INTO t2 VALUES (100, 'moved', 100)", ADD.format("t2"))
        wait_equal(world, "id, a, u, b")
        world.run("s1", "ALTER TABLE t1 ADD c INT", "ALTER TABLE t2 ADD c INT")
        wait_equal(world, "id, a, u, b, c")


def test_a_row_that_both_tables_have_for_a_while(source: Source, mariadb: RunningServer) -> None:
    cluster, server = source
    with World(cluster, {"s1": server}, mariadb, COLUMNS).running() as world:
        world.run("s1", "INSERT INTO t1 VALUES (10, 'old', 10)")
        world.wait_merged("id, a, u")
        world.run("s1", ADD.format("t1"), "INSERT INTO t2 VALUES (10, 'new', 10)")
        cluster.wait(lambda: "none of these has given the value up" in failure(cluster), "the task pauses")
        assert world.rows(mariadb, TARGET, "id, a") == [(10, "old")]
        world.run("s1", "DELETE FROM t1 WHERE id = 10")
        cluster.expect("resume-task", TASK)
        world.run("s1", ADD.format("t2"))
        wait_equal(world, "id, a, u, b")


def failure(cluster: Cluster) -> str:
    """What has failed by itself."""
    found = cluster.errors(TASK)
    return "" if "killed by signal 9" in found else found
