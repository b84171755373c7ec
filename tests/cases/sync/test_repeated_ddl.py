"""A DDL that would undo itself when it is run again: the next run finds out whether it was done.

What an earlier version of the program has stored tells less: then the target is asked, or somebody has to look.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.operators import store_operator
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.task.operators import Op, Operator
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.cases.sync.test_ddl_once import POINTS
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

EXCHANGE = "ALTER TABLE counter RENAME COLUMN n TO m, RENAME COLUMN m TO n"
PARTITIONS = "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
TO_EXCHANGE = (
    f"CREATE TABLE parted (id INT PRIMARY KEY, n INT) {PARTITIONS}",
    "CREATE TABLE plain (id INT PRIMARY KEY, n INT)",
    "INSERT INTO parted VALUES (1, 1), (11, 1)",
    "INSERT INTO plain VALUES (2, 2)",
)
ROW = "INSERT INTO counter (id, n, m) VALUES (7, 70, 700)"


@pytest.fixture(params=["mysql", "mariadb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mysql: RunningServer) -> Pair:
    """From MySQL to MariaDB, and the other way round."""
    upstream, target = (mariadb, mysql) if request.param == "mysql" else (mysql, mariadb)
    pair = made(f"repeated_{request.param}_{abs(hash(request.node.name)) % 10**6}", upstream, target)
    pair.both("ALTER TABLE counter ADD COLUMN m INT AFTER n", "UPDATE counter SET m = 1000 + id", *TO_EXCHANGE)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    return pair


def die_at(point: str, pair: Pair, folder: Path, statement: str = EXCHANGE, behind: str = ROW) -> None:
    """The process dies at a point of the statement."""
    dying = Run(pair.config(), folder, 1, f"{point}=kill")
    pair.on((statement, behind), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    assert dying.process.returncode == -9


def as_an_earlier_version(pair: Pair) -> None:
    """What the run that died has stored, without what earlier versions did not store."""
    pair.on((f"DELETE FROM {pair.name}_meta.{pair.name}_sparkdm_ddl",), pair.target)


def counters(server: RunningServer, name: str) -> list[Any]:
    return values(server, name, "id, n, m")


def values(server: RunningServer, name: str, columns: str) -> list[Any]:
    with cursor_on(server, name) as cursor:
        cursor.execute(f"SELECT {columns} FROM counter ORDER BY id")
        return list(cursor.fetchall())


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("point", ["syncer.ddl_executed", "syncer.ddl_marked"])
def test_names_are_exchanged_once(pair: Pair, point: str, is_stored: bool, tmp_path: Path) -> None:
    die_at(point, pair, tmp_path)
    if not is_stored:
        as_an_earlier_version(pair)
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name)[-1] == (7, 70, 700), "the row behind it")
    assert counters(pair.target, pair.name) == counters(pair.upstream, pair.name)


def test_an_order_that_does_not_tell_pauses_the_task_until_somebody_has_looked(pair: Pair, tmp_path: Path) -> None:
    die_at("syncer.ddl_executed", pair, tmp_path)
    pair.on(("ALTER TABLE counter RENAME COLUMN m TO hidden",), pair.target)
    as_an_earlier_version(pair)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError, match="order of its columns do not tell"):
            Replication(pair.config()).end(SECONDS)
    pair.on(("ALTER TABLE counter RENAME COLUMN hidden TO m",), pair.target)
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name) == counters(pair.upstream, pair.name), "it goes on")


def test_tables_that_an_earlier_version_may_have_exchanged_pause_the_task(pair: Pair, tmp_path: Path) -> None:
    die_at("syncer.ddl_executed", pair, tmp_path, "RENAME TABLE counter TO tmp, log TO counter, tmp TO log", "SELECT 1")
    as_an_earlier_version(pair)
    for _ in range(2):
        with pytest.raises(DMError, match="could undo itself") as raised:
            Replication(pair.config()).end(SECONDS)
        assert raised.value.kind.code == 36181


EXCHANGE_ROWS = "ALTER TABLE parted EXCHANGE PARTITION p0 WITH TABLE plain"


def of_two(server: RunningServer, name: str) -> list[Any]:
    with cursor_on(server, name) as cursor:
        cursor.execute("SELECT 'parted', id FROM parted UNION ALL SELECT 'plain', id FROM plain ORDER BY 1, 2")
        return list(cursor.fetchall())


@pytest.mark.parametrize("point", POINTS)
def test_rows_of_a_partition_are_exchanged_once(pair: Pair, point: str, tmp_path: Path) -> None:
    die_at(point, pair, tmp_path, EXCHANGE_ROWS)
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name)[-1] == (7, 70, 700), "the row behind it")
    assert of_two(pair.target, pair.name) == of_two(pair.upstream, pair.name)


def decide(pair: Pair, operator: Operator) -> None:
    """As `dmctl binlog`."""
    with pair.target.connect() as connection:
        store_operator(connection, MetaTables(f"{pair.name}_meta", pair.name), "one", operator)


@pytest.mark.parametrize("point", POINTS)
def test_an_account_that_may_not_read_identities_is_told_to_look(pair: Pair, point: str, tmp_path: Path) -> None:
    with cursor_on(pair.target) as cursor:
        cursor.execute("CREATE USER IF NOT EXISTS sees_little")
        cursor.execute("GRANT ALL ON *.* TO sees_little")
        cursor.execute("REVOKE PROCESS ON *.* FROM sees_little")
    account = pair.config().target.model_copy(update={"user": "sees_little"})
    config = pair.config().model_copy(update={"target": account})
    dying = Run(config, tmp_path, 1, f"{point}=kill")
    pair.on((EXCHANGE_ROWS, ROW), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    place = ""
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError, match="which does not tell") as raised:
            Replication(config).end(SECONDS)
        place = raised.value.fields["place"]
    is_done = of_two(pair.target, pair.name) == of_two(pair.upstream, pair.name)
    assert is_done == (point == "ddl.done")
    position = Position.parse(place)
    decide(pair, Operator(position, Op.SKIP) if is_done else Operator(position, Op.REPLACE, (EXCHANGE_ROWS,)))
    with running(config):
        until(lambda: counters(pair.target, pair.name)[-1] == (7, 70, 700), "the row behind it")
    assert of_two(pair.target, pair.name) == of_two(pair.upstream, pair.name)


@pytest.mark.parametrize("point", POINTS)
def test_what_only_the_upstreams_structure_tells_pauses_the_task(pair: Pair, point: str, tmp_path: Path) -> None:
    """The target has the default that the statement gives upstream already, so it is the same behind it."""
    statement = "ALTER TABLE counter DROP m, CHANGE n m INT AFTER id, ADD n INT NOT NULL DEFAULT 0 AFTER id"
    pair.on(("ALTER TABLE counter ALTER n SET DEFAULT 0",), pair.target)
    die_at(point, pair, tmp_path, statement)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError, match="which does not tell") as raised:
            Replication(pair.config()).end(SECONDS)
        assert raised.value.kind.code == 36181
    is_done = counters(pair.target, pair.name) == counters(pair.upstream, pair.name)[:-1]
    assert is_done == (point == "ddl.done")
    position = Position.parse(raised.value.fields["place"])
    decide(pair, Operator(position, Op.SKIP) if is_done else Operator(position, Op.REPLACE, (statement,)))
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name)[-1] == (7, 70, 700), "the row behind it")
    assert counters(pair.target, pair.name) == counters(pair.upstream, pair.name)


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("clauses", ["CHANGE m n INT, DROP n", "RENAME COLUMN n TO x, RENAME COLUMN m TO n"])
def test_a_name_that_another_column_gives_up_is_taken_once(
    clauses: str, is_stored: bool, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """In TiDB the statement is one for each clause, and the first of them would take what the last has made."""
    is_dropped = "DROP" in clauses
    columns, row = ("id, n", "7, 70") if is_dropped else ("id, n, x", "7, 70, 700")
    pair = made(f"taken_over_{is_dropped:d}{is_stored:d}", mariadb, tidb)
    pair.both("ALTER TABLE counter ADD COLUMN m INT AFTER n", "UPDATE counter SET m = 1000 + id")
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    dying = Run(pair.config(), tmp_path, 1, "syncer.ddl_executed=kill")
    pair.on((f"ALTER TABLE counter {clauses}", f"INSERT INTO counter ({columns}) VALUES ({row})"), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    if not is_stored:
        as_an_earlier_version(pair)
    with running(pair.config()):
        until(lambda: values(pair.target, pair.name, columns)[-1][:2] == (7, 70), "the row behind it")
    assert values(pair.target, pair.name, columns) == values(pair.upstream, pair.name, columns)
