"""The relay log pulls from real servers: its files are the upstream's, whatever happened meanwhile."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from dm_worker.relay.errors import DISK_FULL, PURGED_UPSTREAM, RESTORED
from dm_worker.relay.places import find_place, holds
from pkg.adapters.mysql.dialect import fetch_location
from pkg.binlog.errors import CORRUPT
from pkg.binlog.position import Location, Position
from pkg.binlog.relay_layout import SubDir, in_order
from tests.cases.relay.pulls import Pull, execute, first_file, has_all, is_same, source, sub_dirs
from tests.contract.processes import eventually
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.unit.relay.disks import resize, small_disk

pytestmark = pytest.mark.crossed("upstream")

FLAVORS = ("mariadb", "mysql")
NAME = "relay_pull"


@pytest.fixture(params=FLAVORS)
def upstream(request: pytest.FixtureRequest, server_factory: Callable[..., RunningServer]) -> RunningServer:
    server = server_factory(request.param)
    execute(
        server, f"CREATE DATABASE {NAME}", f"CREATE TABLE {NAME}.log (id INT AUTO_INCREMENT PRIMARY KEY, b LONGTEXT)"
    )
    return server


def _same(location: Location | None) -> Location | None:
    return location


def write(server: RunningServer, count: int) -> None:
    execute(server, *[f"INSERT INTO {NAME}.log (b) VALUES ('{'x' * 50}')"] * count)


def test_files_are_the_upstreams(upstream: RunningServer, tmp_path: Path) -> None:
    config = source(upstream, relay_binlog_name=first_file(upstream))
    write(upstream, 20)
    pull = Pull(config, tmp_path / "relay")
    write(upstream, 20)
    execute(upstream, "FLUSH BINARY LOGS")
    write(upstream, 20)
    eventually(lambda: has_all(tmp_path / "relay", upstream), "the files are equal")
    eventually(lambda: pull.unit.status()["relayCatchUpMaster"], "in step")
    status = pull.unit.status()
    assert status["relayBinlog"] == status["masterBinlog"]
    assert status["relayBinlogGtid"] == status["masterBinlogGtid"] != ""
    assert [status["relaySubDir"]] == sub_dirs(tmp_path / "relay")
    assert pull.end() is None


def test_it_goes_on_where_it_ended(upstream: RunningServer, tmp_path: Path) -> None:
    """Also in the middle of a file, over restarts of either side, and with files in between."""
    folder = tmp_path / "relay"
    config = source(upstream, enable_gtid=True, relay_binlog_name=first_file(upstream))
    for _ in range(3):
        pull = Pull(config, folder)
        write(upstream, 5)
        eventually(lambda: has_all(folder, upstream), "the files are equal")
        assert pull.end() is None
        write(upstream, 5)
        execute(upstream, "FLUSH BINARY LOGS")
        write(upstream, 5)
    upstream.restart()
    pull = Pull(config, folder)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    assert len(sub_dirs(folder)) == 1


def test_an_upstream_that_restarts_meanwhile(upstream: RunningServer, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    write(upstream, 5)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    upstream.stop()
    error = eventually(pull.failure, "it says that the upstream is away")
    assert error.resumable
    upstream.restart()
    pull = Pull(source(upstream), folder)
    write(upstream, 5)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None


def test_a_connection_that_breaks_is_opened_again(upstream: RunningServer, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    for _ in range(3):
        write(upstream, 5)
        eventually(lambda: has_all(folder, upstream), "the files are equal")
        upstream.cut_streams()
    write(upstream, 5)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None


@pytest.mark.parametrize("checksum", ["NONE", "CRC32"])
def test_checksums_switched_on_and_off(upstream: RunningServer, tmp_path: Path, checksum: str) -> None:
    """The bytes are those of the file, whatever the server is told to write next."""
    folder = tmp_path / "relay"
    for setting in ("NONE", "CRC32", checksum):
        execute(upstream, f"SET GLOBAL binlog_checksum = {setting}")
        write(upstream, 3)
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    write(upstream, 3)
    pull = Pull(source(upstream), folder)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None


def test_large_transactions_and_every_kind_of_event(upstream: RunningServer, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    settings = {
        "mysql": ["SET binlog_transaction_compression = ON", "SET binlog_rows_query_log_events = ON"],
        "mariadb": ["SET GLOBAL log_bin_compress = ON", "SET binlog_annotate_row_events = ON"],
    }[upstream.kind]
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    fill = f"INSERT INTO {NAME}.log (b) VALUES (REPEAT('y', 20000000))"
    execute(upstream, "SET GLOBAL max_allowed_packet = 1073741824")
    execute(upstream, fill, fill, *settings, fill, f"INSERT INTO {NAME}.log (b) SELECT LEFT(b, 9000) FROM {NAME}.log")
    execute(
        upstream,
        "XA START 'one'",
        f"DELETE FROM {NAME}.log LIMIT 1",
        "XA END 'one'",
        "XA PREPARE 'one'",
        "XA COMMIT 'one'",
    )
    execute(
        upstream,
        f"ALTER TABLE {NAME}.log ADD c INT",
        "BEGIN",
        f"DELETE FROM {NAME}.log",
        "ROLLBACK",
        "FLUSH BINARY LOGS",
    )
    write(upstream, 2)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    eventually(lambda: pull.unit.status()["relayCatchUpMaster"], "in step")
    status = pull.unit.status()
    assert status["relayBinlogGtid"] == status["masterBinlogGtid"]
    assert pull.end() is None


def test_it_begins_where_the_tasks_need_it(upstream: RunningServer, tmp_path: Path) -> None:
    names = []
    for _ in range(4):
        write(upstream, 2)
        names.append(str(execute(upstream, "SHOW BINARY LOGS")[-1][0]))
        with closing(upstream.connect()) as connection:
            location = fetch_location(connection)
        execute(upstream, "FLUSH BINARY LOGS")
        if len(names) == 2:
            needed = location  # the end of the second file, so by GTID the third one has what is next
    for config, start, first in (
        (source(upstream), needed, names[1]),
        (source(upstream, enable_gtid=True), needed, names[2]),
        (source(upstream, relay_binlog_name=names[3]), None, names[3]),
        (source(upstream, enable_gtid=True, relay_binlog_gtid=str(needed.gtid_set)), None, names[2]),
        (source(upstream), None, str(execute(upstream, "SHOW BINARY LOGS")[-1][0])),
    ):
        folder = tmp_path / f"relay-{first}-{config.enable_gtid}-{start is None}"
        pull = Pull(config, folder, partial(_same, start))
        eventually(partial(has_all, folder, upstream), "the files are equal")
        assert pull.end() is None
        assert in_order(os.listdir(folder / sub_dirs(folder)[0]))[0] == first


def test_what_is_purged_upstream(upstream: RunningServer, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    first = first_file(upstream)
    pull = Pull(source(upstream, relay_binlog_name=first), folder)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    for _ in range(3):
        write(upstream, 1)
        execute(upstream, "FLUSH BINARY LOGS")
    present = upstream.purge_binlog()
    pull = Pull(source(upstream), folder)
    error = eventually(pull.failure, "it says what is missing")
    assert error.is_a(PURGED_UPSTREAM)
    assert present in str(error)
    other = Pull(source(upstream, relay_binlog_name=first), tmp_path / "other")
    assert eventually(other.failure, "it says what is missing").is_a(PURGED_UPSTREAM)
    pull = Pull(source(upstream), folder, lambda: Location(Position(present, 4)))  # no task needs it any more
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    assert [SubDir.parse(one).number for one in sub_dirs(folder)] == [1, 2]


def test_an_upstream_that_was_reset(upstream: RunningServer, tmp_path: Path) -> None:
    """Files of the same names, which are others; nobody begins to read those that are there."""
    folder = tmp_path / "relay"
    first = first_file(upstream)
    pull = Pull(source(upstream, relay_binlog_name=first), folder)
    write(upstream, 5)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    server, head = SubDir.parse(sub_dirs(folder)[0]).server, Location(Position(first, 4))
    assert find_place(folder, server, head, False) is not None
    (began,) = execute(upstream, "SELECT UNIX_TIMESTAMP()")  # a file is known by the second in which it was begun
    eventually(lambda: execute(upstream, "SELECT UNIX_TIMESTAMP()") != [began], "a second has passed")
    reset = "RESET BINARY LOGS AND GTIDS" if upstream.kind == "mysql" else "RESET MASTER"
    execute(upstream, reset)
    for count in (1, 40):  # shorter than ours, longer than ours
        write(upstream, count)
        pull = Pull(source(upstream), folder)
        error = eventually(pull.failure, "it says that the file is another")
        assert error.is_a(RESTORED), error
        assert not error.resumable
        assert str(folder) in error.workaround + error.message
        assert find_place(folder, server, head, False) is None
        assert holds(folder, server, head, True) is None
    shutil.rmtree(folder)
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    eventually(lambda: has_all(folder, upstream), "it begins anew")
    assert pull.end() is None
    assert find_place(folder, server, Location(Position(first_file(upstream), 4)), False) is not None


def test_the_last_file_is_gone_upstream(upstream: RunningServer, tmp_path: Path) -> None:
    """It was purged, or the binlog was reset to just the next number: one death before that file was begun."""
    folder = tmp_path / "relay"
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    write(upstream, 5)
    execute(upstream, "FLUSH BINARY LOGS")
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
    *_, last = sorted(folder.glob("*/*.0*"))
    last.unlink()
    write(upstream, 1)
    assert upstream.purge_binlog() == last.name
    pull = Pull(source(upstream), folder)
    there = Path(upstream.datadir) / last.name
    eventually(lambda: last.exists() and is_same(last, there), "it goes on with the next file")
    assert pull.end() is None
    reset = "RESET BINARY LOGS AND GTIDS" if upstream.kind == "mysql" else "RESET MASTER"
    last.unlink()
    execute(upstream, f"{reset} TO {int(last.suffix[1:])}")
    write(upstream, 1)
    error = eventually(Pull(source(upstream), folder).failure, "it says that the file is another")
    assert error.is_a(RESTORED), error
    assert f"it is to follow {last.stem}.{int(last.suffix[1:]) - 1:06}" in str(error)


def test_an_upstream_that_is_reset_while_it_is_read(upstream: RunningServer, tmp_path: Path) -> None:
    """The open stream comes from the deleted file to the second one of the new binlog."""
    folder = tmp_path / "relay"
    reset = "RESET BINARY LOGS AND GTIDS" if upstream.kind == "mysql" else "RESET MASTER"
    execute(upstream, reset)
    pull = Pull(source(upstream, relay_binlog_name=first_file(upstream)), folder)
    write(upstream, 5)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    (name,) = (one.name for one in folder.glob("*/*.0*"))
    (began,) = execute(upstream, "SELECT UNIX_TIMESTAMP()")
    eventually(lambda: execute(upstream, "SELECT UNIX_TIMESTAMP()") != [began], "a second has passed")
    execute(upstream, reset)
    write(upstream, 1)
    execute(upstream, "FLUSH BINARY LOGS")
    write(upstream, 9)
    error = eventually(pull.failure, "it says that the file is another")
    assert error.is_a(RESTORED), error
    assert [one.name for one in folder.glob("*/*.0*")] == [name]


def test_a_full_disk(upstream: RunningServer, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        folder = disk / "relay"
        config = source(upstream, relay_binlog_name=first_file(upstream))
        pull = Pull(config, folder)
        write(upstream, 5)
        eventually(lambda: has_all(folder, upstream), "the files are equal")
        execute(upstream, f"INSERT INTO {NAME}.log (b) VALUES (REPEAT('y', 2000000))")
        error = eventually(pull.failure, "the disk is full")
        assert error.is_a(DISK_FULL)
        assert error.resumable
        assert str(folder) in error.message
        resize(disk, "8m")
        pull = Pull(config, folder)
        eventually(lambda: has_all(folder, upstream), "the files are equal")
        assert pull.end() is None


class Damaging(Forwarder):
    """Flips a bit of the given texts on their way to the client, so many times."""

    def __init__(self, port: int, text: bytes, times: int) -> None:
        self._text, self.left = text, times
        super().__init__(port)

    def _copy(self, one: socket.socket, other: socket.socket) -> None:
        super()._copy(_Damaged(one, self), other)  # type: ignore[arg-type]

    def damaged(self, data: bytes) -> bytes:
        if self._text in data and self.left:
            self.left -= 1
            return data.replace(self._text, bytes((self._text[0] ^ 1,)) + self._text[1:], 1)
        return data


class _Damaged:
    """A socket whose bytes change."""

    def __init__(self, near: socket.socket, how: Damaging) -> None:
        self._near, self._how = near, how

    def recv(self, size: int) -> bytes:
        return self._how.damaged(self._near.recv(size))

    def __getattr__(self, name: str) -> object:
        return getattr(self._near, name)


@pytest.mark.parametrize(("times", "is_fatal"), [(1, False), (9, True)])
def test_a_damaged_event_is_pulled_once_more(
    upstream: RunningServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, times: int, is_fatal: bool
) -> None:
    folder = tmp_path / "relay"
    write(upstream, 5)
    offset = int(execute(upstream, "SHOW BINARY LOGS")[-1][1])
    execute(upstream, f"INSERT INTO {NAME}.log (b) VALUES ('damage this')")
    way = Damaging(upstream.port, b"damage this", times)
    with way:
        config = source(upstream, relay_binlog_name=first_file(upstream))
        config = config.model_copy(update={"from_": config.from_.model_copy(update={"port": way.port})})
        pull = Pull(config, folder)
        if not is_fatal:
            eventually(lambda: has_all(folder, upstream), "the files are equal")
            assert way.left == 0
            assert pull.end() is None
            return
        error = eventually(pull.failure, "it stays damaged")
        assert error.is_a(CORRUPT)
        assert error.fields["file"] == first_file(upstream)
        assert int(error.fields["position"]) >= offset
        assert caplog.messages.count("relay pulls again") == 1
    pull = Pull(source(upstream), folder)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() is None
