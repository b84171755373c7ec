"""The traffic of one migration while it copies: its governor, the line to executors, the watch on the servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from dm_worker.loader.governor import Allowance, Governor, Report
from dm_worker.loader.line import LineAddress, LineServer, reachable_host
from dm_worker.loader.load_watch import LoadWatch
from dm_worker.loader.pace import Pace
from pkg.adapters.mysql.connection import ConnectionOptions
from pkg.adapters.mysql.errors import Side
from pkg.task.blocks import SparkConfig
from pkg.task.live import LiveSettings


class Moving(Protocol):
    """Told of what a chunk has sent so far."""

    def __call__(self, chunk: int, rows: int, size: int, at: float) -> None: ...


class Traffic:
    """Threads of its own hear reports and look at servers; ``close`` ends them."""

    def __init__(
        self,
        limits: LiveSettings,
        lanes: int,
        spark: SparkConfig,
        servers: Mapping[Side, ConnectionOptions],
        moving: Moving,
    ) -> None:
        self._governor = Governor(limits, lanes)
        self._moving = moving
        self._line = LineServer(reachable_host(spark.master, spark.conf.get("spark.driver.host", "")), self._hear)
        self._watch = LoadWatch(servers, self._governor.seen, lambda: self._governor.looks_at_threads)

    @property
    def address(self) -> LineAddress:
        """For lanes in executors."""
        return self._line.address(self._governor.first_allowance())

    def own_pace(self, stopped: Callable[[], bool]) -> Pace:
        """For a lane in this process."""
        return Pace(self._hear, self._governor.first_allowance(), stopped=stopped)

    def left(self, pace: Pace) -> None:
        """That lane has ended."""
        self._governor.left(pace.lane)

    def steer(self, limits: LiveSettings) -> None:
        self._governor.steer(limits)

    def status(self) -> Mapping[str, Any]:
        return self._governor.status(time.monotonic())

    def close(self) -> None:
        self._watch.close()
        self._line.close()

    def _hear(self, report: Report) -> Allowance:
        now = time.monotonic()
        if report.chunk >= 0:
            self._moving(report.chunk, report.rows, report.bytes, now)
        return self._governor.heard(report, now)
