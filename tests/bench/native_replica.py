"""MariaDB's own replication, from the same start and over the same backlog: what a user would otherwise run."""

from __future__ import annotations

import time

from tests.bench import backlog
from tests.bench.ceiling import connect
from tests.bench.loads import Load
from tests.servers import RunningServer, start


def seconds_to_catch_up(upstream: RunningServer, load: Load, made: backlog.Backlog) -> float:
    """From START SLAVE until the replica has applied all; it is as MariaDB comes, with one applying thread."""
    with start("mariadb") as replica:
        backlog.make_schema(replica, load)
        connection = connect(replica)
        with connection.cursor() as cursor:
            cursor.execute(
                f"CHANGE MASTER TO MASTER_HOST='{upstream.host}', MASTER_PORT={upstream.port}, MASTER_USER='root', "
                f"MASTER_LOG_FILE='{made.name}', MASTER_LOG_POS={made.offset}"
            )
            began = time.perf_counter()
            cursor.execute("START SLAVE")
            cursor.execute("SELECT MASTER_POS_WAIT(%s, %s)", made.end)
            waited = cursor.fetchone()
            seconds = time.perf_counter() - began
            if waited is None or waited[0] is None:
                raise RuntimeError(f"the native replica stopped: {_error(cursor)}")
            cursor.execute("STOP SLAVE")
        connection.close()
        if not backlog.is_equal(upstream, replica, load):
            raise RuntimeError("the native replica is not equal to its upstream")
    return seconds


def _error(cursor: object) -> str:
    cursor.execute("SHOW SLAVE STATUS")  # type: ignore[attr-defined]
    names = [column[0] for column in cursor.description]  # type: ignore[attr-defined]
    status = dict(zip(names, cursor.fetchone(), strict=True))  # type: ignore[attr-defined]
    return str(status["Last_SQL_Error"] or status["Last_IO_Error"] or "without an error")
