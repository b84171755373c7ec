"""A column gets another type where the binlog does not say so: its rows are not written as the former type's."""

from __future__ import annotations

import pytest

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import connect
from pkg.adapters.structures import store_structure
from pkg.binlog.errors import UNLIKE_COLUMN
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from tests.cases.full.one_chunk import options
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

KINDS = [
    ("DECIMAL(10,2)", "DECIMAL(10,4)", "1.2356"),
    ("DATETIME", "DATETIME(3)", "'2020-01-01 00:00:00.623'"),
    ("CHAR(4)", "VARCHAR(4)", "'x  '"),
    ("BINARY(4)", "VARBINARY(4)", "'ab'"),
]


def altered(upstream: RunningServer, target: RunningServer, kind: tuple[str, str, str]) -> Pair:
    """A task has run, then the table was altered without the binlog, and has a row more."""
    old, new, value = kind
    pair = made(f"unlogged_{upstream.kind}_{abs(hash(kind)) % 10**5}", upstream, target)
    pair.both(f"CREATE TABLE t (id INT PRIMARY KEY, v {old})")
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on((f"INSERT INTO t VALUES (1, {value})",), upstream)
        until(lambda: values(pair, target) == values(pair, upstream), "the first row")
    pair.on(("SET sql_log_bin = 0", f"ALTER TABLE t MODIFY v {new}"), upstream)
    pair.on((f"INSERT INTO t VALUES (2, {value})",), upstream)
    return pair


def values(pair: Pair, server: RunningServer) -> list[tuple[object, ...]]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SELECT id, HEX(v), v + 0 FROM t ORDER BY id")
        return list(cursor.fetchall())


@pytest.mark.crossed("upstream")
@pytest.mark.parametrize("kind", KINDS, ids=[f"{old} {new}" for old, new, _ in KINDS])
@pytest.mark.parametrize("upstream", ["mariadb", "mysql"])
def test_its_rows_pause_the_task(
    upstream: str, kind: tuple[str, str, str], tidb: RunningServer, request: pytest.FixtureRequest
) -> None:
    pair = altered(request.getfixturevalue(upstream), tidb, kind)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError) as raised:
            Replication(pair.config()).end(SECONDS)
        assert raised.value.is_a(UNLIKE_COLUMN), raised.value
    assert len(values(pair, tidb)) == 1


def test_the_way_out(mysql: RunningServer, tidb: RunningServer) -> None:
    pair = altered(mysql, tidb, KINDS[0])
    with pytest.raises(DMError):
        Replication(pair.config()).end(SECONDS)
    config = pair.config()
    pair.on(("ALTER TABLE t MODIFY v DECIMAL(10,4)",), tidb)
    with connect(options(tidb), side="downstream") as link:  # as `dmctl binlog-schema update`
        table = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, v DECIMAL(10,4))", pair.name)
        store_structure(link, MetaTables(config.meta_schema, config.task_name), config.source_id, table)
    with running(config):
        until(lambda: values(pair, tidb) == values(pair, mysql), "the row")
