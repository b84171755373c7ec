from __future__ import annotations
import pytest
from tests.cases.full.migration import execute, outcome, query, start, subtask

CASES = {
    "other_expression": ("INT AS (id + 5) STORED", "INT AS (id * 2) STORED", ""),
}


@pytest.mark.servers
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_copy(name, pair, mariadb, mariadb2, mysql, tidb):
    up = mariadb if pair.startswith("mariadb") else mysql
    there = tidb if pair.endswith("tidb") else mariadb2
    if name == "text_json" and there is mariadb2:
        pytest.skip("no JSON")
    above, below, value = CASES[name]
    schema = f"sf_{name}_{pair[:2]}"
    execute(
        up,
        f"CREATE DATABASE {schema} CHARACTER SET utf8mb4",
        f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, c {above})",
        f"INSERT INTO {schema}.t (id{', c' if value else ''}) VALUES (1{',' + value if value else ''})",
    )
    execute(
        there,
        f"CREATE DATABASE {schema} CHARACTER SET utf8mb4",
        f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, c {below})",
    )
    ended = outcome(start(subtask(up, there, schema)), 90)
    a, b = (
        query(up, f"SELECT id, CAST(c AS CHAR) FROM {schema}.t"),
        query(there, f"SELECT id, CAST(c AS CHAR) FROM {schema}.t"),
    )
    print(
        f"\n@@@ {name} {pair} exit={ended['exit']} code={ended.get('code')} up={a} there={b} {str(ended.get('text'))[:250]}"
    )
    assert ended["exit"] == 1 or a == b
