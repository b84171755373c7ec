"""Found by a stranger: values and rows that the full migration changes or loses without a word."""

from __future__ import annotations

import pytest

from tests.cases.full.migration import assert_same, execute, migrate, subtask
from tests.servers import RunningServer


def _migrated(source: RunningServer, target: RunningServer, schema: str, *statements: str) -> None:
    for end in (source, target):
        execute(end, f"DROP DATABASE IF EXISTS {schema}", f"DROP DATABASE IF EXISTS {schema}_meta")
    execute(source, f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")
    execute(source, *statements, database=schema)
    migrate(subtask(source, target, schema))


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_rows_whose_unique_key_counts_bytes_of_a_text_all_arrive(
    kind: str, tidb: RunningServer, request: pytest.FixtureRequest
) -> None:
    """REPLACE: of three rows one is left in TiDB."""
    source = request.getfixturevalue(kind)
    create = (
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), code INT AS (ASCII(name)) STORED, UNIQUE KEY (code)) "
        "CHARACTER SET latin1"
    )
    _migrated(source, tidb, "stranger_bytes", create, "INSERT INTO t (id, name) VALUES (1, 'ö'), (2, 'ä'), (3, 'ü')")
    assert_same(source, tidb, "stranger_bytes", ["t"])
