"""The syncer's core: what of the stream becomes which job, and which location is safe.  No I/O.

The shell (``unit.py``) feeds events in stream order and carries out what comes back: jobs to queue
per channel, and the location that a checkpoint may name.
"""

from __future__ import annotations

from dataclasses import dataclass

from dm_worker.syncer.low_watermark import Commits
from pkg.binlog.gtid import GtidSet
from pkg.binlog.position import Location, Position
from pkg.rows.causality import Causality
from pkg.rows.change import Job, Place, RowImage, TargetTable

FORGET_ABOVE = 50_000  # unique values in memory before those that were applied are dropped
ROW_OVERHEAD_BYTES = 300  # what a queued job costs beside its literals


@dataclass(frozen=True, slots=True)
class RowsAt:
    """One rows event: its images (updates alternate before and after) and its place in the stream."""

    kind: str  # insert | update | delete
    rows: list[RowImage]
    end: int  # offset of the event's end
    size: int  # bytes of the event


class Replicator:
    """Jobs and locations of one run, from ``start`` on.

    ``applied`` says what each channel has from an earlier run: those jobs come out nowhere.
    Rows up to ``safe_until`` may be there already (a lock-free copy), so their jobs are safe ones.
    """

    def __init__(
        self,
        start: Location,
        channels: int,
        *,
        applied: dict[int, Place] | None = None,
        safe_until: Position | None = None,
        always_safe: bool = False,
    ) -> None:
        self.commits = Commits(start)
        self.file_name = start.position.name
        self.safe_until = safe_until
        self._always_safe = always_safe
        self._gtid_set = start.gtid_set
        self._gtid: str | None = None
        self._causality = Causality(channels)
        self._pending: list[list[Job]] = [[] for _ in range(channels)]
        self._pending_rows = 0
        self._skip = {
            channel: (Position(name, end), index) for channel, (name, end, index) in (applied or {}).items() if name
        }
        self._skipped_last: dict[int, int] = {}
        self._last_end = -1
        self._row_index = 0
        self._forget_above = FORGET_ABOVE
        self.rows_read = 0

    @property
    def last_seq(self) -> int:
        return self._causality.last_seq

    @property
    def pending_rows(self) -> int:
        return self._pending_rows

    @property
    def safe_mode(self) -> bool:
        return self._always_safe or self.safe_until is not None

    @property
    def replaying_until(self) -> Position | None:
        """The farthest place that some channel has applied already; None once the stream has passed it."""
        return max((position for position, _ in self._skip.values()), default=None)

    def rows(self, table: TargetTable, event: RowsAt) -> None:
        """Turn a rows event into pending jobs."""
        if event.end != self._last_end:  # events of a compressed transaction share their end
            self._last_end, self._row_index = event.end, 0
        position = Position(self.file_name, event.end)
        safe = self._always_safe or (self.safe_until is not None and position <= self.safe_until)
        images, index = event.rows, self._row_index
        step = 2 if event.kind == "update" else 1
        size = event.size * 2 // max(1, len(images) // step) + ROW_OVERHEAD_BYTES
        jobs, pending = self._causality.jobs, self._pending
        for at in range(0, len(images), step):
            if step == 2:
                before, after = images[at], images[at + 1]
            elif event.kind == "insert":
                before, after = None, images[at]
            else:
                before, after = images[at], None
            for channel, job in jobs(
                table,
                before,
                after,
                safe=safe,
                file_name=self.file_name,
                event_end=event.end,
                row_index=index,
                size=size,
            ):
                if self._skip and self._was_applied(channel, position, job):
                    continue
                pending[channel].append(job)
            index += 1
        self._pending_rows += index - self._row_index
        self.rows_read += index - self._row_index
        self._row_index = index

    def _was_applied(self, channel: int, position: Position, job: Job) -> bool:
        applied = self._skip.get(channel)
        if applied is None:
            return False
        if (position, job.row_index) <= applied:
            self._skipped_last[channel] = job.seq
            return True
        del self._skip[channel]
        return False

    def gtid(self, gtid: str) -> None:
        """The transaction that begins has this GTID."""
        self._gtid = gtid

    def location_at(self, end: int) -> Location:
        """The location after the event that ends at offset ``end`` and closes its transaction."""
        gtid_set: GtidSet | None = self._gtid_set
        if gtid_set is not None and self._gtid is not None:
            gtid_set = gtid_set.add(self._gtid)
        return Location(Position(self.file_name, end), gtid_set)

    def commit(self, end: int, timestamp: int) -> None:
        """A transaction, or anything else after which the stream may be read again, ends at offset ``end``."""
        location = self.location_at(end)
        self._gtid_set, self._gtid = location.gtid_set, None
        if self.safe_until is not None and location.position >= self.safe_until:
            self.safe_until = None
        if self._skip:
            self._forget_passed(location.position)
        self.commits.add(location, self._causality.last_seq, timestamp)

    def _forget_passed(self, position: Position) -> None:
        for channel in [channel for channel, (applied, _) in self._skip.items() if applied <= position]:
            del self._skip[channel]

    def rotate(self, file_name: str, end: int) -> None:
        """The stream goes on in another file (or says which one it starts in)."""
        if file_name == self.file_name:
            return
        self.file_name = file_name
        self._last_end = -1
        if self._gtid is None:
            self.commit(end, 0)

    def take_skipped(self) -> dict[int, int]:
        """The newest seq per channel that an earlier run had applied, since the last call."""
        skipped, self._skipped_last = self._skipped_last, {}
        return skipped

    def take(self) -> list[list[Job]]:
        """The pending jobs per channel, which are then no longer pending."""
        taken = self._pending
        self._pending = [[] for _ in taken]
        self._pending_rows = 0
        return taken

    def advance(self, low_watermark: int) -> Location:
        """Forget what is applied up to ``low_watermark``; the newest location that a checkpoint may name."""
        if self._causality.tracked_values > self._forget_above:
            self._causality.forget_applied(low_watermark)
            self._forget_above = max(FORGET_ABOVE, 2 * self._causality.tracked_values)
        return self.commits.advance(low_watermark)
