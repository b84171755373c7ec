"""Documents of MySQL with values of SQL types, of which another MySQL calculates something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cases.replicate.arena import Pair, new_schema, run_sql, subtask
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.replication import Pause, Replication, present_position
from tests.servers import RunningServer

SAME = (
    "CREATE TABLE t (id INT PRIMARY KEY, j JSON, n VARCHAR(30) AS (j->>'$.name') STORED, p DECIMAL(10,2) AS "
    "(CAST(j->>'$.price' AS DECIMAL(10,2))), q DECIMAL(10,2) AS (j->'$.price') STORED, a VARCHAR(30) AS (j->>'$.at'), "
    "w DATETIME AS (j->>'$.at') STORED, l INT AS (JSON_LENGTH(j)), y VARCHAR(20) AS (JSON_TYPE(j->'$.name')), "
    "v VARCHAR(30) AS (JSON_VALUE(j, '$.name' RETURNING CHAR(30))), k JSON AS (j->'$.price'), "
    "b INT AS (j->'$.price' > 10), UNIQUE (n), UNIQUE KEY u ((CAST(j->>'$.name' AS CHAR(20)))))",
    "INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('name', 'a', 'price', 19.90, 'at', TIMESTAMP'2024-01-31 10:00:00')), "
    "(2, JSON_OBJECT('name', 'b', 'price', 5.00, 'at', DATE'2024-01-31', 'x', JSON_ARRAY(TIME'10:00:00', X'00FF'))), "
    '(3, \'{"name": "c", "price": 1.50}\'), (4, NULL)',
    "UPDATE t SET j = JSON_SET(j, '$.price', 7.10, '$.name', 'd') WHERE id = 2",
    "ALTER TABLE t ADD m VARCHAR(30) AS (LOWER(j->>'$.name')), ADD c DECIMAL(10,1) AS (CAST(j->>'$.price' AS "
    "DECIMAL(10,1)))",
    "DELETE FROM t WHERE id = 1",
    "INSERT INTO t (id, j) VALUES (5, JSON_OBJECT('name', 'E', 'price', 0.50))",
)
READ_BY = {
    "column v": "v VARCHAR(20) AS (j->>'$.v') STORED UNIQUE",
    "unique key u": "UNIQUE KEY u ((CAST(j->>'$.v' AS CHAR(20))))",
    "column y": "y VARCHAR(20) AS (JSON_TYPE(j->'$.v'))",
    "column l": "l INT AS (LENGTH(j->'$.v')) STORED",
    "column c": "c INT AS (j->'$.v' < '2024-02-01') STORED",
    "column i": "i INT AS (CAST(j->'$.v' AS SIGNED))",
    "column x": "k JSON AS (j->'$'), x VARCHAR(20) AS (k->>'$.v') STORED",
}
DAYS = frozenset({"column y", "column c"})


def _replicated(
    pair: Pair, schema: str, folder: Path, statements: tuple[str, ...], *, safe: bool = False
) -> Pause | None:
    replication = Replication(folder / f"log_{schema}")
    try:
        config = subtask(pair, schema, [schema])
        if safe:
            config = config.model_copy(update={"sync": config.sync.model_copy(update={"safe_mode": True})})
        replication.start(config)
        new_schema(pair.upstream, schema)
        run_sql(pair.upstream, statements, schema)
        pause = replication.until(present_position(pair.upstream))
        replication.stop()
        return pause
    finally:
        replication.close()


def test_values_of_sql_types_in_documents(
    mysql: RunningServer, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    pair = Pair(mysql, server_factory("mysql"))
    assert _replicated(pair, "typed_same", tmp_path, SAME) is None
    with connected(pair.upstream) as here, connected(pair.target) as there:
        columns = "id, n, p, q, a, w, l, y, v, b, m, c, CAST(k AS DOUBLE)"
        rows = [end.query(f"SELECT {columns} FROM typed_same.t ORDER BY id") for end in (here, there)]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 4
    for number, (reader, defined) in enumerate(READ_BY.items()):
        value = "DATE'2024-01-31'" if reader in DAYS else "2.50"
        statements = (
            f"CREATE TABLE t (id INT PRIMARY KEY, j JSON, {defined})",
            f"INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('v', 2, 'w', {value}))",
            f"INSERT INTO t (id, j) VALUES (2, JSON_OBJECT('v', {value}))",
        )
        pause = _replicated(pair, f"typed_{number}", tmp_path, statements, safe=number == 0)
        assert pause is not None, reader
        assert "36267" in pause.text
        assert reader in pause.text
