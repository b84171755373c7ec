"""DDL in a target whose account may not set the variables that few may."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer

USER = "sets_little"
_NEEDS_MORE = "SUPER, SYSTEM_VARIABLES_ADMIN, SESSION_VARIABLES_ADMIN, TABLE_ENCRYPTION_ADMIN"


@pytest.fixture
def pair(mariadb: RunningServer, mysql: RunningServer) -> Iterator[Pair]:
    made_pair = made("few_privileges", mariadb, mysql)
    with cursor_on(mysql) as cursor:
        cursor.execute(f"DROP USER IF EXISTS {USER}")
        cursor.execute(f"CREATE USER {USER}")
        cursor.execute(f"GRANT ALL ON *.* TO {USER}")
        cursor.execute(f"REVOKE {_NEEDS_MORE} ON *.* FROM {USER}")
    yield made_pair
    for server in (mariadb, mysql):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE {made_pair.name}")
            cursor.execute(f"DROP DATABASE IF EXISTS {made_pair.name}_meta")
    with cursor_on(mysql) as cursor:
        cursor.execute(f"DROP USER {USER}")


def test_ddl_goes_on_where_the_account_may_not_set_all_variables(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    config = pair.config()
    config = config.model_copy(update={"target": config.target.model_copy(update={"user": USER})})
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it knows the tables as they are before the DDL")
        for number in range(3):
            pair.on((f"ALTER TABLE counter ADD c{number} INT DEFAULT {number}",), pair.upstream)
            pair.on((f"INSERT INTO counter (id, n) VALUES ({10 + number}, 1)",), pair.upstream)
        until(pair.is_equal, "all DDL and rows arrive")
    assert "did not end" not in caplog.text
    assert "was lost" not in caplog.text
