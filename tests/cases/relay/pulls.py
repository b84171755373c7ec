"""A relay unit under test: run in a thread, or as a process that may be killed.

``python -m tests.cases.relay.pulls FOLDER SOURCE-JSON`` pulls until its stdin ends.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dm_worker.relay.notices import Notices
from dm_worker.relay.unit import Relay
from dm_worker.relay.writer import Published
from pkg.binlog.position import Location
from pkg.binlog.relay_layout import in_order, parse_index
from pkg.crashpoints import VARIABLE
from pkg.errors import DMError
from pkg.task import SourceConfig
from tests.forks import Forked
from tests.servers import RunningServer

_IN_USE_AT = 4 + 17  # the flag says only that the server has not closed the file yet


def source(server: RunningServer, *, enable_gtid: bool = False, **more: Any) -> SourceConfig:
    address = {"host": server.host, "port": server.port, "user": "root"}
    keys = {key.replace("_", "-"): value for key, value in more.items()}
    return SourceConfig.model_validate({"source-id": "one", "enable-gtid": enable_gtid, "from": address, **keys})


def execute(server: RunningServer, *statements: str) -> list[tuple[Any, ...]]:
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def first_file(server: RunningServer) -> str:
    return str(execute(server, "SHOW BINARY LOGS")[0][0])


def sub_dirs(folder: Path) -> list[str]:
    return [str(one) for one in parse_index((folder / "server-uuid.index").read_text())]


def is_same(ours: Path, theirs: Path, size: int | None = None) -> bool:
    """Whether a relay file has the bytes of the upstream's, up to `size`."""
    one, other = bytearray(ours.read_bytes()), bytearray(theirs.read_bytes()[:size])
    if len(one) > _IN_USE_AT:
        other[_IN_USE_AT] &= 0xFE
    return one == other


def has_all(folder: Path, server: RunningServer) -> bool:
    """Whether the last sub-directory has all of the upstream's files from its first one on."""
    try:
        sub_dir = folder / sub_dirs(folder)[-1]
        names = in_order(os.listdir(sub_dir))
    except (FileNotFoundError, IndexError):
        return False
    wanted = [str(row[0]) for row in execute(server, "SHOW BINARY LOGS")]
    if not names or names[0] not in wanted or names != wanted[wanted.index(names[0]) :]:
        return False
    return all(is_same(sub_dir / name, Path(server.datadir) / name) for name in names)


class Pull:
    """A relay unit in a thread, with readers' notices."""

    def __init__(
        self,
        config: SourceConfig,
        folder: Path,
        start: Callable[[], Location | None] = lambda: None,
        notices: Published | None = None,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self._own: Notices | None = None
        if notices is None:
            notices = self._own = Notices(folder)
            self._own.start()
        self.unit = Relay(config, folder, notices, start)
        self.error: DMError | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.unit.run(self._stop)
        except DMError as exc:
            self.error = exc

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def failure(self) -> DMError | None:
        """Why it has ended, once it has."""
        return self.end() if self.is_over else None

    def end(self) -> DMError | None:
        """Stop in order, or see why it has ended."""
        self._stop.set()
        self._thread.join()
        if self._own is not None:
            self._own.close()
        return self.error


class PullProcess:
    """The same as a process; `armed` crash points end it."""

    def __init__(self, config: SourceConfig, folder: Path, log: Path, armed: str = "") -> None:
        folder.mkdir(exist_ok=True)
        arguments = (str(folder), config.model_dump_json(by_alias=True))
        with log.open("a") as out:
            self.process = Forked(
                __name__, *arguments, environment={**os.environ, VARIABLE: armed}, stdout=out, stderr=out
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> int:
        """Stop in order."""
        self.process.communicate(timeout=120)
        return self.process.wait()


def _main(arguments: Sequence[str]) -> None:
    folder, config = Path(arguments[0]), SourceConfig.model_validate_json(arguments[1])
    pull = Pull(config, folder)
    waiting = threading.Thread(target=sys.stdin.buffer.read, daemon=True)
    waiting.start()
    while waiting.is_alive() and not pull.is_over:
        waiting.join(0.1)
    error = pull.end()
    if error is not None:
        raise error


if __name__ == "__main__":
    _main(sys.argv[1:])
