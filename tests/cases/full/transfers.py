"""Accounts whose money moves between two tables: at any moment the sum is the same, and a mixed copy shows."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pymysql

from pkg.task.blocks import DumpConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import AT_ONCE, connection, query, subtask
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.servers import RunningServer

ACCOUNTS = 1000
START = 100
TOTAL = 2 * ACCOUNTS * START
TABLES = ("left_side", "right_side")
DEADLOCK = 1213


def accounts(source: RunningServer, target: RunningServer, schema: str, *more: str) -> None:
    columns = "(id INT PRIMARY KEY, amount INT NOT NULL, turn INT NOT NULL DEFAULT 0)"
    fresh(
        source,
        target,
        schema,
        *(f"CREATE TABLE {table} {columns}" for table in TABLES),
        *(f"INSERT INTO {table} (id, amount) SELECT n, {START} FROM ({THOUSAND}) t" for table in TABLES),
        "CREATE TABLE turns (writer INT PRIMARY KEY, turn INT NOT NULL)",
        "CREATE TABLE log (writer INT, turn INT)",  # without a key: a row too many would stay
        *more,
    )


def full(
    source: RunningServer,
    target: RunningServer,
    schema: str,
    consistency: str = "",
    rows: int = 100,
    **settings: Any,
) -> SubtaskConfig:
    """A `full` subtask of many chunks (20 and more), which Spark copies; of few with 1000 rows."""
    dump = DumpConfig(rows=rows, consistency=consistency)
    config = subtask(source, target, schema, **{"dump": dump, "spark": AT_ONCE, **settings})
    return config.model_copy(update={"task_mode": TaskMode.FULL})


@contextmanager
def moving(source: RunningServer, schema: str, writers: int = 3) -> Iterator[None]:
    """Money moves all the time, in transactions over both tables."""
    stop = threading.Event()
    threads = [threading.Thread(target=_move, args=(source, schema, number, stop)) for number in range(writers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _move(source: RunningServer, schema: str, number: int, stop: threading.Event) -> None:
    chance = random.Random(number)
    with connection(source, schema) as link, link.cursor() as cursor:
        turn = 0
        while not stop.wait(0.03):  # the copy needs the machine, too
            turn += 1
            amount, ids = chance.randint(1, 5), chance.sample(range(ACCOUNTS), 2)
            transfer = partial(_transfer, cursor, number, turn, amount, ids)
            while not is_done(cursor, transfer):
                pass


def _transfer(cursor: Any, number: int, turn: int, amount: int, ids: list[int]) -> None:
    cursor.execute(f"UPDATE left_side SET amount = amount - {amount}, turn = {turn} WHERE id = {ids[0]}")
    cursor.execute(f"UPDATE right_side SET amount = amount + {amount}, turn = {turn} WHERE id = {ids[1]}")
    cursor.execute(f"REPLACE INTO turns VALUES ({number}, {turn})")
    cursor.execute(f"INSERT INTO log VALUES ({number}, {turn})")


def is_done(cursor: Any, work: Callable[[], None]) -> bool:
    """Whether a transaction of `work` is there; LOCK TABLES of several tables may end it by a deadlock."""
    cursor.execute("BEGIN")
    try:
        work()
    except pymysql.OperationalError as exc:
        if exc.args[0] != DEADLOCK:
            raise
        cursor.execute("ROLLBACK")
        return False
    cursor.execute("COMMIT")
    return True


def total(server: RunningServer, schema: str) -> int:
    sums = " + ".join(f"(SELECT SUM(amount) FROM {schema}.{table})" for table in TABLES)
    return int(query(server, f"SELECT {sums}")[0][0])


def turns(server: RunningServer, schema: str) -> int:
    """Transactions that the copy has seen."""
    return int(query(server, f"SELECT COALESCE(SUM(turn), 0) FROM {schema}.turns")[0][0])


def transactions(gtids: str) -> int:
    """How many there are in a GTID set: ``0-1-17,1-1-5``, or ``uuid:1-17:tag:1-3,…``; others may have written, too."""
    if ":" not in gtids:
        return sum(int(one.rpartition("-")[2]) for one in gtids.split(","))
    intervals = re.findall(r":(\d+)(?:-(\d+))?(?=[:,\s]|$)", gtids)
    return sum(int(last or first) - int(first) + 1 for first, last in intervals)


def committed(source: RunningServer) -> int:
    """How many it has by now."""
    variable = "gtid_binlog_pos" if "MariaDB" in query(source, "SELECT VERSION()")[0][0] else "gtid_executed"
    return transactions(query(source, f"SELECT @@GLOBAL.{variable}")[0][0])


def locations(target: RunningServer, schema: str) -> Any:
    """Start and end of the migration, and how far it is."""
    columns = "start_binlog_name, start_binlog_pos, start_gtid, end_binlog_name, end_binlog_pos, end_gtid, load_status"
    rows = query(target, f"SELECT {columns} FROM {schema}_meta.{schema}_sparkdm_source")
    return rows[0] if rows else ("",) * 7


def assert_state_at_location(ended: dict[str, Any], before: int, target: RunningServer, schema: str) -> None:
    assert ended["exit"] == 0, ended["log"]
    assert total(target, schema) == TOTAL
    assert turns(target, schema) == transactions(ended["metaBinlogGTID"]) - before
    assert query(target, f"SELECT COUNT(*) FROM {schema}.log") == [(turns(target, schema),)]
    stored = locations(target, schema)
    assert stored[:3] == stored[3:6]
    assert stored[6] == "finished"
    assert f"({stored[0]}, {stored[1]})" == ended["metaBinlog"]
    snapshot = ended["snapshot"]
    print(f"{schema}: {snapshot['by']}, {snapshot['connections']} connections, "
          f"commits held off for {snapshot['lockHeldMs']} ms")  # fmt: skip
