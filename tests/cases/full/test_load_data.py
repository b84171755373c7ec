"""Chunks by LOAD DATA from memory: what it does not say of a row is found out, and no row is lost or changed."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from dm_worker.dumper.chunks import bound_to_text
from dm_worker.loader.chunk_copy import ChunkDone
from dm_worker.loader.own_rows import ROWS_MADE_ONE
from dm_worker.loader.writer import DUPLICATE_ROW, WARNED
from pkg.adapters.meta_tables import FENCED, claim_epoch
from pkg.adapters.mysql.errors import PACKET_TOO_BIG, VALUE_REFUSED
from tests.cases.full.migration import execute, query
from tests.cases.full.one_chunk import SOURCE_ID, OneChunk, linked
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

TABLE = "id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, UNIQUE KEY u (v)"


@pytest.fixture(params=["tidb", "mariadb2", "mysql"])
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


@pytest.fixture(autouse=True)
def log_of_ways(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dm_worker.loader.chunk_copy")


def ways(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The ways that were taken after the first one."""
    return [record.getMessage().split(" goes by ")[1].split(":")[0] for record in caplog.records]


def rows(chunk: OneChunk) -> list[tuple[Any, ...]]:
    return query(chunk.target, "SELECT * FROM t ORDER BY 1", chunk.target_schema)


def in_target(chunk: OneChunk, *inserted: str) -> None:
    execute(chunk.target, *[f"INSERT INTO t VALUES {row}" for row in inserted], database=chunk.target_schema)


def refused(done: ChunkDone) -> str:
    assert done.error is not None
    return done.error.message


@pytest.mark.parametrize(
    "counter", ["id INT PRIMARY KEY AUTO_INCREMENT", "id BIGINT UNSIGNED AUTO_INCREMENT, KEY (id)"]
)
def test_a_row_keeps_the_number_0(
    counter: str, mariadb: RunningServer, target: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Beside a column that goes through a variable, since the target converts it."""
    chunk = OneChunk(mariadb, target, "load_zero")
    chunk.fill(f"{counter}, v VARCHAR(10) CHARACTER SET latin1, e ENUM('x', 'ä')", "(5, 'zero', 'ä')", "(1, 'é', 'x')")
    execute(mariadb, "UPDATE t SET id = 0 WHERE id = 5", database=chunk.schema)
    done = chunk.copy()
    assert (done.error, done.rows) == (None, 2)
    assert rows(chunk) == [(0, "zero", "ä"), (1, "é", "x")]
    assert ways(caplog) == []


def test_rows_arrive_in_one_statement(
    mariadb: RunningServer, target: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    chunk = OneChunk(mariadb, target, "load_plain")
    chunk.fill(TABLE, "(1, 'a')", "(2, NULL)", "(3, '')", "(-4, 'ä🦆\\t\\n\\\\N')")
    done = chunk.copy()
    assert (done.error, done.rows) == (None, 4)
    assert rows(chunk) == [(-4, "ä🦆\t\n\\N"), (1, "a"), (2, None), (3, "")]
    assert ways(caplog) == []
    assert chunk.copy().rows == 4  # it is done, and not done again


def test_rows_that_are_there_already_give_way(
    mariadb: RunningServer, target: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    chunk = OneChunk(mariadb, target, "load_replace")
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    in_target(chunk, "(1, 'old')", "(7, 'b')", "(8, 'stays')")
    assert chunk.copy().error is None
    assert rows(chunk) == [(1, "a"), (2, "b"), (3, "c"), (8, "stays")]
    assert ways(caplog) == ["LOAD DATA REPLACE"]


def test_rows_that_are_there_already_stay_where_the_task_says_so(
    mariadb: RunningServer, target: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    chunk = OneChunk(mariadb, target, "load_ignore", on_duplicate="ignore")
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    in_target(chunk, "(1, 'old')", "(7, 'b')")
    assert chunk.copy().error is None
    assert rows(chunk) == [(1, "old"), (3, "c"), (7, "b")]
    assert ways(caplog) == []


def test_colliding_rows_are_shown_with_the_table_they_came_from(mariadb: RunningServer, target: RunningServer) -> None:
    chunk = OneChunk(mariadb, target, "load_error", on_duplicate="error")
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')", tables=("shard_1", "shard_2"))
    execute(chunk.source, "UPDATE shard_2 SET id = id + 10, v = CONCAT(v, id)", database=chunk.schema)
    execute(chunk.source, "INSERT INTO shard_2 VALUES (2, 'mine')", database=chunk.schema)
    assert chunk.copy(0).error is None
    done = chunk.copy(1)
    assert done.error is not None
    assert done.error.is_a(DUPLICATE_ROW)
    assert "ours (`id`=2, `v`='mine'), there (`id`=2, `v`='b'), which `load_error`.`shard_1` has, too" in refused(done)
    assert rows(chunk) == [(1, "a"), (2, "b")]


def test_a_run_that_was_replaced_says_so_and_speaks_of_no_duplicates(
    mariadb: RunningServer, target: RunningServer
) -> None:
    chunk = OneChunk(mariadb, target, "load_fenced", on_duplicate="error")
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')")
    asked: list[int] = []

    def replaced() -> bool:
        """By a run that has already written the rows, when this one is about to."""
        if not asked:
            asked.append(1)
            with linked(chunk.target) as connection:
                claim_epoch(connection, chunk.meta, SOURCE_ID, 2)
            in_target(chunk, "(1, 'a')", "(2, 'b')")
        return False

    done = chunk.copy(stopped=replaced)
    assert done.error is not None
    assert done.error.is_a(FENCED)
    assert rows(chunk) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("there", "row"),
    [
        ("id INT PRIMARY KEY, v VARCHAR(3)", "(2, 'long')"),
        ("id INT PRIMARY KEY, v VARCHAR(10) NOT NULL", "(2, NULL)"),
        ("id INT PRIMARY KEY, v INT", "(2, 'x')"),
        ("id INT PRIMARY KEY, v VARCHAR(10), CONSTRAINT c CHECK (id < 2)", "(2, '2')"),
        ("id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin", "(2, '漢')"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_that_names_the_row(
    mariadb: RunningServer, target: RunningServer, there: str, row: str
) -> None:
    if ("latin1" in there and target.kind == "tidb") or ("CHECK" in there and target.kind != "mysql"):
        return  # TiDB's latin1 takes every character; the others' checks are off by default, or off for a copy
    chunk = OneChunk(mariadb, target, "load_misfit")
    chunk.fill(TABLE, "(1, '1')", row, at=there)
    done = chunk.copy()
    assert done.error is not None
    assert VALUE_REFUSED.matches(done.error)
    assert "the row of `load_misfit`.`t`, on its way to `load_misfit_to`.`t`: (`id`=2, `v`=" in refused(done)
    assert rows(chunk) == []


def test_digits_that_would_be_cut_are_an_error_that_names_the_row(
    mariadb: RunningServer, target: RunningServer
) -> None:
    chunk = OneChunk(mariadb, target, "load_digits")
    chunk.fill("id INT PRIMARY KEY, v DECIMAL(9,4)", "(1, 1.5)", "(2, 1.2345)", at="id INT PRIMARY KEY, v DECIMAL(9,1)")
    done = chunk.copy()
    assert done.error is not None
    assert done.error.is_a(WARNED)
    assert "the row: (`id`=2, `v`=1.2345)" in refused(done)
    assert rows(chunk) == []


def test_a_row_that_tidb_finds_too_large_is_named(mariadb: RunningServer, tidb: RunningServer) -> None:
    chunk = OneChunk(mariadb, tidb, "load_large")
    chunk.fill("id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4", "(1, 'a')", "(2, REPEAT('b', 7000000))")
    done = chunk.copy()
    assert done.error is not None
    assert PACKET_TOO_BIG.matches(done.error)
    assert "(`id`=2, `v`='bbb" in refused(done)
    assert len(refused(done)) < 1000


@pytest.mark.parametrize("more", ["", ", g INT AS (id % 3) VIRTUAL", ", g INT AS (id % 3) STORED"])
def test_dates_that_load_data_of_tidb_does_not_take_go_by_statement(
    mariadb: RunningServer, target: RunningServer, caplog: pytest.LogCaptureFixture, more: str
) -> None:
    chunk = OneChunk(mariadb, target, "load_dates")
    rest = ", DEFAULT" if more else ""
    chunk.fill(f"id INT PRIMARY KEY, v DATE{more}", f"(1, '2024-02-30'{rest})", f"(2, '2024-00-00'{rest})")
    assert chunk.copy().error is None
    assert query(target, "SELECT CONCAT(v) FROM t ORDER BY id", chunk.target_schema) == [
        ("2024-02-30",),
        ("2024-00-00",),
    ]
    assert ways(caplog) == (["INSERT"] if target.kind == "tidb" else [])


def test_many_rows_go_in_several_statements_of_one_transaction(mariadb: RunningServer, target: RunningServer) -> None:
    chunk = OneChunk(mariadb, target, "load_many", on_duplicate="ignore")
    chunk.fill("id INT PRIMARY KEY")
    digits = "(SELECT 0 n UNION ALL " + " UNION ALL ".join(f"SELECT {n}" for n in range(1, 10)) + ")"
    number = " + ".join(f"d{power}.n * {10**power}" for power in range(5))
    tables = ", ".join(f"{digits} d{power}" for power in range(5))
    execute(mariadb, f"INSERT INTO t SELECT {number} FROM {tables}", database=chunk.schema)
    execute(target, "INSERT INTO t VALUES (5), (70000)", database=chunk.target_schema)
    assert chunk.copy().rows == 100_000
    assert query(target, "SELECT COUNT(*), SUM(id) FROM t", chunk.target_schema) == [(100_000, 4999950000)]


@pytest.mark.parametrize("on_duplicate", ["replace", "error", "ignore"])
def test_statements_do_the_same_where_local_infile_is_off(
    mariadb: RunningServer, target: RunningServer, on_duplicate: str
) -> None:
    chunk = OneChunk(mariadb, target, "load_off", streams=False, on_duplicate=on_duplicate)
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    in_target(chunk, "(2, 'old')")
    done = chunk.copy()
    if on_duplicate == "error":
        assert "ours (`id`=2, `v`='b'), there (`id`=2, `v`='old')" in refused(done)
    assert (
        rows(chunk)
        == {
            "replace": [(1, "a"), (2, "b"), (3, "c")],
            "ignore": [(1, "a"), (2, "old"), (3, "c")],
            "error": [(2, "old")],
        }[on_duplicate]
    )


def test_a_server_that_refuses_gets_statements(
    mariadb: RunningServer, mariadb2: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    chunk = OneChunk(mariadb, mariadb2, "load_refused", streams=True)
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')")
    execute(mariadb2, "SET GLOBAL local_infile = 0")
    try:
        assert chunk.copy().error is None
    finally:
        execute(mariadb2, "SET GLOBAL local_infile = 1")
    assert rows(chunk) == [(1, "a"), (2, "b")]
    assert ways(caplog) == ["INSERT"]


def test_vectors_reach_mysql_as_bytes(mysql: RunningServer, caplog: pytest.LogCaptureFixture) -> None:
    chunk = OneChunk(mysql, mysql, "load_vectors")
    chunk.fill(
        "id INT PRIMARY KEY, v VECTOR(4), p POINT, j JSON", "(1, x'0000803f0a0d095c', POINT(1, 2), '{\"a\": 1}')"
    )
    assert chunk.copy().error is None
    shown = "SELECT HEX(v), HEX(p), j FROM t"
    assert query(mysql, shown, chunk.target_schema) == query(mysql, shown, chunk.schema)
    assert ways(caplog) == []


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_doubles_of_many_digits_arrive_to_the_last_bit(
    kind: str, tidb: RunningServer, request: pytest.FixtureRequest
) -> None:
    """TiDB rounds a DOUBLE(M,D); of those that it does not have, the text of a value has too few digits."""
    chunk = OneChunk(request.getfixturevalue(kind), tidb, "load_doubles")
    rows_there = ("(1, 8269280812.0930805, 38945767667468.77)", "(2, 977124603158.1, 5.81)", "(3, -5.81, 4.35636)")
    chunk.fill(
        "id INT PRIMARY KEY, a DOUBLE(30,10), b DOUBLE(20,5)", *rows_there, at="id INT PRIMARY KEY, a DOUBLE, b DOUBLE"
    )
    assert chunk.copy().error is None
    shown = "SELECT id, a * 1e0, b * 1e0 FROM t ORDER BY id"
    assert query(tidb, shown, chunk.target_schema) == query(chunk.source, shown, chunk.schema)


UNCERTAIN = (
    "id INT PRIMARY KEY, e ENUM('0', '1') NOT NULL, f FLOAT(10,2), b FLOAT(8,0), d DOUBLE(20,2), s VARCHAR(20), "
    "g TINYINT AS (s) STORED, w VARCHAR(2) AS (s) STORED"
)


@pytest.mark.parametrize("streams", [True, False])
def test_values_that_a_strict_target_refuses_arrive(
    mariadb: RunningServer, target: RunningServer, streams: bool
) -> None:
    chunk = OneChunk(mariadb, target, "load_uncertain", streams=streams)
    chunk.fill(UNCERTAIN)
    columns = "INSERT INTO t (id, e, f, b, d, s) VALUES"
    values = ("(1, 'none', 1e30, -1e30, 1e30, 'abc')", "(2, '0', -1e30, 1e30, -1e30, '12abc')", "(3, '', 1, 1, 1, '7')")
    execute(chunk.source, "SET sql_mode = ''", *[f"{columns} {row}" for row in values], database=chunk.schema)
    assert chunk.copy().error is None
    shown = "SELECT id, e + 0, f * 1e0, b * 1e0, d * 1e0, s, g, w FROM t ORDER BY id"
    found = query(chunk.target, shown, chunk.target_schema)
    assert found == query(chunk.source, shown, chunk.schema)
    assert [row[1] for row in found] == [0, 1, 0]


@pytest.mark.parametrize("streams", [True, False])
def test_a_warning_that_words_are_deprecated_does_not_stop_the_copy(mysql: RunningServer, streams: bool) -> None:
    chunk = OneChunk(mysql, mysql, "load_words", streams=streams)
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(20), d DATETIME AS (CAST(v AS DATETIME)) STORED, e ENUM('a')")
    values = ("(1, '2020:01:01', 'a')", "(2, '2020-01-02', 'none')")
    inserts = [f"INSERT INTO t (id, v, e) VALUES {row}" for row in values]
    execute(mysql, "SET sql_mode = ''", *inserts, database=chunk.schema)
    assert chunk.copy().error is None
    shown = "SELECT id, v, d, e + 0 FROM t ORDER BY id"
    assert query(mysql, shown, chunk.target_schema) == query(mysql, shown, chunk.schema)


@pytest.mark.parametrize("streams", [True, False])
def test_rows_that_a_functional_key_cuts_arrive(mysql: RunningServer, streams: bool) -> None:
    chunk = OneChunk(mysql, mysql, "load_functional", streams=streams)
    rows = ("(1, 'abc')", "(2, '5x')", "(3, '2024-02-31')", "(4, '7')")
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(20), KEY n ((CAST(v AS SIGNED))), UNIQUE ((CAST(v AS DATE)), id)", *rows)
    assert chunk.copy().error is None
    shown = "SELECT id, v FROM t ORDER BY id"
    assert query(mysql, shown, chunk.target_schema) == query(mysql, shown, chunk.schema)


@pytest.mark.parametrize("streams", [True, False])
def test_a_label_that_the_target_lacks_is_refused(mariadb: RunningServer, target: RunningServer, streams: bool) -> None:
    chunk = OneChunk(mariadb, target, "load_label", streams=streams)
    chunk.fill("id INT PRIMARY KEY, e ENUM('a', 'b')", "(1, 'b')", at="id INT PRIMARY KEY, e ENUM('a')")
    assert "'e'" in refused(chunk.copy())


COLLIDING = ("(1, 'a')", "(2, 'A')", "(3, 'b')")
CASELESS = "id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci UNIQUE"


@pytest.mark.parametrize("streams", [True, False])
def test_rows_of_one_table_that_the_target_holds_equal_are_shown(
    mariadb: RunningServer, target: RunningServer, streams: bool
) -> None:
    chunk = OneChunk(mariadb, target, "load_equal", streams=streams, on_duplicate="")
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_bin UNIQUE", *COLLIDING, at=CASELESS)
    done = chunk.copy()
    assert done.error is not None
    assert done.error.is_a(ROWS_MADE_ONE)
    assert refused(done).endswith(("one row: `id`=1, `v`='a'; the other: `id`=2", "`id`=2, `v`='A'; the other: `id`=1"))
    assert rows(chunk) == []


def test_rows_of_an_earlier_copy_give_way_by_their_keys(mariadb: RunningServer, target: RunningServer) -> None:
    chunk = OneChunk(mariadb, target, "load_again", on_duplicate="")
    columns = "k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v VARCHAR(20) UNIQUE"
    chunk.fill(columns, "('a', 'x')", "('B', 'y')", "('ö', NULL)")
    in_target(chunk, "('a', 'old')", "('b', 'other')", "('ö', 'x')", "('gone', 'y')", "('stays', 'z')")
    assert chunk.copy().error is None
    assert set(rows(chunk)) == {("B", "y"), ("a", "x"), ("stays", "z"), ("ö", None)}


@pytest.mark.parametrize("now", ["new", "a"])
def test_a_value_that_has_moved_to_another_row_meanwhile_is_no_collision(
    mariadb: RunningServer, target: RunningServer, now: str
) -> None:
    """The chunk begins behind row 1, which an earlier one brought as (1, 'a')."""
    chunk = OneChunk(mariadb, target, "load_moved", on_duplicate="")
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_bin UNIQUE", f"(1, '{now}')", "(2, 'A')", at=CASELESS)
    in_target(chunk, "(1, 'a')")
    execute(target, f"UPDATE {chunk.meta.chunk} SET lower_bound = '{bound_to_text((1,))}'")
    done = chunk.copy()
    if now == "new":
        assert done.error is None
        assert rows(chunk) == [(2, "A")], "replication brings the first row as it is now"
    else:
        assert "one row: `id`=2, `v`='A'; the other: `id`=1" in refused(done)
        assert rows(chunk) == [(1, "a")]


def test_rows_of_merged_tables_replace_each_other(mariadb: RunningServer, target: RunningServer) -> None:
    chunk = OneChunk(mariadb, target, "load_merged", on_duplicate="")
    chunk.fill(TABLE, "(1, 'a')", "(2, 'b')", tables=("shard_1", "shard_2"))
    assert (chunk.copy(0).error, chunk.copy(1).error) == (None, None)
    assert rows(chunk) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("streams", [True, False])
def test_rows_of_one_of_merged_tables_that_the_target_holds_equal_are_shown(
    mariadb: RunningServer, target: RunningServer, streams: bool
) -> None:
    chunk = OneChunk(mariadb, target, "load_merged_equal", streams=streams, on_duplicate="")
    columns = "id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_bin UNIQUE"
    chunk.fill(columns, *COLLIDING, at=CASELESS, tables=("shard_1", "shard_2"))
    done = chunk.copy()
    assert done.error is not None
    assert done.error.is_a(ROWS_MADE_ONE)
    assert refused(done).endswith(("one row: `id`=1, `v`='a'; the other: `id`=2", "`id`=2, `v`='A'; the other: `id`=1"))
    assert rows(chunk) == []


def test_rows_of_other_merged_tables_give_way_whatever_the_target_holds_equal(
    mariadb: RunningServer, target: RunningServer
) -> None:
    chunk = OneChunk(mariadb, target, "load_merged_other", on_duplicate="")
    columns = "id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_bin UNIQUE"
    chunk.fill(columns, "(1, 'a')", "(2, 'b')", at=CASELESS, tables=("shard_1", "shard_2"))
    in_target(chunk, "(3, 'A')")
    assert (chunk.copy(0).error, chunk.copy(1).error) == (None, None)
    assert rows(chunk) == [(1, "a"), (2, "b")]
