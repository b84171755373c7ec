"""The syncer's core: what of the stream becomes which job, and which location is safe.  No I/O.

The shell (``unit.py``) feeds events in stream order and carries out what comes back: jobs to queue
per channel, and the location that a checkpoint may name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain

from dm_worker.syncer.ahead import Ahead
from dm_worker.syncer.low_watermark import Commits
from pkg.binlog.frequent_events import RowsEvent
from pkg.binlog.gtid import GtidSet, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.rows.causality import Causality
from pkg.rows.change import TargetTable
from pkg.rows.job import Job, Origin
from pkg.rows.last_writers import LastWriters
from pkg.rules.expression.collation import collation
from pkg.rules.expression.problem import BadValue
from pkg.schema.statement import TableName

FORGET_ABOVE = 50_000  # unique values in memory before those that were applied are dropped
ROW_OVERHEAD_BYTES = 300  # what a queued job costs beside its literals


class Replicator:
    """Jobs and locations of one run, from ``start`` on.

    ``ahead`` says what each channel has from an earlier run: those jobs come out nowhere.
    Rows up to ``safe_until`` may be there already (a lock-free copy), so their jobs are safe ones; so are
    those on a ``switched`` upstream, and of tables that go to other channels, for as long as a channel is ahead.
    """

    def __init__(
        self,
        start: Location,
        channels: int,
        *,
        ahead: Ahead | None = None,
        safe_until: Position | None = None,
        always_safe: bool = False,
        switched: bool = False,
    ) -> None:
        self.commits = Commits(start)
        self.file_name = start.position.name
        self.safe_until = safe_until
        self.counts: Callable[[list[Job]], Iterable[Job]] | None = None  # which of an event's changes do
        self._always_safe = always_safe
        self._gtid_set = start.gtid_set
        self._gtid: str | None = None
        gtids = start.gtid_set  # channels that say what they have need them
        self._passed = None if gtids is None else parse_transactions("", gtids.flavor)  # since the start
        self._causality = Causality(channels)
        self._writers = LastWriters()
        self._pending: list[list[Job]] = [[] for _ in range(channels)]
        self._pending_rows = 0
        self._ahead = ahead if ahead is not None and not ahead.is_over else None
        self._switched = switched
        self._skipped_last: dict[int, int] = {}  # by channel what an earlier run had applied
        self._skipped_needs: dict[int, int] = {}  # of the transaction, see _with_needs()
        self._dropped: list[tuple[int, int]] = []  # what was rolled back
        self._origin = Origin(self.file_name, "", self._passed)
        self._row_index = 0
        self._first_seq = 0  # the last one before the transaction …
        self._taken_seq = 0  # … and before the last jobs went out
        self._savepoints: dict[str | None, int] = {}
        self._forget_above = FORGET_ABOVE
        self.rows_read = 0

    @property
    def last_seq(self) -> int:
        return self._causality.last_seq

    @property
    def pending_rows(self) -> int:
        return self._pending_rows

    @property
    def is_ahead(self) -> bool:
        """Whether a channel has not caught up with what an earlier run applied."""
        return self._ahead is not None

    @property
    def in_transaction(self) -> bool:
        """Whether the stream stands in a transaction that has a GTID."""
        return self._gtid is not None

    @property
    def is_inside(self) -> bool:
        """Whether the stream stands inside of a transaction, with a GTID or without."""
        return self._gtid is not None or self._row_index > 0

    @property
    def next_row_index(self) -> int:
        """That of the next change's job."""
        return 2 * self._row_index

    def rows(self, table: TargetTable, event: RowsEvent, merged: TableName | None = None) -> None:
        """Turn a rows event into pending jobs; ``merged``: the upstream table, where others may lead to its target."""
        safe = self._always_safe or (self._ahead is not None and (self._switched or table.is_reassigned))
        if self.safe_until is not None:
            safe = safe or Position(self.file_name, event.end) <= self.safe_until
        if table.unchecked is not None and not event.checks_keys:
            table = table.unchecked
        counts = self.counts
        if counts is None and merged is not None and not table.keyless and (safe or not self._writers.is_empty):
            counts = partial(self._writers.jobs, merged)
        count = len(event.rows) // 2 if event.kind == "update" else len(event.rows)
        jobs = self._causality.jobs(
            table,
            event.kind,
            event.rows,
            safe=safe,
            origin=self._origin,
            event_end=event.end,
            row_index=self._row_index,
            size=(event.end - event.start) * 2 // max(1, count) + ROW_OVERHEAD_BYTES,
            counts=None if counts is None else partial(self._counting, counts),
        )
        pending = self._pending
        for job in jobs if self._ahead is None else self._not_applied(jobs, self._ahead):
            pending[job.channel].append(job)
        self._pending_rows += count
        self.rows_read += count
        self._row_index += count

    def _counting(self, counts: Callable[[list[Job]], Iterable[Job]], jobs: list[Job]) -> list[Job]:
        kept = list(counts(jobs))
        seqs = {job.seq for job in kept}
        self._dropped += [(job.channel, job.seq) for job in jobs if job.seq not in seqs]
        return kept

    def forget_writers(self) -> None:
        """Upstream tables may be other ones from here on."""
        self._writers.forget()

    def leave_out(self, event: RowsEvent) -> None:
        """Rows that a filter takes away keep their places: those behind them are the same ones under another filter."""
        self._row_index += len(event.rows) // 2 if event.kind == "update" else len(event.rows)

    def _not_applied(self, jobs: list[Job], ahead: Ahead) -> Iterator[Job]:
        """Those of ``jobs`` that no earlier run has applied."""
        for job in jobs:
            if ahead.has(job.channel, job):
                self._skipped_last[job.channel] = job.seq
                if job.needs:
                    self._skipped_needs = _with_needs(self._skipped_needs, [job])
                continue
            job.is_replay = ahead.is_replay(job.channel, job)
            if not job.is_replay:
                job.origin = ahead.origin(job.channel, job)
            yield job

    def gtid(self, gtid: str) -> None:
        """The transaction that begins has this GTID."""
        self._gtid = gtid
        self._begin(gtid)

    def _begin(self, gtid: str) -> None:
        self._origin = Origin(self.file_name, gtid, self._passed)
        self._row_index = 0
        self._first_seq = self._causality.last_seq
        self._skipped_needs = {}
        self._savepoints = {}
        self._writers.settle()

    @property
    def transaction_gtid(self) -> str:
        """The GTID of the transaction that the stream stands in; "": it has none."""
        return self._gtid or ""

    @property
    def transaction(self) -> str:
        """What tells the transaction that the stream stands in: its GTID, or the place before it."""
        return self._gtid or str(self.commits.read.position)

    def location_inside(self, end: int) -> Location:
        """The location after a statement that ends at offset ``end``, and behind which its transaction goes on."""
        return Location(Position(self.file_name, end), self._gtid_set)

    def location_at(self, end: int) -> Location:
        """The location after the event that ends at offset ``end`` and closes its transaction."""
        gtid_set: GtidSet | None = self._gtid_set
        if gtid_set is not None and self._gtid is not None:
            gtid_set = gtid_set.add(self._gtid)
        return Location(Position(self.file_name, end), gtid_set)

    def commit(self, end: int, timestamp: int) -> None:
        """A transaction, or anything else after which the stream may be read again, ends at offset ``end``."""
        location = self.location_at(end)
        if self._ahead is not None:
            self._ahead.commit(location.position, self._gtid or "")
            if self._ahead.is_over:
                self._ahead = None
        if self._passed is not None and self._gtid is not None:
            self._passed = self._passed.add(self._gtid)
        self._gtid_set, self._gtid = location.gtid_set, None
        if self.safe_until is not None and location.position >= self.safe_until:
            self.safe_until = None
        self.commits.add(location, self._causality.last_seq, timestamp)
        self._begin("")

    def savepoint(self, name: str) -> None:
        key = _folded(name)
        if key is None:
            self._savepoints.clear()  # it may have taken the place of any: ROLLBACK TO one of them is refused
        else:
            self._savepoints[key] = self._causality.last_seq

    def roll_back(self, savepoint: str | None, end: int) -> bool:
        """Drop the jobs since the savepoint, or (None) of the transaction, by an event that ends at offset ``end``.

        False where some of them went out already, now or in an earlier run.
        """
        first = self._first_seq if savepoint is None else self._savepoints.get(_folded(savepoint), -1)
        if first < 0 or self._taken_seq > first:
            return False
        place, gtid = Position(self.file_name, end), self._gtid or ""
        for (
            channel,
            seq,
        ) in self._skipped_last.items():  # an earlier run dropped them, too, or applied some
            if seq > first and (self._ahead is None or not self._ahead.is_beyond(channel, place, gtid)):
                return False
        self._writers.roll_back(first)
        self._causality.drop(first, _with_needs(self._skipped_needs, chain.from_iterable(self._pending)))
        for channel, jobs in enumerate(self._pending):
            kept = [job for job in jobs if job.seq <= first]
            if len(kept) < len(jobs):
                self._dropped.append((channel, jobs[-1].seq))
                self._pending[channel] = kept
        self._pending_rows = sum(map(len, self._pending))
        return True

    def abandon(self, end: int) -> bool:
        """Drop a transaction whose end was never written; its GTID may come again.  False as by ``roll_back``."""
        if not self.roll_back(None, end):
            return False
        self._gtid = None
        self.commit(end, 0)
        return True

    def rotate(self, file_name: str, end: int) -> None:
        """The stream goes on in another file (or says which one it starts in)."""
        if file_name == self.file_name:
            return
        self.file_name = file_name
        self._origin = self._origin._replace(file_name=file_name)
        if not self.is_inside:
            self.commit(end, 0)

    def take_skipped(self) -> list[tuple[int, int]]:
        """(channel, seq) up to which jobs are done that go out nowhere, since the last call; seqs of a channel grow."""
        skipped = sorted([*self._skipped_last.items(), *self._dropped])
        self._skipped_last, self._dropped = {}, []
        return skipped

    def take(self) -> list[list[Job]]:
        """The pending jobs per channel, which are then no longer pending."""
        taken = self._pending
        self._pending = [[] for _ in taken]
        self._pending_rows = 0
        self._taken_seq = self._causality.last_seq
        self._writers.settle()
        return taken

    def advance(self, low_watermark: int) -> Location:
        """Forget what is applied up to ``low_watermark``; the newest location that a checkpoint may name."""
        if self._causality.tracked_values > self._forget_above:
            self._causality.forget_applied(low_watermark)
            self._forget_above = max(FORGET_ABOVE, 2 * self._causality.tracked_values)
        return self.commits.advance(low_watermark)


def _with_needs(known: Mapping[int, int], jobs: Iterable[Job]) -> dict[int, int]:
    """By channel the last job that one of these waits for, beside those that are ``known``."""
    found = dict(known)
    for channel, seq in (need for job in jobs for need in job.needs):
        found[channel] = max(seq, found.get(channel, 0))
    return found


def _folded(name: str) -> str | None:
    """Equal for names that are one savepoint to servers, which compare them in general_ci without padding.

    None: it has a letter of which it is not known what it equals there.
    """
    if name.isascii():
        return name.upper()
    weights = collation("utf8mb4_general_ci").weights
    assert weights is not None, "it is a collation of weights"
    try:
        return name.translate(weights)
    except BadValue:
        return None
