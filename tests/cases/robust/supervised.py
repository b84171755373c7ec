"""The sync unit as dm-worker runs it: an error that passes starts it again (here without a wait), another one pauses it."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import Any

from dm_worker.syncer.unit import Syncer
from pkg.errors import DMError, as_dm_error
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.sync.pair import Pair, until
from tests.servers.running import HOST

log = logging.getLogger(__name__)
COUNT = "UPDATE counter SET n = n + 1"
LOG = "INSERT INTO log VALUES (7, 'dup'), (7, 'dup')"
SWAP = (
    "BEGIN",
    "UPDATE counter SET code = 'tmp' WHERE id = 1",
    "UPDATE counter SET code = IF(code = 'b', 'a', 'b') WHERE id = 2",
    "UPDATE counter SET code = (SELECT c FROM (SELECT IF(code = 'a', 'b', 'a') AS c FROM counter WHERE id = 2) x) "
    "WHERE id = 1",
    "COMMIT",
)


def config_of(
    pair: Pair, upstream_port: int = 0, target_port: int = 0, sync: dict[str, Any] | None = None, **more: Any
) -> SubtaskConfig:
    """The pair's task from here on; a port that is given is a proxy's."""
    name, offset, gtids = pair.here()
    meta = {"binlog-name": name, "binlog-pos": offset, "binlog-gtid": gtids}
    config = pair.config(sync, **{"meta": meta, **more})
    changed = {
        "upstream": ConnectionConfig(host=HOST, port=upstream_port or pair.upstream.port, user="root"),
        "target": ConnectionConfig(host=HOST, port=target_port or pair.target.port, user="root"),
    }
    return config.model_copy(update=changed)


class Supervised:
    """`with Supervised(config) as task`: it runs until the block ends or an error that does not pass."""

    def __init__(self, config: SubtaskConfig, answer_seconds: float = 0, *, binding: int = 1, relay: str = "") -> None:
        """``relay``: the folder of a relay log that it reads."""
        self._config, self._relay = config, relay
        self._answer_seconds = answer_seconds  # for the target to say something; 0: as long as usual
        self._stop = threading.Event()
        self._bindings = binding - 1
        self.errors: list[DMError] = []
        self.unit: Syncer | None = None
        self.resume()

    def __enter__(self) -> Supervised:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(60)

    def resume(self) -> None:
        """Start it, or again after it was paused."""
        self._bindings += 1
        self._thread = threading.Thread(target=self._work, name="supervised")
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.is_set():
            self.unit = unit = Syncer(self._config, self._bindings, self._relay)
            if self._answer_seconds:
                connections = unit._downstream._connections
                connections._options = replace(connections._options, read_timeout=self._answer_seconds)
            try:
                unit.run(self._stop)
            except Exception as exc:
                error = as_dm_error(exc)
                self.errors.append(error)
                log.info("the unit has ended", exc_info=exc)
                if not error.resumable:
                    return
                self._stop.wait(0.05)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def paused(self) -> DMError:
        """What it has paused with."""
        until(lambda: not self.is_running, f"it pauses: {self.errors}")
        return self.errors[-1]

    def has_confirmed(self) -> bool:
        """Whether it knows of all that it has read that it is applied, also of a COMMIT whose answer was lost."""
        run = self.unit._run if self.unit is not None else None
        return run is not None and not run.is_over and run.replicator.commits.safe == run.replicator.commits.read

    def in_step(self, pair: Pair) -> None:
        """Until the rows are equal; it must run all the time."""
        until(lambda: not self.is_running or pair.is_equal(), f"equal rows: {self.errors[-3:]}")
        assert pair.is_equal(), [str(error) for error in self.errors[-3:]]


def write(pair: Pair, *more: str) -> None:
    """A change of every kind upstream: counted, without a key, unique values that swap."""
    pair.on((COUNT, LOG, *SWAP, *more), pair.upstream)
