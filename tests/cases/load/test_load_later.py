"""Foreign keys and late indexes of tables that come from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dm_worker.loader.later import ORPHANS
from tests.cases.full.migration import migrate, outcome, query, start
from tests.cases.full.test_later_objects import indexes, keys
from tests.cases.load.loading import fresh, load_task, write_dump
from tests.servers import RunningServer

CHILD = """CREATE TABLE `child` (
  `id` int NOT NULL,
  `above` int DEFAULT NULL,
  `v` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `above` (`above`),
  KEY `v` (`v`),
  CONSTRAINT `up` FOREIGN KEY (`above`) REFERENCES `parent` (`id`) ON DELETE CASCADE
) DEFAULT CHARSET=utf8mb4;
"""
LOCATION = "SHOW MASTER STATUS:{}\n\tLog: bin.000007\n\tPos: {}\n\tGTID:\n\n"


def _dump(folder: Path, schema: str, metadata: str) -> None:
    write_dump(folder, {
        f"{schema}-schema-create.sql": f"CREATE DATABASE `{schema}`;\n",
        f"{schema}.child-schema.sql": CHILD,
        f"{schema}.child.00000.sql": "INSERT INTO `child` VALUES (1,1,1),(2,NULL,2),(3,77,3);\n",
        f"{schema}.parent-schema.sql": "CREATE TABLE `parent` (`id` int NOT NULL,\n  PRIMARY KEY (`id`));\n",
        f"{schema}.parent.00000.sql": "INSERT INTO `parent` VALUES (1),(2);\n",
    }, f"Started dump at: 2026-01-02 03:04:05\n{metadata}")  # fmt: skip


@pytest.mark.parametrize("is_consistent", [True, False])
def test_they_come_after_the_rows(tidb: RunningServer, tmp_path: Path, is_consistent: bool) -> None:
    schema = f"load_later_{is_consistent}".lower()
    end = "" if is_consistent else LOCATION.format(" /* AFTER CONNECTION POOL ESTABLISHED */", 900)
    _dump(tmp_path, schema, LOCATION.format("", 154) + end)
    fresh(tidb, schema)
    config = load_task(tidb, schema, tmp_path, load={"indexes": "after"})
    if is_consistent:
        ended = outcome(start(config))
        assert (ended["exit"], ended["code"]) == (1, ORPHANS.code), ended["log"]
        assert "(77)" in ended["text"]
        query(tidb, "DELETE FROM child WHERE id = 3", schema)
    migrate(config)
    assert keys(tidb, schema) == {("child", "up", "above", f"{schema}.parent", "id")}
    assert {name for table, name, *_ in indexes(tidb, schema) if table == "child"} == {"PRIMARY", "above", "v"}
    fresh(tidb, schema)
