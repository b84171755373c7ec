"""A statement that runs without strictness leaves a strict session behind, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import STRICT_SQL_MODE, Server
from pkg.adapters.mysql.errors import DUPLICATE, VALUE_REFUSED
from pkg.adapters.mysql.tolerant import run_tolerantly
from pkg.errors import DMError
from pkg.rows.tolerance import Tolerance
from pkg.task.secret import Secret
from tests.servers import RunningServer

EMPTY = Tolerance({"e": frozenset({1265})})


@pytest.mark.parametrize("kind", ["mariadb", "tidb", "mysql"])
def test_the_session_is_strict_again(
    kind: str, request: pytest.FixtureRequest, fresh_schema: Callable[[RunningServer], str]
) -> None:
    server: RunningServer = request.getfixturevalue(kind)
    schema = fresh_schema(server)
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    probe = connect(options, side="downstream")
    link = connect(options, side="downstream", session=Server.probe(probe).downstream_session())
    with probe, link:
        link.query(f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, e ENUM('a'), v VARCHAR(2))".encode())
        insert = f"INSERT INTO {schema}.t VALUES ".encode()
        assert run_tolerantly(link, insert + b"(1, 0, 'v')", EMPTY) == 1
        for values, kind_of_error in ((b"(1, 0, 'v')", DUPLICATE), (b"(2, 0, 'too long')", VALUE_REFUSED)):
            link.begin()
            with pytest.raises(DMError) as raised:
                run_tolerantly(link, insert + values, EMPTY)
            assert kind_of_error.matches(raised.value)
            link.rollback()
            with link.cursor() as cursor:
                cursor.execute("SELECT @@sql_mode")
                row = cursor.fetchone()
            assert row is not None
            assert set(str(row[0]).split(",")) == set(STRICT_SQL_MODE.split(","))
