"""One run of the syncer, as dm_worker/syncer/run.py and applier.py do it, one step at a time.

The reader and the channels are stepped by the scheduler in any order; what each decides is the real
code's: Replicator, Queues, Causality, segments, and what the checkpoint may name.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from dm_worker.syncer.ahead import Ahead
from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.ddl_journal import NEXT_DDL
from dm_worker.syncer.queues import Queues
from dm_worker.syncer.replicator import Replicator
from pkg.binlog.position import Position
from pkg.rows.job import Job
from tests.simulation.model import Broken
from tests.simulation.server import Alter, Begin, Commit, Event, Rotate, Rows, Server
from tests.simulation.shapes import plan
from tests.simulation.target import Duplicate, Fenced, Target
from tests.simulation.workload import Workload


@dataclass(frozen=True, slots=True)
class Habits:
    """How a seed's runs are set and how its steps fall."""

    batch: int
    queue_rows: int
    flush_rows: int
    reader: float  # of the steps that are the reader's
    flush: float
    save: float
    failure: float  # of the commits whose answer is lost
    slow_ack: float


class Mode(Enum):
    READING = auto()
    DRAINING = auto()  # the end of the run was reached; what is queued is applied
    ENDED = auto()  # drained and saved


class DdlStep(Enum):
    DRAIN = auto()
    EXECUTE = auto()
    SAVE = auto()


@dataclass(slots=True)
class Taken:
    """A batch that a channel is busy with."""

    batch: list[Job]
    durable: bool = False  # committed; the queues do not know yet
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """Where and how a run starts, as unit.py has it."""

    checkpoint: Checkpoint
    ahead: Ahead
    safe_until: Position | None
    until: Position | None
    switched: bool
    always_safe: bool


class Process:
    """A run; its methods may raise Fenced, after which it is dead."""

    def __init__(
        self,
        start: Start,
        epoch: int,
        target: Target,
        server: Server,
        workload: Workload,
        habits: Habits,
        by_gtid: bool,
        rng: random.Random,
        say: Callable[[str], None],
    ) -> None:
        self.start = start
        self.epoch = epoch
        self.mode = Mode.READING
        self.at_end = False  # of the upstream's binlog
        self.replicator = Replicator(
            start.checkpoint.location,
            start.checkpoint.channels,
            ahead=start.ahead,
            switched=start.switched,
            safe_until=start.safe_until,
            always_safe=start.always_safe,
        )
        self.queues = Queues(
            start.checkpoint.channels, batch=habits.batch, queue_rows=habits.queue_rows, budget_bytes=1 << 30
        )
        self.saved = self.replicator.commits.safe
        self._target = target
        self._server = server
        self._workload = workload
        self._habits = habits
        self._random = rng.random
        self._say = say
        self._events = server.read(start.checkpoint.location, by_gtid=by_gtid)
        self._next = 0
        self._must_flush = False
        self._alter: Alter | None = None
        self._ddl_step = DdlStep.DRAIN
        self._ddl_begun = start.checkpoint.ddl_location
        self._widths = list(target.widths)
        self._pins = {} if start.switched else dict(target.pins)
        self._bound = {number: table.width for number, table in enumerate(target.statements.tables)}
        self._taken: list[Taken | None] = [None] * start.checkpoint.channels

    def step(self) -> None:
        """The reader or a channel does one thing, if it can."""
        mode = self.mode
        if mode is Mode.READING:
            if self._random() >= self._habits.reader or not self._read():
                self._work()
            if self._random() < self._habits.save:
                self.save()
        elif self.queues.is_drained:
            self.save()
            self.mode = Mode.ENDED
        else:
            self._work()

    @property
    def in_ddl(self) -> bool:
        return self._ddl_step is not DdlStep.DRAIN

    @property
    def is_idle(self) -> bool:
        """Whether all that the upstream has is applied."""
        return self.at_end and self.queues.is_drained and self._alter is None

    # the reader

    def _read(self) -> bool:
        """The reader's next thing; False when it can only wait."""
        if self._must_flush:
            return self._flush()
        if self._alter is not None:
            return self._ddl(self._alter)
        if self._next == len(self._events):
            if self.at_end or not self._flush():
                return False
            self.at_end = True
            return True
        event = self._events[self._next]
        self._next += 1
        self._handle(event)
        if self.replicator.pending_rows >= self._habits.flush_rows or self._random() < self._habits.flush:
            self._flush()
        if self._is_finished():
            self._flush()
        return True

    def _is_finished(self) -> bool:
        if self._alter is not None:
            return False
        replicator = self.replicator
        if self.start.switched:
            return not (replicator.is_ahead or replicator.in_transaction) and bool(replicator.file_name)
        return self.start.until is not None and replicator.commits.read.position >= self.start.until

    def _handle(self, event: Event) -> None:
        match event:
            case Rows(table, rows):
                pin = self._pins.get(table)
                if pin is None or Position(self.replicator.file_name, rows.end) > pin:
                    shape = self._workload.shapes[table]
                    self.replicator.rows(plan(shape, self._widths[table], self._bound[table]), rows)
            case Begin(gtid):
                self.replicator.gtid(gtid)
            case Commit(end):
                self.replicator.commit(end, 0)
            case Rotate(file_name, end):
                self.replicator.rotate(file_name, end)
            case Alter():
                self._alter, self._ddl_step = event, DdlStep.DRAIN
                self._flush()

    def _flush(self) -> bool:
        """Hand out what is pending; False when it has to wait until there is room."""
        self._must_flush = self.queues.is_full
        if self._must_flush:
            return False
        skipped = self.replicator.take_skipped()
        self.queues.put(self.replicator.take(), self.replicator.last_seq)
        for channel, seq in skipped:
            self.queues.skip(channel, seq)
        if self._is_finished():
            self.mode = Mode.DRAINING
        return True

    def _ddl(self, alter: Alter) -> bool:
        """The next of a DDL's three steps; False while channels are busy."""
        after = self.replicator.location_at(alter.end)
        place = str(after.position)
        if self._ddl_step is DdlStep.DRAIN:
            if not self.queues.is_drained:
                return False
            if self.start.switched:
                raise Broken("a DDL is met while a channel is ahead")
            self._say(f"marks DDL {alter.number}")
            self._store(replace(self._checkpoint(), ddl_location=place))
            self._ddl_step = DdlStep.EXECUTE
        elif self._ddl_step is DdlStep.EXECUTE:
            self._execute(alter, repeated=self._ddl_begun in (place, NEXT_DDL))
            self._ddl_step = DdlStep.SAVE
        else:
            self._widths[alter.table] += 1
            self._bound = {number: table.width for number, table in enumerate(self._target.statements.tables)}
            self._store(Checkpoint(after, self.start.checkpoint.channels, self._server.name), self._widths)
            self.replicator.commit(alter.end, 0)
            self._alter, self._ddl_step = None, DdlStep.DRAIN
            if self._is_finished():
                self._flush()
        return True

    def _execute(self, alter: Alter, *, repeated: bool) -> None:
        self._say(f"executes DDL {alter.number}{' again' if repeated else ''}")
        self._ddl_begun = ""
        try:
            self._target.alter(alter.table, alter.number, repeated=repeated)
        except Duplicate as duplicate:
            if self.epoch == self._target.epoch:
                raise Broken(f"DDL {alter.number} was done and is not known to be") from duplicate
            raise Fenced from duplicate  # not fenced, but an error all the same

    # the checkpoint

    def _checkpoint(self) -> Checkpoint:
        safe = self.replicator.advance(self.queues.low_watermark())
        return Checkpoint(safe, self.start.checkpoint.channels, self._server.name, self._ddl_begun)

    def save(self) -> None:
        checkpoint = self._checkpoint()
        if checkpoint.location != self.saved:
            if not self.start.switched:
                self._store(checkpoint)
            self.saved = checkpoint.location

    def _store(self, checkpoint: Checkpoint, widths: list[int] | None = None) -> None:
        self._say(f"saves {checkpoint.location.position} {checkpoint.location.gtid_set or ''}")
        self._target.save(self.epoch, checkpoint, self._server, widths)
        self.saved = checkpoint.location

    def begin_anew(self, channels: int) -> None:
        """The run has ended with all drained: the next one has channels of its own."""
        checkpoint = Checkpoint(self.saved, channels, self._server.name, self.start.checkpoint.ddl_location)
        self._say(f"ends at {checkpoint.location.position}")
        self._target.save(self.epoch, checkpoint, self._server, new_channels=True, forget_copy=self.start.switched)

    # the channels

    def _work(self) -> None:
        """Some channel does its next thing."""
        count = len(self._taken)
        first = int(self._random() * count)
        for channel in (*range(first, count), *range(first)):
            if self._work_of(channel):
                return

    def _work_of(self, channel: int) -> bool:
        taken = self._taken[channel]
        if taken is None:
            batch = self.queues.take(channel)
            if batch:
                self._taken[channel] = Taken(batch)
            return bool(batch)
        if not taken.durable:
            self._apply(channel, taken)
        elif self._random() < self._habits.slow_ack:
            return False
        else:
            self._acknowledge(channel, taken)
        return True

    def _apply(self, channel: int, taken: Taken) -> None:
        batch = taken.batch
        if taken.uncertain and self._target.is_applied(self.epoch, channel, batch):
            self._say(f"channel {channel} had applied {_seqs(batch)}")
        elif self._random() < self._habits.failure:
            taken.uncertain = True
            roll = self._random()
            if roll < 0.4:
                self._say(f"channel {channel} has no answer to COMMIT {_seqs(batch)}, which did")
                self._target.commit(self.epoch, channel, batch)
            elif roll < 0.7:
                self._say(f"channel {channel} has no answer to COMMIT {_seqs(batch)}, which is on its way")
                self._target.send_commit(self.epoch, channel, batch)
            else:
                self._say(f"channel {channel} loses its connection before COMMIT {_seqs(batch)}")
            return
        else:
            self._say(f"channel {channel} applies {_seqs(batch)} {'safe' if batch[0].safe else ''}")
            self._target.commit(self.epoch, channel, batch)
        taken.durable = True

    def _acknowledge(self, channel: int, taken: Taken) -> None:
        self._taken[channel] = None
        self.queues.applied(channel, taken.batch)

    def stop(self) -> None:
        """A graceful stop: what is begun is ended, what is applied is saved."""
        for channel, taken in enumerate(self._taken):
            while taken is not None and not taken.durable:
                self._apply(channel, taken)
            if taken is not None:
                self._acknowledge(channel, taken)
        self.save()


def _seqs(batch: list[Job]) -> str:
    return f"{batch[0].seq}..{batch[-1].seq}" if len(batch) > 1 else str(batch[0].seq)
