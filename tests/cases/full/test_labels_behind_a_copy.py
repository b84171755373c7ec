"""Rows that replication brings behind a copy, with labels of characters that no server shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.full.migration import execute, query, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.sync.test_crashpoints import Run, until

SHOWN = "SELECT id, CONCAT(e), CONCAT(s), v FROM {}.t ORDER BY id"


@pytest.mark.crossed("pair")
@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mysql"])
@pytest.mark.parametrize("key", ["PRIMARY KEY", ""])
def test_rows_behind_a_copy_have_the_upstreams_labels(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str, key: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema = f"labels_{pair.replace('-', '_')}_{'keyed' if key else 'keyless'}"
    fresh(
        source, target, schema,
        f"CREATE TABLE t (id INT {key}, e ENUM('a', '?', '😀') NOT NULL DEFAULT '😀', s SET('p', '?', '😀'), "
        "v VARCHAR(9) NOT NULL DEFAULT 'x😀') CHARACTER SET utf8mb4",
        "INSERT INTO t VALUES (1, 'a', 'p', 'x'), (2, '😀', '😀', '?')",
    )  # fmt: skip
    run = Run(subtask(source, target, schema), tmp_path, 1)
    try:
        listed = f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{schema}'"
        until(lambda: bool(query(target, listed)), run)
        until(lambda: query(target, f"SELECT COUNT(*) FROM {schema}.t") == [(2,)], run)
        for sql in (
            "INSERT INTO t VALUES (3, '😀', '?,😀', 'y'), (4, '?', '?', 'z')",
            "UPDATE t SET e = '😀', s = 'p,😀' WHERE id = 1",
            "DELETE FROM t WHERE e = '😀' AND id = 2",
            "ALTER TABLE t ADD COLUMN n INT DEFAULT 5",
            "INSERT INTO t (id, s) VALUES (5, '😀')",
        ):
            execute(source, sql, database=schema)
        until(lambda: query(target, SHOWN.format(schema)) == query(source, SHOWN.format(schema)), run, seconds=60)
    finally:
        run.end()
    execute(target, "INSERT INTO t (id) VALUES (9)", database=schema)
    assert query(target, f"SELECT e, v FROM {schema}.t WHERE id = 9") == [("😀", "x😀")]
