"""Meta tables that another build has made, on real servers: an earlier build's are added to, a later one's refused."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import pytest

from pkg.adapters.meta_structure import OTHER_KEY, create_meta_tables, meta_tables
from pkg.adapters.meta_tables import FORMAT, NEWER_FORMAT, MetaTables, claim_epoch
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.errors import DMError
from pkg.task.secret import Secret
from tests.servers import RunningServer

SOURCE = "s1"


@dataclass
class Meta:
    connection: Connection
    tables: MetaTables

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def structure(self) -> list[tuple[Any, ...]]:
        what = "LOWER(table_name), LOWER(column_name), column_type, is_nullable, column_default, column_key"
        where = f"table_schema = '{self.tables.schema}'"
        return self.rows(f"SELECT {what} FROM information_schema.columns WHERE {where} ORDER BY 1, 2")


@pytest.fixture(params=["mariadb", "tidb"])
def meta(request: pytest.FixtureRequest) -> Iterator[Meta]:
    server: Any = request.getfixturevalue(request.param)
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    with ExitStack() as stack:
        connection = stack.enter_context(closing(connect(options, side="downstream")))
        tables = MetaTables(f"meta_{uuid.uuid4().hex[:8]}", "Of Sales")
        create_meta_tables(connection, tables)
        stack.callback(connection.query, f"DROP DATABASE {tables.schema}")
        yield Meta(connection, tables)


def test_an_earlier_builds_tables_get_what_they_lack_and_keep_what_they_hold(meta: Meta) -> None:
    tables, wanted = meta.tables, meta.structure()
    epoch = claim_epoch(meta.connection, tables, SOURCE, 3)
    meta.connection.query(f"INSERT INTO {tables.checkpoint} (source_id, binlog_name, channels) VALUES ('s1', 'b.7', 4)")
    added = (
        (tables.source, "format"), (tables.source, "start_server"), (tables.source, "taken"), (tables.checkpoint, "checks_keys")
    )  # fmt: skip
    for table, column in (*added, (tables.chunk, "byte_count")):
        meta.connection.query(f"ALTER TABLE {table} DROP COLUMN {column}")
    meta.connection.query(f"DROP TABLE {tables.connection}")
    create_meta_tables(meta.connection, tables)
    assert meta.structure() == wanted
    assert meta.rows(f"SELECT source_id, binlog_name, channels, checks_keys FROM {tables.checkpoint}") == [
        ("s1", "b.7", 4, 0)
    ]
    assert meta.rows(f"SELECT epoch, format, start_server FROM {tables.source}") == [(epoch, 0, "")]
    assert claim_epoch(meta.connection, tables, SOURCE, 3) == epoch + 1
    assert meta.rows(f"SELECT format FROM {tables.source}") == [(FORMAT,)]


def test_a_newer_builds_source_is_refused_and_left_as_it_is(meta: Meta) -> None:
    claim_epoch(meta.connection, meta.tables, SOURCE, 3)
    meta.connection.query(f"UPDATE {meta.tables.source} SET format = {FORMAT + 1}")
    before = meta.rows(f"SELECT epoch, format FROM {meta.tables.source}")
    with pytest.raises(DMError) as raised:
        claim_epoch(meta.connection, meta.tables, SOURCE, 4)
    assert raised.value.is_a(NEWER_FORMAT)
    assert str(FORMAT + 1) in str(raised.value)
    assert meta.rows(f"SELECT epoch, format FROM {meta.tables.source}") == before


def test_a_table_with_another_primary_key_is_refused_by_its_name(meta: Meta) -> None:
    table = meta.tables.temporary
    meta.connection.query(f"DROP TABLE {table}")
    meta.connection.query(f"CREATE TABLE {table} (id INT PRIMARY KEY, source_id VARCHAR(64))")
    with pytest.raises(DMError) as raised:
        create_meta_tables(meta.connection, meta.tables)
    assert raised.value.is_a(OTHER_KEY)
    assert table in str(raised.value)


def test_sources_that_begin_at_the_same_moment_all_find_the_tables(tidb: RunningServer) -> None:
    """TiDB makes no table of two CREATE TABLE IF NOT EXISTS that meet, and refuses none: some of 420 meet."""
    options = ConnectionOptions(tidb.host, tidb.port, "root", Secret(""))
    schema = f"meta_{uuid.uuid4().hex[:8]}"
    tasks = [MetaTables(schema, f"t{number // 2}") for number in range(10)]
    together = Barrier(len(tasks))

    def begin(tables: MetaTables) -> int:
        with closing(connect(options, side="downstream")) as connection:
            together.wait()
            create_meta_tables(connection, tables)
            return len(Meta(connection, tables).rows(f"SHOW TABLES FROM {schema} LIKE '{tables.task}\\_%'"))

    with closing(connect(options, side="downstream")) as connection, ThreadPoolExecutor(len(tasks)) as pool:
        for _ in range(2):
            assert set(pool.map(begin, tasks)) == {len(meta_tables(tasks[0]))}
            connection.query(f"DROP DATABASE {schema}")
