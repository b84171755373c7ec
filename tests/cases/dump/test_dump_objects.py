"""Names, views, sequences, parts of a dump; and one moment of an upstream that is written to."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.metadata import parse_metadata
from tests.cases.dump.dumping import dump_task, listed, load_by_client, text_of
from tests.cases.full.migration import connection, contents, execute, migrate, outcome, query, start
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("source")

ODD = "odd.%2E/na me-schema"
ODD_TABLE = "tä.000000000.sql`x"


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


def _fresh(server: RunningServer, schema: str, *statements: str) -> None:
    execute(server, f"DROP DATABASE IF EXISTS `{schema}`", f"CREATE DATABASE `{schema}` CHARACTER SET latin1")
    execute(server, *statements, database=schema)


def test_any_name_comes_back(source: RunningServer, tmp_path: Path) -> None:
    quoted = "`" + ODD_TABLE.replace("`", "``") + "`"
    _fresh(source, ODD, f"CREATE TABLE {quoted} (`c``1` INT PRIMARY KEY)", f"INSERT INTO {quoted} VALUES (1), (2)")
    migrate(dump_task(source, ODD, tmp_path / "d"))
    assert list(listed(tmp_path / "d").tables) == [(ODD, ODD_TABLE)]
    load_by_client(source, tmp_path / "d", ODD)
    assert query(source, f"SELECT * FROM {quoted}", ODD) == [(1,), (2,)]


def test_views_come_after_tables_with_their_definers(source: RunningServer, tmp_path: Path) -> None:
    _fresh(
        source,
        "viewed",
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) COMMENT 'grün') COMMENT 'für alle'",
        "INSERT INTO t VALUES (1, 'ä'), (2, 'b')",
        "CREATE DEFINER = 'no''body'@'%' SQL SECURITY INVOKER VIEW b_first AS SELECT id, 'ö' o FROM t WHERE v = 'ä'",
        "CREATE VIEW a_second AS SELECT id + 1 n FROM b_first",
    )
    before = query(source, "SHOW CREATE VIEW b_first", "viewed"), contents(source, "viewed", "a_second")
    comment = query(source, "SHOW CREATE TABLE t", "viewed")
    migrate(dump_task(source, "viewed", tmp_path / "d"))
    load_by_client(source, tmp_path / "d", "viewed")
    after = query(source, "SHOW CREATE VIEW b_first", "viewed"), contents(source, "viewed", "a_second")
    assert before[0][0][1] == after[0][0][1]
    assert (before[1], comment) == (after[1], query(source, "SHOW CREATE TABLE t", "viewed"))


def test_sequences_go_on_where_they_are(mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    _fresh(
        mariadb,
        "numbered",
        "CREATE SEQUENCE s START WITH 5 CACHE 10",
        "CREATE TABLE t (id INT PRIMARY KEY DEFAULT NEXTVAL(s), v INT)",
        "INSERT INTO t (v) VALUES (1), (2)",
    )
    migrate(dump_task(mariadb, "numbered", tmp_path / "d"))
    execute(mariadb2, "DROP DATABASE IF EXISTS numbered", "CREATE DATABASE numbered")
    for statement in text_of(tmp_path / "d" / "numbered.s-schema-sequence.sql").decode().split(";\n"):
        if statement:
            execute(mariadb2, statement, database="numbered")
    assert query(mariadb2, "SELECT NEXTVAL(s)", "numbered")[0][0] >= 7


def test_parts_of_a_dump(source: RunningServer, tmp_path: Path) -> None:
    _fresh(
        source,
        "parts",
        "CREATE TABLE t (id INT PRIMARY KEY)",
        "CREATE VIEW v AS SELECT 1",
        "INSERT INTO t VALUES (1), (2), (3), (4)",
    )
    cases = {
        "--no-views": {"parts-schema-create.sql", "parts.t-schema.sql", "parts.t.000000000.sql"},
        "-m": {"parts.t.000000000.sql"},
        "-d -W": {"parts-schema-create.sql", "parts.t-schema.sql"},
    }
    for number, (arguments, files) in enumerate(cases.items()):
        folder = tmp_path / str(number)
        migrate(dump_task(source, "parts", folder, **{"extra-args": arguments}))
        assert {file.name for file in folder.iterdir() if file.name[0] != "."} == files | {METADATA}
    migrate(dump_task(source, "parts", tmp_path / "w", where="id = 1 OR id > 3 # not all", rows=2))
    assert migrate(dump_task(source, "parts", tmp_path / "w2", where="id = 1 OR id > 3", rows=2))["finishedRows"] == 2


def test_a_where_that_no_table_understands_is_named(mariadb: RunningServer, tmp_path: Path) -> None:
    _fresh(mariadb, "parts", "CREATE TABLE t (id INT PRIMARY KEY)")
    ended = outcome(start(dump_task(mariadb, "parts", tmp_path / "d", where="nothing = 1")))
    assert ended["exit"] == 1
    assert "nothing" in ended["text"]


@pytest.mark.parametrize("consistency", ["flush", "lock", "auto"])
def test_one_moment_under_writes(source: RunningServer, consistency: str, tmp_path: Path) -> None:
    """Money goes to and fro between two tables: at any moment the sum is the same."""
    tables = [f"CREATE TABLE {table} (id INT PRIMARY KEY, money INT)" for table in ("a", "b")]
    rows = ", ".join(f"({number}, 100)" for number in range(200))
    _fresh(source, "bank", *tables, f"INSERT INTO a VALUES {rows}", f"INSERT INTO b VALUES {rows}")
    stop, moved = threading.Event(), threading.Event()
    writer = threading.Thread(target=_move, args=(source, stop, moved))
    writer.start()
    try:
        assert moved.wait(30)
        migrate(dump_task(source, "bank", tmp_path / "d", rows=20, consistency=consistency, threads=3))
    finally:
        stop.set()
        writer.join()
    place = parse_metadata((tmp_path / "d" / METADATA).read_text())
    assert place.start is not None
    assert place.end is None
    load_by_client(source, tmp_path / "d", "bank")
    assert query(source, "SELECT SUM(money) FROM (SELECT * FROM a UNION ALL SELECT * FROM b) x", "bank")[0][0] == 40_000


def _move(server: RunningServer, stop: threading.Event, moved: threading.Event) -> None:
    with connection(server, "bank") as link, link.cursor() as cursor:
        number = 0
        while not stop.is_set():
            number += 1
            link.begin()
            cursor.execute("UPDATE a SET money = money - 1 WHERE id = %s", (number * 7 % 200,))
            cursor.execute("UPDATE b SET money = money + 1 WHERE id = %s", (number * 13 % 200,))
            link.commit()
            moved.set()


def test_tables_without_snapshots_are_kept_still_until_they_are_read(source: RunningServer, tmp_path: Path) -> None:
    """Every statement changes all rows alike, so at any moment all are the same."""
    rows = ", ".join(f"({number}, 0)" for number in range(200))
    _fresh(
        source,
        "still",
        "CREATE TABLE m (id INT PRIMARY KEY, n INT) ENGINE = MyISAM",
        "CREATE TABLE i (id INT PRIMARY KEY, n INT)",
        f"INSERT INTO m VALUES {rows}",
        f"INSERT INTO i VALUES {rows}",
    )
    stop, moved = threading.Event(), threading.Event()
    writer = threading.Thread(target=_count, args=(source, stop, moved))
    writer.start()
    try:
        assert moved.wait(30)
        migrate(dump_task(source, "still", tmp_path / "d", rows=20, consistency="flush", threads=2))
        moved.clear()
        assert moved.wait(30), "writers go on after it"
    finally:
        stop.set()
        writer.join()
    load_by_client(source, tmp_path / "d", "still")
    for table in ("m", "i"):
        assert query(source, f"SELECT COUNT(*), COUNT(DISTINCT n) FROM {table}", "still") == [(200, 1)]


def _count(server: RunningServer, stop: threading.Event, moved: threading.Event) -> None:
    with connection(server, "still") as link, link.cursor() as cursor:
        while not stop.is_set():
            cursor.execute("UPDATE m SET n = n + 1")
            cursor.execute("UPDATE i SET n = n + 1")
            moved.set()


def test_rows_of_a_table_whose_columns_are_all_generated(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    execute(mariadb, "DROP DATABASE IF EXISTS dump_gen", "CREATE DATABASE dump_gen")
    execute(mariadb, "CREATE TABLE t (a INT AS (5) STORED)", "INSERT INTO t VALUES (), ()", database="dump_gen")
    migrate(dump_task(mariadb, "dump_gen", tmp_path / "d"))
    load_by_client(mariadb2, tmp_path / "d", "dump_gen")
    assert query(mariadb2, "SELECT a FROM dump_gen.t") == [(5,), (5,)]
