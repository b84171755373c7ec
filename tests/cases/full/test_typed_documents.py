"""Documents of MySQL with values of SQL types, of which the target calculates something: in the full migration."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.servers import RunningServer

SAME = (
    "CREATE TABLE same (id INT PRIMARY KEY, j JSON, n VARCHAR(30) AS (j->>'$.name') STORED UNIQUE, p DECIMAL(10,2) AS "
    "(CAST(j->>'$.price' AS DECIMAL(10,2))) STORED, a VARCHAR(30) AS (j->>'$.at'), l INT AS (JSON_LENGTH(j)))",
    "INSERT INTO same (id, j) VALUES (1, JSON_OBJECT('name', 'a', 'price', 19.90, 'at', TIMESTAMP'2024-01-31 "
    "10:00:00')), (2, JSON_OBJECT('name', 'b', 'price', 5.00, 'at', DATE'2024-01-31', 'x', JSON_ARRAY(TIME'10:00:00', "
    'X\'00FF\'))), (3, \'{"name": "c", "price": 1.50}\'), (4, NULL)',
)
BY_MYSQL = {
    "q": ("q DECIMAL(10,2) AS (j->'$.price') STORED", "JSON_OBJECT('price', 19.90)"),
    "y": ("y VARCHAR(20) AS (JSON_TYPE(j->'$.name'))", "JSON_OBJECT('name', 'a', 'x', 1.10)"),
    "k": ("k JSON AS (j->'$.at')", "JSON_OBJECT('at', DATE'2024-01-31')"),
}
UNLIKE = {
    "v": ("v VARCHAR(20) AS (j->>'$.v') STORED UNIQUE", "19.90"),
    "y": ("y VARCHAR(20) AS (JSON_TYPE(j->'$.v'))", "DATE'2024-01-31'"),
    "c": ("c INT AS (j->'$.v' < '2024-02-01') STORED", "DATE'2024-01-31'"),
    "l": ("l INT AS (LENGTH(j->>'$.v'))", "1.10"),
    "i": ("i INT AS (CAST(j->'$.v' AS SIGNED))", "2.5"),
    "unique key u": ("UNIQUE KEY u ((CAST(j->>'$.v' AS CHAR(20))))", "2.50"),
}


def _refused(mysql: RunningServer, target: RunningServer, schema: str, defined: str, value: str) -> str:
    execute(mysql, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
    create = f"CREATE TABLE t (id INT PRIMARY KEY, j JSON, {defined})"
    execute(mysql, create, f"INSERT INTO t (id, j) VALUES (7, JSON_OBJECT('v', {value}))", database=schema)
    ended = outcome(start(subtask(mysql, target, schema)))
    return str(ended["log"]) + json.dumps(ended)


def test_what_tidb_calculates_of_them(mysql: RunningServer, tidb: RunningServer) -> None:
    execute(mysql, "DROP DATABASE IF EXISTS typed_tidb", "CREATE DATABASE typed_tidb")
    execute(mysql, *SAME, database="typed_tidb")
    migrate(subtask(mysql, tidb, "typed_tidb"))
    columns = "SELECT id, n, p, a, l FROM typed_tidb.same ORDER BY id"
    assert query(tidb, columns) == query(mysql, columns)
    said = _refused(mysql, tidb, "typed_tidb_o", "o VARCHAR(40) AS (j->>'$.v') STORED", "JSON_OBJECT('bb', 1, 'c', 2)")
    assert "34140" in said
    assert "an object or array that the target writes in another way" in said
    said = _refused(mysql, tidb, "typed_tidb_v", *UNLIKE["v"])
    assert "34140" in said
    assert "column v" in said
    assert "id=7" in said
    # The target's column is a plain one, which takes the upstream's value.
    execute(tidb, "DROP DATABASE typed_tidb_v", "DROP DATABASE typed_tidb_v_meta", "CREATE DATABASE typed_tidb_v")
    execute(tidb, "CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(20) UNIQUE)", database="typed_tidb_v")
    migrate(subtask(mysql, tidb, "typed_tidb_v"))
    assert query(tidb, "SELECT id, v FROM typed_tidb_v.t") == [(7, "19.90")]


@pytest.mark.timeout(600)
def test_what_mysql_calculates_of_them(mysql: RunningServer, server_factory: Callable[..., RunningServer]) -> None:
    target = server_factory("mysql")
    execute(mysql, "DROP DATABASE IF EXISTS typed_mysql", "CREATE DATABASE typed_mysql")
    execute(mysql, *SAME, database="typed_mysql")
    for name, (defined, document) in BY_MYSQL.items():
        create = f"CREATE TABLE same_{name} (id INT PRIMARY KEY, j JSON, {defined})"
        execute(mysql, create, f"INSERT INTO same_{name} (id, j) VALUES (1, {document})", database="typed_mysql")
    migrate(subtask(mysql, target, "typed_mysql"))
    for columns in ("id, n, p, a, l FROM typed_mysql.same", "q FROM typed_mysql.same_q", "y FROM typed_mysql.same_y"):
        assert query(target, f"SELECT {columns} ORDER BY 1") == query(mysql, f"SELECT {columns} ORDER BY 1")
    for number, (reader, (defined, value)) in enumerate(UNLIKE.items()):
        said = _refused(mysql, target, f"typed_mysql_{number}", defined, value)
        assert "34140" in said, reader
        assert f"{reader} of the target" in said
