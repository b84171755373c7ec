"""The checks before a task, asked from a real MariaDB through accounts that lack something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from dm_master.precheck.run import run_checks
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables, store_taken
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.task import SubtaskConfig
from pkg.task.secret import Secret
from tests.contract.processes import eventually
from tests.servers.replica import follow, stop_logging

ALL_NEEDED = "REPLICATION SLAVE, REPLICATION CLIENT ON *.*", "SELECT ON `pre\\_up`.*"
TARGET_NEEDED = "ALL ON `pre_down`.*", "ALL ON `pre_meta`.*"


@pytest.fixture
def server(mariadb: Any) -> Iterator[Any]:
    execute(
        mariadb,
        "DROP DATABASE IF EXISTS pre_up",
        "DROP DATABASE IF EXISTS pre_down",
        "DROP DATABASE IF EXISTS pre_meta",
        "DROP USER IF EXISTS 'pre'@'%'",
        "CREATE DATABASE pre_up",
        "CREATE TABLE pre_up.a (id INT PRIMARY KEY, note VARCHAR(20))",
        "CREATE USER 'pre'@'%' IDENTIFIED BY 'pw'",
    )
    yield mariadb
    execute(mariadb, "SET GLOBAL binlog_format = 'ROW'", "SET GLOBAL binlog_row_image = 'FULL'")


def execute(server: Any, *statements: str) -> None:
    connection = pymysql.connect(host=server.host, port=server.port, user="root", autocommit=True, ssl_disabled=True)
    with connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def grant(server: Any, *grants: str) -> None:
    execute(server, *(f"GRANT {one} TO 'pre'@'%'" for one in grants))


def subtask(server: Any, source: str = "s1", **changes: Any) -> SubtaskConfig:
    account = {"host": server.host, "port": server.port, "user": "pre", "password": "pw"}
    values = {
        "task-name": "t",
        "source-id": source,
        "task-mode": "all",
        "meta-schema": "pre_meta",
        "upstream": account,
        "target": account,
        "server-id": 429000001,
        "block-allow-list": {"do-dbs": ["pre_up"]},
        "routes": [{"schema-pattern": "pre_up", "target-schema": "pre_down"}],
    }
    return SubtaskConfig.model_validate(values | changes)


def failures(*subtasks: SubtaskConfig) -> list[str]:
    return [f"{one.text} | {one.instruction}" for one in run_checks(subtasks).failures]


def test_an_account_with_just_what_is_needed_passes(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED)
    report = run_checks([subtask(server)])
    assert not report.failures
    assert not report.warnings


def test_each_missing_privilege_is_named_with_its_grant(server: Any) -> None:
    grant(server, "SELECT ON `pre\\_up`.*", *TARGET_NEEDED)
    (found,) = failures(subtask(server))
    assert "lacks REPLICATION SLAVE, REPLICATION CLIENT on *.*" in found
    assert "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'pre'@'%';" in found
    grant(server, ALL_NEEDED[0])
    execute(server, "REVOKE SELECT ON `pre\\_up`.* FROM 'pre'@'%'")
    assert "GRANT SELECT ON `pre_up`.* TO 'pre'@'%';" in " ".join(failures(subtask(server)))


def test_a_target_schema_that_cannot_be_made_is_named(server: Any) -> None:
    grant(server, *ALL_NEEDED, TARGET_NEEDED[1])
    (found,) = failures(subtask(server))
    assert "lacks CREATE, SELECT, INSERT, UPDATE, DELETE on `pre_down`.*, which is to be created" in found
    assert "GRANT CREATE, SELECT, INSERT, UPDATE, DELETE ON `pre_down`.* TO 'pre'@'%';" in found


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SET GLOBAL binlog_format = 'MIXED'", "binlog_format is MIXED, it must be ROW"),
        ("SET GLOBAL binlog_row_image = 'MINIMAL'", "binlog_row_image is MINIMAL, it must be FULL"),
    ],
)
def test_a_binlog_that_holds_too_little_fails(server: Any, statement: str, words: str) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED)
    execute(server, statement)
    assert words in failures(subtask(server))[0]


def test_an_item_that_is_to_be_ignored_is_left_out(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED)
    execute(server, "SET GLOBAL binlog_format = 'MIXED'")
    ignoring = {"ignore-checking-items": ["binlog_format"]}
    assert not failures(subtask(server, **ignoring))
    assert not failures(subtask(server, **{"ignore-checking-items": ["all"]}))


def test_servers_that_do_not_answer_are_named_and_cannot_be_ignored(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED)
    nowhere = {"host": "127.0.0.1", "port": 1, "user": "pre", "password": "pw"}
    everything = {"ignore-checking-items": ["all"]}
    (upstream,) = failures(subtask(server, upstream=nowhere, **everything))
    assert "source s1: upstream 127.0.0.1:1: cannot be reached" in upstream
    (target,) = failures(subtask(server, target=nowhere, **everything))
    assert "the target: downstream 127.0.0.1:1: cannot be reached" in target


def test_a_wrong_password_is_told_without_the_password(server: Any) -> None:
    wrong = {"host": server.host, "port": server.port, "user": "pre", "password": "s3cret"}
    found = " ".join(failures(subtask(server, target=wrong)))
    assert "access denied for user 'pre'" in found
    assert "s3cret" not in found


def test_shards_that_differ_and_rows_without_a_key_in_the_way(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED, "LOCK TABLES ON `pre\\_up`.*")
    execute(
        server,
        "CREATE TABLE pre_up.b (id BIGINT PRIMARY KEY, note VARCHAR(20), more INT)",
        "CREATE TABLE pre_up.log (note VARCHAR(20))",
        "CREATE DATABASE pre_down",
        "CREATE TABLE pre_down.log (note VARCHAR(20))",
        "INSERT INTO pre_down.log VALUES ('x')",
    )
    routes = [
        {"schema-pattern": "pre_up", "table-pattern": "[ab]", "target-schema": "pre_down", "target-table": "all"},
        {"schema-pattern": "pre_up", "target-schema": "pre_down"},
    ]
    report = run_checks([subtask(server, routes=routes)])
    found = [one.text for one in report.failures]
    assert any("column id is int(11) and bigint(20); column more is missing in the first" in text for text in found)
    assert any(
        "these have rows and no key, the upstream's rows would come on top of them: `pre_down`.`log`" in text
        for text in found
    )
    assert any("no primary key and no unique key without NULLs: `pre_up`.`log`" in one.text for one in report.warnings)
    assert len(found) == 2


def test_rows_of_earlier_runs_of_the_task(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED, "LOCK TABLES ON `pre\\_up`.*")
    tables = MetaTables("pre_meta", "t")
    address = ConnectionOptions(server.host, server.port, "root", Secret(""))
    with connect(address, side="downstream") as connection:
        create_meta_tables(connection, tables)
    columns = "source_id, chunk_id, schema_name, table_name, target_schema, target_table, epoch"
    execute(
        server,
        "CREATE TABLE pre_up.log (note VARCHAR(20))",
        "CREATE DATABASE pre_down",
        "CREATE TABLE pre_down.log (note VARCHAR(20))",
        "INSERT INTO pre_down.log VALUES ('x')",
        f"INSERT INTO {tables.source} (source_id, epoch, load_status) VALUES ('s1', 1, 'finished')",
        f"INSERT INTO {tables.chunk} ({columns}) VALUES ('s1', 0, 'pre_up', 'log', 'pre_down', 'log', 1)",
    )
    narrow = subtask(server, **{"block-allow-list": {"do-tables": [{"db-name": "pre_up", "tbl-name": "a"}]}})
    with connect(address, side="downstream") as connection:
        store_taken(connection, tables, "s1", 1, narrow.taken)
    (added,) = failures(subtask(server))
    assert "rows that they have upstream are not copied: `pre_up`.`log`" in added
    execute(server, f"ALTER TABLE {tables.source} DROP COLUMN taken")  # as an earlier build left it
    assert not failures(subtask(server)), "it goes on"
    assert not failures(subtask(server, "s2")), "it merges"
    (found,) = run_checks([subtask(server)], forgets=True).failures
    assert "--remove-meta copies to tables that have rows: `pre_down`.`log`" in found.text
    execute(server, f"UPDATE {tables.chunk} SET target_table = 'other'")
    execute(server, f"INSERT INTO {tables.structure} VALUES ('s1', 'pre_up', 'log', '{{}}', '', 0)")
    assert not failures(subtask(server, "s2")), "it merges with what is replicated"
    execute(server, f"DELETE FROM {tables.structure}")
    (found_without,) = failures(subtask(server, "s2"))
    assert "would come on top of them: `pre_down`.`log`" in found_without


def test_two_routes_for_one_table_are_told(server: Any) -> None:
    grant(server, *ALL_NEEDED, *TARGET_NEEDED)
    routes = [
        {"schema-pattern": "pre_up", "target-schema": "one"},
        {"schema-pattern": "pre_up", "target-schema": "two"},
    ]
    assert "matches two routes" in failures(subtask(server, routes=routes))[0]


def test_generated_columns_that_tidb_would_calculate_otherwise(server: Any, tidb: Any) -> None:
    grant(server, *ALL_NEEDED)
    execute(
        server,
        "CREATE TABLE pre_up.g (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET latin1, h CHAR(32) AS (MD5(v)) STORED, "
        "n INT AS (id + 1))",
    )
    (found,) = failures(subtask(server, target={"host": tidb.host, "port": tidb.port, "user": "root"}))
    assert "the generated column `pre_up`.`g`.h would hold other values in the target: MD5 reads the bytes" in found


def test_keys_of_shards_that_hold_other_rows_equal(mysql: Any, tidb: Any) -> None:
    """By what the servers say of collations, prefixes and expressions."""
    keys = {
        "a": ("k VARCHAR(9), UNIQUE (k(2))", "k VARCHAR(9), UNIQUE (k)"),
        "b": ("k VARCHAR(9), UNIQUE ((LOWER(k)))", "k VARCHAR(9), UNIQUE ((CONCAT(k, 'it''s')))"),
        "c": ("k VARCHAR(9), UNIQUE ((CONCAT(k, 'it''s')))", "k VARCHAR(9), UNIQUE ((CONCAT(k, 'it''s')))"),
    }
    tables = [f"CREATE TABLE pre_up.{name}_{i} ({one})" for name, two in keys.items() for i, one in enumerate(two)]
    execute(mysql, "DROP DATABASE IF EXISTS pre_up", "CREATE DATABASE pre_up COLLATE utf8mb4_bin", *tables)
    execute(tidb, "DROP DATABASE IF EXISTS pre_down", "DROP DATABASE IF EXISTS pre_meta")
    accounts = {
        side: {"host": server.host, "port": server.port, "user": "root"}
        for side, server in (("upstream", mysql), ("target", tidb))
    }
    routes = [
        {"schema-pattern": "pre_up", "table-pattern": f"{name}_*", "target-schema": "pre_down", "target-table": name}
        for name in keys
    ]
    found = " ".join(failures(subtask(mysql, routes=routes, **accounts)))
    assert "the key (k(2) utf8mb4_bin) of `pre_up`.`a_0` of s1" in found
    assert "the key ((lower(`k`))) of `pre_up`.`b_0` of s1" in found
    assert "pre_up`.`c_" not in found
    made = "CREATE TABLE pre_down.a (k VARCHAR(9) COLLATE utf8mb4_bin, UNIQUE (k(2)))"
    execute(tidb, "CREATE DATABASE pre_down", made)
    found = " ".join(failures(subtask(mysql, routes=routes[:1], **accounts)))
    assert "the key (k(2) utf8mb4_bin) of the target table `pre_down`.`a` may hold rows of `pre_up`.`a_1`" in found
    assert "rows of `pre_up`.`a_0`" not in found


def test_a_primary_key_that_mysql_hides_is_seen(mysql: Any, tidb: Any) -> None:
    """By an account that may do no more than replicate."""
    user = "CREATE USER 'pre'@'%' IDENTIFIED BY 'pw'", *(f"GRANT {one} TO 'pre'@'%'" for one in ALL_NEEDED)
    made = "SET SESSION sql_generate_invisible_primary_key = ON", "CREATE TABLE pre_up.t (a INT)"
    execute(mysql, "DROP USER IF EXISTS 'pre'@'%'", "DROP DATABASE IF EXISTS pre_up", "CREATE DATABASE pre_up")
    execute(mysql, *made, *user, "SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF")
    execute(tidb, "DROP DATABASE IF EXISTS pre_down", "DROP DATABASE IF EXISTS pre_meta")
    target = {"host": tidb.host, "port": tidb.port, "user": "root"}
    try:
        report = run_checks([subtask(mysql, target=target)])
    finally:
        execute(mysql, "SET GLOBAL show_gipk_in_create_table_and_information_schema = ON")
    found = " ".join(one.text for one in (*report.failures, *report.warnings))
    assert "no primary key" not in found, found


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_a_replica_that_does_not_log_what_it_replicates_is_refused(kind: str, server_factory: Any) -> None:
    first, second = server_factory(kind), server_factory(kind)
    execute(first, "CREATE DATABASE pre_up", "CREATE TABLE pre_up.a (id INT PRIMARY KEY)")
    follow(second, first)
    account = {"host": second.host, "port": second.port, "user": "root", "password": ""}
    asked = subtask(second, upstream=account, target=account)

    def found() -> list[str]:
        return [one for one in failures(asked) if "it is a replica" in one]

    assert not found()
    stop_logging(second)
    eventually(found, "it is refused")
