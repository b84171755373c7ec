"""The queues between the thread that reads the stream and the threads that apply it.

One lock guards everything here.  The reader puts jobs in; each channel thread takes a batch, applies
it and says so.  A batch ends before a job that must wait for another channel, and jobs only wait for
earlier ones, so there is always a channel that can go on.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from pkg.rows.job import Job


class Stopped(Exception):
    """The channels were stopped while somebody waited in them; not an error."""


class Channels:
    def __init__(self, count: int, *, batch: int, queue_rows: int, budget_bytes: int) -> None:
        self.count = count
        self._batch = batch
        self._room_rows = queue_rows * count
        self._budget_bytes = budget_bytes
        self._lock = threading.Lock()
        self._work = [threading.Condition(self._lock) for _ in range(count)]
        self._progress = threading.Condition(self._lock)
        self._over_now = threading.Condition(self._lock)
        self._queues: list[deque[Job]] = [deque() for _ in range(count)]
        self._head = [0] * count  # seq of the oldest job that is not applied; 0: the channel has none
        self._applied = [0] * count  # seq of the newest applied job
        self._skipped = [0] * count  # seq up to which an earlier run had applied, where jobs before it are queued
        self._waiting: set[int] = set()  # channels whose next job waits for another channel
        self._rows = 0
        self._bytes = 0
        self._last_seq = 0
        self._stopped = False
        self._error: BaseException | None = None
        self.applied_rows = 0

    def put(self, jobs: Sequence[Sequence[Job]], last_seq: int) -> None:
        """Queue jobs per channel, all with seqs up to `last_seq`; blocks while the queues are full."""
        with self._lock:
            while (self._rows >= self._room_rows or self._bytes >= self._budget_bytes) and not self._over():
                self._progress.wait()
            self._check()
            self._last_seq = last_seq
            for channel, run in enumerate(jobs):
                if not run:
                    continue
                if not self._head[channel]:
                    self._head[channel] = run[0].seq
                self._queues[channel].extend(run)
                self._rows += len(run)
                self._bytes += sum([job.size for job in run])
                self._work[channel].notify()

    def take(self, channel: int) -> list[Job]:
        """The next batch of `channel`; blocks until there is one.  Raises Stopped when all is over."""
        queue = self._queues[channel]
        with self._lock:
            while True:
                if self._over():
                    raise Stopped
                batch: list[Job] = []
                while queue and len(batch) < self._batch and self._ready(queue[0]):
                    batch.append(queue.popleft())
                if batch:
                    return batch
                if queue:
                    self._waiting.add(channel)
                self._work[channel].wait()
                self._waiting.discard(channel)

    def applied(self, channel: int, batch: Sequence[Job]) -> None:
        """`batch` is durable downstream."""
        queue = self._queues[channel]
        with self._lock:
            self._head[channel] = queue[0].seq if queue else 0
            self._applied[channel] = batch[-1].seq
            self._pass_skipped(channel)
            self._rows -= len(batch)
            self._bytes -= sum([job.size for job in batch])
            self.applied_rows += len(batch)
            for waiting in self._waiting:
                self._work[waiting].notify()
            self._progress.notify_all()

    def wait_drained(self) -> None:
        """Block until every job is applied: the barrier.  Raises Stopped, or what a channel failed with."""
        with self._lock:
            while any(self._head) and not self._over():
                self._progress.wait()
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
            self._skipped[channel] = seq
            self._pass_skipped(channel)

    def _pass_skipped(self, channel: int) -> None:
        skipped, head = self._skipped[channel], self._head[channel]
        if skipped > self._applied[channel] and (not head or head > skipped):
            self._applied[channel] = skipped

    def low_watermark(self) -> int:
        """Every job with a seq up to this one is applied."""
        with self._lock:
            heads = [head for head in self._head if head]
            return min(heads) - 1 if heads else self._last_seq

    def check(self) -> None:
        """Raise what a channel failed with, if one did."""
        with self._lock:
            self._check()

    def depths(self) -> list[int]:
        """Queued jobs per channel."""
        with self._lock:
            return [len(queue) for queue in self._queues]

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

    def _ready(self, job: Job) -> bool:
        return not job.needs or all(self._applied[channel] >= seq for channel, seq in job.needs)

    def _over(self) -> bool:
        return self._stopped or self._error is not None

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise Stopped

    def _wake_all(self) -> None:
        self._progress.notify_all()
        self._over_now.notify_all()
        for condition in self._work:
            condition.notify_all()
