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


def merged(server: RunningServer, database: str) -> list[str]:
    with cursor_on(server, database) as cursor:
        cursor.execute("SELECT k FROM merged")
        return sorted(row[0] for row in cursor.fetchall())
