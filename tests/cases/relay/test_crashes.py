"""A relay log that dies at any moment goes on, and its files are the upstream's."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.cases.relay.pulls import PullProcess, execute, first_file, has_all, source
from tests.cases.sync.test_crashpoints import points_of
from tests.contract.processes import eventually
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

POINTS = points_of("tests/cases/relay/test_crashes.py")
KILLS = 8
NAME = "relay_crash"


@pytest.fixture(params=["mariadb", "mysql"])
def upstream(request: pytest.FixtureRequest, server_factory: Callable[..., RunningServer]) -> RunningServer:
    server = server_factory(request.param)
    prepare(server)
    return server


def prepare(server: RunningServer) -> None:
    execute(server, f"CREATE DATABASE {NAME}", f"CREATE TABLE {NAME}.log (id INT AUTO_INCREMENT PRIMARY KEY, b TEXT)")


@contextmanager
def writing(server: RunningServer) -> Iterator[None]:
    """Transactions of one row and of many, and a new file now and then, until the end."""
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.wait(0.02):
            number += 1
            execute(server, *[f"INSERT INTO {NAME}.log (b) VALUES ('{'x' * 50}')"] * 20)
            execute(server, f"INSERT INTO {NAME}.log (b) SELECT b FROM {NAME}.log LIMIT 2000")
            if number % 7 == 0:
                execute(server, "FLUSH BINARY LOGS")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("nth", [1, 3])
@pytest.mark.parametrize("point", POINTS)
def test_killed_at(point: str, nth: int, upstream: RunningServer, tmp_path: Path) -> None:
    if nth > 1 and point == "relay.sub_dir_indexed":
        nth = 1  # it is passed once
    folder, log = tmp_path / "relay", tmp_path / "log"
    config = source(upstream, enable_gtid=True, relay_binlog_name=first_file(upstream))
    dying = PullProcess(config, folder, log, f"{point}@{nth}=kill")
    with writing(upstream):
        assert dying.process.wait(timeout=200) == -9, log.read_text()
    dying.kill()
    going_on = PullProcess(config, folder, log)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert going_on.end() == 0, log.read_text()


@pytest.mark.parametrize("enable_gtid", [True, False])
def test_killed_at_random_moments(upstream: RunningServer, tmp_path: Path, enable_gtid: bool) -> None:
    folder, log = tmp_path / "relay", tmp_path / "log"
    config = source(upstream, enable_gtid=enable_gtid, relay_binlog_name=first_file(upstream))
    rng = random.Random(5)
    with writing(upstream):
        for _ in range(KILLS):
            pull = PullProcess(config, folder, log)
            size = bytes_in(folder) + rng.randrange(400_000)
            eventually(partial(has_more, folder, size), "so much has come")
            pull.kill()
    pull = PullProcess(config, folder, log)
    eventually(lambda: has_all(folder, upstream), "the files are equal")
    assert pull.end() == 0, log.read_text()


def has_more(folder: Path, size: int) -> bool:
    return bytes_in(folder) > size


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*/*.0*"))
