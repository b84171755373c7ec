"""DDL of the stream: what it is, whether it runs downstream, and running it so that a repetition does no harm.

A DDL runs behind a barrier and is marked in the checkpoint before it is executed.  When the process
dies in between, the statement comes by again at the marked place; only then are the target's
"exists already" and "is not there" answers taken as "it was done".
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import filterfalse
from typing import Any

from dm_worker.syncer.backslashes import refuse_backslashes
from dm_worker.syncer.copied_rows import altered, refuse_copied_rows
from dm_worker.syncer.ddl_errors import CREATE_SELECT, MAY_BE_DONE, SHARD_DDL
from dm_worker.syncer.ddl_jobs import was_finished
from dm_worker.syncer.ddl_journal import Begun, Behind, DdlJournal
from dm_worker.syncer.ddl_reading import FAILED_UPSTREAM, UNKNOWN_TABLE, DdlReader
from dm_worker.syncer.ddl_session import StatementSession, session_cuts
from dm_worker.syncer.ddl_target import DdlTarget, Situation, UpstreamSettings
from dm_worker.syncer.filling import (
    fill_statement,
    refuse_unlike_defaults,
    to_cut,
    to_fill,
    to_grow,
    to_pad,
    to_remember,
    to_reset,
)
from dm_worker.syncer.filtering import NOTHING, DdlFilter
from dm_worker.syncer.fingerprint import fingerprint, has_run, must_run_once
from dm_worker.syncer.ignoring import strictly
from dm_worker.syncer.mapped_ddl import refuse_unmapped
from dm_worker.syncer.merge_tables import MergeTables
from dm_worker.syncer.named_keys import drops_one_index, named_there, references_said, without_keys_left_out
from dm_worker.syncer.needless_keys import to_drop, to_replace
from dm_worker.syncer.new_keys import KeyCollations, Tables, recollate
from dm_worker.syncer.new_shards import refuse_coarser_key
from dm_worker.syncer.no_tables import (
    is_about_no_table,
    refuse_becoming,
    refuse_conversion,
    refuse_files,
    refuse_other_kind,
    refuse_truncation,
)
from dm_worker.syncer.online import OnlineDdl, settled
from dm_worker.syncer.partitions import PartitionedUpstream, refuse_other_partitions
from dm_worker.syncer.passing import AskedUpstream, Passing
from dm_worker.syncer.repeated import done_before, is_exchange, says_done, was_done
from dm_worker.syncer.servers import Downstream
from dm_worker.syncer.shadow_rows import Binlog, Holds, ShadowTable, refuse_exchanged, refuse_other_rows
from dm_worker.syncer.shard_rows import Statement
from dm_worker.syncer.shards import Shards
from dm_worker.syncer.shrinking import KEY_IS_THERE, NO_SUCH_KEY, to_shrink
from dm_worker.syncer.structure_check import StructureCheck
from dm_worker.syncer.unlike_values import Met, refuse_other_values, refuse_unknown_zone
from dm_worker.syncer.unseen_cascades import UnseenCascades
from pkg.binlog.charset import charset_of
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.binlog.position import Location, Position
from pkg.binlog.sql_modes import quoting_modes
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.merged import DroppedDatabase, Merged, nowhere, once_per_target
from pkg.rules.online_ddl import Exchange
from pkg.rules.router import Router
from pkg.rules.taken import MIXED_TABLES, mixture, taken_pieces
from pkg.rules.target_names import TargetNames
from pkg.schema.charset import Charset
from pkg.schema.checks_there import (
    has_checks,
    modifies_columns,
    refuse_checks_of_columns,
    with_checks,
    with_names_of_like,
)
from pkg.schema.columns_there import needs_definitions, with_definitions
from pkg.schema.conditions import may_be_conditional, replaced_index, without_conditions
from pkg.schema.context import DdlContext
from pkg.schema.ddl import split_alter
from pkg.schema.documents_there import converts_documents, with_documents, without_arrows
from pkg.schema.effective import with_effect
from pkg.schema.errors import shortened
from pkg.schema.fractions import Cut
from pkg.schema.held_keys import held_keys, with_held
from pkg.schema.ignoring import ignores_errors
from pkg.schema.introducers import without_introducers
from pkg.schema.lexer import quote_name
from pkg.schema.long_keys import with_cut_keys
from pkg.schema.names_there import keys_behind
from pkg.schema.quoting import column_names, with_quoted_names
from pkg.schema.reflection import reflects
from pkg.schema.renaming_alter import renamed_apart
from pkg.schema.shrunk_keys import drops_columns, with_unique_keys
from pkg.schema.statement import CREATIONS, TRANSACTION_KINDS, Ddl, DdlKind, TableName
from pkg.schema.stored_defaults import Storing, with_stored_defaults
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.task.operators import Op, Operator
from pkg.task.stage import ShardMode
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)

Structures = dict[tuple[str, str], Table | None]
"""Upstream tables that changed, by (schema, table); None: dropped."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A DDL with the session that it ran in."""

    ddl: Ddl
    context: DdlContext
    place: str
    event: QueryEvent
    kept: tuple[Ddl, ...] = ()  # what of it runs downstream
    after: Location | None = None  # behind it in the stream
    is_online: bool = False  # it names tables of gh-ost or pt-online-schema-change …
    exchanges: tuple[Exchange, ...] = ()  # … which take the places of these
    is_given: bool = False  # by an operator
    is_cut: bool = False  # an event filter leaves out some of it


Given = tuple[Ddl, Understood, Table | None]


@dataclass(frozen=True, slots=True)
class Ready:
    """A part of a DDL as it runs in the target."""

    piece: Ddl
    sql: str
    accepted: frozenset[int]  # errors that say that nothing is left to do
    values: tuple[Cut, ...]  # to be written behind it
    is_done: bool  # by an earlier run


class DdlRunner:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        config: SubtaskConfig,
        tracker: SchemaTracker,
        router: Router,
        allow_list: BlockAllowList,
        downstream: Downstream,
        upstream: UpstreamSettings,
        asked: AskedUpstream,
        timezone: str = "",
        names: TargetNames | None = None,
    ) -> None:
        self._config = config
        self._asked = asked
        self._names = names  # where the target takes names for one that the upstream tells apart
        self._tracker = tracker
        self._router = router
        self._allow_list = allow_list
        self._downstream = downstream
        self._flavor = upstream.flavor
        self._filter = DdlFilter(config.event_filter(), tracker, upstream.flavor)
        self._partitioned = PartitionedUpstream(upstream.flavor, asked, config.column_rules())
        self._sessions = DdlTarget(downstream, upstream, timezone)
        self.merges = MergeTables(self._tracked, allow_list.allows, asked)
        self.passing = Passing(allow_list, self._filter, asked, upstream.flavor, self.merges.reaches)
        is_other = self.passing.is_other
        self._reader = DdlReader(upstream, tracker, allow_list.allows, self._present, self._is_shadow, is_other, asked)
        self.shards: Shards | None = None  # set where DDL of merged tables is coordinated
        self.has_other_sources = False  # set where the DDL of merged tables is run for them, too
        self.online: OnlineDdl | None = None  # set where online DDL is followed …
        self.unseen_cascades: UnseenCascades | None = None  # set where the target does not what no binlog tells
        self.binlog: Binlog | None = None  # … and rows of shadow tables can be counted
        self.is_fed_elsewhere: Callable[[TableName], bool] = nowhere  # set where the task has other sources
        self._shown = ""
        self.pieces_done = 0  # of the DDL at hand …
        self.journal = DdlJournal()  # … and what is stored of it

    @property
    def running(self) -> str:
        """The statement that the target is executing."""
        return self._shown or self._sessions.running

    def understand(
        self, event: QueryEvent, place: str, before: Mapping[TableName, Table] = NOTHING
    ) -> Understood | None:
        """What a query event asks for; None when there is nothing to do.

        ``before``: structures before it, of tables that are tracked as they are behind it.
        Raises DMError for what may not be passed over.
        """
        try:
            ddl = self._reader.read(event, before)
        except DMError as exc:
            if self._filter.passes_unread(exc, event.schema, event.sql, place):
                raise
            return None
        if ddl.kind in TRANSACTION_KINDS or self.passing.passes(ddl, event, place):
            return None
        event = replace(event, is_thread_specific=False)  # it may be kept, and read again when the session is forgotten
        self.merges.forget(ddl)
        context = self._reader.context(event, ddl)
        online = self.online.parted(ddl, place) if self.online is not None else None
        if online is not None:
            pieces = [one for piece in online.plain for one in taken_pieces(piece, self._allow_list.allows)]
        else:
            pieces = list(taken_pieces(ddl, self._allow_list.allows))
        kept = self._filter.kept(pieces, context, event.sql, place, before)
        is_cut = kept != tuple(pieces)
        if self._names is not None and online is None:
            kept = self._names.passing(kept)
        understood = Understood(ddl, context, place, event, kept, is_cut=is_cut)
        if online is not None:
            understood = replace(understood, is_online=True, exchanges=online.exchanges)
        self._refuse(understood)
        if not kept and ddl.kind is DdlKind.CREATE_TABLE_SELECT:
            self.passing.refuse_text(ddl, event, place)
        return understood

    def operate(
        self, operator: Operator, event: QueryEvent, place: str, repeated: bool, after: Location | None = None
    ) -> Structures:
        """Do what the operator decided; the structures that the statement changed upstream."""
        self.pieces_done = 0
        given = self._given(operator.sqls, event, place, after)
        if operator.op is Op.INJECT:
            self._do_given(given, repeated)
            wanted = self.understand(event, place)
            return self._executed(replace(wanted, after=after), repeated) if wanted is not None else {}
        known = self._known_only(event, place)
        if self.online is not None and known is not None:
            self.online.keep_structures(known.ddl, self._tracker)
        changes = self._followed_anyhow(known)
        if self.online is not None and known is not None:
            self.online.follow(known.ddl, event, place, is_skipped=True)
        if self.shards is not None and known is not None and not given:
            self.shards.follow(known.ddl, after, changes)
        self._do_given(given, repeated)
        return changes

    def read(self, event: QueryEvent) -> Ddl:
        """What the event's text says, and nothing else.  Raises DMError."""
        return self._reader.read(event, {})

    def _known_only(self, event: QueryEvent, place: str) -> Understood | None:
        """The statement for the tracker alone; None when it cannot be read or changes no structure."""
        try:
            ddl = self._reader.read(event, {})
        except DMError as exc:
            log.warning("skipped at %s and not understood: %s", place, exc)
            return None
        if ddl.kind in TRANSACTION_KINDS or ddl.kind in (DdlKind.NOT_REPLICATED, DdlKind.DML_TEXT):
            return None
        if event.is_thread_specific and self.passing.temporary.is_about_one(ddl, event.thread_id):
            return None
        self.merges.forget(ddl)
        return Understood(ddl, self._reader.context(event, ddl), place, event)

    def follow(self, event: QueryEvent, place: str) -> Structures:
        """The statement for the tracker alone; what it changed."""
        return self._followed_anyhow(self._known_only(event, place))

    def track(self, understood: Understood) -> Structures:
        """The same of one that is understood.  Raises what the tracker says."""
        return self._tracker.apply(understood.ddl, understood.context)

    def run_again(self, event: QueryEvent, name: TableName, place: str, before: Table, *, repeated: bool) -> None:
        """Run, of a statement that was met before, what is about one table; the tracker has its structure after it."""
        understood = self.understand(event, place, {name: before})
        pieces = [piece for kept in (understood.kept if understood else ()) for piece in kept.pieces()]
        for piece in pieces:
            if understood is not None and piece.subject == name:
                self.run_piece(piece, understood, repeated, before)

    def given_texts(self, sqls: Sequence[str], event: QueryEvent, place: str) -> tuple[str, ...]:
        """An operator's statements with the target's names.  Raises DMError."""
        given = self._given(sqls, event, place)
        return tuple(replace(piece, edits=()).rename(self._routed) for piece, _, _ in given)

    def run_given(
        self, sqls: Sequence[str], event: QueryEvent, place: str, known: tuple[Table, Table], *, repeated: bool
    ) -> None:
        """Run an operator's statements about a merged table; ``known``: one of its tables before and after the DDL."""
        target = self._routed(TableName(known[0].schema, known[0].name))
        for piece, understood, _ in self._given(sqls, event, place):
            name, before = piece.subject, None
            if self._routed(name) == target:
                before, after = (replace(one, schema=name.schema, name=name.table) for one in known)
                self._tracker.load(after)
            self.run_piece(piece, understood, repeated, before)

    def _followed_anyhow(self, understood: Understood | None) -> Structures:
        """Follow a statement that is not run; where that fails its tables are forgotten and read from the upstream."""
        if understood is None:
            return {}
        try:
            return self._tracker.apply(understood.ddl, understood.context)
        except DMError as exc:
            log.warning("at %s, the structures of its tables are read anew: %s", understood.place, exc)
            names = [(name.schema, name.table) for name in understood.ddl.tables]
            self._tracker.forget(names)
            return dict.fromkeys(names)

    def _given(self, sqls: Sequence[str], event: QueryEvent, place: str, after: Location | None = None) -> list[Given]:
        """The operator's statements by table; of merged ones with the structure before what stands in the stream."""
        found: list[Given] = []
        for sql in sqls:
            ddl = self._reader.given(sql, event.schema)
            own = replace(event, sql=sql, status=replace(event.status, sql_mode=None))  # strict, read as it stands
            if self.online is None or not self.online.takes_given(ddl, own, place):
                understood = Understood(ddl, self._reader.context(event, ddl), place, own, after=after, is_given=True)
                names = ddl.pieces()
                found += [(one, understood, self._known(one.subject, ddl) if self.shards else None) for one in names]
        return found

    def _do_given(self, given: list[Given], repeated: bool) -> None:
        for piece, understood, before in given:
            self._do(piece, understood, repeated, before)

    def execute(self, understood: Understood, repeated: bool, after: Location) -> Structures:
        """Follow the DDL, run it downstream if it is wanted; the structures that it changed upstream.

        ``repeated``: an earlier run began it here and may have done it.  ``after``: the location behind it.
        """
        self.pieces_done = 0
        return self._executed(replace(understood, after=after), repeated)

    def take_changes(self, location: Position | None = None) -> list[Statement]:
        """What stores the changes of DDL beside structures, since the last call, with a checkpoint at ``location``."""
        changes = list(self.shards.take_changes()) if self.shards is not None else []
        return changes + (self.online.take_changes(location) if self.online is not None else [])

    def _executed(self, understood: Understood, repeated: bool) -> Structures:
        execute = self._execute_online if understood.is_online else self._execute
        if self.online is not None:
            self.online.keep_structures(understood.ddl, self._tracker)
        changes = execute(understood, repeated)
        if self.online is not None:
            self.online.follow(understood.ddl, understood.event, understood.place)
        return changes

    def _execute_online(self, understood: Understood, repeated: bool) -> Structures:
        """Run what shadow tables were given that now take their tables' places, then the rest of the statement."""
        online, place, ddl, merged = self.online, understood.place, understood.ddl, self._merged()
        assert online is not None

        def run(event: QueryEvent) -> None:
            wanted = self.understand(event, place)
            if wanted is not None:
                self._execute(replace(wanted, after=understood.after, is_online=True), repeated)

        def check(exchange: Exchange, begun: str, events: Sequence[QueryEvent], before: Table | None) -> None:
            trash = dict(ddl.renames).get(exchange.real) or online.trash_of(exchange)
            one = self._shadow_table(exchange, begun, events, before, place, trash)
            holds, binlog = self._held(exchange.real, before), self.binlog
            found = refuse_other_rows(self._downstream, one, binlog, holds) if one and binlog else None
            kept = [(one, wanted.context) for wanted in filter(None, map(understand, events)) for one in wanted.kept]
            if kept:
                refuse_copied_rows(self._downstream, kept, before, self._routed, place)
            if one is not None and found is not None:
                refuse_exchanged(self._asked, one, found, holds)

        understand = partial(self.understand, place=place)
        read = partial(self._reader.read, before={})
        by_names = repeated and self.journal.trusts_answers and self.shards is None
        begun = self._present if by_names else None
        exchanged = [online.exchange(one, self._tracker, read, run, begun, check) for one in understood.exchanges]
        before = {name: self._tracked(name) for name in ddl.tables}
        changes = {**self._followed_anyhow(understood), **settled(exchanged, self._tracker)}
        self._run_kept(understood, repeated, before, merged)
        return changes

    def _shadow_table(
        self,
        exchange: Exchange,
        begun: str,
        events: Sequence[QueryEvent],
        before: Table | None,
        place: str,
        trash: TableName | None,
    ) -> ShadowTable | None:
        """The shadow table, beside the real one as its DDL makes it; None where one of them is not known."""
        shadow, real = self._tracked(exchange.shadow), exchange.real
        if before is None or shadow is None or self.online is None:
            return None
        now, ddls = before, list[Ddl]()
        for event in events:  # each names its keys by what the one before it has left
            ddls.append(self._reader.read(event, {real: now}))
            now = altered(now, [(ddls[-1], self._reader.context(event, ddls[-1]))])
        begin, rows = Position.parse(begun) if begun else None, self.online.rows.of(exchange.shadow)
        return ShadowTable(
            shadow, before, now, tuple(ddls), begin, Position.parse(place), self._routed(real), rows, trash
        )

    def _held(self, real: TableName, before: Table | None) -> Holds:
        """What the target has of the real table's rows."""
        if self._is_merged(real):
            return Holds.OTHERS
        rules = (
            before is not None and self._config.row_filters(self._flavor).of(before),
            self._config.event_filter().ignored_rows(real.schema, real.table),
            self._config.column_rules().of(real.schema, real.table),
        )
        return Holds.CHANGED if any(rules) else Holds.THESE

    def _kind_above(self, schema: str, name: str) -> str:
        """What kind of table, or of something else, the upstream has now; "" where there is none."""
        kind = self._asked.kind_of(schema, name)
        return "MERGE TABLE" if kind == "BASE TABLE" and self.merges.is_merge(TableName(schema, name)) else kind

    def _is_shadow(self, name: TableName) -> bool:
        return self.online is not None and self.online.is_shadow(name)

    def _present(self, name: TableName) -> Table | None:
        """The table in the target."""
        target = self._routed(name)
        return self._downstream.table(target.schema, target.table)

    def _execute(self, understood: Understood, repeated: bool) -> Structures:
        ddl, merged = understood.ddl, self._merged()
        self._load_as_upstream(ddl)
        before = {name: self._known(name, ddl) for name in ddl.tables}
        if not understood.kept:
            changes = self._followed_anyhow(understood)
            return self.shards.follow(ddl, understood.after, changes) if self.shards is not None else changes
        if self.shards is None:
            self._check_unknown(understood)
        changes = self._tracker.apply(ddl, understood.context)
        self._run_kept(understood, repeated, before, merged)
        return changes

    def _load_as_upstream(self, ddl: Ddl) -> None:
        """What the upstream's present table tells of the one before the statement."""
        table = self._tracked(ddl.subject) if ddl.alterations else None
        if table is not None:
            self._tracker.load(self._reader.as_upstream(table, ddl))

    def _run_kept(
        self, understood: Understood, repeated: bool, before: Mapping[TableName, Table | None], merged: Merged
    ) -> None:
        """What of the statement is for the target; ``merged`` are the upstream's tables before it."""
        pieces = [one for kept in understood.kept for one in kept.pieces()]
        for one in pieces:
            known = before.get(one.subject), self._structure(one, understood.ddl)
            refuse_becoming(self._downstream, one, *known, self._routed(one.subject), understood.place)
        if self.unseen_cascades is not None:
            self.unseen_cascades.check_changes({one.subject: self._tracked(one.subject) for one in pieces}, before)
        check, compared = self._structure_check(merged), []
        # What shadow tables were given runs before the tables take their places.
        if not (understood.is_online or understood.is_cut):
            compared = [one for one in pieces if self.shards is None or not self.shards.takes(one)]
        if not repeated:
            self.journal.remember(check.differed(compared, before))
        if self.shards is None and self._is_done_by_hand(understood, pieces, before, merged):
            return
        if self.shards is None:
            pieces = list(once_per_target(filterfalse(merged.changes_nothing, pieces), self._routed))
        for piece in self._dropped_in_parts(pieces, understood, merged):
            self._do(piece, understood, repeated, before.get(piece.subject))
        check.check(compared, self.journal, understood.place, understood.event.sql)

    def _structure_check(self, merged: Merged) -> StructureCheck:
        """``merged``: the upstream's tables before the statement."""

        def is_merged(name: TableName) -> bool:
            return merged.is_shared(name) or self._is_merged(name)

        return StructureCheck(self._downstream, self._routed, self._tracked, is_merged)

    def _dropped_in_parts(self, pieces: Iterable[Ddl], understood: Understood, merged: Merged) -> Iterator[Ddl]:
        """The pieces, with the tables of a database that is dropped."""
        for piece in pieces:
            if piece.kind is not DdlKind.DROP_DATABASE:
                yield piece
                continue
            dropped = self._dropped_database(piece, merged)
            for name in dropped.tables:
                yield self._reader.given(f"DROP TABLE IF EXISTS {name.quoted()}", name.schema)
            if dropped.database or (dropped.emptied and self._downstream.is_bare(self._routed(piece.subject).schema)):
                yield piece
            elif self.shards is not None and understood.after is not None:
                self.shards.ran(piece, understood.after)

    def _dropped_database(self, piece: Ddl, merged: Merged) -> DroppedDatabase:
        schema = piece.subject.schema
        return merged.dropped_database(piece.subject, takes_all=self._allow_list.takes_all(schema))

    def _merged(self) -> Merged:
        """The task's tables as they are now upstream."""
        names = (TableName(table.schema, table.name) for table in self._tracker.tables())
        taken = (name for name in names if self._allow_list.allows(name.schema, name.table))
        return Merged(taken, self._routed, self.is_fed_elsewhere)

    def _is_merged(self, name: TableName) -> bool:
        """Whether rows of other upstream tables, also those of other sources, may be in the table's target."""
        return (self.shards is not None and self._routed(name) != name) or self._merged().is_shared(name)

    def _do(self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None) -> None:
        """One table's part of a statement: run it, or let it wait for the other shards."""
        shards, after = self.shards, understood.after
        if shards is None or after is None:
            self.run_piece(piece, understood, repeated, before)
        elif shards.takes(piece):
            is_conditional = piece.kind is DdlKind.ALTER_TABLE and piece.if_exists
            if is_conditional and self._known_or_asked(piece, before) is None:
                log.info("DDL at %s is of a table that is not there: %s", understood.place, shortened(piece.text))
                return
            has_effect = any(self._downstream_sql(part, understood, before) for part in self._split(piece))
            # As it was written: what servers imply, such as collations, may differ between sources.
            texts = (replace(piece, edits=()).rename(self._routed),) if has_effect else ()
            present, settings = partial(self._present, piece.subject), self._settings(piece, understood, before)
            shards.meet(piece, texts, before, after, understood.event, present, settings)
        else:
            self.run_piece(piece, understood, repeated, before)
            shards.ran(piece, after)

    def _settings(self, piece: Ddl, understood: Understood, before: Table | None) -> str:
        """What the statement depended on; what an operator gives counts as it is, whatever its session was."""
        structure = self._structure(piece, understood.ddl)
        if understood.is_given or before is None or structure is None:
            return ""
        return self._sessions.settings(understood.event, piece, before, structure)

    def run_piece(self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None) -> None:
        is_judged = self._flavor == "mariadb" and before is not None and not understood.is_given
        if is_judged and before is not None and with_effect(piece, before) is None:
            log.info("DDL at %s has no effect upstream: %s", understood.place, shortened(piece.text))
            return
        piece = references_said(piece, before, self._flavor, self._downstream.server.flavor)
        structure, storing = self._structure(piece, understood.ddl), self._storing(understood.event)
        piece = with_stored_defaults(with_cut_keys(piece, before, structure, storing.flavors), structure, storing)
        parts = self._split(piece, before)
        if before is not None:
            parts = with_held(parts, held_keys(piece, before, self._downstream.server.flavor), self._flavor)
        done = 0
        if repeated and self.journal.trusts_answers and (len(parts) > 1 or not is_exchange(piece)):
            there = partial(self._present, piece.subject)
            done = done_before(piece, parts, before, there, self._routed(piece.subject), understood.place)
        self.pieces_done += done
        for number, part in enumerate(parts[done:], done):
            now = keys_behind(before, parts[:number]) if before is not None else None
            self._run(part, understood, repeated, before, now)

    def _storing(self, event: QueryEvent) -> Storing:
        flavors = self._flavor, self._downstream.server.flavor
        return Storing(flavors, session_cuts(event, self._flavor), self._sessions.ahead(event.status))

    def _split(self, piece: Ddl, before: Table | None = None) -> tuple[Ddl, ...]:
        """The table is renamed by itself, and TiDB refuses clauses that build on each other."""
        target = self._downstream.server.flavor
        is_like = piece.kind is DdlKind.CREATE_TABLE_LIKE and (self._flavor, target) == ("mysql", "mariadb")
        if is_like and not self._is_there(piece):
            return with_names_of_like(piece, self._downstream.shown_table(self._routed(piece.tables[1])))
        parts = renamed_apart(piece, self._flavor)
        if target != "tidb":
            return parts
        return tuple(one for part in parts for one in split_alter(part, self._flavor, before))

    def _tracked(self, name: TableName) -> Table | None:
        return self._tracker.table(name.schema, name.table)

    def _known(self, name: TableName, ddl: Ddl) -> Table | None:
        """The structure before the statement, as far as it is tracked."""
        table = self._tracked(name)
        if table is not None and table.kind == "sequence" and ddl.kind in CREATIONS:
            return None  # it was dropped, which is not followed
        if table is None and ddl.kind is DdlKind.ALTER_TABLE:
            log.info("%s.%s was not tracked before it is altered", name.schema, name.table)
        return table

    def _known_or_asked(self, piece: Ddl, before: Table | None) -> Table | None:
        """The table upstream as it was before the statement; as it is now where it was not tracked."""
        return before or self._asked_table(piece, piece)

    def _asked_table(self, piece: Ddl, whole: Ddl) -> Table | None:
        """The table of an ALTER, which is a part of ``whole``, as it is upstream now."""
        name = whole.name_behind(piece.subject)
        return _named(self._asked.table(name.schema, name.table), piece.subject) if piece.alterations else None

    def _check_unknown(self, understood: Understood) -> None:
        """Raise where the upstream did not know a table that the statement drops, and the target has them all."""
        ddl, error = understood.ddl, understood.event.error_code
        if ddl.kind is not DdlKind.DROP_TABLE or error != UNKNOWN_TABLE:
            return
        if all(map(self._present, ddl.tables)):
            raise FAILED_UPSTREAM.error(error=error, sql=shortened(understood.event.sql))

    def _is_done_by_hand(
        self, understood: Understood, pieces: Sequence[Ddl], before: Mapping[TableName, Table | None], merged: Merged
    ) -> bool:
        """Whether a DDL on a shard is already there in the merged table; raises SHARD_DDL when it is not."""
        ddl = understood.ddl
        databases = [self._dropped_database(one, merged) for one in pieces if one.kind is DdlKind.DROP_DATABASE]
        sharded = next((one.merged for one in databases if one.merged), None) or merged.changed_for_others(pieces)
        if sharded is None:
            return False
        target = self._router.route(sharded.schema, sharded.table)
        old, new = before.get(sharded), self._tracked(sharded)
        if old is not None and new is not None and old != new and not ddl.or_replace:  # which removes its rows, too
            there = self._downstream.table(target.schema, target.table)
            if there is not None and reflects(old, new, there):
                log.info("DDL at %s is in %s.%s already", understood.place, target.schema, target.table)
                return True
        raise SHARD_DDL.error(
            table=f"{sharded.schema}.{sharded.table}".rstrip("."),
            target=f"{target.schema}.{target.table}".rstrip("."),
            place=understood.place,
            sql=shortened(ddl.text),
        )

    def _refuse(self, understood: Understood) -> None:
        """Raise for what this version must not run."""
        ddl, place, kept = understood.ddl, understood.place, understood.kept
        if kept and ddl.kind is DdlKind.CREATE_TABLE_SELECT:
            raise CREATE_SELECT.error(place=place, sql=shortened(ddl.text))
        for piece in kept:
            refuse_files(piece, place)
        is_truncation = ddl.kind is DdlKind.TRUNCATE_TABLE
        if is_truncation and (kept or not taken_pieces(ddl, self._allow_list.allows)):  # no filter leaves it out
            refuse_truncation(ddl, self.merges.reaches, place)
        in_turn = kept and ddl.kind is DdlKind.RENAME_TABLE and not understood.is_online
        for piece in (ddl,) if in_turn else kept:
            if reason := mixture(piece, self._allow_list.allows):
                raise MIXED_TABLES.error(place=place, reason=reason, sql=shortened(ddl.text))

    def _run(
        self,
        piece: Ddl,
        understood: Understood,
        repeated: bool,
        before: Table | None = None,
        now: Table | None = None,
    ) -> None:
        """Run one part of a statement, and write what it leaves.

        ``before``: its table upstream before the statement; ``now``: with the keys that it has behind earlier parts.
        """
        journal, part, known = self.journal, piece.text, (before, self._structure(piece, understood.ddl))
        if journal.is_over(part):
            log.info("DDL at %s was done before: %s", understood.place, shortened(part))
            self.pieces_done += 1
            return
        target, begun = self._routed(piece.subject), journal.begun(part)
        if begun is not None and self._has_run(begun, piece, known, understood.place):
            behind = begun.behind
        else:
            ready = self._ready(piece, understood, repeated, before, now or before)
            if ready is None:
                return
            behind = self._run_ready(ready, piece, known, understood, repeated)
            piece = ready.piece
        self.pieces_done += 1  # what follows may fail, and the next run finds the statement done
        self._write_behind(piece, understood.ddl, known, behind, target, self._executor(piece, understood, target))
        journal.end(part)

    def _has_run(self, begun: Begun, piece: Ddl, known: tuple[Table | None, Table | None], place: str) -> bool:
        """Whether an earlier run did a statement that it began.  Raises MAY_BE_DONE."""
        self.pieces_done += 1  # it may be there: the mark stays
        was_finished(self._downstream, begun.sql, self._show)
        self._show("")
        done = has_run(piece, known, begun.fingerprint, fingerprint(self._downstream, piece, self._routed))
        if done is None:
            target = self._routed(piece.subject)
            raise MAY_BE_DONE.error(place=place, target=target.quoted(), sql=shortened(begun.sql))
        met = "was done by an earlier run" if done else "was begun by an earlier run, and runs again"
        log.info("DDL at %s %s: %s", place, met, shortened(begun.sql))
        return done

    def _executor(self, piece: Ddl, understood: Understood, target: TableName) -> Callable[..., None]:
        """What runs statements as parts of this one."""
        situation = Situation(understood.place, piece, partial(self._downstream.table, target.schema, target.table))
        session = self._sessions.session(understood.event, piece)
        return partial(self._sessions.run, session=session, situation=situation)

    def _ready(
        self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None, now: Table | None
    ) -> Ready | None:
        """What is to run of a part, None if nothing.  Nothing is changed yet.  Raises DMError."""
        place, target = understood.place, self._routed(piece.subject)
        structure = self._structure(piece, understood.ddl)
        by_answers = repeated and self.journal.trusts_answers  # what an earlier run has done is told by nothing else
        refuse_other_kind(self._downstream, piece, target, place)
        is_there = self._is_there(piece)
        plain = None if is_there else self._unconditional(piece, understood, repeated, before, target)
        if plain is None:
            log.info("DDL at %s has no effect: %s", place, shortened(piece.text))
            return None
        piece = plain
        if (self._flavor, self._downstream.server.flavor) == ("mysql", "mariadb"):
            piece = self._for_mariadb(piece, target)
        if self._flavor == "mariadb" != self._downstream.server.flavor and modifies_columns(piece):
            refuse_checks_of_columns(piece, self._downstream.shown_table(target), target.quoted())
        piece = named_there(self._downstream, piece, understood.ddl, now, target, place, repeated=by_answers)
        known_there = without_keys_left_out(self._downstream, piece, now, target, self._flavor)
        sql = self._downstream_sql(known_there, understood, before) if known_there is not None else ""
        if not sql:
            return None
        known = before, structure
        if before is None and self.passing.renames_other(piece):
            return None
        if is_about_no_table(piece, *known, target, self._downstream, self._kind_above, place):
            return None
        refuse_conversion(piece, self._routed, self._downstream.server.flavor, place)
        refuse_other_partitions(self._downstream, piece, before, target, self._partitioned, place)
        if self._flavor == "mysql":
            refuse_backslashes(piece, understood.event.status.sql_mode, before, structure, place)
        is_done = False
        if by_answers:
            self.pieces_done += is_exchange(piece) or self.journal.is_lost  # it may be there: the mark stays
            if self.journal.is_lost and must_run_once(understood.ddl):
                raise MAY_BE_DONE.error(place=place, target=target.quoted(), sql=shortened(sql))
            is_done = was_done(self._downstream, piece, sql, known, target, place=place, show=self._show)
        session = self._sessions.session(understood.event, piece)
        after, rules = structure or self._asked_table(piece, understood.ddl), self._partitioned.rules
        strict = session.is_strict
        refuse_unmapped(self._downstream, (piece, understood.ddl), rules, after, target, place, strict=strict)
        wanted = to_fill(self._downstream, piece, *known, target, session, repeated=by_answers, place=place)
        if not understood.is_given:
            refuse_unlike_defaults(piece, structure, self._storing(understood.event), place)
        padded = to_pad(self._downstream, piece, before, session)
        if not is_done:
            met = Met(piece, before, after, target, place, self._flavor, is_given=understood.is_given)
            sql = self._with_upstreams_values(met, sql, session, is_ignoring=ignores_errors(understood.ddl))
        values = (*(Cut(one.column, one.value) for one in wanted), *padded)
        return Ready(piece, sql, self._accepted(piece, by_answers=by_answers), values, is_done)

    def _accepted(self, piece: Ddl, *, by_answers: bool) -> frozenset[int]:
        """Errors of the target that say that nothing is left to do."""
        # Of a database without tables, the target may never have had it.
        may_be_there = by_answers or self._joins(piece) or piece.kind is DdlKind.DROP_DATABASE
        accepted = says_done(piece) if may_be_there else frozenset()
        return accepted | {NO_SUCH_KEY} if drops_one_index(piece) else accepted

    def _run_ready(
        self,
        ready: Ready,
        part: Ddl,
        known: tuple[Table | None, Table | None],
        understood: Understood,
        repeated: bool,
    ) -> Behind:
        """Run a part, which was read as ``part``, with what comes before it; what is to be written behind it."""
        piece, target, place = ready.piece, self._routed(ready.piece.subject), understood.place
        run = self._executor(piece, understood, target)

        def run_before(sql: str, **more: Any) -> None:
            self.journal.prepare()
            run(sql, **more)

        if not ready.is_done:
            self._recollate(piece, known, target, place, run_before, repeated=repeated)
        after = known[1] or self._asked_table(piece, understood.ddl)
        session = self._sessions.session(understood.event, piece)
        for cut in to_cut(self._downstream, piece, after, target, session):
            run_before(fill_statement(self._downstream, cut, target))
        made = [target, *(self._routed(new) for _, new in piece.renames)]
        for schema in {name.schema for name in made} if piece.kind in CREATIONS or piece.renames else ():
            if missing := self._downstream.missing_database(schema):
                run_before(missing)
        around = to_shrink(self._downstream, piece, understood.ddl, known, target, repeated=repeated)
        for dropping in around.before:
            run_before(dropping, accepted=frozenset({NO_SUCH_KEY}))
        behind = Behind(around.behind, ready.values)
        try:
            if not ready.is_done:
                self._run_once(ready, part, behind, run)
        except DMError as exc:
            for adding in () if exc.resumable else around.undoing:
                run_before(adding, accepted=frozenset({KEY_IS_THERE}))
            raise
        return behind

    def _run_once(self, ready: Ready, part: Ddl, behind: Behind, run: Callable[..., None]) -> None:
        """The statement itself, behind what tells the next run whether it was done."""
        journal = self.journal
        if journal.is_stored:
            journal.begin(part.text, fingerprint(self._downstream, part, self._routed), ready.sql, behind)
        crashpoint("ddl.begun")
        try:
            run(ready.sql, accepted=ready.accepted)
        except DMError as exc:
            if not exc.resumable:
                with suppress(DMError):  # the refusal itself is to be told
                    journal.refuse()
            raise
        crashpoint("ddl.done")

    def _write_behind(
        self,
        piece: Ddl,
        whole: Ddl,
        known: tuple[Table | None, Table | None],
        behind: Behind,
        target: TableName,
        run: Callable[..., None],
    ) -> None:
        """What a part leaves to be written; each of it may be repeated."""
        before, structure = known
        flavor = self._downstream.server.flavor
        for adding in behind.keys:
            run(adding, accepted=frozenset({KEY_IS_THERE}))
        for dropping in to_drop(self._downstream, piece, structure, target):
            run(dropping, accepted=frozenset({NO_SUCH_KEY}))
        added, dropped = to_replace(self._downstream, piece, whole, known, target)
        for adding in added:
            run(adding, accepted=frozenset({KEY_IS_THERE}))
        for dropping in dropped:
            run(dropping, accepted=frozenset({NO_SUCH_KEY}))
        for reset in to_reset(piece, before, target, flavor):
            run(reset)
        for growth in to_grow(self._downstream, piece, structure, target):
            run(growth)
        for value in behind.values:
            run(fill_statement(self._downstream, value, target))
        for remembering in to_remember(piece, structure, target, flavor):
            run(remembering)

    def _recollate(
        self,
        piece: Ddl,
        known: tuple[Table | None, Table | None],
        target: TableName,
        place: str,
        run: Callable[..., None],
        *,
        repeated: bool,
    ) -> None:
        """Give columns that get into a key the collation of keys."""
        tables = Tables(
            self._routed,
            self._tracked,
            lambda name: self._allow_list.allows(name.schema, name.table),
        )
        keys = KeyCollations(self._downstream, piece, known, target, tables, place)
        for change in keys.changes(repeated=repeated):
            self.pieces_done += 1  # the mark stays while keys may lack
            failed = recollate(change, lambda sql, accepted: run(sql, accepted=accepted))
            self.pieces_done -= 1
            if failed is not None:
                raise failed

    def _is_there(self, piece: Ddl) -> bool:
        """Whether it creates a table, if it is not there, that is: servers read no further, or none of its faults."""
        creates = piece.kind in CREATIONS and piece.if_exists and not self._is_merged(piece.subject)
        return creates and self._present(piece.subject) is not None

    def _with_upstreams_values(self, met: Met, sql: str, session: StatementSession, *, is_ignoring: bool) -> str:
        """The statement, which gives rows the upstream's values; ``is_ignoring``: an ALTER IGNORE.  Raises DMError."""
        cuts, strict = session.cuts_fractions, session.is_strict and not is_ignoring
        if self.has_other_sources and not session.status.time_zone:
            refuse_unknown_zone(self._downstream, met)
        refuse_other_values(
            self._downstream,
            met,
            cuts=cuts,
            strict=strict,
            is_merged=self._is_merged,
            counts_zeros=session.counts_zeros,
            ask=self._asked.rows,
        )
        if met.piece.kind in CREATIONS and self._config.sync.on_duplicate == "error":
            self._refuse_coarser_key(met)
        return (
            strictly(self._downstream, met, sql, is_merged=self._is_merged(met.piece.subject)) if is_ignoring else sql
        )

    def _refuse_coarser_key(self, met: Met) -> None:
        """Raise COARSER_KEY for a table that is created to be merged with others."""
        name, present = met.piece.subject, self._downstream.table(met.target.schema, met.target.table)
        if met.after is None or present is None or not self._is_merged(name):
            return
        tables = ((TableName(one.schema, one.name), one) for one in self._tracker.tables())
        others = (one for its, one in tables if its != name and self._routed(its) == met.target)
        refuse_coarser_key(met.after, others, present, self._downstream.server.flavor, met.place)

    def _unconditional(
        self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None, target: TableName
    ) -> Ddl | None:
        """The statement without words of MariaDB that the target lacks; None where it has no effect."""
        flavor = self._downstream.server.flavor
        if self._flavor != "mariadb" or flavor == "mariadb" or not may_be_conditional(piece):
            return piece
        replaced = replaced_index(piece)
        if replaced is not None:
            name, piece = replaced
            there = self._downstream.table(target.schema, target.table)
            if there is not None and there.index(name) is not None:
                drop = f"DROP INDEX {quote_name(name)} ON {piece.subject.quoted()}"
                self._run(self._reader.given(drop, piece.default_schema), understood, repeated, before)
        return without_conditions(piece, before, self._downstream.shown_table(target), flavor)

    def _for_mariadb(self, piece: Ddl, target: TableName) -> Ddl:
        """MySQL's statement where MariaDB wants it said otherwise."""
        piece = without_arrows(piece)
        shown = self._downstream.shown_table(target) if has_checks(piece) or needs_definitions(piece) else ""
        if has_checks(piece):
            piece = with_checks(piece, shown)
        if shown and needs_definitions(piece):
            piece = with_definitions(piece, shown)
        present = self._downstream.table(target.schema, target.table) if drops_columns(piece) else None
        return with_unique_keys(piece, present) if present is not None else piece

    def _show(self, running: str) -> None:
        self._shown = running

    def _structure(self, piece: Ddl, whole: Ddl) -> Table | None:
        """The structure that the table of a part has upstream after the whole statement, as far as it is tracked."""
        subject = piece.subject
        return _named(self._tracked(whole.name_behind(subject)), subject) if subject.table else None

    def _joins(self, piece: Ddl) -> bool:
        """Whether the statement creates what a merged target has already."""
        if piece.kind is DdlKind.CREATE_DATABASE:
            return True
        if piece.kind not in CREATIONS:
            return False
        if self.shards is not None or self._config.shard_mode is not ShardMode.NONE:
            return True
        return self._merged().is_shared(piece.subject)

    def _routed(self, name: TableName) -> TableName:
        target = self._router.route(name.schema, name.table)
        return TableName(target.schema, target.table if name.table else "")

    def _downstream_sql(self, piece: Ddl, understood: Understood, before: Table | None) -> str:
        """The statement for the target, "" when nothing of it is left for this target.

        MySQL logs a CREATE TABLE IF NOT EXISTS of a table that is there: its text then says nothing of that table.
        """
        if piece.kind is DdlKind.CREATE_TABLE_LIKE and len({self._routed(name) for name in piece.tables}) == 1:
            return ""  # like another table that is merged into the same target
        subject = piece.subject
        was_there = piece.kind is DdlKind.CREATE_TABLE and piece.if_exists and before is not None
        structure = None if was_there else self._structure(piece, understood.ddl)
        database, target = self._charset(subject.schema, understood), self._routed(subject)
        translated = self._downstream.translated(piece, structure, database, target)
        for note in translated.notes:
            log.warning("DDL at %s: %s", understood.place, note)
            self.journal.note(note)
        if translated.ddl is None:
            return ""
        columns = column_names(before, structure)
        sql = with_quoted_names(translated.ddl.rename(self._routed), columns, flavor=self._flavor)
        if self._flavor == "mysql" and self._downstream.server.flavor == "mariadb":
            sql = self._with_documents(sql, piece, before, structure, target)
        return self._literals(sql, understood.event.status) if self._flavor == "mysql" else sql

    def _with_documents(
        self, sql: str, piece: Ddl, before: Table | None, after: Table | None, target: TableName
    ) -> str:
        if before is None or after is None or not converts_documents(piece, before):
            return sql
        return with_documents(sql, self._downstream.shown_table(target), before, after)

    def _literals(self, sql: str, status: QueryStatus) -> str:
        """With those that name their character set as the target reads them; MariaDB upstream misreads them itself."""
        client, connection = (
            "utf8mb4" if number is None else charset_of(number)
            for number in (status.client_collation, status.connection_collation)
        )
        modes = quoting_modes(status.sql_mode)
        return without_introducers(sql, self._downstream.server.flavor, modes, client=client, connection=connection)

    def _charset(self, schema: str, understood: Understood) -> Charset:
        return self._tracker.database(schema) or understood.context.database or understood.context.server


def _named(table: Table | None, name: TableName) -> Table | None:
    return replace(table, schema=name.schema, name=name.table) if table is not None else None
