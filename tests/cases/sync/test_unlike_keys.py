"""Merged tables whose keys have unlike types: rows that go from one to another are applied in their order."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.cases.sync.pair import cursor_on, made, running, until
from tests.servers import RunningServer

ROWS = 40
DAY = "'2020-01-01' + INTERVAL {n} DAY"


@dataclass(frozen=True)
class Kind:
    """The type of a key in two tables that are merged, and in the target; a value in both."""

    first: str
    second: str
    below: str
    before: str
    after: str
    beside: str = ""  # another value of the second table, which stays


KINDS = {
    "decimals": Kind("DECIMAL(10,1)", "DECIMAL(10,2)", "DECIMAL(10,2)", "{n}.5", "{n}.50"),
    "numbers": Kind("INT", "DECIMAL(10,2)", "DECIMAL(12,4)", "{n}", "{n}.00", "{n}.50"),
    "dates": Kind("DATE", "DATETIME", "DATETIME", DAY, DAY),
    "fractions": Kind("TIMESTAMP", "DATETIME(3)", "DATETIME(3)", DAY, DAY),
    "clocks": Kind("TIME", "TIME(2)", "TIME(3)", "'{n}:00:00'", "'{n}:00:00'"),
    "digits": Kind(
        "INT", "VARCHAR(20) COLLATE utf8mb4_bin", "VARCHAR(20) COLLATE utf8mb4_bin", "{n}", "'{n}'", "'0{n}'"
    ),
    "bytes": Kind("VARBINARY(20)", "VARCHAR(20)", "VARCHAR(20) COLLATE utf8mb4_general_ci", "'a{n}'", "'A{n}'"),
    "digits in bytes": Kind("INT", "VARBINARY(20)", "VARBINARY(20)", "{n}", "'{n}'", "'0{n}'"),
    "zeros": Kind("BINARY(4)", "VARBINARY(4)", "VARBINARY(9)", "RPAD('{n}', 4, '\\0')", "RPAD('{n}', 4, '\\0')", "'{n}'"),
    "sets": Kind(
        "VARCHAR(20) CHARACTER SET sjis", "VARCHAR(20)", "VARCHAR(20) CHARACTER SET sjis COLLATE sjis_bin",
        "'あ{n}'", "'あ{n}'",
    ),
}  # fmt: skip


@pytest.mark.crossed("ends")
@pytest.mark.parametrize("is_safe", [False, True], ids=["exact", "safe"])
@pytest.mark.parametrize("ends", ["mariadb-mariadb2", "mariadb-tidb", "mysql-mariadb"])
def test_rows_go_from_table_to_table(ends: str, is_safe: bool, request: pytest.FixtureRequest) -> None:
    upstream, target = (request.getfixturevalue(end) for end in ends.split("-"))
    kinds = {
        name.replace(" ", "_"): kind
        for name, kind in KINDS.items()
        if ends != "mariadb-tidb" or "sjis" not in kind.first
    }
    pair = made("unlike_keys", upstream, target)
    for name, kind in kinds.items():
        tables = (f"{name}_1", kind.first), (f"{name}_2", kind.second), (name, kind.below)
        for table, key in tables:
            server = target if table == name else upstream
            pair.on([f"CREATE TABLE {table} (k {key} PRIMARY KEY, v INT)"], server)
            pair.on([f"CREATE TABLE {table.replace(name, f'u_{name}')} (v INT PRIMARY KEY, k {key} UNIQUE)"], server)
    place, offset, _ = pair.here()
    _write(upstream, kinds)
    routes = [
        {"schema-pattern": pair.name, "table-pattern": f"{one}_?", "target-schema": pair.name, "target-table": one}
        for name in kinds
        for one in (name, f"u_{name}")
    ]
    config = pair.config(
        {"worker-count": 8, "safe-mode": is_safe}, routes=routes, meta={"binlog-name": place, "binlog-pos": offset}
    )
    with running(config):
        until(lambda: _has_end(target), "the end of the rows")
    left = {}
    for one in [route["target-table"] for route in routes]:
        missing = {*_rows(upstream, f"{one}_2")} ^ {*_rows(target, one)}
        if missing:
            left[one] = len(missing)
    assert left == {}


def _write(upstream: RunningServer, kinds: dict[str, Kind]) -> None:
    numbers = range(1, ROWS + 1)
    with cursor_on(upstream, "unlike_keys") as cursor:
        for name, kind in kinds.items():
            for one in (name, f"u_{name}"):
                before = ", ".join(f"({n}, {kind.before.format(n=n)})" for n in numbers)
                cursor.execute(f"INSERT INTO {one}_1 (v, k) VALUES {before}")
                if kind.beside:
                    beside = ", ".join(f"({n + 2000}, {kind.beside.format(n=n)})" for n in numbers)
                    cursor.execute(f"INSERT INTO {one}_2 (v, k) VALUES {beside}")
                for n in numbers:
                    cursor.execute("BEGIN")
                    cursor.execute(f"DELETE FROM {one}_1 WHERE v = {n}")
                    cursor.execute(f"INSERT INTO {one}_2 (v, k) VALUES ({n + 1000}, {kind.after.format(n=n)})")
                    cursor.execute("COMMIT")
        cursor.execute("CREATE TABLE last_one (id INT PRIMARY KEY)")


def _has_end(server: RunningServer) -> bool:
    with cursor_on(server, "unlike_keys") as cursor:
        return bool(cursor.execute("SHOW TABLES LIKE 'last_one'"))


def _rows(server: RunningServer, table: str) -> list[int]:
    with cursor_on(server, "unlike_keys") as cursor:
        cursor.execute(f"SELECT v FROM {table}")
        return [row[0] for row in cursor.fetchall()]
