"""A source's way through a shard DDL once its tables have all met it: wait, execute or skip, read again.

1. The group is synced and stored as such; the unit reports it and waits for dm-master's order.
   What an operator decides meanwhile is taken over at once: it is stored with the DDL, or passes it.
   Where sources wait for each other with DDL of several targets, the order is to read on with the tables held back.
2. The stream is read for rows that went from table to table while some waited (finding_moves.py).
   Execute: the DDL is marked in the checkpoint and run.  Skip: another source has run it.
3. One transaction stores that the DDL is behind this source, which rows are to be read again, and where
   the stream goes on afterwards.
4. Those rows are read (resync.py), and the stream goes on.

It may die at any line and comes back to the last of these steps that is stored.
"""

from __future__ import annotations

import contextlib
import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore
from dm_worker.syncer.ddl import DdlRunner
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.finding_moves import FindingMoves, Read, told_of_moves
from dm_worker.syncer.progress import position_text
from dm_worker.syncer.shard_orders import ShardOrders
from dm_worker.syncer.shard_rows import ShardStatements
from dm_worker.syncer.shards import Shards, from_text
from pkg.adapters.meta_tables import MetaTables
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.schema.reflection import fills_otherwise, was_made
from pkg.schema.statement import TableName
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.group import Group, Held
from pkg.shardddl.lock import Action
from pkg.shardddl.moves import Move
from pkg.shardddl.tied_rows import TiedRows
from pkg.task.operators import Op, Operator
from pkg.task.stage import ShardMode
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

MakeRunner = Callable[[SchemaTracker], DdlRunner]
log = logging.getLogger(__name__)


class ShardPhases:
    """Owned by the unit's thread; `status` and `orders.give` are for any."""

    def __init__(self, config: SubtaskConfig, tables: MetaTables) -> None:
        self._config = config
        self.statements = ShardStatements(tables.shard, config.source_id)
        self.orders = ShardOrders()
        overwrites = config.sync.safe_mode or config.sync.on_duplicate != "error"
        self.moves = FindingMoves(self.statements, overwrites=overwrites)
        self.tied_rows = TiedRows()
        self.is_on = config.shard_mode is ShardMode.PESSIMISTIC
        self._has_other_sources = config.source_count > 1
        self._shards: Shards | None = None
        self._waiting: Group | None = None
        self._reads_on: dict[TableName, int] = {}
        self._made: dict[tuple[str, int], bool] = {}  # DDLs that their targets have: whether they may be late
        self.tell: Callable[[], None] = lambda: None  # that the status has what others wait for

    def load(self, store: CheckpointStore, tracker: SchemaTracker) -> Shards | None:
        """The groups as they are stored, over the tables of ``tracker``; None when DDL is not coordinated."""
        if not self.is_on:
            return None
        before, router, allow_list = self._shards, self._config.router(), self._config.allow_list()
        shards = self._shards = Shards(
            store.shards(),
            tracker,
            router,
            allow_list,
            self.statements,
            has_other_sources=self._has_other_sources,
            reads_on=self._reads_on,
        )
        if before is None or before.reports() != shards.reports():
            self.tell()
        return shards

    def next_group(self, shards: Shards, store: CheckpointStore) -> Group | None:
        """The group with which the stream stops: one that is decided, by dm-master or an operator, or a synced one."""
        ordered = self._ordered(shards)
        if ordered is not None:
            return ordered
        operators = store.operators() if shards.waits else {}
        decided = (group for group in shards.waiting() if group.place_of(operators) is not None)
        return next(decided, shards.synced)

    @property
    def is_ordered(self) -> bool:
        """Whether what the stream was read on for is decided."""
        return self._shards is not None and self._ordered(self._shards) is not None

    def _ordered(self, shards: Shards) -> Group | None:
        synced = shards.all_synced() if shards.main is None else []
        return next((one for one in synced if self.orders.is_decided(one.target.quoted(), one.number)), None)

    def resolve(
        self,
        group: Group,
        known: Checkpoint,
        store: CheckpointStore,
        make_runner: MakeRunner,
        downstream: Downstream,
        read: Read,
        stop: StopSignal,
    ) -> None:
        """Wait for what is decided about a group's head and carry it out; returns when stopped before it comes."""
        assert self._shards is not None and group.head is not None  # noqa: PT018
        target, head = group.target.quoted(), group.head
        self._waiting = group
        self.tell()
        log.info("the DDL %d of %s waits for the other sources, or is decided: %s", group.number, target, head.ddls)
        decided = self._decided(group, store, downstream, stop)
        if decided is None:
            return
        log.info("%s the DDL %d of %s", decided.op if isinstance(decided, Operator) else decided, group.number, target)
        match decided:
            case Action.READ:  # others cannot come to it before they are met
                self._reads_on[group.target] = group.number
                self._waiting = None
                return
            case Operator(op=Op.REPLACE | Op.INJECT):
                self._take_over(group, decided, known, store, make_runner)
                return
        moves = self.moves.look(group, self._shards, known, known.location, read)
        if moves is None:
            return
        if decided is Action.EXEC:
            try:
                self._execute(group, head, known, store, make_runner, downstream)
            except DMError as exc:
                raise told_of_moves(exc, group.target, moves) from exc
        self._waiting = None
        self._pass(self._shards, group, known, store, moves)

    def _pass(
        self, shards: Shards, group: Group, known: Checkpoint, store: CheckpointStore, moves: Sequence[Move]
    ) -> None:
        """The group's head is behind this source: store that, and what is to be read again."""
        resyncs, statements = shards.resolve(group, known.location)
        statements += self.moves.store(group.target, moves, shards)
        place = group.place_of(store.operators())
        if place is not None:  # it may have come too late; nothing else is decided by it
            statements.append(store.forget_operator(place))
        begin = min((one.start for one in resyncs), key=lambda start: start.position, default=known.location)
        after = known.moved_to(begin)
        store.save(after, new_channels=bool(resyncs), also=statements)
        crashpoint("shard.resolved")
        for one in resyncs:
            log.info("read again: %s from %s to %s", one.table.quoted(), one.start, one.end or known.location)

    def _decided(
        self, group: Group, store: CheckpointStore, downstream: Downstream, stop: StopSignal
    ) -> Action | Operator | None:
        """What is ordered, or what an operator has decided; None when stopped before that."""
        if group.changes_nothing:
            return Action.SKIP
        while not stop.is_set():
            operators = store.operators()
            place = group.place_of(operators)
            if place is not None:
                return operators[place]
            if not group.is_synced:
                return None
            if not self._has_other_sources:
                return Action.EXEC
            self.look(group, downstream)
            action = self.orders.wait(group.target.quoted(), group.number, stop)
            if action is not None or self.is_ordered:
                return action
        return None

    def look(self, group: Group, downstream: Downstream) -> None:
        """Find out whether the target has what the group waits for, so that others have had it before."""
        target = group.target.quoted()
        if (target, group.number) in self._made:
            return
        present = downstream.table(group.target.schema, group.target.table)
        if present is not None and group.is_made_in(present):
            may_be_late = group.may_be_late(present)
            log.info("%s has what the DDL does already; its rows are as behind it: %s", target, may_be_late)
            self._made = {(target, group.number): may_be_late}
            self.tell()

    def _take_over(
        self, group: Group, operator: Operator, known: Checkpoint, store: CheckpointStore, make_runner: MakeRunner
    ) -> None:
        """Store an operator's statements with the DDL that waits: before it, or in its place.  Raises DMError."""
        assert self._shards is not None and group.head is not None  # noqa: PT018
        runner, event, place = make_runner(SchemaTracker()), from_text(group.head.event), str(operator.position)
        texts = runner.given_texts(operator.sqls, event, place)
        after = group.with_given(operator.sqls, texts if operator.op is Op.REPLACE else ())
        statements = [*self.statements.change(group, after), store.forget_operator(operator.position)]
        store.save(known, also=statements)

    def end_resync(self, known: Checkpoint, store: CheckpointStore, shards: Shards) -> None:
        """All is read that waited: the stream goes on where it was left."""
        assert shards.main is not None
        crashpoint("shard.resynced")
        log.info("what waited is applied; the stream goes on at %s", shards.main.position)
        after = known.moved_to(shards.main)
        store.save(after, new_channels=True, also=tuple(shards.end_of_resync()))

    def status(self, status: Mapping[str, Any]) -> Mapping[str, Any]:
        """The unit's status with what waits for shards."""
        shards, waiting = self._shards, self._waiting
        if shards is None:
            return status
        said = shards.reports()
        made = {one.target: self._made.get((one.target, one.next_number)) for one in said if one.ddls}
        unresolved = [{**group, "isMade": made.get(group["target"]) is not None} for group in shards.unresolved()]
        reports = [
            {
                "target": one.target,
                "number": one.next_number,
                "ddls": list(one.ddls),
                "location": one.location,
                "meaning": one.meaning,
                "settings": one.settings,
                "mayBeLate": made.get(one.target) is True,
            }
            for one in said
        ]
        added: dict[str, Any] = {"unresolvedGroups": unresolved, "shardReports": reports, "shardsKnown": True}
        if unresolved:
            added["synced"] = False
        needed = shards.needed()
        if needed is not None:
            gtid = "" if needed.gtid_set is None else str(needed.gtid_set)
            added |= {"neededBinlog": position_text(needed), "neededBinlogGtid": gtid}
        if waiting is not None:
            head = waiting.head
            added["blockingDDLs"] = list(head.ddls) if head is not None else []
            added["waitsFor"] = f"dm-master's order for the DDL of {waiting.target.quoted()}"
        return {**status, **added}

    def _execute(
        self,
        group: Group,
        head: Held,
        known: Checkpoint,
        store: CheckpointStore,
        make_runner: MakeRunner,
        downstream: Downstream,
    ) -> None:
        assert head.before is not None and head.after is not None and self._shards is not None  # noqa: PT018
        mark = f"{group.target.quoted()}#{group.number}"[:280]
        if head.given:
            mark += f" {zlib.crc32(repr((head.given, head.is_replaced)).encode()):08x}"
        journal = store.journal(
            replace(known, ddl_location=mark, ddl_gtid=""), mark if known.ddl_location == mark else ""
        )
        journal.prepare()
        crashpoint("shard.marked")
        merged = downstream.table(group.target.schema, group.target.table)
        is_there = (
            merged is not None
            and not head.given
            and was_made(head.before, head.after, merged)
            and not fills_otherwise(head.before, head.after, merged)  # somebody has made it, with other values
        )
        name = TableName(head.before.schema, head.before.name)  # whose event it is
        tracker = self._shards.tracker_with(replace(head.after, schema=name.schema, name=name.table))
        runner, event = make_runner(tracker), from_text(head.event)
        runner.pieces.journal = journal
        is_shared, runner.tables.has_other_sources = self._shards.is_shared(name), self._has_other_sources
        runner.tables.is_fed_elsewhere = lambda target: is_shared and target == group.target
        journal.trusts_answers |= is_there
        # Whoever was the owner before may have run it and died: what then is there already was done.
        repeated = known.ddl_location == mark or is_there
        place = str(head.location.position)
        try:
            if head.given:
                runner.run_given(head.given, event, place, (head.before, head.after), repeated=repeated)
            if not head.is_replaced:
                tracker.load(replace(head.after, schema=name.schema, name=name.table))
                runner.run_again(event, name, place, head.before, repeated=repeated)
        except DMError as exc:
            if (
                not exc.resumable and not runner.pieces.parts_done
            ):  # refused outright: what then is there is not its doing
                with contextlib.suppress(DMError):  # the refusal itself is to be told
                    store.save(known)
            raise
        crashpoint("shard.executed")
