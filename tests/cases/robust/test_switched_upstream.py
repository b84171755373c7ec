"""Behind the source's address comes a server that lacks what was applied, or has it in another order."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from dm_worker.relay.errors import UNLOGGED_UPSTREAM
from dm_worker.syncer.switch import SWITCHED_BEHIND, SWITCHED_UNLOGGED
from dm_worker.syncer.unit import Syncer
from pkg.errors import DMError, as_dm_error
from pkg.task.subtask import SubtaskConfig
from tests.cases.e2e.job import binlog_position
from tests.cases.relay.pulls import Pull, first_file, source
from tests.cases.robust.supervised import Supervised, config_of
from tests.cases.sync.pair import Pair, cursor_on, made, until
from tests.contract.processes import eventually
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.servers.replica import execute, follow, has_all, has_applied, stop_logging

pytestmark = pytest.mark.crossed("kind", "target")

Factory = Callable[..., RunningServer]
NO_CHECKPOINT = {"checkpoint-flush-interval": 1000}  # the channels stay ahead of it
UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
# What the first server has written until it dies, what it writes unread, and the order of all that at the second one.
ORDERS = {
    "mysql": (["1", "shop:1", "2", "4", "shop:2", "6"], ["3", "shop:3", "5"], "shop:1 shop:2 1 2 3 4 5 6 shop:3"),
    "mariadb": (["0-1", "7-1", "0-2", "7-2", "0-3"], ["7-3", "0-4"], "7-1 7-2 7-3 0-1 0-2 0-3 0-4"),
}


BEHIND = {
    "mysql": (["1", "2"], ["1", "shop:1", "2", "shop:2"]),
    "mariadb": (["0-1", "7-1"], ["0-1", "0-2", "7-1", "7-2"]),
}

log = logging.getLogger(__name__)


class RelayTask:
    """The sync unit over a relay log, started again after an error that passes."""

    def __init__(self, config: SubtaskConfig, folder: Path) -> None:
        self.errors: list[DMError] = []
        self.unit = Syncer(config, 1, str(folder))
        self._stop = threading.Event()
        self._config, self._folder = config, folder
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        binding = 1
        while not self._stop.is_set():
            try:
                self.unit.run(self._stop)
            except Exception as exc:
                self.errors.append(as_dm_error(exc))
                log.warning("the unit ended, and begins again: %s", self.errors[-1])
                self._stop.wait(0.2)
                binding += 1
                self.unit = Syncer(self._config, binding, str(self._folder))

    def end(self) -> None:
        self._stop.set()
        self._thread.join(60)


def rows(mark: str, key: int) -> tuple[str, ...]:
    return (
        f"INSERT INTO log VALUES (100, '{mark}'), (100, '{mark}')",
        f"INSERT INTO counter VALUES ({key}, 1, '{mark}')",
    )


def write(pair: Pair, server: RunningServer, mark: str, first_key: int, count: int) -> None:
    for number in range(count):
        pair.on(rows(f"{mark} {number}", first_key + number), server)


def promote(server: RunningServer) -> None:
    execute(server, *(("STOP SLAVE", "RESET SLAVE ALL") if server.kind == "mariadb" else ("STOP REPLICA",)))


def lacks(errors: Sequence[DMError]) -> bool:
    return bool(errors) and errors[-1].is_a(SWITCHED_BEHIND)


@pytest.fixture
def pair(kind: str, target: str, server_factory: Factory) -> Iterator[tuple[Pair, RunningServer, Forwarder]]:
    """A pair whose upstream has a replica, and the address that leads to one of them."""
    first, second = server_factory(kind), server_factory(kind)
    follow(second, first)
    made_pair = made(f"switched_{kind}", first, server_factory(target))
    until(lambda: has_all(second, first), "the replica has all")
    with Forwarder(first.port) as address:
        yield made_pair, second, address


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "mariadb"), ("mysql", "tidb")])
@pytest.mark.parametrize("relay", [False, True])
def test_a_promoted_replica_lacks_what_was_applied(
    relay: bool, pair: tuple[Pair, RunningServer, Forwarder], tmp_path: Path
) -> None:
    """It has written as many transactions of its own; the task waits for a server that has all."""
    tables, second, address = pair
    first, folder = tables.upstream, tmp_path / "relay"
    sync = {"checkpoint-flush-interval": 1} if relay else NO_CHECKPOINT
    config = config_of(tables, upstream_port=address.port, sync=sync, enable_gtid=True)
    with ExitStack() as stack:
        task: RelayTask | Supervised
        if relay:
            pulled = source(first, enable_gtid=True, relay_binlog_name=first_file(first))
            from_ = pulled.from_.model_copy(update={"port": address.port})
            pull = Pull(pulled.model_copy(update={"from_": from_}), folder)
            stack.callback(pull.end)
            task = RelayTask(config, folder)
            stack.callback(task.end)
        else:
            task = stack.enter_context(Supervised(config))
        promote(second)
        write(tables, first, "lost", 100, 5)
        until(tables.is_equal, "in step")
        write(tables, second, "new", 200, 8)
        address.point_at(second.port)
        until(lambda: lacks(task.errors), f"the lack is said: {task.errors[-3:]}")
        newest = str(
            execute(first, f"SELECT @@GLOBAL.{'gtid_binlog_pos' if first.kind == 'mariadb' else 'server_uuid'}")[0][0]
        )
        assert newest in str(task.errors[-1])
        assert tables.is_equal()
        address.point_at(first.port)
        write(tables, first, "later", 300, 3)
        until(tables.is_equal, f"goes on at the first server: {task.errors[-3:]}")


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "mariadb"), ("mysql", "tidb")])
@pytest.mark.parametrize("relay", [False, True])
def test_a_promoted_replica_has_not_logged_what_it_replicated(
    relay: bool, pair: tuple[Pair, RunningServer, Forwarder], tmp_path: Path
) -> None:
    """No stream of it would have those transactions; the task pauses, and goes on at the first server."""
    tables, second, address = pair
    first, folder = tables.upstream, tmp_path / "relay"
    config = config_of(tables, upstream_port=address.port, sync={"checkpoint-flush-interval": 1}, enable_gtid=True)
    pulled = source(first, enable_gtid=True, relay_binlog_name=first_file(first))
    pulled = pulled.model_copy(update={"from_": pulled.from_.model_copy(update={"port": address.port})})
    with ExitStack() as stack:
        write(tables, first, "logged", 100, 3)
        pulls = [Pull(pulled, folder)] if relay else []
        task = RelayTask(config, folder) if relay else stack.enter_context(Supervised(config))
        if isinstance(task, RelayTask):
            stack.callback(task.end)
        until(tables.is_equal, "in step")
        until(lambda: has_all(second, first), "the replica has all")
        for pull in pulls:
            pull.end()
        address.point_at(1)  # nobody answers
        stop_logging(second)
        write(tables, first, "unlogged", 200, 3)
        until(lambda: has_applied(second, first), "the replica has applied all")
        promote(second)
        write(tables, second, "new", 300, 2)
        address.point_at(second.port)
        if relay:
            pull = Pull(pulled, folder)
            stack.callback(pull.end)
            assert eventually(pull.failure, "the lack is said").is_a(UNLOGGED_UPSTREAM)
        else:
            until(
                lambda: task.errors[-1:] and task.errors[-1].is_a(SWITCHED_UNLOGGED), f"the lack is said: {task.errors}"
            )
        assert not any(mark.startswith(("unlogged", "new")) for _, mark in tables.rows(tables.target)[1])
    if not relay:
        address.point_at(first.port)
        with Supervised(config) as task:
            until(tables.is_equal, f"goes on at the first server: {task.errors[-3:]}")


def test_a_server_that_was_set_up_from_a_copy_has_written_nothing_yet(server_factory: Factory) -> None:
    """MariaDB's gtid_slave_pos says what came with the copy; its own binlog is empty."""
    first, second = server_factory("mariadb"), server_factory("mariadb")
    tables = made("copied_server", first, server_factory("tidb"))
    made("copied_server", second, server_factory("mariadb"))  # the same rows
    with Forwarder(first.port) as address:
        config = config_of(tables, upstream_port=address.port, sync={"checkpoint-flush-interval": 1}, enable_gtid=True)
        with Supervised(config) as task:
            until(lambda: task.unit is not None and bool(task.unit.status().get("synced")), "runs")
            write(tables, first, "first", 100, 3)
            task.in_step(tables)
            end = str(binlog_position(first))
            until(
                lambda: task.unit is not None and task.unit.status()["checkpointBinlog"] == end,
                "the checkpoint has all",
            )
            write(tables, second, "first", 100, 3)
            [[gtids]] = execute(first, "SELECT @@GLOBAL.gtid_binlog_pos")
            execute(second, "RESET MASTER", f"SET GLOBAL gtid_slave_pos = '{gtids}'")
            address.point_at(second.port)
            until(lambda: not task.is_running or reads(task, second), "it reads the second server's binlog")
            write(tables, second, "second", 200, 2)
            until(
                lambda: not task.is_running or tables.rows(tables.target) == tables.rows(second),
                f"goes on: {task.errors}",
            )
            assert tables.rows(tables.target) == tables.rows(second), [str(one) for one in task.errors]


def reads(task: Supervised, server: RunningServer) -> bool:
    """Whether it reads the server's binlog, and no more as that of another server than before."""
    run = task.unit._run if task.unit is not None else None
    return run is not None and not (run.is_switched or run.is_over) and str(server.port) in run._settings.server


def written(pair: Pair, server: RunningServer, gtids: Sequence[str]) -> None:
    for gtid in gtids:
        if server.kind == "mysql":
            begin = (f"SET gtid_next = '{UUID}:{gtid}'",)
            statements = ("BEGIN", *rows(gtid, sum(map(ord, gtid))), "COMMIT")
        else:
            domain, _, number = gtid.partition("-")
            begin = (f"SET gtid_domain_id = {domain}, server_id = 77, gtid_seq_no = {1000 + int(number)}",)
            statements = ("BEGIN", *rows(gtid, sum(map(ord, gtid))), "COMMIT")
        pair.on((*begin, *statements), server)


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "tidb"), ("mysql", "mariadb")])
def test_transactions_come_in_another_order(pair: tuple[Pair, RunningServer, Forwarder]) -> None:
    """As of replicas that commit in parallel, several domains, tags and servers of origin."""
    tables, second, address = pair
    first = tables.upstream
    read, unread, other_order = ORDERS[first.kind]
    promote(second)
    config = config_of(tables, upstream_port=address.port, sync=NO_CHECKPOINT, enable_gtid=True)
    with Supervised(config) as task:
        until(lambda: task.unit is not None and bool(task.unit.status().get("synced")), "runs")
        written(tables, first, read)
        task.in_step(tables)
        until(task.has_confirmed, "confirmed")
        address.point_at(1)  # nobody answers
        written(tables, first, unread)
        written(tables, second, other_order.split())
        address.point_at(second.port)
        write(tables, second, "later", 900, 1)
        until(
            lambda: not task.is_running or (900, 1, "later 0") in tables.rows(tables.target)[0], "what is later arrives"
        )
        until(lambda: tables.rows(tables.target)[1] == tables.rows(second)[1], str(tables.rows(tables.target)), 20)
        assert tables.rows(tables.target) == tables.rows(second)
        until(lambda: not task.unit.status()["safeMode"], "safe mode has ended")


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "mariadb"), ("mysql", "mariadb")])
@pytest.mark.parametrize("relay", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_a_run_ends_before_transactions_that_were_applied_on_the_first_server(
    pair: tuple[Pair, RunningServer, Forwarder], relay: bool, tmp_path: Path
) -> None:
    """The place where it goes on is not all that tells what comes behind it."""
    tables, second, address = pair
    first = tables.upstream
    read, other_order = BEHIND[first.kind]
    promote(second)
    sync = {"checkpoint-flush-interval": 1, "batch": 1}
    config = config_of(tables, upstream_port=address.port, sync=sync, enable_gtid=True)
    folder = str(tmp_path / "relay") if relay else ""
    with ExitStack() as stack:
        if relay:
            pulled = source(first, enable_gtid=True, relay_binlog_name=first_file(first))
            from_ = pulled.from_.model_copy(update={"port": address.port})
            pull = Pull(pulled.model_copy(update={"from_": from_}), tmp_path / "relay")
            stack.callback(pull.end)
        with Supervised(config, relay=folder) as task:
            written(tables, first, read)
            task.in_step(tables)
            end = str(binlog_position(first))
            until(lambda: task.unit.status()["checkpointBinlog"] == end, "the checkpoint has all")
        last, new = other_order[-1], {"mysql": f"{UUID}:1-2:shop:1", "mariadb": "0-77-1002,7-77-1001"}[first.kind]
        written(tables, second, other_order)
        address.point_at(second.port)
        with cursor_on(tables.target, tables.name) as blocker:
            blocker.execute("BEGIN")
            blocker.execute(f"INSERT INTO counter VALUES ({sum(map(ord, last))}, 1, 'in the way')")
            with Supervised(config, binding=2, relay=folder) as task:
                until(lambda: new in task.unit.status().get("checkpointBinlogGtid", ""), f"it has {new}: {task.errors}")
            blocker.execute("ROLLBACK")
        for binding in (100, 200):
            with Supervised(config, binding=binding, relay=folder) as task:
                until(lambda task=task: bool(task.unit.status().get("synced")), f"goes on: {task.errors}")
                assert tables.rows(tables.target) == tables.rows(second)
