"""What DM leaves in a target's meta schema, in its own layout, for tests of the take-over."""

from __future__ import annotations

import json
from typing import Any

CHECKPOINT = """CREATE TABLE {meta}.{task}_syncer_checkpoint (
  id VARCHAR(32) NOT NULL, cp_schema VARCHAR(128) NOT NULL, cp_table VARCHAR(128) NOT NULL,
  binlog_name VARCHAR(128), binlog_pos INT UNSIGNED, binlog_gtid TEXT,
  exit_safe_binlog_name VARCHAR(128) DEFAULT '', exit_safe_binlog_pos INT UNSIGNED DEFAULT 0,
  exit_safe_binlog_gtid TEXT, table_info JSON NOT NULL, is_global BOOLEAN,
  create_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  UNIQUE KEY uk_id_schema_table (id, cp_schema, cp_table))"""
SHARDING = """CREATE TABLE {meta}.{task}_syncer_sharding_meta (
  source_id VARCHAR(32) NOT NULL, target_table_id VARCHAR(144) NOT NULL, source_table_id VARCHAR(144) NOT NULL,
  active_index INT, is_global BOOLEAN, data JSON NOT NULL,
  create_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  UNIQUE KEY uk_source_id_table_id_source (source_id, target_table_id, source_table_id))"""
Place = tuple[str, int, str]  # file, offset, GTID set
NOWHERE: Place = ("", 0, "")


class DmLeft:
    """The meta tables of one task that DM ran."""

    def __init__(self, cursor: Any, meta: str, task: str) -> None:
        self._cursor, self._meta, self._task = cursor, meta, task
        cursor.execute(f"CREATE DATABASE IF NOT EXISTS {meta}")
        for definition in (CHECKPOINT, SHARDING):
            cursor.execute(definition.format(meta=meta, task=task))

    def checkpoint(self, source: str, place: Place, exit_point: Place = NOWHERE) -> None:
        """The global row."""
        self._point((source, "", ""), place, exit_point, "null", True)

    def table(self, source: str, schema: str, table: str, place: Place) -> None:
        """A table's own row."""
        info = json.dumps({"name": {"O": table, "L": table}, "cols": []})
        self._point((source, schema, table), place, NOWHERE, info, False)

    def _point(self, name: tuple[str, str, str], place: Place, exit_point: Place, info: str, top: bool) -> None:
        columns = (
            "id, cp_schema, cp_table, binlog_name, binlog_pos, binlog_gtid, exit_safe_binlog_name, "
            "exit_safe_binlog_pos, exit_safe_binlog_gtid, table_info, is_global"
        )
        self._cursor.execute(
            f"INSERT INTO {self._meta}.{self._task}_syncer_checkpoint ({columns}) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (*name, *place, *exit_point, info, top),
        )

    def shard_group(self, source: str, target: str, ddl: str) -> None:
        """A group whose first DDL is not through."""
        data = json.dumps([{"ddls": [ddl], "source": target, "first-position": {"Name": "x", "Pos": 4}}])
        for table, top in (("", True), (target, False)):
            self._cursor.execute(
                f"INSERT INTO {self._meta}.{self._task}_syncer_sharding_meta "
                "(source_id, target_table_id, source_table_id, active_index, is_global, data) "
                "VALUES (%s, %s, %s, 0, %s, %s)",
                (source, target, table, top, data),
            )
