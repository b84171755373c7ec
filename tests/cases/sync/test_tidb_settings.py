"""Rows and structures are the upstream's, whatever TiDB's global variables are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.transaction import in_transaction
from pkg.errors import DMError
from pkg.task.secret import Secret
from pkg.task.stage import TaskMode
from tests import servers
from tests.cases.full.migration import contents, execute, migrate, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.sync.pair import made, running, until
from tests.servers import RunningServer

SCHEMA = "tidb_settings"
TABLES = (
    "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(20), n INT, u INT UNIQUE)",
    "CREATE TABLE k (v VARCHAR(20), n INT)",
    "CREATE TABLE s (k VARCHAR(20) PRIMARY KEY, n BIGINT AUTO_INCREMENT UNIQUE)",
)
ROWS = (
    "INSERT INTO a VALUES (1, 'ä😀', 1, 1), (2, '', NULL, NULL), (3, 'x', 3, NULL)",
    "INSERT INTO k VALUES ('a', 1), ('a', 1), (NULL, NULL)",
    "INSERT INTO s VALUES ('A', 7), ('b', 9)",
)
CHANGES = (
    "UPDATE a SET v = 'y', u = u + 10",
    "DELETE FROM k WHERE n = 1 LIMIT 1",
    "UPDATE k SET n = 5",
    "ALTER TABLE a ADD c INT DEFAULT 4, ADD KEY (n)",
    "INSERT INTO a (id, v) VALUES (4, 'z')",
    "UPDATE s SET k = CONCAT(k, k)",
    "DELETE FROM a WHERE id = 2",
    "CREATE TABLE b LIKE a",
    "INSERT INTO b SELECT * FROM a",
)
GLOBALS = {
    "tidb_txn_mode": "'optimistic'",
    "transaction_isolation": "'READ-COMMITTED'",
    "tidb_replica_read": "'closest-replicas'",
    "tidb_skip_utf8_check": "1",
    "tidb_enable_noop_functions": "1",
    "transaction_read_only": "1",
    "tidb_enable_clustered_index": "0",
    "tidb_shard_row_id_bits": "4",
    "sql_safe_updates": "1",
    "auto_increment_increment": "10",
    "div_precision_increment": "1",
    "tidb_enable_check_constraint": "1",
    "tidb_multi_statement_mode": "'ON'",
    "default_collation_for_utf8mb4": "'utf8mb4_general_ci'",
    "time_zone": "'+05:00'",
    "sql_mode": "'ANSI'",
    "tidb_enable_unsafe_substitute": "1",
    "character_set_server": "'latin1'",
    "collation_server": "'latin1_bin'",
    "innodb_lock_wait_timeout": "2",
    "foreign_key_checks": "0",
    "tidb_retry_limit": "0",
}


@pytest.fixture(scope="module")
def odd() -> Iterator[RunningServer]:
    """A TiDB with such variables."""
    with servers.start("tidb") as server:
        execute(server, *[f"SET GLOBAL {name} = {value}" for name, value in GLOBALS.items()])
        yield server


@contextlib.contextmanager
def reading_of_the_past(server: RunningServer) -> Iterator[None]:
    """Sessions that begin meanwhile write nothing, unless they set it otherwise."""
    execute(server, "SET GLOBAL tidb_low_resolution_tso = 1")
    try:
        yield
    finally:
        execute(server, "SET GLOBAL tidb_low_resolution_tso = 0")


def test_by_a_full_migration(mysql: RunningServer, odd: RunningServer) -> None:
    fresh(mysql, odd, SCHEMA, *TABLES, *ROWS)
    with reading_of_the_past(odd):
        migrate(subtask(mysql, odd, SCHEMA).model_copy(update={"task_mode": TaskMode.FULL}))
    assert [contents(odd, SCHEMA, one) for one in "aks"] == [contents(mysql, SCHEMA, one) for one in "aks"]


def test_by_replication(mysql: RunningServer, odd: RunningServer) -> None:
    pair = made(SCHEMA, mysql, odd)
    config = pair.config()
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on((*TABLES, *ROWS), mysql)
        pair.on(["UPDATE counter SET n = n + 1"], mysql)
        until(pair.is_equal, "rows")
    with reading_of_the_past(odd), running(config):
        pair.on((*CHANGES, "INSERT INTO log VALUES (7, 'last')"), mysql)
        until(pair.is_equal, "the last row")
    assert [contents(odd, SCHEMA, one) for one in "aksb"] == [contents(mysql, SCHEMA, one) for one in "aksb"]


def test_a_statement_that_ends_the_connection_tells_why(odd: RunningServer) -> None:
    """TiDB closes it at once, and the rollback meets that."""
    execute(odd, "SET GLOBAL max_allowed_packet = 1024")
    try:
        connection = connect(ConnectionOptions(odd.host, odd.port, "root", Secret("")), side="downstream")
        with pytest.raises(DMError, match="code=10208"):
            in_transaction(connection, lambda cursor: cursor.execute(f"SELECT '{'x' * 5000}'"))
    finally:
        execute(odd, "SET GLOBAL max_allowed_packet = 67108864")
