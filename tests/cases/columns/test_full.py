"""Two sources with colliding keys become one table in TiDB: copied, then replicated, with mapped or added columns."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.columns.tasks import Rules, mapping, partition, route, subtasks
from tests.cases.full.migration import execute, migrate, outcome, query, start
from tests.cases.full.test_tables import THOUSAND
from tests.cases.replicate.replication import Replication, present_position
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("source")

Rows = dict[tuple[str, str, int], Any]  # (source, table, upstream id) → value
ROWS = 300
CHANGES = (
    "UPDATE {table} SET v = CONCAT('updated ', id) WHERE id % 7 = 0",
    "DELETE FROM {table} WHERE id % 5 = 0",
    "INSERT INTO {table} (v) VALUES ('new')",
    "UPDATE {table} SET id = id + 5000 WHERE id % 11 = 1",
)


class Merge:
    """Two sources with two shards each, in schemas of one name."""

    def __init__(self, sources: dict[str, RunningServer], target: RunningServer, schema: str) -> None:
        self.sources = sources
        self.target = target
        self.schema = schema
        self.tables = ("t_1", "t_2")
        for server in (*sources.values(), target):
            execute(server, f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")

    def fill(self, id_type: str = "BIGINT") -> None:
        for source, server in self.sources.items():
            for table in self.tables:
                execute(
                    server,
                    f"CREATE TABLE {table} (id {id_type} AUTO_INCREMENT PRIMARY KEY, v VARCHAR(40))",
                    f"INSERT INTO {table} SELECT n + 1, CONCAT('{source} {table} ', n) FROM ({THOUSAND}) t WHERE n < {ROWS}",
                    database=self.schema,
                )

    def upstream_rows(self) -> Rows:
        return {
            (source, table, row[0]): row[1]
            for source, server in self.sources.items()
            for table in self.tables
            for row in query(server, f"SELECT id, v FROM {table}", self.schema)
        }

    def subtasks(self, rules: Rules) -> list[SubtaskConfig]:
        return subtasks(self.sources, self.target, self.schema, rules, TaskMode.ALL)

    def replicated(self, configs: list[SubtaskConfig], folder: Path) -> None:
        """Replicate the changes of all sources, at the same time."""
        with ExitStack() as running:
            started = []
            for config in configs:
                replication = Replication(folder / f"{self.schema}_{config.source_id}.log")
                running.callback(replication.close)
                replication.start(config)
                started.append((self.sources[config.source_id], replication))
            for source in self.sources.values():
                for table in self.tables:
                    execute(source, *(change.format(table=table) for change in CHANGES), database=self.schema)
            for source, replication in started:
                paused = replication.until(present_position(source))
                assert paused is None, paused
                assert replication.stop()["missingRows"] == 0


@pytest.fixture
def sources(mariadb: RunningServer, mysql: RunningServer) -> dict[str, RunningServer]:
    return {"one": mariadb, "two": mysql}


def test_colliding_ids_merge_by_partition_id(
    sources: dict[str, RunningServer], tidb: RunningServer, tmp_path: Path
) -> None:
    merge = Merge(sources, tidb, "full_partition")
    merge.fill("BIGINT UNSIGNED")
    rules = Rules(
        {"t": route()},
        {"one": partition("1", "", "t", "_"), "two": partition("2", "", "t", "_")},
        {"one": ["one"], "two": ["two"]},
    )
    configs = merge.subtasks(rules)

    def arrived() -> Rows:
        rows = query(tidb, "SELECT id >> 59, (id >> 51) & 255, id & 17592186044415, v FROM t", merge.schema)
        return {(("", "one", "two")[instance], f"t_{table}", number): v for instance, table, number, v in rows}

    for config in configs:
        migrate(config)
    assert len(arrived()) == 4 * ROWS
    assert arrived() == merge.upstream_rows()
    merge.replicated(configs, tmp_path)
    assert arrived() == merge.upstream_rows()


def test_colliding_ids_merge_by_source_and_table_in_the_key(
    sources: dict[str, RunningServer], tidb: RunningServer, tmp_path: Path
) -> None:
    merge = Merge(sources, tidb, "full_extract")
    merge.fill("INT")
    execute(
        tidb,
        "CREATE TABLE t (source VARCHAR(9), part VARCHAR(9), id INT, v VARCHAR(40), PRIMARY KEY (source, part, id))",
        database=merge.schema,
    )
    configs = merge.subtasks(Rules({"t": route(source=("(.*)", "source"), table=("(.*)", "part"))}))

    def arrived() -> Rows:
        return {tuple(row[:3]): row[3] for row in query(tidb, "SELECT source, part, id, v FROM t", merge.schema)}

    for config in configs:
        migrate(config)
    assert arrived() == merge.upstream_rows()
    merge.replicated(configs, tmp_path)
    assert arrived() == merge.upstream_rows()


def test_text_keys_merge_by_a_prefix(sources: dict[str, RunningServer], tidb: RunningServer, tmp_path: Path) -> None:
    schema = "full_prefix"
    merge = Merge(sources, tidb, schema)
    for server in sources.values():
        execute(
            server,
            "CREATE TABLE t (code VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY, n VARCHAR(30), v INT)",
            f"INSERT INTO t SELECT CONCAT('k''ö', n), n, n FROM ({THOUSAND}) t WHERE n < 100",
            database=schema,
        )
    execute(
        tidb, "CREATE TABLE t (code VARCHAR(40) PRIMARY KEY, n VARCHAR(30), v INT) CHARSET utf8mb4", database=schema
    )
    rules = Rules(
        {},
        {
            "one": mapping("add prefix", "1'€-", column="code"),
            "two": mapping("add prefix", "2-", column="code"),
            "numbers": partition("1", "", "", column="n"),
        },
        {"one": ["one", "numbers"], "two": ["two", "numbers"]},
    )
    configs = merge.subtasks(rules)
    for config in configs:
        migrate(config)
    assert arrived_with_prefix(tidb, schema) == expected_with_prefix(sources, schema)
    with ExitStack() as running:
        for config in configs:
            replication = Replication(tmp_path / f"{config.source_id}.log")
            running.callback(replication.close)
            replication.start(config)
            server = sources[config.source_id]
            execute(
                server,
                "UPDATE t SET v = v + 1000, n = n + 100 WHERE v % 3 = 0",
                "DELETE FROM t WHERE v % 7 = 0",
                "UPDATE t SET code = CONCAT(code, 'ß') WHERE v % 5 = 0",
                database=schema,
            )
            assert replication.until(present_position(server)) is None
            replication.stop()
    assert arrived_with_prefix(tidb, schema) == expected_with_prefix(sources, schema)


def arrived_with_prefix(target: RunningServer, schema: str) -> set[tuple[Any, ...]]:
    return set(query(target, "SELECT code, n, v FROM t", schema))


def expected_with_prefix(sources: dict[str, RunningServer], schema: str) -> set[tuple[Any, ...]]:
    prefixes = {"one": "1'€-", "two": "2-"}
    return {
        (prefixes[source] + code, str((1 << 59) + int(n)), v)
        for source, server in sources.items()
        for code, n, v in query(server, "SELECT code, n, v FROM t", schema)
    }


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


@pytest.mark.parametrize(
    ("name", "create", "insert", "words"),
    [
        ("negative", "id BIGINT PRIMARY KEY, v INT", "(5, 1), (-3, 2)", "id = -3 of $DB.t_1 … v=2"),
        ("large", "id BIGINT UNSIGNED PRIMARY KEY, v INT", "(17592186044416, 2)", "id = 17592186044416 of"),
        ("largest", "id BIGINT UNSIGNED PRIMARY KEY, v INT", "(18446744073709551615, 2)", "id = 18446744073709551615"),
        ("zeros", "id VARCHAR(20) PRIMARY KEY, v INT", "('17', 1), ('007', 2)", "id = '007' of"),
        ("words", "id VARCHAR(20) PRIMARY KEY, v INT", "('17', 1), ('', 2)", "id = '' of"),
    ],
)
def test_an_id_that_does_not_fit_pauses_the_copy_and_is_shown(
    source: RunningServer, tidb: RunningServer, name: str, create: str, insert: str, words: str
) -> None:
    schema = f"full_misfit_{name}_{source.kind}"
    merge = Merge({"one": source}, tidb, schema)
    execute(source, f"CREATE TABLE t_1 ({create})", f"INSERT INTO t_1 VALUES {insert}", database=schema)
    [config] = merge.subtasks(Rules({"t": route()}, {"ids": partition("1", "", "t_")}))
    said = outcome(start(config))
    assert said["code"] == 20098
    assert not said["resumable"]
    for part in words.replace("$DB", schema).split(" … "):
        assert part in said["text"]
    assert query(tidb, "SELECT COUNT(*) FROM t", schema) == [(0,)]


@pytest.mark.parametrize(
    ("name", "create", "target", "rules", "code", "words"),
    [
        ("narrow", "id INT PRIMARY KEY", "", partition("1", "", "t_"), 20094, "id is int"),
        ("float", "id FLOAT PRIMARY KEY", "", partition("1", "", "t_"), 20094, "id is float"),
        ("missing", "k BIGINT PRIMARY KEY", "", partition("1", "", "t_"), 20093, "names the column id"),
        ("number", "id BIGINT PRIMARY KEY", "", partition("1", "", "x_"), 20092, "the table name 't_1'"),
    ],
)
def test_what_cannot_be_mapped_is_said_before_a_table_is_made(
    mariadb: RunningServer,
    tidb: RunningServer,
    name: str,
    create: str,
    target: str,
    rules: dict[str, Any],
    code: int,
    words: str,
) -> None:
    schema = f"full_refused_{name}"
    merge = Merge({"one": mariadb}, tidb, schema)
    execute(mariadb, f"CREATE TABLE t_1 ({create})", database=schema)
    [config] = merge.subtasks(Rules({"t": route()}, {"ids": rules}))
    said = outcome(start(config))
    assert said["code"] == code
    assert words in said["text"]
    assert query(tidb, f"SHOW TABLES FROM {schema}") == []


def test_two_shards_with_one_number_are_refused(mariadb: RunningServer, tidb: RunningServer) -> None:
    merge = Merge({"one": mariadb}, tidb, "full_collide")
    execute(mariadb, "CREATE TABLE t_1 (id BIGINT PRIMARY KEY)", "CREATE TABLE t_01 LIKE t_1", database=merge.schema)
    [config] = merge.subtasks(Rules({"t": route()}, {"ids": partition("1", "", "t_")}))
    said = outcome(start(config))
    assert said["code"] == 20097
    assert (
        "full_collide.t_01 and full_collide.t_1" in said["text"]
        or "full_collide.t_1 and full_collide.t_01" in said["text"]
    )


def test_a_column_that_the_route_fills_must_be_there(mariadb: RunningServer, tidb: RunningServer) -> None:
    merge = Merge({"one": mariadb}, tidb, "full_no_column")
    execute(mariadb, "CREATE TABLE t_1 (id BIGINT PRIMARY KEY)", "INSERT INTO t_1 VALUES (1)", database=merge.schema)
    [config] = merge.subtasks(Rules({"t": route(table=("t_(.*)", "part"))}))
    said = outcome(start(config))
    assert said["code"] == 20095
    assert "fills the column part" in said["text"]
    execute(tidb, "CREATE TABLE t (part INT, id BIGINT, PRIMARY KEY (part, id))", database=merge.schema)
    migrate(config, bind_epoch=2)
    assert query(tidb, "SELECT part, id FROM t", merge.schema) == [(1, 1)]
