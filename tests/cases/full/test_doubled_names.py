"""Documents of MariaDB with a name twice or with needless escapes, of which the target calculates something: in the full migration."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.servers import RunningServer

SAME = (
    "CREATE TABLE same (id INT PRIMARY KEY, j JSON, k JSON, l INT AS (JSON_LENGTH(j)) STORED, h VARCHAR(99) AS "
    "(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL)",
    """INSERT INTO same (id, j, k) VALUES (1, '{"a": 1, "b": {"a": [{"a": 2}, {"a": 3}]}}', '{"x": 1, "x": 2}'), """
    """(2, '{"a": "\\\\"a\\\\": 1", "A": 2}', NULL), (3, NULL, '{}'), (4, '[]', '{}')""",
    "CREATE TABLE parts (id INT PRIMARY KEY, j JSON, h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a.b'))) STORED)",
    """INSERT INTO parts (id, j) VALUES (1, '{"a": {"b": "\\\\u0061"}, "\\\\u0062": 1, "x": [{"c": 1, "c": 2}]}')""",
)
UNLIKE = {
    "column l": ("l INT AS (JSON_LENGTH(j)) STORED", '{"a": 1, "a": 2}', "id INT PRIMARY KEY"),
    "column h": (
        "h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL",
        '{"b": [{"a": 1}], "\\\\u0061": 9}',
        "id INT PRIMARY KEY",
    ),
    "column k": ("k JSON AS (JSON_EXTRACT(j, '$.a')) STORED", '{"a": 1, "a": 2}', "id INT"),
}


def _refused(mariadb: RunningServer, target: RunningServer, schema: str, reader: str) -> str:
    defined, document, key = UNLIKE[reader]
    execute(mariadb, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
    rows = f"INSERT INTO t (id, j) VALUES (1, '{{\"a\": 1}}'), (7, '{document}'), (8, NULL)"
    execute(mariadb, f"CREATE TABLE t ({key}, j JSON, {defined})", rows, database=schema)
    ended = outcome(start(subtask(mariadb, target, schema)))
    return str(ended["log"]) + json.dumps(ended)


def _same(mariadb: RunningServer, target: RunningServer, schema: str) -> None:
    execute(mariadb, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
    execute(mariadb, *SAME, database=schema)
    migrate(subtask(mariadb, target, schema))
    columns = f"SELECT id, l, h FROM {schema}.same ORDER BY id"
    assert query(target, columns) == query(mariadb, columns)
    assert query(target, f"SELECT h FROM {schema}.parts") == [("a",)]


@pytest.mark.timeout(600)
def test_what_tidb_calculates_of_them(mariadb: RunningServer, tidb: RunningServer) -> None:
    _same(mariadb, tidb, "twice_tidb")
    for number, reader in enumerate(UNLIKE):
        said = _refused(mariadb, tidb, f"twice_tidb_{number}", reader)
        assert "34140" in said, reader
        assert ("with an escape" if reader == "column h" else "twice in one object") in said, reader
        assert reader in said
        assert "id=7" in said or reader == "column k", reader
    # The target's column is a plain one, which takes the upstream's value.
    execute(tidb, "DROP DATABASE twice_tidb_0", "DROP DATABASE twice_tidb_0_meta", "CREATE DATABASE twice_tidb_0")
    execute(tidb, "CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT)", database="twice_tidb_0")
    migrate(subtask(mariadb, tidb, "twice_tidb_0"))
    assert query(tidb, "SELECT id, l FROM twice_tidb_0.t ORDER BY id") == [(1, 1), (7, 2), (8, None)]


@pytest.mark.timeout(600)
def test_what_mysql_calculates_of_them(mariadb: RunningServer, server_factory: Callable[..., RunningServer]) -> None:
    target = server_factory("mysql")
    _same(mariadb, target, "twice_mysql")
    for number, reader in enumerate(UNLIKE):
        said = _refused(mariadb, target, f"twice_mysql_{number}", reader)
        assert "34140" in said, reader
        assert reader in said
