"""Tables whose keys are hard to cut at: the bound of a chunk is exact, and what cannot bound one is not a bound."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pkg.task.blocks import DumpConfig, LoadConfig
from tests.cases.full.migration import execute, outcome, query, start, subtask
from tests.servers import RunningServer

SCHEMA = "chunk_keys"
_CONTROLS = "('',0),('a',1),('a\\t',2),('b',3),('b\\n',4),('c',5),('c\\t',6),('d',7),('d\\n',8),('e',9),('e\\t',10)"


@dataclass(frozen=True, slots=True)
class Copied:
    """A table t, copied by chunks of two rows; ``shown`` tells its rows apart."""

    upstream: str
    target: str
    columns: str
    rows: str
    shown: str = "HEX(CONVERT(k USING utf8mb4)), v"


CASES = {
    "latin1 CHAR, NO PAD": Copied(
        "mariadb", "tidb",
        "k CHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_nopad_ci NOT NULL PRIMARY KEY, v INT", _CONTROLS,
    ),
    "utf8mb4 CHAR, NO PAD": Copied(
        "mariadb", "mariadb", "k CHAR(9) COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY, v INT", _CONTROLS
    ),
    "Thai CHAR": Copied(
        "mysql", "mariadb", "k CHAR(9) CHARACTER SET tis620 NOT NULL PRIMARY KEY, v INT",
        ",".join(f"(x'{code}',{n})" for n, code in enumerate(("D8C4", "B0", "E7", "EC", "61", "A1", "E7A1", "ECA1")))
    ),
    "CHAR of MySQL's, NO PAD": Copied(
        "mysql", "tidb", "k CHAR(9) COLLATE utf8mb4_0900_as_cs NOT NULL PRIMARY KEY, v INT", _CONTROLS
    ),
    "two codes of one character": Copied(
        "mysql", "mariadb", "k VARCHAR(9) CHARACTER SET cp932 NOT NULL, v INT NOT NULL, PRIMARY KEY (k, v)",
        ",".join(f"(x'{code}',{n})" for code in ("878A", "FA58", "81E0", "8790") for n in range(30)),
        "HEX(k), v",
    ),
    "an apostrophe that ASCII does not have": Copied(
        "mariadb", "mariadb", "k VARCHAR(20) CHARACTER SET armscii8 NOT NULL PRIMARY KEY, v INT",
        "(x'41FF42',1),(x'42FF42',2),(x'43FF42',3),(x'62FF20414E4420FF30',4),(x'45FF42',5),(x'46FF43',6)",
        "HEX(k), v",
    ),
    "halves of characters": Copied(
        "mariadb", "mariadb", "k VARCHAR(9) CHARACTER SET utf8mb4 NOT NULL PRIMARY KEY, v INT",
        "(x'EDA081',1),(x'EDB080',2),(x'41EDA081',3),(x'EDA08142',4),('Ä',5),('한',6),(x'EE8080',7)", "HEX(k), v",
    ),
    "dates that are not in the calendar": Copied(
        "mysql", "tidb", "k DATE NOT NULL PRIMARY KEY, v INT",
        "('0000-00-00',0),('2021-02-29',1),('2021-02-30',2),('2021-02-31',3),('2021-04-31',4),('2021-06-31',5)",
        "CONCAT(k), v",
    ),
    "moments that are not in the calendar": Copied(
        "mariadb", "mysql", "k DATETIME NOT NULL PRIMARY KEY, v INT",
        "('0000-00-00',0),('2021-02-29',1),('2021-02-30',2),('2021-02-31',3),('2021-04-31',4),('2021-06-31',5)",
        "CONCAT(k), v",
    ),
    "an IGNORED key": Copied(
        "mariadb", "mariadb", "k INT NOT NULL, v INT NOT NULL, UNIQUE KEY v (v), UNIQUE KEY k (k) IGNORED",
        "(1,1),(2,2),(3,3),(4,4),(5,5)", "k, v",
    ),
    "an INVISIBLE key alone": Copied(
        "mysql", "tidb", "w INT NOT NULL, k INT NOT NULL, v INT NOT NULL, UNIQUE KEY w (w), UNIQUE KEY k (k) INVISIBLE",
        "(1,1,1),(2,2,2),(3,3,3),(4,4,4),(5,5,5)", "k, v",
    ),
}  # fmt: skip


@pytest.mark.parametrize("upstream", ["mariadb", "mysql"])
def test_a_table_of_generated_columns_alone_is_copied(
    request: pytest.FixtureRequest, upstream: str, tidb: RunningServer
) -> None:
    source: RunningServer = request.getfixturevalue(upstream)
    for server in (source, tidb):
        execute(server, f"DROP DATABASE IF EXISTS {SCHEMA}", f"DROP DATABASE IF EXISTS {SCHEMA}_meta")
    execute(source, f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4")
    execute(source, "CREATE TABLE t (a INT AS (5) STORED)", "INSERT INTO t VALUES (),(),()", database=SCHEMA)
    ended = outcome(start(subtask(source, tidb, SCHEMA)))
    assert ended["exit"] == 0, ended.get("text")
    assert query(tidb, f"SELECT a FROM {SCHEMA}.t") == [(5,), (5,), (5,)]


@pytest.mark.parametrize("name", CASES)
def test_a_key_that_is_hard_to_cut_at_is_copied_whole(request: pytest.FixtureRequest, name: str) -> None:
    case = CASES[name]
    source = request.getfixturevalue(case.upstream)
    there = request.getfixturevalue("mariadb2" if case.target == "mariadb" else case.target)
    for server in (source, there):
        execute(server, f"DROP DATABASE IF EXISTS {SCHEMA}", f"DROP DATABASE IF EXISTS {SCHEMA}_meta")
    execute(source, f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4")
    execute(
        source,
        f"CREATE TABLE t ({case.columns})",
        f"INSERT INTO t VALUES {case.rows}",
        "ANALYZE TABLE t",
        database=SCHEMA,
    )
    load = LoadConfig(verify="checksum")  # the target is asked for the same ranges
    ended = outcome(start(subtask(source, there, SCHEMA, dump=DumpConfig(rows=2, threads=2), load=load)))
    assert ended["exit"] == 0, ended.get("text")
    rows = [sorted(query(end, f"SELECT {case.shown} FROM {SCHEMA}.t")) for end in (source, there)]
    assert rows[1] == rows[0]
