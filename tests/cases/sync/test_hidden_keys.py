"""Rows of tables whose primary key MySQL makes by itself, and hides."""

from __future__ import annotations

import pytest

from tests.cases.sync.pair import cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

_SHOWN = "SET GLOBAL show_gipk_in_create_table_and_information_schema = "


@pytest.mark.parametrize("target", ["tidb", "mariadb"])
def test_rows_of_a_table_with_a_hidden_primary_key(
    mysql: RunningServer, target: str, request: pytest.FixtureRequest
) -> None:
    pair = made("hidden_key", mysql, request.getfixturevalue(target))
    pair.on(("SET SESSION sql_generate_invisible_primary_key = ON", "CREATE TABLE t (a INT)"), pair.upstream)
    pair.on(("CREATE TABLE t (my_row_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, a INT)",), pair.target)

    def rows() -> list[tuple[int, int]]:
        with cursor_on(pair.target, pair.name) as cursor:
            cursor.execute("SELECT my_row_id, a FROM t ORDER BY my_row_id")
            return list(cursor.fetchall())

    pair.on((f"{_SHOWN} OFF",), pair.upstream)
    try:
        with running(pair.config()) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "it runs")
            pair.on(("INSERT INTO t VALUES (1), (1), (2)", "UPDATE t SET a = 3 WHERE a = 2"), pair.upstream)
            until(lambda: rows() == [(1, 1), (2, 1), (3, 3)], "all is there", 30)
    finally:
        pair.on((f"{_SHOWN} ON",), pair.upstream)
