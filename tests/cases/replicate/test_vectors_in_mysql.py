"""Vectors go to MySQL, too, which compares them with nothing but vectors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cases.replicate.arena import Pair, new_schema, run_sql, subtask
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.replication import Replication, present_position
from tests.servers import RunningServer

SCHEMA = "vectors"
WRITTEN = (
    "CREATE TABLE t (v VECTOR(3), n INT)",
    "INSERT INTO t VALUES (STRING_TO_VECTOR('[1, 2.5, -3e10]'), 1), (NULL, 2)",
    "INSERT INTO t VALUES (STRING_TO_VECTOR('[-0.0, 1e-30, 3]'), 3), (STRING_TO_VECTOR('[-0.0, 1e-30, 3]'), 3)",
    "UPDATE t SET n = n + 1",
    "UPDATE t SET v = STRING_TO_VECTOR('[7, 8, 9]') WHERE n = 2",
    "DELETE FROM t WHERE n = 4 LIMIT 1",
)


def test_a_table_without_keys(
    mysql: RunningServer, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    pair = Pair(mysql, server_factory("mysql"))
    config = subtask(pair, SCHEMA, [SCHEMA])
    replication = Replication(tmp_path / "log")
    try:
        replication.start(config)
        new_schema(mysql, SCHEMA)
        run_sql(mysql, WRITTEN, SCHEMA)
        pause = replication.until(present_position(mysql))
        replication.stop()
    finally:
        replication.close()
    assert pause is None, pause
    with connected(pair.upstream) as here, connected(pair.target) as there:
        rows = [end.query(f"SELECT HEX(v), n FROM {SCHEMA}.t ORDER BY n, 1") for end in (here, there)]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 3
