"""The sync unit reads a relay log, leaves it for the upstream when it ends, and comes back: every row once.

The relay log is copied from the server's own files, so that its daemon can stand wherever a test wants it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dm_worker.relay.reader import DAEMON_GONE, DAMAGED
from dm_worker.syncer.unit import Syncer
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.relay_layout import size_text
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.contract.processes import eventually
from tests.servers import RunningServer
from tests.unit.relay.logs import Writer, raw_events

pytestmark = pytest.mark.crossed("scene")

NAME = "relay_read"


class Scene:
    """An upstream with a keyless table, its relay log, and runs of the sync unit."""

    def __init__(self, upstream: RunningServer, target: RunningServer, folder: Path, use_gtid: bool) -> None:
        self.upstream, self.target, self.folder = upstream, target, folder
        self.writer = Writer(folder)
        with closing(upstream.connect()) as connection:
            server = Server.probe(connection)
            self.sub_dir = f"{server.identity(connection)}.000001"
            self.binlog_files_sql = server.binlog_files_sql
        for database in (upstream, target):
            self.run(f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}", server=database)
            self.run(f"CREATE TABLE {NAME}.log (a INT, b VARCHAR(20))", server=database)
        self.run(f"DROP DATABASE IF EXISTS {NAME}_meta", server=target)
        self.run("FLUSH BINARY LOGS")
        self.copied = {self.binlogs()[-1][0]: 0}
        self.config = SubtaskConfig(
            task_name=NAME,
            source_id="one",
            task_mode="incremental",
            meta={"binlog-name": next(iter(self.copied)), "binlog-pos": 4},
            meta_schema=f"{NAME}_meta",
            enable_gtid=use_gtid,
            upstream=ConnectionConfig(host=upstream.host, port=upstream.port, user="root"),
            target=ConnectionConfig(host=target.host, port=target.port, user="root"),
            block_allow_list={"do-dbs": [NAME]},
            sync={"worker-count": 2, "checkpoint-flush-interval": 1},
        )
        self.epoch = 0

    def run(self, *statements: str, server: RunningServer | None = None) -> list[tuple[Any, ...]]:
        with closing((server or self.upstream).connect()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            connection.commit()
            return list(cursor.fetchall())

    def unit_has_begun(self) -> bool:
        """Whether it has made its meta tables."""
        tables = f"SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{NAME}_meta'"
        return bool(self.run(tables, server=self.target))

    def write(self, first: int, count: int) -> None:
        for number in range(first, first + count):
            self.run(f"INSERT INTO {NAME}.log VALUES ({number}, 'x'), ({number}, 'y')")

    def binlogs(self) -> list[tuple[str, int]]:
        return [(str(row[0]), int(row[1])) for row in self.run(self.binlog_files_sql)]

    def pull(self) -> None:
        """Bring the relay log to where the upstream stands."""
        for name, size in self.binlogs():
            if name < next(iter(self.copied)):
                continue
            self.writer.begin(name, self.sub_dir)
            with (Path(self.upstream.datadir) / name).open("rb") as file:
                file.seek(self.copied.get(name, 0))
                self.writer.append(file.read(size - self.copied.get(name, 0)))
            self.copied[name] = size
            self.writer.publish()

    def unit(self, relay_folder: Path | None) -> Unit:
        self.epoch += 1
        return Unit(Syncer(self.config, self.epoch, str(relay_folder) if relay_folder else ""))

    def has_arrived(self, count: int) -> Callable[[], bool]:
        expected = [(number, text) for number in range(count) for text in ("x", "y")]
        return lambda: sorted(self.run(f"SELECT a, b FROM {NAME}.log", server=self.target)) == expected


class Unit:
    """A running sync unit."""

    def __init__(self, syncer: Syncer) -> None:
        self.syncer = syncer
        self._stop = threading.Event()
        self.error: DMError | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.syncer.run(self._stop)
        except DMError as exc:
            self.error = exc

    def status(self, key: str) -> Any:
        return self.syncer.status().get(key)

    def join(self) -> None:
        self._thread.join()

    def brings(self, has_arrived: Callable[[], bool], what: str) -> None:
        """Waits for the rows; fails at once where it has ended."""
        eventually(lambda: has_arrived() or not self._thread.is_alive(), what)
        assert has_arrived(), self.error

    def stop(self) -> None:
        self._stop.set()
        self.join()
        assert self.error is None


@pytest.fixture(params=["mariadb", "mysql"])
def scene(request: pytest.FixtureRequest, tidb: RunningServer, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(request.getfixturevalue(request.param), tidb, tmp_path, use_gtid=request.param == "mysql")
    yield made
    made.writer.stop()


def test_from_the_relay_log_to_the_upstream_and_back(scene: Scene) -> None:
    scene.writer.serve()
    scene.write(0, 20)
    scene.pull()
    unit = scene.unit(scene.folder)
    unit.brings(scene.has_arrived(20), "rows of the relay log")
    assert unit.status("binlogType") == "local"
    scene.write(20, 10)
    scene.run("FLUSH BINARY LOGS")
    scene.write(30, 10)
    scene.pull()
    unit.brings(scene.has_arrived(40), "rows that came while it was read")
    eventually(lambda: unit.status("synced"), "in step")

    scene.writer.stop()
    unit.join()
    assert unit.error is not None
    assert unit.error.is_a(DAEMON_GONE)
    assert unit.error.resumable
    scene.write(40, 10)
    unit = scene.unit(scene.folder)  # which nobody keeps
    unit.brings(scene.has_arrived(50), "rows of the upstream")
    assert unit.status("binlogType") == "remote"
    unit.stop()

    scene.writer.serve()
    scene.write(50, 5)
    scene.pull()
    unit = scene.unit(scene.folder)
    unit.brings(scene.has_arrived(55), "rows of the relay log again")
    assert unit.status("binlogType") == "local"
    unit.stop()


def test_a_relay_log_that_is_behind_is_waited_for(scene: Scene) -> None:
    scene.writer.serve()
    scene.write(0, 5)
    unit = scene.unit(scene.folder)  # there is nothing in it yet
    eventually(scene.unit_has_begun, "the unit has begun")
    scene.pull()
    unit.brings(scene.has_arrived(5), "rows of the relay log")
    assert unit.status("binlogType") == "local"
    unit.stop()


def damaged(scene: Scene, marker: bytes, offset: int) -> Path:
    """Flip a bit in the relay log; `offset` is from where the only such row is."""
    path = next(one for one in scene.folder.glob("*/*") if marker in one.read_bytes())
    content = bytearray(path.read_bytes())
    content[content.index(marker) + offset] ^= 0x10
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("offset", [0, -3], ids=["a text's byte", "a number's byte"])
def test_where_the_relay_log_is_damaged_the_upstream_is_read_and_the_file_is_named(scene: Scene, offset: int) -> None:
    scene.writer.serve()
    scene.write(0, 5)
    scene.run(f"INSERT INTO {NAME}.log VALUES (5, 'x'), (5, 'damaged here')")
    scene.pull()
    path = damaged(scene, b"damaged here", offset)
    unit = scene.unit(scene.folder)
    arrived = f"SELECT COUNT(*) FROM {NAME}.log WHERE b = 'damaged here' AND a = 5"
    eventually(lambda: scene.run(arrived, server=scene.target)[0][0] == 1, "the row as the upstream has it")
    assert unit.status("binlogType") == "remote"
    assert str(path) in unit.status("relayDamage")
    assert "delete its folder" in unit.status("relayDamage")
    scene.write(6, 5)
    eventually(lambda: scene.run(f"SELECT COUNT(*) FROM {NAME}.log", server=scene.target) == [(22,)], "each row once")
    unit.stop()


def test_a_file_that_has_lost_its_last_transactions_is_known_by_its_size(scene: Scene) -> None:
    scene.writer.serve()
    scene.write(0, 5)
    scene.run("FLUSH BINARY LOGS")
    scene.write(6, 5)
    scene.pull()
    path = min(one for one in scene.folder.glob("*/*.0*") if one.stat().st_size > 0)
    content = path.read_bytes()
    gtids = [at for at, event in raw_events(content) if event[4] in (33, 162)]
    path.with_name("relay.sizes").write_text(size_text(path.name, len(content)))
    path.write_bytes(content[: gtids[-2]])
    unit = scene.unit(scene.folder)
    eventually(lambda: scene.run(f"SELECT COUNT(*) FROM {NAME}.log", server=scene.target) == [(20,)], "each row once")
    assert unit.status("binlogType") == "remote"
    assert str(path) in unit.status("relayDamage")
    unit.stop()


def test_a_damage_that_the_upstream_cannot_mend_is_not_blamed_on_its_disk(scene: Scene) -> None:
    scene.writer.serve()
    scene.write(0, 5)
    scene.run(f"INSERT INTO {NAME}.log VALUES (5, 'x'), (5, 'damaged here')", "FLUSH BINARY LOGS")
    scene.pull()
    path = damaged(scene, b"damaged here", 0)
    scene.upstream.purge_binlog()
    unit = scene.unit(scene.folder)
    eventually(lambda: unit.error, "neither has it")
    unit.join()
    assert unit.error is not None
    assert unit.error.is_a(DAMAGED), unit.error
    assert str(path) in unit.error.message
    assert "backup" in unit.error.workaround


def test_a_stop_ends_the_waiting(scene: Scene) -> None:
    scene.writer.serve()
    unit = scene.unit(scene.folder)
    eventually(scene.unit_has_begun, "the unit has begun")
    unit.stop()
