"""The live limits of one unit that moves rows, and its traffic while it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from dm_worker.loader.progress import Progress
from dm_worker.loader.traffic import Traffic
from pkg.adapters.mysql.connection import ConnectionOptions
from pkg.adapters.mysql.errors import Side
from pkg.task.live import LiveSettings, live_of
from pkg.task.subtask import SubtaskConfig


class Governed:
    """``steer`` may be called by any thread, also before and after the rows move."""

    def __init__(self, config: SubtaskConfig, progress: Progress, servers: Mapping[Side, ConnectionOptions]) -> None:
        self._limits = live_of(config)
        self._spark = config.spark
        self._progress = progress
        self._servers = servers
        self._traffic: Traffic | None = None

    def steer(self, settings: LiveSettings) -> None:
        self._limits = settings
        if self._traffic is not None:
            self._traffic.steer(settings)

    @contextmanager
    def traffic(self, lanes: int, names: Mapping[int, tuple[str, str]]) -> Iterator[Traffic]:
        """Who hears what lanes have moved of the chunks in ``names``, and how fast they may."""

        def moving(chunk: int, rows: int, size: int, at: float) -> None:
            if chunk in names:
                self._progress.moving(names[chunk], chunk, rows, size, at)

        with closing(Traffic(self._limits, lanes, self._spark, self._servers, moving)) as traffic:
            self._traffic = traffic
            traffic.steer(self._limits)  # they may have changed meanwhile
            self._progress.also(traffic.status)
            try:
                yield traffic
            finally:
                self._traffic = None
                self._progress.also(dict)
