"""Cases that are written and replicated together, when a test first asks for one of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from tests.cases.replicate.arena import Pair
from tests.servers import RunningServer


class Replicated(ABC):
    """All cases that go through, by upstream, into TiDB."""

    def __init__(self, servers: dict[str, RunningServer], folder: Path) -> None:
        self._servers = servers
        self._folder = folder
        self._done: dict[str, Exception | None] = {}

    def by(self, upstream: str) -> RunningServer:
        """The target, once all is there.  What fails is not tried again: it fails every test of the upstream."""
        if upstream not in self._done:
            self._done[upstream] = None
            try:
                self._replicate(Pair(self._servers[upstream], self._servers["tidb"]))
            except Exception as exc:
                self._done[upstream] = exc
        failed = self._done[upstream]
        if failed is not None:
            raise failed
        return self._servers["tidb"]

    @abstractmethod
    def _replicate(self, pair: Pair) -> None:
        """Write and replicate all cases of one pair."""
