"""Letters of which the target makes other large or small ones, and bytes of literals: in the full migration."""

from __future__ import annotations

import json

import pytest

from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.servers import RunningServer

TABLE = "CREATE TABLE t ({}, w VARCHAR(20) CHARACTER SET latin1, g VARCHAR(20) CHARACTER SET latin1 AS ({}(w)) STORED)"


def _made(server: RunningServer, schema: str, key: str, function: str, words: tuple[str, ...]) -> None:
    execute(server, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
    rows = ", ".join(f"({number}, '{word}')" for number, word in enumerate(words, 7))
    execute(server, TABLE.format(key, function), f"INSERT INTO t (id, w) VALUES {rows}", database=schema)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("function", "word"), [("LOWER", "Škoda"), ("UPPER", "5 µg")])
def test_letters_of_latin1_in_tidb(function: str, word: str, mysql: RunningServer, tidb: RunningServer) -> None:
    same, other = f"cased_same_{function.lower()}", f"cased_other_{function.lower()}"
    _made(mysql, same, "id INT PRIMARY KEY", function, ("Straße Éé", "ABC", "§ö"))
    migrate(subtask(mysql, tidb, same))
    assert query(tidb, f"SELECT id, g FROM {same}.t ORDER BY id") == query(
        mysql, f"SELECT id, g FROM {same}.t ORDER BY id"
    )
    for key in ("id INT PRIMARY KEY", "id INT"):
        _made(mysql, other, key, function, ("abc", word))
        execute(tidb, f"DROP DATABASE IF EXISTS {other}", f"DROP DATABASE IF EXISTS {other}_meta")
        ended = outcome(start(subtask(mysql, tidb, other)))
        said = str(ended["log"]) + json.dumps(ended, ensure_ascii=False)
        assert "34145" in said
        assert "generated column g" in said
        assert "id=8" in said or key == "id INT"
    execute(tidb, f"DROP DATABASE {other}", f"DROP DATABASE {other}_meta", f"CREATE DATABASE {other}")
    execute(tidb, "CREATE TABLE t (id INT, w VARCHAR(20), g VARCHAR(20))", database=other)
    migrate(subtask(mysql, tidb, other))
    assert query(tidb, f"SELECT id, g FROM {other}.t ORDER BY id") == query(
        mysql, f"SELECT id, g FROM {other}.t ORDER BY id"
    )


def test_bytes_of_a_literal_in_tidb(mysql: RunningServer, tidb: RunningServer) -> None:
    execute(mysql, "DROP DATABASE IF EXISTS literal_bytes", "CREATE DATABASE literal_bytes")
    table = "CREATE TABLE t (id INT PRIMARY KEY, h VARCHAR(40) AS (HEX(CONCAT(id, _latin1 X'E9'))) STORED)"
    execute(mysql, table, "INSERT INTO t (id) VALUES (1)", database="literal_bytes")
    ended = outcome(start(subtask(mysql, tidb, "literal_bytes")))
    assert "34195" in str(ended["log"]) + json.dumps(ended)


def test_characters_that_a_generated_column_lacks_in_tidb(mysql: RunningServer, tidb: RunningServer) -> None:
    execute(mysql, "DROP DATABASE IF EXISTS narrow_set", "CREATE DATABASE narrow_set")
    generated = "v VARCHAR(9) CHARACTER SET utf8mb4, g VARCHAR(9) CHARACTER SET latin1 AS (v) STORED"
    table = f"CREATE TABLE t (id INT PRIMARY KEY, {generated})"
    rows = "INSERT INTO t (id, v) VALUES (7, 'é'), (8, 'x漢')"
    execute(mysql, "SET sql_mode = '', NAMES utf8mb4", table, rows, database="narrow_set")
    ended = outcome(start(subtask(mysql, tidb, "narrow_set")))
    said = str(ended["log"]) + json.dumps(ended)
    assert "34146" in said
    assert "id=8" in said
    execute(mysql, "DELETE FROM t WHERE id = 8", database="narrow_set")
    execute(tidb, "DROP DATABASE narrow_set", "DROP DATABASE narrow_set_meta")
    migrate(subtask(mysql, tidb, "narrow_set"))
    assert query(tidb, "SELECT id, g FROM narrow_set.t") == [(7, "é")]
