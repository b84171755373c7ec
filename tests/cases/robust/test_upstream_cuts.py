"""The binlog stream is lost at every packet of a small binlog: the task comes back by itself, each change once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from pkg.adapters import binlog_stream
from pkg.task.subtask import SubtaskConfig
from tests.cases.robust.supervised import COUNT, LOG, SWAP, Supervised, config_of
from tests.cases.sync.pair import FIRST, Pair, cursor_on, made
from tests.servers import RunningServer
from tests.servers.cutting import DOWN, UP, Cut, CuttingProxy, How

pytestmark = pytest.mark.crossed("make")

STREAM = {"mariadb": b"slave_connect_state", "mysql": b"replica_uuid"}  # what a stream's connection alone says
TO_SERVER = {"mariadb": 5, "mysql": 4}  # packets: preparations, registration, request
ROWS = (COUNT, LOG, *SWAP, "DELETE FROM log WHERE a = 7 LIMIT 1", COUNT)
ROW_PACKETS = 27  # from the server, at least: answers to the preparations, and events
STRIDE = 3
DDL = (
    "ALTER TABLE log ADD COLUMN c INT DEFAULT 7",
    "INSERT INTO log VALUES (8, 'x', 8)",
    "ALTER TABLE log DROP COLUMN c",
)
DDL_PACKETS = range(6, 16)


@dataclass
class Script:
    """The same binlog again and again, applied to the same rows."""

    pair: Pair
    proxy: CuttingProxy
    config: SubtaskConfig

    def again(self, *cuts: Cut) -> Supervised:
        """The target as it was, and a task from the beginning."""
        self.proxy.cuts = list(cuts)
        with cursor_on(self.pair.target) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {self.pair.name}_meta")
            cursor.execute(f"USE {self.pair.name}")
            for statement in ("TRUNCATE TABLE counter", "TRUNCATE TABLE log", *FIRST):
                cursor.execute(statement)
        return Supervised(self.config)

    def at(self, direction: str, packet: int, how: How = How.BEFORE) -> Cut:
        """At a packet of a stream's connection, counted from the first statement that only streams have."""
        return Cut(STREAM[self.pair.upstream.kind], direction, packet, how)


Make = Callable[[tuple[str, ...]], Script]


@pytest.fixture(params=["mariadb", "mysql"])
def make(request: pytest.FixtureRequest, mariadb2: RunningServer) -> Iterator[Make]:
    """`make(binlog)`: a script of it."""
    upstream: RunningServer = request.getfixturevalue(request.param)
    with ExitStack() as stack:

        def made_of(binlog: tuple[str, ...]) -> Script:
            pair = made(f"stream_{request.param}", upstream, mariadb2)
            proxy = stack.enter_context(CuttingProxy(upstream.port))
            # No checkpoint but those of DDL, so that each stream begins at the start.
            config = config_of(pair, proxy.port, sync={"checkpoint-flush-interval": 300}, enable_gtid=True)
            pair.on(binlog, upstream)
            return Script(pair, proxy, config)

        yield made_of


@pytest.mark.parametrize("how", [How.BEFORE, How.INSIDE])
def test_cut_at_every_packet_of_rows(make: Make, how: How) -> None:
    """A run is cut again and again, further on each time: also in the stream's preparations."""
    script = make(ROWS)
    for first in range(1, STRIDE + 1):
        cuts = [script.at(DOWN, number, how) for number in range(first, ROW_PACKETS + 1, STRIDE)]
        with script.again(*cuts) as task:
            task.in_step(script.pair)
            assert all(cut.struck.is_set() for cut in cuts)
            assert all(error.resumable for error in task.errors), task.errors


def test_cut_at_every_packet_of_ddl(make: Make) -> None:
    script = make(DDL)
    for number in DDL_PACKETS:
        cut = script.at(DOWN, number)
        with script.again(cut) as task:
            task.in_step(script.pair)
            assert cut.struck.is_set()


def test_cut_at_every_packet_to_the_server(make: Make) -> None:
    script = make(ROWS)
    cuts = [script.at(UP, number) for number in range(1, TO_SERVER[script.pair.upstream.kind] + 1)]
    with script.again(*cuts) as task:
        task.in_step(script.pair)
        assert all(cut.struck.is_set() for cut in cuts)
        assert len(task.errors) == len(cuts)


def test_a_server_that_falls_silent_is_left(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream has a heartbeat each second."""
    monkeypatch.setattr(binlog_stream, "_SILENCE_SECONDS", 2)
    script = make(ROWS)
    cuts = [script.at(DOWN, number, How.SILENT) for number in (1, 8, 20)]
    with script.again(*cuts) as task:
        task.in_step(script.pair)
        assert all(cut.struck.is_set() for cut in cuts)
        assert all(error.resumable for error in task.errors), task.errors
