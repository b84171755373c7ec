"""The queues between the thread that reads the stream and the threads that apply it.

One lock guards everything here.  The reader puts jobs in; each channel thread takes a batch, applies
it and says so.  What may be taken is decided in queues.py; this is who waits and who is woken.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from dm_worker.syncer.queues import Queues
from dm_worker.syncer.shares import Stage, Stopwatch
from pkg.rows.job import Job


class Stopped(Exception):
    """The channels were stopped while somebody waited in them; not an error."""


class Channels:
    def __init__(
        self, count: int, *, batch: int, queue_rows: int, budget_bytes: int, reader: Stopwatch | None = None
    ) -> None:
        self.count, self.batch = count, batch
        self._reader = reader or Stopwatch()  # its time is not counted while it waits here
        self._conflict_seconds = 0.0
        self._queues = Queues(count, batch=batch, queue_rows=queue_rows, budget_bytes=budget_bytes)
        self._lock = threading.Lock()
        self._work = [threading.Condition(self._lock) for _ in range(count)]
        self._progress = threading.Condition(self._lock)
        self._over_now = threading.Condition(self._lock)
        self._waiting: dict[int, float] = {}  # channels whose next job waits for another channel, and since when
        self._stopped = False
        self._error: BaseException | None = None
        self.applied_rows = 0

    def resize(self, batch: int, queue_rows: int) -> None:
        """Batches and queues may be as large as that from now on."""
        with self._lock:
            self._queues.resize(batch, queue_rows)
            self.batch = batch
            self._progress.notify_all()

    def put(self, jobs: Sequence[Sequence[Job]], last_seq: int) -> None:
        """Queue jobs per channel, all with seqs up to `last_seq`; blocks while the queues are full."""
        with self._lock:
            self._wait_while(lambda: self._queues.is_full)
            self._check()
            for channel in self._queues.put(jobs, last_seq):
                self._work[channel].notify()

    def take(self, channel: int) -> list[Job]:
        """The next batch of `channel`; blocks until there is one.  Raises Stopped when all is over."""
        queues = self._queues
        with self._lock:
            while True:
                if self._over():
                    raise Stopped
                batch = queues.take(channel)
                if batch:
                    return batch
                if queues.is_waiting(channel):
                    self._wait_for_another(channel)
                else:
                    self._work[channel].wait()

    def applied(self, channel: int, batch: Sequence[Job]) -> None:
        """`batch` is durable downstream."""
        with self._lock:
            self._queues.applied(channel, batch)
            self.applied_rows += len(batch)
            self._wake_waiting()
            self._progress.notify_all()

    def wait_drained(self) -> None:
        """Block until every job is applied: the barrier.  Raises Stopped, or what a channel failed with."""
        with self._lock:
            self._wait_while(lambda: not self._queues.is_drained)
            self._check()

    def pause(self, seconds: float) -> None:
        """Let a channel wait before it tries again.  Raises Stopped when all is over."""
        with self._lock:
            self._over_now.wait_for(self._over, seconds)
            if self._over():
                raise Stopped

    def skip(self, channel: int, seq: int) -> None:
        """The job `seq` was applied by an earlier run; jobs before it that are queued come first."""
        with self._lock:
            self._queues.skip(channel, seq)
            self._wake_waiting()

    def conflict_seconds(self, now: float) -> float:
        """How long channels have waited for one another until ``now``, all together."""
        with self._lock:
            return self._conflict_seconds + sum([max(0.0, now - since) for since in self._waiting.values()])

    def low_watermark(self) -> int:
        """Every job with a seq up to this one is applied."""
        with self._lock:
            return self._queues.low_watermark()

    def check(self) -> None:
        """Raise what a channel failed with, if one did."""
        with self._lock:
            self._check()

    def depths(self) -> list[int]:
        """Queued jobs per channel."""
        with self._lock:
            return self._queues.depths()

    def fail(self, error: BaseException) -> None:
        """A channel cannot go on: everybody stops, and the reader raises the first such error."""
        with self._lock:
            self._error = self._error or error
            self._wake_all()

    def stop(self) -> None:
        """Let go of everybody; what is queued is dropped (it will be read again)."""
        with self._lock:
            self._stopped = True
            self._wake_all()

    def _wait_while(self, condition: Callable[[], bool]) -> None:
        """The reader waits; its stopwatch is looked at only then."""
        if not condition() or self._over():
            return
        self._reader.begin(Stage.TARGET)
        while condition() and not self._over():
            self._progress.wait()
        self._reader.end()

    def _wait_for_another(self, channel: int) -> None:
        self._waiting[channel] = since = time.monotonic()
        self._work[channel].wait()
        del self._waiting[channel]
        self._conflict_seconds += time.monotonic() - since

    def _over(self) -> bool:
        return self._stopped or self._error is not None

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise Stopped

    def _wake_waiting(self) -> None:
        for channel in self._waiting:
            self._work[channel].notify()

    def _wake_all(self) -> None:
        self._progress.notify_all()
        self._over_now.notify_all()
        for condition in self._work:
            condition.notify_all()
