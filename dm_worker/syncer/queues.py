"""What waits for each channel, what may be taken, and how far all is applied.  No threads, no I/O.

A batch ends before a job that must wait for another channel, and jobs only wait for earlier ones, so
there is always a channel that can go on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pkg.rows.job import Job


class Queues:
    """The jobs of all channels, each channel's in the order of their seqs."""

    def __init__(self, count: int, *, batch: int, queue_rows: int, budget_bytes: int) -> None:
        self._batch = batch
        self._room_rows = queue_rows * count
        self._count = count
        self._budget_bytes = budget_bytes
        self._queues: list[deque[Job]] = [deque() for _ in range(count)]
        self._head = [0] * count  # seq of the oldest job that is not applied; 0: the channel has none
        self._applied = [0] * count  # seq of the newest applied job
        self._skipped: list[deque[int]] = [deque() for _ in range(count)]  # seqs that count behind jobs that are queued
        self._rows = 0
        self._bytes = 0
        self._last_seq = 0

    def resize(self, batch: int, queue_rows: int) -> None:
        """Batches and queues may be as large as that from now on."""
        self._batch = batch
        self._room_rows = queue_rows * self._count

    @property
    def is_full(self) -> bool:
        return self._rows >= self._room_rows or self._bytes >= self._budget_bytes

    @property
    def is_drained(self) -> bool:
        """Whether every job is applied."""
        return not any(self._head)

    def put(self, jobs: Sequence[Sequence[Job]], last_seq: int) -> list[int]:
        """Queue jobs per channel, all with seqs up to ``last_seq``; the channels that got some."""
        self._last_seq = last_seq
        filled = []
        for channel, run in enumerate(jobs):
            if not run:
                continue
            if not self._head[channel]:
                self._head[channel] = run[0].seq
            self._queues[channel].extend(run)
            self._rows += len(run)
            self._bytes += sum([job.size for job in run])
            filled.append(channel)
        return filled

    def take(self, channel: int) -> list[Job]:
        """The next batch of ``channel``; empty when it has no job, or waits for another channel."""
        queue = self._queues[channel]
        batch: list[Job] = []
        while queue and len(batch) < self._batch and self._is_ready(queue[0]):
            batch.append(queue.popleft())
        return batch

    def is_waiting(self, channel: int) -> bool:
        """Whether ``channel`` has jobs that are not taken."""
        return bool(self._queues[channel])

    def applied(self, channel: int, batch: Sequence[Job]) -> None:
        """``batch``, which was taken, is durable downstream."""
        queue = self._queues[channel]
        self._head[channel] = queue[0].seq if queue else 0
        is_half = bool(queue) and queue[0].seq == batch[-1].seq  # one change may be two jobs
        self._applied[channel] = batch[-1].seq - is_half
        self._pass_skipped(channel)
        self._rows -= len(batch)
        self._bytes -= sum([job.size for job in batch])

    def skip(self, channel: int, seq: int) -> None:
        """The job ``seq`` is done (by an earlier run, or rolled back); jobs before it that are queued come first."""
        self._skipped[channel].append(seq)
        self._pass_skipped(channel)

    def low_watermark(self) -> int:
        """Every job with a seq up to this one is applied."""
        heads = [head for head in self._head if head]
        return min(heads) - 1 if heads else self._last_seq

    def depths(self) -> list[int]:
        """Queued jobs per channel."""
        return [len(queue) for queue in self._queues]

    def _pass_skipped(self, channel: int) -> None:
        skipped, head = self._skipped[channel], self._head[channel]
        while skipped and (not head or head > skipped[0]):
            self._applied[channel] = max(self._applied[channel], skipped.popleft())

    def _is_ready(self, job: Job) -> bool:
        return all(self._applied[channel] >= seq for channel, seq in job.needs)
