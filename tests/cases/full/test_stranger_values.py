"""Tables whose copy a stranger broke: rows that are lost, planning that does not end, statements that the upstream refuses."""

from __future__ import annotations

import subprocess

import pytest

from pkg.task.blocks import DumpConfig
from tests.cases.full.migration import execute, outcome, query, start, subtask

CASES = {
    # upstream, target, statements
    "gb18030: codes without a character become ?": (
        "mysql",
        "tidb",
        [
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET gb18030)",
            "INSERT INTO t VALUES (1, x'FE39FE39')",
        ],
    ),
    "a table of generated columns alone": (
        "mysql",
        "mariadb",
        ["CREATE TABLE t (a INT AS (5) STORED)", "INSERT INTO t VALUES (),()"],
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_stranger_copies(request: pytest.FixtureRequest, title: str) -> None:
    upstream, target, statements = CASES[title]
    source = request.getfixturevalue(upstream)
    there = request.getfixturevalue("mariadb2" if target == "mariadb" else target)
    schema = "stranger_full"
    for server in (source, there):
        execute(server, f"DROP DATABASE IF EXISTS {schema}", f"DROP DATABASE IF EXISTS {schema}_meta")
    execute(source, f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")
    execute(source, *statements, database=schema)
    process = start(subtask(source, there, schema, dump=DumpConfig(rows=2, threads=2)))
    try:
        ended = outcome(process, 40)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        pytest.fail("the copy does not end")
    if title.startswith("gb18030"):  # a refusal would do
        assert ended["exit"] != 0, query(there, f"SELECT id, HEX(v) FROM {schema}.t")
        return
    assert ended["exit"] == 0, ended.get("text")
    column = "a" if "(a INT" in statements[0] else "v"
    found = [query(end, f"SELECT {column} FROM {schema}.t ORDER BY {column}") for end in (source, there)]
    assert found[1] == found[0]
