"""The upstream's binlog was begun anew, or the server was restored: a stored position may fit, and rows be missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dm_worker.syncer.switch import ANOTHER_BINLOG, RENAMED_BINLOG
from pkg.errors import DMError
from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import SECONDS, Replication, cursor_on, made, running, until
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

UPSTREAMS = {
    "mariadb": (),
    "mysql": (),
    "mysql without GTIDs": ("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"),
}


@pytest.fixture(scope="module", params=UPSTREAMS)
def upstream(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with start_or_report(request.param.partition(" ")[0], options=UPSTREAMS[request.param]) as server:
        yield server


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("count", [1, 40], ids=["fewer transactions", "more transactions"])
@pytest.mark.parametrize("files", [0, 2], ids=["its file is there", "its file is gone"])
def test_a_binlog_that_was_reset_is_not_read_on(
    upstream: RunningServer,
    mariadb2: RunningServer,
    by_gtid: bool,
    count: int,
    files: int,
    request: pytest.FixtureRequest,
) -> None:
    pair = made(f"reset_{abs(hash(request.node.name)) % 10**6}", upstream, mariadb2)
    config = pair.config(enable_gtid=by_gtid)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on((*("FLUSH BINARY LOGS",) * files, "INSERT INTO log VALUES (3, 'read')"), upstream)
        until(pair.is_equal, "the row arrives")
    wait_for_another_second(upstream)
    pair.on((reset_of(upstream), *("INSERT INTO log VALUES (4, 'behind it')",) * count), upstream)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError) as raised:
            Replication(config).end(SECONDS)
        assert raised.value.is_a(ANOTHER_BINLOG) or "Could not find" in str(raised.value), raised.value
        assert not raised.value.resumable
    config = config.model_copy(update={"meta_schema": f"{config.meta_schema}_new"})
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "another task begins where the binlog is now")


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
def test_rows_of_a_file_that_the_restored_upstream_lacks_are_not_taken_for_its_own(
    upstream: RunningServer, mariadb2: RunningServer, by_gtid: bool, tmp_path: Path
) -> None:
    """The channels are in a later file than the checkpoint when the stream ends; the new server writes it otherwise."""
    pair = made(f"restored_{upstream.kind}_{by_gtid}", upstream, mariadb2)
    config = config_of(pair, sync={"checkpoint-flush-interval": 100}, enable_gtid=by_gtid)
    with Supervised(config) as task:
        write(pair)
        task.in_step(pair)
        until(task.has_confirmed, "it knows what is applied")
        data = upstream.snapshot(tmp_path)
        pair.on(("FLUSH BINARY LOGS", *(COUNT, LOG) * 3), upstream)
        task.in_step(pair)
        wait_for_another_second(upstream)
        upstream.put_back(data)
        pair.on((COUNT, LOG) * 20, upstream)
        assert task.paused().is_a(ANOTHER_BINLOG), task.errors


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("is_cut", [False, True], ids=["the stream stays", "the stream is cut"])
def test_a_binlog_that_is_reset_while_it_is_read(
    upstream: RunningServer, mariadb2: RunningServer, by_gtid: bool, is_cut: bool
) -> None:
    """The open stream stays in the deleted file, and then comes to the second file of the new binlog."""
    pair = made(f"live_reset_{by_gtid}_{is_cut}", upstream, mariadb2)
    pair.on((reset_of(upstream),), upstream)
    with Supervised(config_of(pair, enable_gtid=by_gtid)) as task:
        pair.on((COUNT, LOG) * 5, upstream)
        task.in_step(pair)
        wait_for_another_second(upstream)
        pair.on((reset_of(upstream), "INSERT INTO log VALUES (8, 'lost')", "FLUSH BINARY LOGS"), upstream)
        if is_cut:
            upstream.cut_streams()
        pair.on(("INSERT INTO log VALUES (9, 'behind it')",) * 9, upstream)
        assert task.paused().is_a(ANOTHER_BINLOG), task.errors
        assert not any(a in (8, 9) for a, _ in pair.rows(mariadb2)[1]), "nothing of the new binlog is applied"
        for _ in range(2):  # it stays so
            task.resume()
            assert task.paused().is_a(ANOTHER_BINLOG), task.errors


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
def test_an_idle_stream_notices_that_the_binlog_was_reset(
    upstream: RunningServer, mariadb2: RunningServer, by_gtid: bool
) -> None:
    """The server sends nothing more: its new binlog is shorter than what was read."""
    pair = made(f"idle_reset_{by_gtid}", upstream, mariadb2)
    pair.on((reset_of(upstream),), upstream)
    with Supervised(config_of(pair, enable_gtid=by_gtid)) as task:
        pair.on((COUNT, LOG) * 5, upstream)
        task.in_step(pair)
        pair.on((reset_of(upstream), "INSERT INTO log VALUES (8, 'lost')"), upstream)
        assert task.paused().is_a(ANOTHER_BINLOG), task.errors


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_files_get_another_name(kind: str, mariadb2: RunningServer, by_gtid: bool) -> None:
    """The index stays, so that the server goes on; places in `binlog.000004` would count as before `mysql-bin.000003`."""
    with start_or_report(kind, options=("--log-bin-index=names",)) as server:
        pair = made(f"renamed_{kind}_{by_gtid}", server, mariadb2)
        config = config_of(pair, enable_gtid=by_gtid)
        with Supervised(config) as task:
            pair.on((COUNT, LOG) * 3, server)
            task.in_step(pair)
            server.command.append("--log-bin=newer-bin")
            server.restart()
            pair.on((COUNT, LOG) * 2, server)
            task.in_step(pair)
            server.command.append("--log-bin=binlog")
            server.restart()
            pair.on((COUNT, LOG) * 2, server)
            assert task.paused().is_a(RENAMED_BINLOG), task.errors
            for _ in range(2):  # it stays so
                task.resume()
                assert task.paused().is_a(RENAMED_BINLOG), task.errors
        meta = {"binlog-name": "binlog.000001", "binlog-pos": 4}
        anew = config_of(pair, enable_gtid=by_gtid, meta=meta)
        anew = anew.model_copy(update={"meta_schema": f"{config.meta_schema}_new"})
        with running(anew) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "begun there, it goes on")
            assert pair.is_equal()


def test_files_that_are_purged_while_the_stream_goes_on(upstream: RunningServer, mariadb2: RunningServer) -> None:
    """Also where the upstream dies, which leaves a file without an end."""
    pair = made("live_purged", upstream, mariadb2)
    with Supervised(config_of(pair)) as task:
        for number in range(3):
            pair.on((COUNT, LOG), upstream)
            task.in_step(pair)  # its stream is open
            pair.on((COUNT, "FLUSH BINARY LOGS", COUNT, LOG), upstream)
            pair.on((f"PURGE BINARY LOGS TO '{pair.here()[0]}'", COUNT), upstream)
            task.in_step(pair)
            if number == 1:
                upstream.kill()
                upstream.restart()
        assert all(error.resumable for error in task.errors), task.errors


ROW = "INSERT INTO log VALUES (6, 'a row')"
GOING_BACK = {  # what is done while the task runs, and behind it
    "another server's are smaller": ((ROW,), ("SET server_id = 302, gtid_seq_no = 3", ROW)),
    "the server's own go back": (("SET gtid_seq_no = 5000", ROW), ("SET gtid_seq_no = 4000", ROW)),
    "the next file begins with smaller ones": ((ROW,), (ROW, "SET gtid_seq_no = 4", ROW, "FLUSH BINARY LOGS", ROW)),
}


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("case", GOING_BACK)
def test_mariadbs_sequence_numbers_may_go_back(
    mariadb: RunningServer, mariadb2: RunningServer, case: str, by_gtid: bool
) -> None:
    """Its transactions are the upstream's still, and none is passed over."""
    pair = made(f"goes_back_{[*GOING_BACK].index(case)}_{by_gtid:d}", mariadb, mariadb2)
    config = pair.config(enable_gtid=by_gtid)
    running_first, behind = GOING_BACK[case]
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(running_first, mariadb)
        until(pair.is_equal, "the row arrives")
    pair.on(behind, mariadb)
    for _ in range(2):
        with running(config) as syncer:
            until(pair.is_equal, "what came meanwhile arrives")
            until(lambda: bool(syncer.status().get("synced")), "it is synced")


def reset_of(upstream: RunningServer) -> str:
    return "RESET BINARY LOGS AND GTIDS" if upstream.kind == "mysql" else "RESET MASTER"


def wait_for_another_second(server: RunningServer) -> None:
    """A file is known by the second in which it was begun."""

    def now() -> Any:
        with cursor_on(server) as cursor:
            cursor.execute("SELECT UNIX_TIMESTAMP()")
            return cursor.fetchone()

    began = now()
    until(lambda: now() != began, "a second has passed")


def test_files_that_were_purged_are_not_missed(upstream: RunningServer, mariadb2: RunningServer) -> None:
    pair = made("purged", upstream, mariadb2)
    config = pair.config(enable_gtid=True)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO log VALUES (3, 'read')", "FLUSH BINARY LOGS"), upstream)
        until(pair.is_equal, "the row arrives")
        until(lambda: bool(syncer.status().get("synced")), "it stands in the new file")
    pair.on(("INSERT INTO log VALUES (5, 'later')",), upstream)
    with running(config):
        until(pair.is_equal, "it goes on")
