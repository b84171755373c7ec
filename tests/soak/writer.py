"""A thread that writes into one upstream until it is told that it is over, and counts its changes."""

from __future__ import annotations

import random
import threading
from typing import Any

from tests.servers import RunningServer
from tests.workload.shop import connect


class Writer:
    """`with Writer(…) as writer`: it writes until the block ends; a subclass says what."""

    def __init__(self, server: RunningServer, schema: str, seed: int) -> None:
        self.changes = 0
        self.failure: Exception | None = None
        self._server = server
        self._schema = schema
        self._rng = random.Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._guarded, name=f"writer-{schema}")

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def assert_wrote(self) -> None:
        assert self.failure is None, f"a writer failed: {self.failure!r}"

    def _guarded(self, work: Any = None) -> None:
        try:
            with connect(self._server, database=self._schema) as connection, connection.cursor() as cursor:
                (work or self._write)(cursor)
        except Exception as exc:
            self.failure = exc

    def _write(self, cursor: Any) -> None:
        raise NotImplementedError
