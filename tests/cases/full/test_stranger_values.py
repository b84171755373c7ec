"""Tables whose copy a stranger broke: rows that are lost, planning that does not end, statements that the upstream refuses."""

from __future__ import annotations

import subprocess

import pytest

from pkg.task.blocks import DumpConfig
from tests.cases.full.migration import execute, outcome, query, start, subtask
from tests.servers import RunningServer

CASES = {
    # upstream, target, statements
    "CHAR keys of NOPAD collations lose rows": (
        "mariadb",
        "tidb",
        [
            "CREATE TABLE t (k CHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_nopad_ci NOT NULL PRIMARY KEY, v INT)",
            "INSERT INTO t VALUES ('',0),('a',1),('a\\t',2),('b',3),('b\\n',4),('c',5),('c\\t',6),('d',7),('d\\n',8),"
            "('e',9),('e\\t',10)",
        ],
    ),
    "CHAR keys of NOPAD collations lose rows, or are cut for ever": (
        "mariadb",
        "mariadb",
        [
            "CREATE TABLE t (k CHAR(9) COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY, v INT)",
            "INSERT INTO t VALUES ('',0),('a',1),('a\\t',2),('b',3),('b\\n',4),('c',5)",
        ],
    ),
    "cp932: two codes of one character are cut for ever": (
        "mysql",
        "mariadb",
        [
            "CREATE TABLE t (k VARCHAR(9) CHARACTER SET cp932 NOT NULL, v INT NOT NULL, PRIMARY KEY (k, v))",
            "INSERT INTO t VALUES " + ",".join(f"(x'{code}',{n})" for code in ("878A", "FA58", "81E0", "8790") for n in range(30)),
            "ANALYZE TABLE t",
        ],
    ),
    "armscii8: the apostrophe xFF in a bound": (
        "mariadb",
        "mariadb",
        [
            "CREATE TABLE t (k VARCHAR(20) CHARACTER SET armscii8 NOT NULL PRIMARY KEY, v INT)",
            "INSERT INTO t VALUES (x'41FF42',1),(x'42FF42',2),(x'43FF42',3),(x'44FF42',4),(x'45FF42',5),(x'46FF43',6)",
        ],
    ),
    "impossible dates as bounds in MySQL": (
        "mysql",
        "mariadb",
        [
            "CREATE TABLE t (d DATE NOT NULL PRIMARY KEY, v INT)",
            "INSERT INTO t VALUES ('2021-02-29',1),('2021-02-30',2),('2021-02-31',3),('2021-04-31',4),('2021-06-31',5)",
        ],
    ),
    "gb18030: codes without a character become ?": (
        "mysql",
        "tidb",
        [
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET gb18030)",
            "INSERT INTO t VALUES (1, x'FE39FE39')",
        ],
    ),
    "an IGNORED unique key": (
        "mariadb",
        "mariadb",
        [
            "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE KEY k0 (b), UNIQUE KEY k (a) IGNORED)",
            "INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4),(5,5)",
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
