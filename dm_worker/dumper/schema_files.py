"""The files with the structures: databases, tables, views, sequences, in the server's own words."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from dm_worker.dumper.file_chunk import HEAD
from dm_worker.dumper.folder import Folder, write_file
from dm_worker.dumper.layout import database_file, sequence_file, table_file, view_file
from dm_worker.dumper.source_tables import Skipped, SourceTable
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection

log = logging.getLogger(__name__)

_COLLATION: Final = "collation_connection"


class SchemaFiles:
    """Writes them, through one connection to the upstream."""

    def __init__(self, connection: Connection, folder: Folder) -> None:
        self._connection = connection
        self._folder = folder

    def write(self, tables: Sequence[SourceTable], others: Sequence[Skipped], *, views: bool) -> None:
        """All of them; ``others`` are views and sequences."""
        schemas = {table.listed.schema for table in tables} | {one.schema for one in others}
        for schema in sorted(schemas):
            self._database(schema)
        for table in tables:
            listed = table.listed
            write_file(self._folder, table_file(listed.schema, listed.name), HEAD + f"{table.create_sql};\n".encode())
        for one in others:
            if one.kind.endswith("VIEW") and views:
                self._view(one)
            elif one.kind == "SEQUENCE":
                self._sequence(one)
            else:
                log.warning("not dumped: %s.%s is a %s", one.schema, one.name, one.kind)

    def _database(self, schema: str) -> None:
        [row] = self._rows(f"SHOW CREATE DATABASE IF NOT EXISTS {quoted(schema)}")
        write_file(self._folder, database_file(schema), f"{row[1]};\n".encode())

    def _view(self, view: Skipped) -> None:
        """As mydumper does: a table with the view's columns stands in until all tables are there."""
        name = quoted(view.name)
        columns = ",\n".join(f"{quoted(str(row[0]))} int" for row in self._rows(f"SHOW COLUMNS FROM {_full(view)}"))
        stand_in = f"CREATE TABLE IF NOT EXISTS {name}(\n{columns}\n);\n"
        write_file(self._folder, table_file(view.schema, view.name), HEAD + stand_in.encode())
        # Names of its own schema are not qualified in the view's text when that schema is the current one.
        self._connection.select_db(view.schema)
        [row] = self._rows(f"SHOW CREATE VIEW {_full(view)}")
        lines = [f"DROP TABLE IF EXISTS {name};", f"DROP VIEW IF EXISTS {name};"]
        lines += [f"SET @PREV_COLLATION = @@{_COLLATION};", f"SET {_COLLATION} = {row[3]};", f"{row[1]};"]
        lines += [f"SET {_COLLATION} = @PREV_COLLATION;"]
        write_file(self._folder, view_file(view.schema, view.name), HEAD + "\n".join([*lines, ""]).encode())

    def _sequence(self, sequence: Skipped) -> None:
        [[_, create]] = self._rows(f"SHOW CREATE SEQUENCE {_full(sequence)}")
        [[following]] = self._rows(f"SELECT next_not_cached_value FROM {_full(sequence)}")
        text = f"{create};\nDO SETVAL({quoted(sequence.name)}, {following}, 0);\n"
        write_file(self._folder, sequence_file(sequence.schema, sequence.name), HEAD + text.encode())

    def _rows(self, sql: str) -> list[Any]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


def _full(one: Skipped) -> str:
    return f"{quoted(one.schema)}.{quoted(one.name)}"
