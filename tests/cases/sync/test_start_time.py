"""A task that starts at a time begins at the first commit from then on, or says that the binlog does not tell which."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from dm_worker.syncer.start_order import AMBIGUOUS_START_TIME
from dm_worker.syncer.start_places import find_start
from dm_worker.syncer.upstream import Upstream
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.task.start_time import BAD_START_TIME
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_start_gtids import opened
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

SERVERS = {
    "mariadb": (),
    "mysql": (),
    "mysql without GTIDs": ("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"),
}
FUTURE = ("SET timestamp = UNIX_TIMESTAMP() + 86400", "INSERT INTO log VALUES (7, 'future')", "SET timestamp = DEFAULT")
PAST = ("SET timestamp = UNIX_TIMESTAMP() - 86400", "INSERT INTO log VALUES (2, 'past')", "SET timestamp = DEFAULT")


@pytest.fixture(scope="module", params=SERVERS)
def upstream(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with start_or_report(request.param.partition(" ")[0], options=SERVERS[request.param]) as server:
        yield server


@pytest.fixture
def pair(request: pytest.FixtureRequest, upstream: RunningServer, mariadb2: RunningServer) -> Pair:
    """With files of its own, behind transactions that are in order."""
    pair = made(f"start_{abs(hash(request.node.name)) % 10**8}", upstream, mariadb2)
    pair.on(("FLUSH BINARY LOGS", "INSERT INTO log VALUES (1, 'before')"), upstream)
    pair.on(("INSERT INTO log VALUES (1, 'before')",), mariadb2)
    return pair


def now(pair: Pair) -> str:
    """The upstream's time: a moment of MySQL's, a second that has just begun of MariaDB's."""
    with cursor_on(pair.upstream) as cursor:
        if pair.upstream.kind == "mysql":
            cursor.execute("SELECT UTC_TIMESTAMP(6)")
            return str(cursor.fetchone()[0])
        first = second = None
        while first is None or first == second:
            first = first or second
            cursor.execute("SELECT UNIX_TIMESTAMP()")
            second = int(cursor.fetchone()[0])
            time.sleep(0.01)
        return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S")


def here(pair: Pair) -> Position:
    name, offset, _ = pair.here()
    return Position(name, offset)


def start_of(source: Upstream, text: str) -> Position:
    return find_start(source, text, source.server.gtid_flavor)


def assert_begins_at(pair: Pair, text: str, place: Position) -> None:
    """MySQL begins exactly there; MariaDB says that it cannot know the place, and where it may be."""
    with opened(pair) as source:
        if pair.upstream.kind == "mysql":
            assert start_of(source, text) == place
            return
        with pytest.raises(DMError) as caught:
            start_of(source, text)
        assert caught.value.is_a(AMBIGUOUS_START_TIME)
        assert caught.value.fields["first"] <= place <= caught.value.fields["last"], caught.value


def test_a_transaction_that_is_dated_in_the_future(pair: Pair) -> None:
    pair.on((*FUTURE, "INSERT INTO log VALUES (6, 'now')"), pair.upstream)
    text = now(pair)
    place = here(pair)
    pair.on(("INSERT INTO log VALUES (8, 'at the time')",), pair.upstream)
    with opened(pair) as source:
        if pair.upstream.kind == "mysql":
            assert start_of(source, text) == place
        else:
            with pytest.raises(DMError, match="is no single place"):
                start_of(source, text)
    pair.on(("FLUSH BINARY LOGS",), pair.upstream)
    text = now(pair)
    place = here(pair)
    pair.on(("INSERT INTO log VALUES (8, 'at the time')",), pair.upstream)
    if pair.upstream.kind == "mysql":
        with opened(pair) as source:
            assert start_of(source, text) == place


def test_a_transaction_that_is_dated_in_the_past(pair: Pair) -> None:
    text = now(pair)
    place = here(pair)
    pair.on((*PAST, "INSERT INTO log VALUES (3, 'at the time')"), pair.upstream)
    assert_begins_at(pair, text, place)


def test_a_file_that_is_dated_in_the_past(pair: Pair) -> None:
    text = now(pair)
    place = here(pair)
    pair.on(("INSERT INTO log VALUES (3, 'at the time')",), pair.upstream)
    pair.on(("SET timestamp = UNIX_TIMESTAMP() - 86400", "FLUSH BINARY LOGS"), pair.upstream)
    pair.on(("INSERT INTO log VALUES (4, 'behind it')",), pair.upstream)
    with opened(pair) as source:
        assert start_of(source, text) == place


def test_a_statement_that_is_under_way_at_the_time(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    under_way = threading.Thread(target=pair.on, args=(("INSERT INTO log VALUES (2, SLEEP(4))",), pair.upstream))
    under_way.start()
    time.sleep(1.5)
    text = now(pair)
    long_one = here(pair)
    under_way.join()
    behind_it = here(pair)
    pair.on(("INSERT INTO log VALUES (3, 'behind it')",), pair.upstream)
    with opened(pair) as source, caplog.at_level("INFO"):
        found = start_of(source, text)
    if pair.upstream.kind == "mysql":
        assert found == long_one
    else:
        assert found == behind_it
        assert "a statement that was under way at that time counts as before it" in caplog.text


def test_a_ddl_that_is_under_way_at_the_time(pair: Pair) -> None:
    pair.on(("CREATE TABLE slow (a INT PRIMARY KEY)", "INSERT INTO slow VALUES (1), (2), (3)"), pair.upstream)
    alter = ("ALTER TABLE slow ADD b INT, ALGORITHM=COPY",)
    with pair.upstream.connect(pair.name) as holder, holder.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT * FROM slow")
        under_way = threading.Thread(target=pair.on, args=(alter, pair.upstream))
        under_way.start()
        time.sleep(1.5)
        text = now(pair)
        place = here(pair)
        time.sleep(1.1)
        holder.rollback()
    under_way.join()
    pair.on(("INSERT INTO log VALUES (3, 'behind it')",), pair.upstream)
    with opened(pair) as source:
        assert start_of(source, text) == place


def test_a_time_since_which_nothing_was_written(pair: Pair) -> None:
    time.sleep(1.1)
    text = now(pair)
    place = here(pair)
    time.sleep(1.1)
    with opened(pair) as source:
        assert start_of(source, text) == place
        with pytest.raises(DMError, match="is behind the end"):
            start_of(source, "2037-01-01 00:00:00")
    with running(pair.config(start_time=text)) as syncer:
        pair.on(("INSERT INTO log VALUES (3, 'behind it')",), pair.upstream)
        until(pair.is_equal, "what comes next arrives")
        assert syncer.status()["totalRows"] == 1


def test_parts_of_a_second(pair: Pair) -> None:
    text = now(pair).partition(".")[0] + ".999999"
    time.sleep(1.1)
    place = here(pair)
    pair.on(("INSERT INTO log VALUES (3, 'behind it')",), pair.upstream)
    with opened(pair) as source:
        if pair.upstream.kind == "mysql":
            assert start_of(source, text) == place
        else:
            with pytest.raises(DMError, match="parts of a second") as caught:
                start_of(source, text)
            assert caught.value.is_a(BAD_START_TIME)


def test_purged_files_may_hold_the_place(upstream: RunningServer, mariadb2: RunningServer) -> None:
    pair = made("start_purged", upstream, mariadb2)
    text = now(pair)
    pair.on(("INSERT INTO log VALUES (1, 'purged')", "FLUSH BINARY LOGS"), upstream)
    place = here(pair)
    pair.on(("INSERT INTO log VALUES (2, 'left')",), upstream)
    with opened(pair) as source:

        def is_purged() -> bool:
            pair.on((f"PURGE BINARY LOGS TO '{place.name}'",), upstream)
            return source.binlog_files() == [place.name]

        until(is_purged, "no stream reads the older files any more")
        with pytest.raises(DMError, match="so may be purged ones"):
            start_of(source, text)


@pytest.mark.parametrize("upstream", ["mysql", "mysql without GTIDs"], indirect=True)
def test_the_rows_of_mysql_are_those_that_were_committed_from_then_on(
    upstream: RunningServer, mariadb2: RunningServer
) -> None:
    pair = made("start_rows", upstream, mariadb2)
    pair.on(FUTURE, upstream, mariadb2)
    under_way = threading.Thread(target=pair.on, args=(("INSERT INTO log VALUES (2, SLEEP(3))",), upstream))
    under_way.start()
    time.sleep(1)
    text = now(pair)
    under_way.join()
    pair.on((*PAST, "INSERT INTO log VALUES (3, 'last')"), upstream)
    with running(pair.config(start_time=text)):
        until(pair.is_equal, "what was committed from then on arrives, once")
