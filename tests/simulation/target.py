"""What survives a crash: tables, the channels' rows, the checkpoint, and the epoch that fences them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from dm_worker.syncer.applier import last_place
from dm_worker.syncer.checkpoint import Checkpoint, LoadMeta
from pkg.binlog.position import Position
from pkg.rows.change import Kind, RowImage
from pkg.rows.compact import segments
from pkg.rows.job import Job, Place
from tests.simulation.model import Broken, Statements
from tests.simulation.server import Server
from tests.simulation.workload import Transaction, Workload


class Fenced(Exception):
    """The writer's epoch is not the target's any more."""


class Duplicate(Exception):
    """The column of a DDL is there already."""


@dataclass(slots=True)
class InFlight:
    """A transaction whose COMMIT is on its way while its connection is lost; it holds its channel's row."""

    epoch: int
    batch: Sequence[Job]


@dataclass(slots=True)
class ChannelRow:
    epoch: int
    place: Place = field(default_factory=lambda: Place("", 0, 0))


class Target:
    def __init__(self, workload: Workload, rng: random.Random, *, compact: bool, any_order: bool) -> None:
        self.statements = Statements(workload, rng, any_order=any_order)
        self.checkpoint: Checkpoint | None = None
        self.load = LoadMeta(None, None, True)
        self.pins: dict[int, Position] = {}
        self.widths = list(workload.widths)  # the tracked structures, which go with the checkpoint
        self.channels: dict[int, ChannelRow] = {}
        self.epoch = 0
        self._workload = workload
        self._rng = rng
        self._compact = compact
        self._in_flight: dict[int, InFlight] = {}
        self._halves = bytearray(2 * len(workload.changes) + 2)  # how often each change's delete and write were applied
        self._checked: set[int] = set()  # transactions that a checkpoint has passed
        self.altered: set[int] = set()

    def claim(self) -> int:
        """A new run takes over; the channels' rows are locked where a transaction is in flight."""
        for channel in list(self._in_flight):
            self._resolve(channel)
        self.epoch += 1
        for row in self.channels.values():
            row.epoch = self.epoch
        return self.epoch

    def commit(self, epoch: int, channel: int, batch: Sequence[Job]) -> None:
        """A batch and its channel's move, all or nothing.  Raises Fenced, Broken."""
        self._resolve(channel)
        self._fence(epoch, channel)
        self._apply(epoch, channel, batch)

    def send_commit(self, epoch: int, channel: int, batch: Sequence[Job]) -> None:
        """As `commit`, but the connection is lost before it is known whether it did."""
        self._resolve(channel)
        self._fence(epoch, channel)
        self._in_flight[channel] = InFlight(epoch, batch)

    def settle(self) -> None:
        """Transactions in flight come to their end, one way or the other."""
        for channel in list(self._in_flight):
            self._resolve(channel)

    def is_applied(self, epoch: int, channel: int, batch: Sequence[Job]) -> bool:
        """As the applier asks after an uncertain commit: it locks the channel's row.  Raises Fenced."""
        self._resolve(channel)
        self._fence(epoch, channel)
        return self.channels[channel].place == last_place(batch)

    def _resolve(self, channel: int) -> None:
        flying = self._in_flight.pop(channel, None)
        if flying is not None and self._rng.random() < 0.6:
            self._apply(flying.epoch, channel, flying.batch)

    def _fence(self, epoch: int, channel: int) -> None:
        row = self.channels.get(channel)
        if row is None or row.epoch != epoch:
            raise Fenced

    def _apply(self, epoch: int, channel: int, batch: Sequence[Job]) -> None:
        if epoch != self.epoch:
            raise Broken(f"epoch {epoch} writes in epoch {self.epoch}")
        for group in segments(batch, compact=self._compact):
            for segment in group:
                self.statements.run(segment)
        for job in batch:
            self._count(job)
        place = last_place(batch)
        if place is not None:
            self.channels[channel].place = place

    def _count(self, job: Job) -> None:
        if job.kind == Kind.DELETE:
            half = 2 * self._workload.used_by[id(job.before)]
        else:
            half = 2 * self._workload.made_by[id(job.after)] + 1
        self._halves[half] = min(2, self._halves[half] + 1)
        if self._halves[half] > 1 and (not job.safe or job.table.keyless):
            raise Broken(f"change {half // 2} is applied twice")

    def save(
        self,
        epoch: int,
        checkpoint: Checkpoint,
        server: Server,
        widths: list[int] | None = None,
        *,
        new_channels: bool = False,
        forget_copy: bool = False,
    ) -> None:
        """As CheckpointStore.save.  Raises Fenced; Broken for a location that the rows are behind."""
        if epoch != self.epoch:
            raise Fenced
        self._is_behind(checkpoint, server)
        self.checkpoint = checkpoint
        if widths is not None:
            self.widths = list(widths)
        if new_channels:
            self.channels = {channel: ChannelRow(epoch) for channel in range(checkpoint.channels)}
        if forget_copy:
            self.load, self.pins = LoadMeta(None, None, True), {}

    def _is_behind(self, checkpoint: Checkpoint, server: Server) -> None:
        location = checkpoint.location
        before = server.order[: server.done_at[location.position]]
        for transaction in server.order if location.gtid_set is not None else before:
            if transaction.number in self._checked:
                continue
            if location.gtid_set is None or location.gtid_set.contains(server.sets[transaction.gtid]):
                missing = self.missing(transaction)
                if missing:
                    raise Broken(f"checkpoint {location.position} {location.gtid_set or ''} is ahead of {missing}")
                self._checked.add(transaction.number)
            elif location.gtid_set is not None and any(one is transaction for one in before):
                raise Broken(f"checkpoint {location.position} has not the GTID {transaction.gtid}")

    def missing(self, transaction: Transaction) -> str:
        """What of ``transaction`` was not applied; "" when all was."""
        if transaction.altered is not None:
            return "" if transaction.number in self.altered else f"DDL {transaction.number}"
        for change in transaction.changes:
            deleted, written = self._halves[2 * change.number], self._halves[2 * change.number + 1]
            if change.after is None:
                applied = bool(deleted)
            elif change.before is None or not self._workload.moves(change):
                applied = bool(written)
            else:
                applied = bool(deleted and written)
            if not applied:
                return f"change {change.number}"
        return ""

    def alter(self, table: int, number: int, *, repeated: bool) -> None:
        """Add the column that the DDL adds; Duplicate where it is and nobody says that it may be."""
        model = self.statements.tables[table]
        if number in self.altered:
            if not repeated:
                raise Duplicate
            return
        self.altered.add(number)
        model.add_column()

    def start_with(self, rows: list[list[RowImage]]) -> None:
        """Load a copy; where its moments contradict each other, the row that comes last stays."""
        for model, images in zip(self.statements.tables, rows, strict=True):
            for image in images:
                version = self._workload.made_by[id(image)]
                if model.shape.identity:
                    model.replace(image, version)
                else:
                    model.insert(image, version)

    def pin(self, table: int, position: Position, transactions: list[Transaction]) -> None:
        """A keyless table was copied as it was behind ``transactions``."""
        self.pins[table] = position
        for transaction in transactions:
            for change in transaction.changes:
                if change.table == table:
                    self._halves[2 * change.number] = self._halves[2 * change.number + 1] = 1
