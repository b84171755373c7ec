"""A process dies while columns get the collation of keys: the next run ends it, and no key of the target is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.sync.pair import cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run, points_of
from tests.servers import RunningServer

CREATE = (
    "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20) NOT NULL DEFAULT 'x' COMMENT 'its own', "
    "KEY ka (a) COMMENT 'first', KEY kba (b(5), a)) "
)
ROWS = "INSERT INTO t VALUES (1, 'a', 'b'), (2, 'ö', 'c')"
LATER = ("CREATE UNIQUE INDEX u ON t (a, b)", "INSERT INTO t VALUES (3, 'u', 'd')")
POINTS = [*points_of("tests/cases/sync/test_later_keys.py"), "syncer.ddl_marked", "syncer.ddl_executed"]


def keys(server: RunningServer, name: str) -> list[tuple[object, ...]]:
    with cursor_on(server) as cursor:
        cursor.execute(
            "SELECT index_name, non_unique, seq_in_index, column_name, sub_part FROM information_schema.statistics "
            "WHERE table_schema = %s AND table_name = 't'",
            (name,),
        )
        return sorted((row[0], int(row[1]), int(row[2]), *row[3:]) for row in cursor.fetchall())


def rows(server: RunningServer, name: str) -> list[tuple[object, ...]]:
    """Of the table, [] before it is there."""
    with cursor_on(server, name) as cursor:
        cursor.execute("SHOW TABLES LIKE 't'")
        if not cursor.fetchall():
            return []
        cursor.execute("SELECT * FROM t ORDER BY id")
        return list(cursor.fetchall())


def columns(server: RunningServer, name: str) -> list[tuple[object, ...]]:
    with cursor_on(server) as cursor:
        cursor.execute(
            "SELECT column_name, column_type, is_nullable, REPLACE(column_default, '''', ''), column_comment, "
            "collation_name FROM information_schema.columns WHERE table_schema = %s AND table_name = 't' "
            "AND column_name <> 'id' ORDER BY ordinal_position",
            (name,),
        )
        return list(cursor.fetchall())


@pytest.mark.parametrize("point", POINTS)
def test_keys_are_whole(point: str, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    _dies_and_goes_on(point, mariadb, tidb, "CHARACTER SET latin1", "utf8mb4_bin", tmp_path)


@pytest.mark.parametrize("point", ["keys.changed", "syncer.ddl_executed"])
def test_in_mariadb(point: str, mysql: RunningServer, mariadb: RunningServer, tmp_path: Path) -> None:
    _dies_and_goes_on(point, mysql, mariadb, "COLLATE utf8mb4_0900_ai_ci", "utf8mb4_nopad_bin", tmp_path)


def _dies_and_goes_on(
    point: str, upstream: RunningServer, target: RunningServer, charset: str, expected: str, folder: Path
) -> None:
    pair = made(f"later_{target.kind}_{point.replace('.', '_')}", upstream, target)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on((CREATE + charset, ROWS), upstream)
        until(lambda: len(rows(target, pair.name)) == 2, "the table with its rows")
    dying = Run(pair.config(), folder, 1, f"{point}=kill")
    pair.on(LATER, upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    assert dying.process.returncode == -9
    with running(pair.config()):
        until(lambda: len(rows(target, pair.name)) == 3, "the row behind it")
    assert rows(target, pair.name) == rows(upstream, pair.name)
    assert keys(target, pair.name) == keys(upstream, pair.name)
    assert columns(target, pair.name) == [
        ("a", "varchar(20)", "YES", "NULL" if target.kind == "mariadb" else None, "", expected),
        ("b", "varchar(20)", "NO", "x", "its own", expected),
    ]
