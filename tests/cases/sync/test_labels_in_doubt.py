"""Labels that the upstream shows with ? and does not tell: its account may not read the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dm_master.precheck.gather import gather_upstream
from dm_worker.syncer.former import FORMER_STRUCTURE
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import connect
from pkg.adapters.structures import store_structure
from pkg.binlog.errors import LABEL_IN_DOUBT
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.one_chunk import options
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")
USER = "reads_nothing"
TABLE = "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?', '😀') CHARACTER SET utf8mb4)"


@pytest.fixture(params=["mariadb-tidb", "mysql-mariadb"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    upstream, target = (request.getfixturevalue(name) for name in request.param.split("-"))
    made_pair = made(f"in_doubt_{upstream.kind}", upstream, target)
    made_pair.both(TABLE)
    with cursor_on(upstream) as cursor:
        cursor.execute("SET GLOBAL binlog_row_metadata = DEFAULT")  # FULL tells the labels
        cursor.execute(f"DROP USER IF EXISTS {USER}")
        cursor.execute(f"CREATE USER {USER}")
        cursor.execute(f"GRANT RELOAD, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO {USER}")
        cursor.execute(f"GRANT INSERT ON {made_pair.name}.* TO {USER}")
    yield made_pair
    for server in (upstream, target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE {made_pair.name}")
    with cursor_on(upstream) as cursor:
        cursor.execute(f"DROP USER {USER}")


def config_of(pair: Pair) -> SubtaskConfig:
    name, offset, gtid = pair.here()
    config = pair.config(meta={"binlog-name": name, "binlog-pos": offset, "binlog-gtid": gtid})
    return config.model_copy(update={"upstream": config.upstream.model_copy(update={"user": USER})})


def rows(server: RunningServer, pair: Pair, columns: str = "id, e") -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute(f"SELECT {columns} FROM t ORDER BY id")
        return list(cursor.fetchall())


@pytest.mark.parametrize("said", [True, False], ids=["structure", "grant"])
def test_a_row_with_such_a_label_pauses_until_its_text_is_said(pair: Pair, said: bool) -> None:
    config = config_of(pair)
    pair.on(("INSERT INTO t VALUES (1, 'a')",), pair.upstream)
    with running(config):
        until(lambda: rows(pair.target, pair) == [(1, "a")], "other labels arrive")
    pair.on(("INSERT INTO t VALUES (2, '😀'), (3, '?')",), pair.upstream)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError) as raised:
            Replication(config).end(SECONDS)
        assert raised.value.is_a(LABEL_IN_DOUBT), raised.value
    assert rows(pair.target, pair) == [(1, "a")]
    if said:
        with connect(options(pair.target), side="downstream") as link:
            tables = MetaTables(config.meta_schema, config.task_name)
            store_structure(link, tables, config.source_id, parse_create_table(TABLE, pair.name))
    else:
        pair.on((f"GRANT SELECT ON {pair.name}.* TO {USER}",), pair.upstream)
    with running(config):
        until(lambda: rows(pair.target, pair) == [(1, "a"), (2, "😀"), (3, "?")], "all rows arrive")
    if not said:
        pair.on((f"REVOKE SELECT ON {pair.name}.* FROM {USER}",), pair.upstream)
    pair.on(("INSERT INTO t VALUES (4, '😀')",), pair.upstream)
    with running(config):
        until(lambda: rows(pair.target, pair)[3:] == [(4, "😀")], "what was told is kept")


def test_labels_that_were_others_before_are_not_taken(pair: Pair) -> None:
    config = config_of(pair)
    pair.on(("INSERT INTO t VALUES (1, '😀')",), pair.upstream)
    with pytest.raises(DMError) as raised:
        Replication(config).end(SECONDS)
    assert raised.value.is_a(LABEL_IN_DOUBT), raised.value
    other = TABLE[TABLE.index("ENUM") : -1].replace("😀", "🎉")
    pair.on(("DELETE FROM t",), pair.upstream)
    pair.on((f"ALTER TABLE t MODIFY e {other}", f"GRANT SELECT ON {pair.name}.* TO {USER}"), pair.upstream)
    with pytest.raises(DMError) as raised:
        Replication(config).end(SECONDS)
    assert raised.value.is_a(FORMER_STRUCTURE), raised.value
    assert rows(pair.target, pair) == []


def test_labels_are_told_before_ddl_that_changes_others(pair: Pair) -> None:
    config = config_of(pair)
    pair.on(("INSERT INTO t VALUES (1, 'a')",), pair.upstream)
    with running(config):
        until(lambda: rows(pair.target, pair) == [(1, "a")], "the first row arrives")
        pair.on(("ALTER TABLE t ADD COLUMN n INT DEFAULT 7", "INSERT INTO t VALUES (2, 'a', 8)"), pair.upstream)
        until(lambda: len(rows(pair.target, pair)) == 2, "the second row arrives")
    pair.on(("INSERT INTO t VALUES (3, '😀', 8)", "ALTER TABLE t ADD COLUMN m INT DEFAULT 9"), pair.upstream)
    pair.on(("INSERT INTO t VALUES (4, '?', 1, 2)",), pair.upstream)
    with pytest.raises(DMError) as raised:
        Replication(config).end(SECONDS)
    assert raised.value.is_a(LABEL_IN_DOUBT), raised.value
    pair.on((f"GRANT SELECT ON {pair.name}.* TO {USER}",), pair.upstream)
    with running(config):
        until(lambda: len(rows(pair.target, pair)) == 4, "all rows arrive")
    assert rows(pair.target, pair, "*") == rows(pair.upstream, pair, "*")


def test_the_check_has_true_labels_or_says_which_are_in_doubt(pair: Pair) -> None:
    (table,) = [one for one in gather_upstream(config_of(pair)).tables if one.name[1] == "t"]
    assert table.doubtful == ("e",)
    (table,) = [one for one in gather_upstream(pair.config()).tables if one.name[1] == "t"]
    assert not table.doubtful
    assert table.columns[1].type == "enum('a','?','😀')"
