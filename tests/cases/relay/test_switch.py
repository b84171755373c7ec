"""Another server behind the source's address: the relay log goes on by GTID in a sub-directory of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from dm_worker.relay.errors import SWITCHED_BY_POSITION
from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.raw_events import RawEvents
from pkg.binlog.relay_layout import SubDir, in_order, with_gtids
from pkg.task import SourceConfig
from tests.cases.relay.pulls import Pull, PullProcess, execute, first_file, has_all, source, sub_dirs
from tests.contract.processes import eventually
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.servers.replica import follow
from tests.servers.replica import has_all as replica_has_all

pytestmark = pytest.mark.crossed("pair")

NAME = "relay_switch"


@dataclass
class Pair:
    """A server and its replica, and the address that leads to one of them."""

    first: RunningServer
    second: RunningServer
    address: Forwarder

    def config(self, *, enable_gtid: bool = True) -> SourceConfig:
        config = source(self.first, enable_gtid=enable_gtid, relay_binlog_name=first_file(self.first))
        return config.model_copy(update={"from_": config.from_.model_copy(update={"port": self.address.port})})

    def write(self, server: RunningServer, count: int) -> None:
        for _ in range(count):
            execute(server, f"INSERT INTO {NAME}.log (b) VALUES ('x')")
        execute(server, "FLUSH BINARY LOGS")


@pytest.fixture(params=["mariadb", "mysql"])
def pair(request: pytest.FixtureRequest, server_factory: Callable[..., RunningServer]) -> Iterator[Pair]:
    first, second = (server_factory(request.param) for _ in range(2))
    follow(second, first)
    execute(first, f"CREATE DATABASE {NAME}", f"CREATE TABLE {NAME}.log (id INT AUTO_INCREMENT PRIMARY KEY, b TEXT)")
    with Forwarder(first.port) as address:
        yield Pair(first, second, address)


def held(folder: Path, sub_dir: str, flavor: str) -> GtidSet:
    """The transactions whose events a sub-directory has."""
    found = parse_gtid_set("", flavor)
    for name in in_order(os.listdir(folder / sub_dir)):
        raw = RawEvents(framing="file", flavor=flavor, file_name=name)
        raw.feed((folder / sub_dir / name).read_bytes())
        while raw.next() is not None:
            pass
        gtids = raw.take_gtids()
        found = with_gtids(found, type(gtids)(None, gtids.ranges))
    return found


def test_by_gtid_and_back(pair: Pair, tmp_path: Path) -> None:
    folder, flavor = tmp_path / "relay", pair.first.kind
    with ExitStack() as running:
        pull = Pull(pair.config(), folder)
        running.callback(pull.end)
        for count in (5, 5, 5):
            pair.write(pair.first, count)
        eventually(lambda: has_all(folder, pair.first), "the files of the first are there")
        eventually(lambda: replica_has_all(pair.second, pair.first), "the replica has all")
        pair.address.point_at(pair.second.port)
        pair.write(pair.second, 5)
        eventually(lambda: has_all(folder, pair.second), "the files of the second are there")
        assert not pull.is_over
        assert SubDir.parse(pull.unit.status()["relaySubDir"]).number == 2
        follow(pair.first, pair.second)
        eventually(lambda: replica_has_all(pair.first, pair.second), "the first has all")
        pair.address.point_at(pair.first.port)
        pair.write(pair.first, 5)
        eventually(lambda: len(sub_dirs(folder)) == 3 and has_all(folder, pair.first), "the first has come back")
    names = sub_dirs(folder)
    assert [SubDir.parse(name).number for name in names] == [1, 2, 3]
    assert SubDir.parse(names[0]).server == SubDir.parse(names[2]).server != SubDir.parse(names[1]).server
    files = in_order(os.listdir(folder / names[1]))
    assert len(files) < len(execute(pair.second, "SHOW BINARY LOGS")), "not from its first on"
    if flavor == "mysql":
        executed = parse_gtid_set(str(execute(pair.first, "SELECT @@GLOBAL.gtid_executed")[0][0]), "mysql")
        union = parse_gtid_set("", "mysql")
        for name in names:
            union = union.union(held(folder, name, "mysql"))
        assert union.contains(executed)


@pytest.mark.parametrize("connections", [1, 2])
def test_between_two_connections(pair: Pair, tmp_path: Path, connections: int) -> None:
    """What the other server says of the files of this one means nothing."""
    folder = tmp_path / "relay"
    execute(pair.second, "FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
    pull = Pull(pair.config(), folder)
    for _ in range(6):
        pair.write(pair.first, 2)
    eventually(lambda: has_all(folder, pair.first), "the files of the first are there")
    eventually(lambda: replica_has_all(pair.second, pair.first), "the replica has all")
    assert pull.end() is None
    execute(pair.second, "FLUSH BINARY LOGS")
    pair.address.point_at_after(connections, pair.second.port)
    tries = [Pull(pair.config(), folder)]

    def goes_on() -> bool:
        if (error := tries[-1].failure()) is not None:
            assert error.resumable, error
            tries.append(Pull(pair.config(), folder))
        return has_all(folder, pair.second)

    pair.write(pair.second, 2)
    eventually(goes_on, "the files of the second are there")
    assert tries[-1].end() is None
    assert len(sub_dirs(folder)) == 2


def test_without_gtids_it_is_refused(pair: Pair, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    pull = Pull(pair.config(enable_gtid=False), folder)
    pair.write(pair.first, 2)
    eventually(lambda: has_all(folder, pair.first), "the files of the first are there")
    pair.address.point_at(pair.second.port)
    error = eventually(pull.failure, "the switch is refused")
    assert error.is_a(SWITCHED_BY_POSITION)
    assert not error.resumable
    assert "enable-gtid" in str(error)


def test_killed_between_index_and_sub_directory(pair: Pair, tmp_path: Path) -> None:
    folder, log = tmp_path / "relay", tmp_path / "log"
    dying = PullProcess(pair.config(), folder, log, "relay.sub_dir_indexed@2=kill")
    pair.write(pair.first, 5)
    eventually(lambda: has_all(folder, pair.first), "the files of the first are there")
    eventually(lambda: replica_has_all(pair.second, pair.first), "the replica has all")
    pair.address.point_at(pair.second.port)
    assert dying.process.wait(timeout=200) == -9
    dying.kill()
    second = sub_dirs(folder)[-1]
    assert not (folder / second).exists()
    going_on = PullProcess(pair.config(), folder, log)
    pair.write(pair.second, 5)
    eventually(lambda: has_all(folder, pair.second), "the files of the second are there")
    assert going_on.end() == 0, log.read_text()
    assert sub_dirs(folder)[1:] == [second]
