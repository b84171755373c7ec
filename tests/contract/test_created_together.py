"""Tables that several sources of a task make at the same moment in TiDB, which may then make none."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Barrier
from typing import Any

from dm_worker.loader.schema import TargetSchema
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.creation import until_made
from pkg.errors import DMError
from pkg.rules.router import Target
from pkg.task.secret import Secret
from tests.servers import RunningServer

SOURCES, TABLES = 10, 40


def made_by_all(server: RunningServer, make: Callable[[Connection, int], None]) -> None:
    """Have each source ``make`` tables; pairs of sources make the same ones."""
    options, together = ConnectionOptions(server.host, server.port, "root", Secret("")), Barrier(SOURCES)

    def begin(connection: Connection, first: int) -> None:
        together.wait()
        for number in range(TABLES):
            make(connection, first + number)

    with ExitStack() as stack:
        connections = [stack.enter_context(closing(connect(options, side="downstream"))) for _ in range(SOURCES)]
        pool = stack.enter_context(ThreadPoolExecutor(SOURCES))
        firsts = [source // 2 * TABLES for source in range(SOURCES)]
        list(pool.map(begin, connections, firsts))


def test_a_copy_makes_each_table_once_and_all_sources_find_it(
    tidb: RunningServer, fresh_schema: Callable[[RunningServer], str]
) -> None:
    schema = fresh_schema(tidb)

    def make(connection: Connection, number: int) -> None:
        source: Any = None  # is only named where the target refuses
        sql = f"CREATE TABLE {schema}.t{number} (a INT PRIMARY KEY)"
        while True:  # as the unit's next run does, where TiDB asks for it among so many changes of structures
            try:
                TargetSchema.make(sql, source, Target(schema, f"t{number}"), connection)
                return
            except DMError as exc:
                if not exc.resumable:
                    raise

    made_by_all(tidb, make)
    options = ConnectionOptions(tidb.host, tidb.port, "root", Secret(""))
    with closing(connect(options, side="downstream")) as connection, connection.cursor() as cursor:
        assert cursor.execute(f"SHOW TABLES FROM {schema}") == SOURCES // 2 * TABLES


def test_a_creation_is_repeated_until_the_table_is_there() -> None:
    answers = iter([None, None, "table"])
    ran: list[int] = []
    assert until_made(lambda: ran.append(1), lambda: next(answers)) == "table"
    assert len(ran) == 3
