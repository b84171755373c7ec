"""Tables that are created while their merged target has keys of another form."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import Replication, cursor_on, made, running, until
from tests.servers import RunningServer

FORMS = {
    "collation": (
        "k VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY",
        "k VARCHAR(9) COLLATE utf8mb4_bin PRIMARY KEY",
    ),
    "prefix": ("k VARCHAR(9) COLLATE utf8mb4_bin, UNIQUE (k(1))", "k VARCHAR(9) COLLATE utf8mb4_bin, UNIQUE (k)"),
}


@pytest.mark.parametrize("mode", ["", "pessimistic"])
@pytest.mark.parametrize(("coarse", "fine"), FORMS.values(), ids=FORMS)
def test_a_shard_whose_key_tells_more_apart_pauses(
    mariadb: RunningServer, tidb: RunningServer, coarse: str, fine: str, mode: str
) -> None:
    pair = made("new_shard", mariadb, tidb)
    pair.on((f"CREATE TABLE t1 ({coarse})",), mariadb)
    pair.on((f"CREATE TABLE merged ({coarse})",), tidb)
    route = {
        "schema-pattern": pair.name, "table-pattern": "t?", "target-schema": pair.name, "target-table": "merged"
    }  # fmt: skip
    config = pair.config(routes=(route,), shard_mode=mode)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO t1 VALUES ('x')", f"CREATE TABLE t2 ({coarse})", "INSERT INTO t2 VALUES ('y')"), mariadb)
        until(lambda: merged(tidb, pair.name) == ["x", "y"], "a shard like the others joins them")
    pair.on((f"CREATE TABLE t3 ({fine})", "INSERT INTO t3 VALUES ('B'), ('b'), ('bb')"), mariadb)
    with pytest.raises(DMError, match=r"creates new_shard\.t3, which is merged into new_shard\.merged") as paused:
        Replication(config).end(60)
    assert paused.value.code == 36209
    pair.on(("DROP TABLE merged", f"CREATE TABLE merged ({fine})", "INSERT INTO merged VALUES ('x'), ('y')"), tidb)
    with running(config):
        until(lambda: merged(tidb, pair.name) == ["B", "b", "bb", "x", "y"], "all rows are there")


def test_two_sources_create_shards_of_one_table_at_the_same_moment(
    mariadb: RunningServer, mariadb2: RunningServer, tidb: RunningServer
) -> None:
    """TiDB then makes none and tells both that the table exists."""
    one, other = made("new_shards", mariadb, tidb), made("new_shards", mariadb2, tidb)
    routes = [
        {
            "schema-pattern": one.name, "table-pattern": f"t{number}_*", "target-schema": one.name,
            "target-table": f"merged{number}"
        }
        for number in range(40)
    ]  # fmt: skip
    configs = []
    for name, pair in ("one", one), ("two", other):
        file_name, offset, _ = pair.here()
        place = {"binlog-name": file_name, "binlog-pos": offset}
        configs.append(
            pair.config(routes=routes, meta=place, shard_mode="pessimistic").model_copy(update={"source_id": name})
        )
        for number in range(40):
            pair.on((f"CREATE TABLE t{number}_{name} (k VARCHAR(9) PRIMARY KEY)",), pair.upstream)
            pair.on((f"INSERT INTO t{number}_{name} VALUES ('{name}')",), pair.upstream)

    def rows() -> list[str]:
        with cursor_on(tidb, one.name) as cursor:
            cursor.execute("SHOW TABLES LIKE 'merged%'")
            tables = [row[0] for row in cursor.fetchall()]
        return [value for table in tables for value in merged(tidb, one.name, table)]

    units = [Replication(config) for config in configs]

    def goes_on() -> bool:
        """As a dm-worker does: TiDB may say that its tables have changed meanwhile (8028)."""
        for number, unit in enumerate(units):
            if unit.is_over:
                with pytest.raises(DMError) as ended:
                    unit.end()
                assert ended.value.resumable, ended.value
                units[number] = Replication(configs[number])
        return rows() == ["one", "two"] * 40

    until(goes_on, f"{rows()}", 60)
    for unit in units:
        unit.end()


def merged(server: RunningServer, database: str, table: str = "merged") -> list[str]:
    with cursor_on(server, database) as cursor:
        cursor.execute(f"SELECT k FROM {table}")
        return sorted(row[0] for row in cursor.fetchall())
