"""One run of replication: read the stream, hand out jobs, keep the checkpoint, stop when told.

This is the thread that owns the stream, the schema tracker and the replicator; the appliers own the
channels' connections.  A DDL runs behind a barrier: all jobs before it are applied first.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dm_worker.syncer.applier import Applier, ApplySettings, Counters
from dm_worker.syncer.bindings import Binding, Bindings
from dm_worker.syncer.channels import Channels, Stopped
from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore, Inside
from dm_worker.syncer.copied import CopyWindow
from dm_worker.syncer.copied_ddl import Fate, fate_of, said_of, track
from dm_worker.syncer.ddl import DdlRunner, Structures
from dm_worker.syncer.ddl_journal import NEXT_DDL
from dm_worker.syncer.filtering import rows_refused
from dm_worker.syncer.former import Former
from dm_worker.syncer.rate_limit import TokenBucket
from dm_worker.syncer.replicator import Replicator
from dm_worker.syncer.row_doubts import written_rows
from dm_worker.syncer.row_filtering import pieces
from dm_worker.syncer.row_orders import RowOrders
from dm_worker.syncer.same_binlog import SameBinlog
from dm_worker.syncer.shares import Stage, Stopwatch
from dm_worker.syncer.target_watch import TargetWatch
from dm_worker.syncer.tied_order import TiedOrder
from dm_worker.syncer.tracked_check import TrackedCheck
from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import BY_POSITION, UNSUPPORTED_EVENT
from pkg.binlog.event_policy import PARTLY_ROLLED_BACK
from pkg.binlog.events import (
    AnonymousGtidEvent,
    Event,
    FormatEvent,
    GtidEvent,
    HeartbeatEvent,
    QueryEvent,
    RollbackEvent,
    RotateEvent,
    RowsEvent,
    SavepointEvent,
    XaEndEvent,
    XaPrepareEvent,
    XidEvent,
)
from pkg.binlog.position import Location, Position
from pkg.binlog.stream import EventStream
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.row_mapper import RowMapper
from pkg.schema.statement import TableName
from pkg.task.blocks import SyncConfig
from pkg.task.operators import is_of_one_run
from pkg.unit import StopSignal

ANOTHER_ORDER = ErrorKind(
    36109,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream was switched, and the new server has a DDL at {place} before transactions that are applied: {sql}",
    workaround="its binlog has another order than the former server's: point the source at the former one until the "
    "task is in step and paused, then switch; or start the task with --remove-meta",
)

FLUSH_ROWS = 500  # rows handed to the channels at once while there is a backlog
_HELD_PORTIONS = 4  # so many times that are held back until their transaction ends, which may be rolled back
READ_TIMEOUT_SECONDS = 0.2
FAILURE_SECONDS = 5.0  # that the channels are given when one of them, or the reader, has failed
_TICK_EVENTS = 512
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What steers a run."""

    batch: int
    queue_rows: int
    budget_bytes: int
    checkpoint_seconds: float
    server: str
    until: Position | None  # where the run ends by itself
    ddl_begun: str  # the place (or NEXT_DDL) of a DDL that an earlier run began and may have done …
    ddl_gtid: str  # … and its GTID; "": not known
    inside: Inside | None = None  # what an earlier run has done of the first transaction
    file_begun: int = 0  # when the file was begun where the run starts; 0: not known
    max_rows_per_second: int = 0
    by_gtid: bool = False  # the place in the binlog is told by GTIDs
    switched: bool = False  # the first run on another upstream: it ends when no channel is ahead any more
    may_renew: bool = True  # False: it ends by itself, and the next one has the wanted number of channels


@dataclass(frozen=True, slots=True)
class End:
    """Where a run ends by itself, if it does."""

    position: Position | None = None
    is_last: bool = False  # the task ends there, too; else its channels start anew

    @property
    def may_come_earlier(self) -> bool:
        """Whether the run may end before for another number of channels."""
        return self.position is None or self.is_last


def queue_rows(sync: SyncConfig) -> int:
    """Rows that may wait before a channel."""
    return max(sync.queue_size, 2 * sync.batch)


class Run:
    """From the replicator's start until `settings.until`, a stop, or an error, which `go` raises."""

    def __init__(
        self,
        settings: RunSettings,
        *,
        stream: EventStream,
        decoder: Decoder,
        replicator: Replicator,
        bindings: Bindings,
        ddl: DdlRunner,
        store: CheckpointStore,
        apply: ApplySettings,
        channels: int,
        counters: Counters,
        ping: Callable[[], None],
        cut: Callable[[], None],
        copy_window: CopyWindow | None,
        row_orders: RowOrders,
        former: Former,
        same_binlog: SameBinlog,
        tracked_check: TrackedCheck,
    ) -> None:
        self._settings = settings
        self._former = former
        self._same_binlog = same_binlog
        self._tracked_check = tracked_check
        self.tied: TiedOrder | None = None
        self._opening: RotateEvent | None = None  # names a file whose head comes next
        self._has_opened = False  # the first file
        self._compares_binlog = False  # with what was read, as soon as nothing is left to read
        self._copy_window = copy_window
        self._row_orders = row_orders
        self._stream = stream
        self._decoder = decoder
        self.replicator = replicator
        self._bindings = bindings
        self.ddl = ddl
        self._store = store
        self._counters = counters
        self.reader = Stopwatch()
        self.limit_rows(settings.max_rows_per_second)
        self.channels = Channels(
            channels,
            batch=settings.batch,
            queue_rows=settings.queue_rows,
            budget_bytes=settings.budget_bytes,
            reader=self.reader,
        )
        self._appliers = [Applier(number, self.channels, apply, counters) for number in range(channels)]
        self._target = TargetWatch(ping, time.monotonic())
        self._cut = cut
        self._is_renewed = False
        self._is_ended = False
        self.is_over = False  # nothing is read any more: what the upstream has by now is for the next run
        self._has_synced_shards = False
        self._met_inside = 0  # of the transaction that the stream stands in …
        self._ran_inside = False  # … of which one was more than passed over
        self._ddl_begun, self._ddl_gtid = settings.ddl_begun, settings.ddl_gtid
        self._saved_at = time.monotonic()
        self.saved = replicator.commits.safe
        self._inside, self._inside_behind = settings.inside, self.saved  # what is done behind a location
        self._files_begun = {self.saved.position.name: settings.file_begun}
        self._handlers: dict[type, Callable[..., None]] = {
            RowsEvent: self._rows,
            XidEvent: self._commit,
            GtidEvent: self._gtid,
            QueryEvent: self._query,
            RotateEvent: self._rotate,
            HeartbeatEvent: self._heartbeat,
            FormatEvent: self._format,
            XaPrepareEvent: self._xa_prepare,
            XaEndEvent: self._xa_end,
            SavepointEvent: self._savepoint,
            RollbackEvent: self._roll_back,
        }
        if settings.by_gtid:
            self._handlers[AnonymousGtidEvent] = self._without_gtid

    @property
    def reads_on(self) -> bool:
        """Whether no place is set where it ends."""
        return self._settings.until is None

    @property
    def is_switched(self) -> bool:
        """Whether this is the first run on another upstream."""
        return self._settings.switched

    @property
    def tied_tables(self) -> list[str]:
        """Those that share a channel because foreign keys are checked."""
        return self._bindings.tied

    def has_all_of(self, upstream: Location) -> bool:
        """Whether all that the upstream's binlog has up to there is applied.  For any thread."""
        return not self.is_over and self.replicator.commits.safe.position >= upstream.position

    def go(self, stop: StopSignal) -> bool:
        """Replicate; True when `until` was reached, False when stopped or renewed.  What is applied is checkpointed.

        It ends at a transaction's end, with all applied; after `drop`, where it stands.
        """
        self._stop = stop
        for applier in self._appliers:
            applier.start()
        try:
            finished = self._loop(stop)
            self.channels.wait_drained()
        except Stopped:
            finished = False
        except BaseException:
            self._end_appliers(FAILURE_SECONDS)
            raise
        finally:
            self.is_over = True
        self._end_appliers()
        self.save()
        return finished

    def _end_appliers(self, patience: float | None = None) -> None:
        """Wait for the channels' last transactions; a failure is told also where the target keeps one waiting."""
        self.channels.stop()
        deadline = None if patience is None else time.monotonic() + patience
        for applier in self._appliers:
            applier.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        if any(applier.is_alive() for applier in self._appliers):
            self._cut()
            for applier in self._appliers:
                applier.join()

    def end(self) -> None:
        """End with the transaction.  For any thread."""
        self._is_ended = True

    def compare_binlog(self) -> None:
        """The upstream's binlog ends before what was read.  For any thread."""
        self._compares_binlog = True

    def drop(self) -> None:
        """End at once: what is queued is read again by the next run.  For any thread."""
        self.channels.stop()

    def steer(self, sync: SyncConfig) -> None:
        """Go on with these settings; another number of channels is for the next run.  For any thread."""
        self.channels.resize(sync.batch, queue_rows(sync))
        if sync.max_rows_per_second != self.max_rows_per_second:
            self.limit_rows(sync.max_rows_per_second)
        self._is_renewed = self._settings.may_renew and sync.worker_count != self.channels.count

    def _loop(self, stop: StopSignal) -> bool:
        events = 0
        while not (self._is_renewed or self._is_ended or stop.is_set()) or self._is_inside:
            event = self._decoder.next()
            if event is None:
                if not self._may_be_rolled_back:
                    self._flush()
                self._tick()
                self._compare_if_asked()
                self._check_structures()
                self.reader.begin(Stage.UPSTREAM)
                received = self._stream.read(READ_TIMEOUT_SECONDS)
                self.reader.end()
                if received:
                    self._decoder.feed(received)
                continue
            self._handle(event)
            if self._is_finished():  # at the end of a transaction: rows of half a one would be applied again
                self._flush()
                return True
            events += 1
            if events % _TICK_EVENTS == 0:
                self._tick()
        self._flush()
        return False

    def _handle(self, event: Event) -> None:
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)
            if self.replicator.pending_rows >= self._flush_rows and not self._may_be_rolled_back:
                self._flush()

    @property
    def _is_inside(self) -> bool:
        """Whether the stream stands inside of a transaction."""
        return self.replicator.is_inside or self._met_inside > 0

    @property
    def _may_be_rolled_back(self) -> bool:
        """Whether what is pending waits for its transaction's end, which comes soon."""
        return self.replicator.is_inside and self.replicator.pending_rows < self._flush_rows * _HELD_PORTIONS

    def _is_finished(self) -> bool:
        until = self._settings.until
        if self._has_synced_shards:
            return not self._is_inside  # what follows is decided by dm-master
        if self._settings.switched:
            return not (self.replicator.is_ahead or self.replicator.in_transaction) and bool(self.replicator.file_name)
        return until is not None and self.replicator.commits.read.position >= until

    def _rows(self, event: RowsEvent) -> None:
        table_map = event.table_map
        pin = self._bindings.pin(table_map.schema, table_map.table)
        if pin is not None and Position(self.replicator.file_name, event.end) <= pin:
            return  # this table was copied with these rows
        binding = self._bindings.of(table_map.schema, table_map.table)
        if self.tied is not None:
            self.tied.see(event, self.replicator.file_name)
        if binding is None:
            if self.ddl.online is not None:
                file_name, committed = self.replicator.file_name, self.replicator.commits.read.position
                self.ddl.online.rows.see(event, Position(file_name, event.end), committed)
            return
        if binding.modes & self._decoder.sql_mode:
            binding.refuse_mode(self._decoder.sql_mode, str(Position(self.replicator.file_name, event.end)))
        if event.kind in binding.refused:
            raise rows_refused(event, binding.refused[event.kind], Position(self.replicator.file_name, event.end))
        if binding.row_filter is None or not binding.row_filter.concerns(event.kind):
            self._take(binding, event)
            return
        for stays, piece in pieces(binding.row_filter, event, self.replicator.file_name):
            if stays:
                self._take(binding, piece)
            else:
                self.replicator.leave_out(piece)

    def _take(self, binding: Binding, event: RowsEvent) -> None:
        if binding.doubts:
            rows, place = written_rows(event), str(Position(self.replicator.file_name, event.end))
            for doubt in binding.doubts:
                doubt.refuse(rows, place)
        if binding.mapper is not None:
            event = self._mapped(binding.mapper, event)
        self.replicator.rows(binding.target, event, binding.merged)

    def _mapped(self, mapper: RowMapper, event: RowsEvent) -> RowsEvent:
        try:
            rows = mapper(event.rows)
        except DMError as exc:
            exc.fields.setdefault("place", str(Position(self.replicator.file_name, event.end)))
            raise
        place = (event.start, event.end, event.timestamp, event.server_id, event.is_statement_end, event.checks_keys)
        return RowsEvent(event.table_map, event.kind, rows, *place)

    def _commit(self, event: XidEvent) -> None:
        self._end_transaction(event.end, event.timestamp)

    def _end_transaction(self, end: int, timestamp: int) -> None:
        self._ran_inside, self._met_inside = False, 0
        self.replicator.commit(end, timestamp)

    def _heartbeat(self, event: HeartbeatEvent) -> None:
        if not self._is_inside:
            self.replicator.commit(event.end, event.timestamp)

    def _xa_prepare(self, event: XaPrepareEvent) -> None:
        raise UNSUPPORTED_EVENT.error(
            event="XA PREPARE", file=self.replicator.file_name, position=event.end,
            reason=f"the distributed transaction {event.xid} is prepared: whether its rows will count is not known yet "
            "(one that wrote only databases which the task leaves out counts, too)",
            remedy="commit on the upstream without XA or by XA COMMIT … ONE PHASE, in all its databases, and start the "
            "task with --remove-meta once XA RECOVER shows no prepared transaction there",
        )  # fmt: skip

    def _without_gtid(self, event: AnonymousGtidEvent) -> None:
        """Nothing would tell whether it was applied.  MySQL's own streams by GTID refuse it, too."""
        raise UNSUPPORTED_EVENT.error(
            event="transaction without a GTID", file=self.replicator.file_name, position=event.end,
            reason="the source file says enable-gtid, and no GTID tells where replication stands behind it",
            remedy=BY_POSITION,
        )  # fmt: skip

    def _xa_end(self, event: XaEndEvent) -> None:
        if event.is_commit:
            raise UNSUPPORTED_EVENT.error(
                event="XA COMMIT", file=self.replicator.file_name, position=event.end,
                reason=f"the rows of the distributed transaction {event.xid} stand before the task's start, and what "
                "databases they are of is not known",
                remedy="start the task with --remove-meta once XA RECOVER shows no prepared transaction upstream",
            )  # fmt: skip
        self._end_transaction(event.end, event.timestamp)

    def _savepoint(self, event: SavepointEvent) -> None:
        self.replicator.savepoint(event.name)

    def _roll_back(self, event: RollbackEvent) -> None:
        if self._ran_inside or not self.replicator.roll_back(event.savepoint, event.end):
            raise self._half_done("ROLLBACK", Position(self.replicator.file_name, event.end))
        if event.savepoint is None:
            self._undo_shadow_rows()
            self._end_transaction(event.end, event.timestamp)

    @staticmethod
    def _half_done(event: str, place: Position) -> DMError:
        """A transaction ends without effect, and some of it was done."""
        reason, remedy = PARTLY_ROLLED_BACK
        return UNSUPPORTED_EVENT.error(
            event=event, file=place.name, position=place.offset, reason=reason, remedy=remedy
        )

    def _format(self, event: FormatEvent) -> None:
        self._open_file()
        is_next = self.replicator.file_name not in self._files_begun
        known = self._files_begun.setdefault(self.replicator.file_name, event.begun)
        self._same_binlog.check_head(self.replicator.commits.read.position, known, event.begun)
        self._files_begun[self.replicator.file_name] = event.begun
        if event.created:
            self._follow_restart(Position(self.replicator.file_name, 4))
        if is_next and not self._is_inside:
            self._begin_file()

    def _open_file(self) -> None:
        """The stream is in the file that was named; one that does not follow what was read is refused before that."""
        opening, self._opening = self._opening, None
        if opening is None:
            return
        if not self._settings.switched:
            self._compare(lambda read, _: self._same_binlog.check_name(read.position.name, opening.file_name))
        if self._has_opened and opening.file_name != self.replicator.file_name:
            self._compare(self._same_binlog.check_former)
        self._has_opened = True
        self.replicator.rotate(opening.file_name, opening.offset)

    def _compare_if_asked(self) -> None:
        if self._compares_binlog:
            self._compares_binlog = False
            self._compare(self._same_binlog.check_now)

    def _compare(self, check: Callable[[Location, int], None]) -> None:
        """The upstream's binlog with what was read, all of which counts."""
        read = self.replicator.commits.read
        try:
            check(read, self._files_begun.get(read.position.name, 0))
        except DMError:
            if not self._is_inside:
                self._begin_file()
            raise

    def _check_structures(self) -> None:
        """Those that DDL has changed, with what the upstream shows."""
        if not (self._is_inside or self._settings.switched):
            self._tracked_check.look(self.replicator.commits.read.position, time.monotonic())

    def _follow_restart(self, place: Position) -> None:
        """The upstream was started anew, and its first file begins at ``place``."""
        self.ddl.passing.temporary.forget(place)
        if self._is_inside:
            log.warning("the upstream died while it wrote the transaction %s", self.replicator.transaction)
            self._undo_shadow_rows()
            if self._ran_inside or not self.replicator.abandon(place.offset):
                raise self._half_done("the upstream's death", place)
            self._met_inside = 0

    def _begin_file(self) -> None:
        """Store the checkpoint at the file's beginning before any row of it is applied.

        So channels are never ahead of the checkpoint in another file than its own, of which is known when it was
        begun: it tells the file from one of its name that the upstream writes after it was restored from a backup.
        """
        self._flush()
        self.channels.wait_drained()
        self.save()

    def _gtid(self, event: GtidEvent) -> None:
        self._ran_inside, self._met_inside = False, 0
        self.replicator.gtid(event.gtid)

    def _rotate(self, event: RotateEvent) -> None:
        """The one in a file only says how that ends; the artificial one says what the server opens."""
        if event.artificial:
            self._opening = event

    def _query(self, event: QueryEvent) -> None:
        if event.sql == "BEGIN":
            return
        position = Position(self.replicator.file_name, event.end)
        self._met_inside += 1
        try:
            has_run = self._was_run_before(event) or self._ddl(event, position)
        except DMError as exc:
            exc.fields.setdefault("place", str(position))  # which `dmctl binlog` takes
            raise
        self._former.passed(position)
        if event.in_transaction:  # rows of it may follow, and its GTID counts behind them
            self._ran_inside = self._ran_inside or has_run
        else:
            self._end_transaction(event.end, event.timestamp)

    def _was_run_before(self, event: QueryEvent) -> bool:
        """Whether an earlier run did the statement, and was ended before the end of its transaction."""
        done = self._settings.inside
        if done is None or not event.in_transaction or done.transaction != self.replicator.transaction:
            return False
        return self._met_inside <= done.statements

    def _ddl(self, event: QueryEvent, position: Position) -> bool:
        """Whether the statement was more than to be passed over."""
        after = self._behind(event)
        operator = self._store.operator_at(position)  # asked each time: it may have been decided just now
        if operator is not None:
            self.replicator.forget_writers()
            log.info("the operator has decided: %s at %s", operator.op, position)
            self._behind_barrier(
                event,
                position,
                operator.mark,
                lambda again: self.ddl.operate(operator, event, str(position), again, after),
                is_decided=True,
            )
            return True
        try:
            understood = self.ddl.understand(event, str(position))
            if understood is not None:
                self._former.check_ddl(understood.ddl, position)
                if understood.kept:
                    self._former.check_default(understood.ddl, position, self.ddl.default_of(understood.ddl.subject))
            fate = fate_of(self._copy_window, understood, position) if understood is not None else Fate.RUNS
        except DMError:  # whoever does by hand what it asks for finds all that came before it
            self._flush()
            self.channels.wait_drained()
            self.save()
            raise
        if understood is None:
            return False
        self.replicator.forget_writers()
        if fate is Fate.IS_COPIED:
            return True

        def execute(again: bool) -> Structures:
            tracked = fate is Fate.IS_TRACKED
            changed = track(self.ddl, understood) if tracked else self.ddl.execute(understood, again, after)
            self._former.follow(understood.ddl, changed)
            if not understood.is_online and self.ddl.shards is None:
                taken = (TableName(schema, table) for schema, table in changed)
                self._tracked_check.changed(filter(self._bindings.allows, taken), str(position))
            return changed

        try:
            self._behind_barrier(event, position, str(position), execute)
        except DMError as exc:
            told = said_of(exc, self._copy_window, understood, position)
            told = self._former.said_of(told, understood.ddl, position)
            if told is exc:
                raise
            raise told from exc
        return True

    def _behind_barrier(
        self,
        event: QueryEvent,
        position: Position,
        mark: str,
        execute: Callable[[bool], Structures],
        *,
        is_decided: bool = False,
    ) -> None:
        """Drain, run the DDL, which marks it as begun, store what it changed with the location after it."""
        self._flush()
        self.channels.wait_drained()
        self.save()
        if self._settings.switched:
            raise ANOTHER_ORDER.error(place=position, sql=event.sql[:400])
        gtid = self.replicator.transaction_gtid
        if self._ddl_begun == NEXT_DDL and self._ddl_gtid not in ("", gtid):
            raise ANOTHER_ORDER.error(place=position, sql=event.sql[:400])
        is_begun = self._ddl_begun == NEXT_DDL or is_of_one_run(self._ddl_begun, mark)
        marked = self._checkpoint(mark, gtid)
        self.ddl.pieces.journal = self._store.journal(marked, self._ddl_begun if is_begun else "")
        changed = self._executed(execute, is_begun)
        self._ddl_begun = self._ddl_gtid = ""
        crashpoint("syncer.ddl_executed")
        self._bindings.forget()
        self._decoder.forget_tables()
        if self.tied is not None:
            self.tied.forget()
        checkpoint = self._checkpoint_behind(event)
        shards, also = self.ddl.shards, self.ddl.take_changes(checkpoint.location.position)
        also += self._temporary_tables(checkpoint.location)
        if (collations := self.ddl.take_databases()) is not None:
            also.append(self._store.collations_change(collations, self._former.read_at))
        if self._copy_window is not None and (document := self._copy_window.planned.changed()):
            also.append(self._store.store_planned(document))
        if is_decided and shards is not None and not event.in_transaction:
            also.append(self._store.forget_operator(position))  # what is held there may be decided about once more
        self._store.save(checkpoint, changed, also=also, read_at=self._former.read_at)
        self.saved = checkpoint.location
        crashpoint("syncer.ddl_stored")
        self._has_synced_shards = shards is not None and shards.synced is not None
        self._bindings.check_filters(changed.values())

    def _behind(self, event: QueryEvent) -> Location:
        """The location after a statement."""
        replicator = self.replicator
        return replicator.location_inside(event.end) if event.in_transaction else replicator.location_at(event.end)

    def _checkpoint_behind(self, event: QueryEvent) -> Checkpoint:
        """The one with the structures after a statement that has run; only a transaction's end moves it."""
        if not event.in_transaction:
            return self._checkpoint_at(self._behind(event))
        self._inside = Inside(self.replicator.transaction, self._met_inside)
        self._inside_behind = self.replicator.commits.safe
        return self._checkpoint()

    def _executed(self, execute: Callable[[bool], Structures], repeated: bool) -> Structures:
        """Run a marked DDL; one that was refused outright is marked no more: what then is there is not its doing."""
        try:
            return execute(repeated)
        except DMError as exc:
            if not exc.resumable and not self.ddl.pieces.parts_done:
                with contextlib.suppress(DMError):  # the refusal itself is to be told
                    self._store.save(self._checkpoint())
            raise

    def limit_rows(self, rows_per_second: int) -> None:
        """Hand out no more rows than that; 0: as many as come."""
        self._limit = TokenBucket(rows_per_second, time.monotonic()) if rows_per_second else None
        self._flush_rows = min(FLUSH_ROWS, self._limit.portion) if self._limit else FLUSH_ROWS

    @property
    def max_rows_per_second(self) -> int:
        """The limit in force; 0: none."""
        return self._limit.rows_per_second if self._limit is not None else 0

    def _hold_back(self) -> None:
        """Wait until the pending rows may go."""
        limit, now = self._limit, time.monotonic()
        seconds = limit.take(self.replicator.pending_rows, now) if limit is not None else 0.0
        if not seconds:
            return
        self.reader.begin(Stage.LIMIT)
        while (left := now + seconds - time.monotonic()) > 0 and not self._stop.wait(min(left, READ_TIMEOUT_SECONDS)):
            self._tick()  # what is queued goes on meanwhile
            if self._limit is not limit:
                break
        self.reader.end()

    def _flush(self) -> None:
        self._hold_back()
        skipped = self.replicator.take_skipped()
        self.channels.put(self.replicator.take(), self.replicator.last_seq)
        for channel, seq in skipped:
            self.channels.skip(channel, seq)

    def _tick(self) -> None:
        self.channels.check()
        self._target.look(self.channels.applied_rows, time.monotonic())
        safe = self.replicator.advance(self.channels.low_watermark())
        due = time.monotonic() - self._saved_at >= self._settings.checkpoint_seconds
        if (due and safe != self.saved) or self._has_passed_copy(safe.position):
            self.save()

    def _has_passed_copy(self, safe: Position) -> bool:
        """Whether the copy is behind, and that is not stored: until then no server can take the upstream's place."""
        window = self._copy_window
        return window is not None and self.saved.position < window.until <= safe

    def save(self) -> None:
        """Store the newest safe location."""
        checkpoint = self._checkpoint()
        if checkpoint.location != self.saved:
            if not self._settings.switched:  # the channels' rows have places of both servers until it ends
                also = self._temporary_tables(checkpoint.location) + self.shadow_rows(checkpoint.location)
                due = self._row_orders.due(checkpoint.location.position)
                also += [self._store.row_order_change(name, order) for name, order in due.items()]
                self._store.save(checkpoint, also=also)
            self.saved = checkpoint.location
        self._saved_at = time.monotonic()

    def _undo_shadow_rows(self) -> None:
        if self.ddl.online is not None:
            self.ddl.online.rows.undo(self.replicator.commits.read.position)

    def shadow_rows(self, location: Location) -> list[tuple[str, Sequence[Any]]]:
        """What stores the rows of shadow tables with a checkpoint at ``location``."""
        return [] if self.ddl.online is None else self.ddl.online.counted(location.position)

    def _temporary_tables(self, location: Location) -> list[tuple[str, Sequence[Any]]]:
        """What stores them with a checkpoint at ``location``."""
        document = self.ddl.passing.temporary.document(location.position)
        return [] if document is None else [self._store.store_temporary_tables(document)]

    def _checkpoint(self, ddl_location: str = "", ddl_gtid: str = "") -> Checkpoint:
        safe = self.replicator.advance(self.channels.low_watermark())
        inside = self._inside if safe == self._inside_behind else None
        # The mark of a DDL that an earlier run began stays until it is met again.
        marked = self._checkpoint_at(safe, inside)
        if ddl_location:
            return replace(marked, ddl_location=ddl_location, ddl_gtid=ddl_gtid)
        return replace(marked, ddl_location=self._ddl_begun, ddl_gtid=self._ddl_gtid)

    def _checkpoint_at(self, location: Location, inside: Inside | None = None) -> Checkpoint:
        begun = self._files_begun.get(location.position.name, 0)
        return Checkpoint(location, self.channels.count, self._settings.server, inside=inside, file_begun=begun)
