"""The source bound to this worker: is its server there?  Asked now and again, beside the subtasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.errors import as_dm_error
from pkg.task import SourceConfig

LOOK_SECONDS = 30.0

Errors = tuple[Mapping[str, Any], ...]


class SourceWatch:
    """Looks at the upstream every LOOK_SECONDS and tells what is wrong with it."""

    def __init__(self, config: SourceConfig, tell: Callable[[Errors], None]) -> None:
        self._config, self._tell = config, tell
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"source-{config.source_id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def request_stop(self) -> None:
        """It may be in the middle of a look; what it finds is not told any more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            errors = look(self._config)
            if not self._stop.is_set():
                self._tell(errors)
            self._stop.wait(LOOK_SECONDS)


def look(config: SourceConfig) -> Errors:
    """What keeps us from the server; empty when nothing does."""
    try:
        connection = connect(ConnectionOptions.from_config(config.from_, side="upstream"), side="upstream")
        try:
            Server.probe(connection)
        finally:
            connection.close()
    except Exception as exc:
        error = as_dm_error(exc)
        return (error.as_dict() | {"resumable": error.resumable},)
    return ()
