"""Tables with TiDB's own layouts: created by the rules of the task, copied, and replicated with their DDL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pymysql

from pkg.rules.tidb_tables import NOT_A_TIDB
from pkg.task.tidb_block import TidbTable
from tests.cases.full.migration import contents, execute, outcome, query, start, subtask
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import Run, until
from tests.servers import RunningServer

SCHEMA = "laid_out"
COUNTED = "id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20), u INT, UNIQUE KEY u (u), KEY v (v)"
TABLES = ("random", "spread", "pages", "keyless", "small")
RULES: dict[str, dict[str, Any]] = {
    "random": {"table-pattern": "random", "auto-random": 4, "pre-split-regions": 2},
    "spread": {"table-pattern": "spread", "shard-row-id-bits": 3, "primary-key": "nonclustered"},
    "pages": {"table-pattern": "pages", "primary-key": "nonclustered"},
    "keyless": {"table-pattern": "keyless", "shard-row-id-bits": 4, "pre-split-regions": 3},
    "unfit": {"table-pattern": "small", "auto-random": 5},
}


def _rules() -> dict[str, TidbTable]:
    return {name: TidbTable.model_validate({"schema-pattern": SCHEMA} | rule) for name, rule in RULES.items()}


def _made(target: RunningServer, table: str) -> str:
    """The statement that makes the table, without the marks of TiDB's comments."""
    text = str(query(target, f"SHOW CREATE TABLE {SCHEMA}.{table}")[0][1])
    return re.sub(r"/\*T!(?:\[\w+\])? | \*/", "", text)


def _same(source: RunningServer, target: RunningServer) -> bool:
    def everything(server: RunningServer) -> list[Any]:
        return [contents(server, SCHEMA, table) for table in TABLES]

    try:
        return everything(source) == everything(target)
    except pymysql.err.MySQLError:  # a DDL came in between
        return False


def test_layouts_are_made_copied_and_replicated(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    fresh(
        mariadb, tidb, SCHEMA,
        *(f"CREATE TABLE {table} ({COUNTED})" for table in TABLES[:3]),
        "CREATE TABLE keyless (id INT, v VARCHAR(20), u INT)",
        "CREATE TABLE small (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20), u INT)",
        *(f"INSERT INTO {table} SELECT n + 1, CONCAT('row ', n), n FROM ({THOUSAND}) t" for table in TABLES),
    )  # fmt: skip
    run = Run(subtask(mariadb, tidb, SCHEMA, tidb_tables=_rules()), tmp_path, 1)
    try:
        until(lambda: _is_there(tidb) and _same(mariadb, tidb), run, 180)
        assert "AUTO_RANDOM(4)" in _made(tidb, "random")
        assert "AUTO_RANDOM_BASE=" in _made(tidb, "random")
        assert "(`id`) CLUSTERED" in _made(tidb, "random")
        assert "PRE_SPLIT_REGIONS=2" in _made(tidb, "random")
        assert "SHARD_ROW_ID_BITS=3" in _made(tidb, "spread")
        for table in ("spread", "pages"):
            assert "(`id`) NONCLUSTERED" in _made(tidb, table)
        assert "SHARD_ROW_ID_BITS=4 PRE_SPLIT_REGIONS=3" in _made(tidb, "keyless")
        assert "AUTO_INCREMENT" in _made(tidb, "small")
        _change(mariadb)
        until(lambda: _same(mariadb, tidb), run, 180)
        assert "AUTO_RANDOM(4)" in _made(tidb, "random")
    finally:
        run.end()
    (summary,) = query(tidb, f"SELECT document FROM {SCHEMA}_meta.{SCHEMA}_sparkdm_summary")[0]
    assert "rule unfit of tidb-tables is not applied: AUTO_RANDOM needs a primary key" in summary


def _is_there(target: RunningServer) -> bool:
    sql = f"SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '{SCHEMA}'"
    return query(target, sql) == [(len(TABLES),)]


def _change(source: RunningServer) -> None:
    """Rows and DDL of each kind that meet a counter or a key."""
    for table in TABLES:
        has_counter = table != "keyless"
        execute(
            source,
            f"INSERT INTO {table} (v, u) VALUES ('new', 5000), ('newer', 5001)",
            f"UPDATE {table} SET id = id + 100000 WHERE id BETWEEN 10 AND 20",
            f"UPDATE {table} SET v = 'changed' WHERE u % 10 = 3",
            f"DELETE FROM {table} WHERE u BETWEEN 100 AND 120",
            f"ALTER TABLE {table} ADD COLUMN more INT NOT NULL DEFAULT 7, ADD INDEX more (more)",
            f"ALTER TABLE {table} MODIFY v VARCHAR(50)",
            *([f"ALTER TABLE {table} AUTO_INCREMENT = 900000"] if has_counter else []),
            f"INSERT INTO {table} (v, u, more) VALUES ('after the DDL', 6000, 1)",
            f"ALTER TABLE {table} DROP COLUMN more",
            f"REPLACE INTO {table} (v, u) VALUES ('last', 6000)",
            database=SCHEMA,
        )


def test_another_target_is_refused(mariadb: RunningServer, mariadb2: RunningServer) -> None:
    fresh(mariadb, mariadb2, SCHEMA + "_not", "CREATE TABLE t (id INT)")
    ended = outcome(start(subtask(mariadb, mariadb2, SCHEMA + "_not", tidb_tables=_rules())))
    assert (ended["exit"], ended["code"]) == (1, NOT_A_TIDB.code)
    assert "the target is MariaDB" in ended["text"]
