"""DDL of the stream: what it is, what of it is for the target, and what waits for other shards.

A DDL runs behind a barrier and is marked in the checkpoint before it is executed.  When the process
dies in between, the statement comes by again at the marked place; only then are the target's
"exists already" and "is not there" answers taken as "it was done" (`ddl_piece.py`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import filterfalse

from dm_worker.syncer.copied_rows import altered, refuse_copied_rows
from dm_worker.syncer.ddl_errors import CREATE_SELECT, NOT_TEXT, SHARD_DDL, SHORTENED_CREATE
from dm_worker.syncer.ddl_piece import PieceRunner
from dm_worker.syncer.ddl_reading import FAILED_UPSTREAM, UNKNOWN_TABLE, DdlReader
from dm_worker.syncer.ddl_session import without_key_checks
from dm_worker.syncer.ddl_tables import DdlTables, Understood
from dm_worker.syncer.ddl_target import DdlTarget, UpstreamSettings
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.filtering import NOTHING, DdlFilter
from dm_worker.syncer.no_tables import (
    refuse_becoming,
    refuse_files,
    refuse_truncation,
)
from dm_worker.syncer.online import OnlineDdl, settled
from dm_worker.syncer.passing import AskedUpstream, Passing
from dm_worker.syncer.shadow_rows import (
    Binlog,
    Holds,
    ShadowTable,
    checks_of_like,
    on_both_ends,
    refuse_exchanged,
    refuse_lost_rows,
    refuse_other_rows,
    what_is_said,
)
from dm_worker.syncer.shard_rows import Statement
from dm_worker.syncer.shards import Shards
from dm_worker.syncer.structure_check import StructureCheck
from dm_worker.syncer.unseen_cascades import UnseenCascades
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Location, Position
from pkg.binlog.sql_modes import SHORTENING, mode_names
from pkg.compare.structure import unlike
from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.merged import DroppedDatabase, Merged, once_per_target
from pkg.rules.online_ddl import Exchange
from pkg.rules.router import Router
from pkg.rules.taken import MIXED_TABLES, mixture, taken_pieces
from pkg.rules.target_names import TargetNames
from pkg.schema.charset import Charset
from pkg.schema.drop_order import children_first
from pkg.schema.errors import shortened
from pkg.schema.reflection import fills_otherwise, reflects
from pkg.schema.statement import TRANSACTION_KINDS, Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.task.operators import Op, Operator
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)
# How a server writes the CREATE TABLE of a table, as people rarely do.
_SHOWN = re.compile(r"CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?[`\"].*[`\"] \(\n  [`\"]", re.ASCII)

Structures = dict[tuple[str, str], Table | None]
"""Upstream tables that changed, by (schema, table); None: dropped."""


Given = tuple[Ddl, Understood, Table | None]


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
        self._allow_list = allow_list
        self._downstream = downstream
        self._flavor = upstream.flavor
        self._filter = DdlFilter(config.event_filter(), tracker, upstream.flavor)
        self.tables = tables = DdlTables(router, allow_list, tracker, downstream, asked)
        self.passing = Passing(allow_list, self._filter, asked, upstream.flavor, tables.merges.reaches, tracker.tables)
        is_other = self.passing.is_other
        self.reader = DdlReader(upstream, tracker, allow_list.allows, tables.present, self._is_shadow, is_other, asked)
        self._sessions = DdlTarget(downstream, upstream, timezone)
        self.pieces = PieceRunner(
            config, upstream.flavor, tables, downstream, self._sessions, self.reader, self.passing, asked
        )
        self._shards: Shards | None = None
        self.online: OnlineDdl | None = None  # set where online DDL is followed …
        self.unseen_cascades: UnseenCascades | None = None  # set where the target does not what no binlog tells
        self.binlog: Binlog | None = None  # … and rows of shadow tables can be counted

    @property
    def shards(self) -> Shards | None:
        """Set where DDL of merged tables is coordinated."""
        return self._shards

    @shards.setter
    def shards(self, shards: Shards) -> None:
        self._shards, self.tables.is_coordinated = shards, True

    def understand(
        self, event: QueryEvent, place: str, before: Mapping[TableName, Table] = NOTHING
    ) -> Understood | None:
        """What a query event asks for; None when there is nothing to do.

        ``before``: structures before it, of tables that are tracked as they are behind it.
        Raises DMError for what may not be passed over.
        """
        try:
            ddl = self.reader.read(event, before)
        except DMError as exc:
            if self._filter.passes_unread(exc, event.schema, event.sql, place):
                raise
            return None
        if ddl.kind is DdlKind.NOT_REPLICATED:
            self.pieces.refuse_rebuilt(ddl, event, place)
        if ddl.kind in TRANSACTION_KINDS or self.passing.passes(ddl, event, place):
            return None
        event = replace(event, is_thread_specific=False)  # it may be kept, and read again when the session is forgotten
        self.tables.merges.forget(ddl)
        context = self.reader.context(event, ddl)
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
        if kept and not event.is_text:
            raise NOT_TEXT.error(place=place, sql=shortened(event.sql))
        self._refuse(understood)
        if not kept and ddl.kind is DdlKind.CREATE_TABLE_SELECT:
            self.passing.refuse_text(ddl, event, place)
        return understood

    def operate(
        self, operator: Operator, event: QueryEvent, place: str, repeated: bool, after: Location | None = None
    ) -> Structures:
        """Do what the operator decided; the structures that the statement changed upstream."""
        self.pieces.parts_done = 0
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
        return self.reader.read(event, {}, names_keys=False)

    def _known_only(self, event: QueryEvent, place: str) -> Understood | None:
        """The statement for the tracker alone; None when it cannot be read or changes no structure."""
        try:
            ddl = self.reader.read(event, {}, is_decided=True)
        except DMError as exc:
            log.warning("skipped at %s and not understood: %s", place, exc)
            return None
        if ddl.kind in TRANSACTION_KINDS or ddl.kind in (DdlKind.NOT_REPLICATED, DdlKind.DML_TEXT):
            return None
        if event.is_thread_specific and self.passing.temporary.is_about_one(ddl, event.thread_id):
            return None
        self.tables.merges.forget(ddl)
        return Understood(ddl, self.reader.context(event, ddl), place, event)

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
                self.pieces.run(piece, understood, repeated, before)

    def given_texts(self, sqls: Sequence[str], event: QueryEvent, place: str) -> tuple[str, ...]:
        """An operator's statements with the target's names.  Raises DMError."""
        given = self._given(sqls, event, place)
        return tuple(replace(piece, edits=()).rename(self.tables.routed) for piece, _, _ in given)

    def run_given(
        self, sqls: Sequence[str], event: QueryEvent, place: str, known: tuple[Table, Table], *, repeated: bool
    ) -> None:
        """Run an operator's statements about a merged table; ``known``: one of its tables before and after the DDL."""
        target = self.tables.routed(TableName(known[0].schema, known[0].name))
        for piece, understood, _ in self._given(sqls, event, place):
            name, before = piece.subject, None
            if self.tables.routed(name) == target:
                before, after = (replace(one, schema=name.schema, name=name.table) for one in known)
                self._tracker.load(after)
            self.pieces.run(piece, understood, repeated, before)

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
            ddl = self.reader.given(sql, event.schema)
            own = replace(event, sql=sql, status=replace(event.status, sql_mode=None))  # strict, read as it stands
            if self.online is None or not self.online.takes_given(ddl, own, place):
                understood = Understood(ddl, self.reader.context(event, ddl), place, own, after=after, is_given=True)
                for one in ddl.pieces():
                    found.append((one, understood, self.tables.known(one.subject, ddl) if self.shards else None))
        return found

    def _do_given(self, given: list[Given], repeated: bool) -> None:
        for piece, understood, before in given:
            self._do(piece, understood, repeated, before)

    def execute(self, understood: Understood, repeated: bool, after: Location) -> Structures:
        """Follow the DDL, run it downstream if it is wanted; the structures that it changed upstream.

        ``repeated``: an earlier run began it here and may have done it.  ``after``: the location behind it.
        """
        self.pieces.parts_done = 0
        return self._executed(replace(understood, after=after), repeated)

    def take_changes(self, location: Position | None = None) -> list[Statement]:
        """What stores the changes of DDL beside structures, since the last call, with a checkpoint at ``location``."""
        changes = list(self.shards.take_changes()) if self.shards is not None else []
        return changes + (self.online.take_changes(location) if self.online is not None else [])

    def default_of(self, name: TableName) -> Charset | None:
        """The default character set of a table's database, if it is known."""
        return self._tracker.database(name.schema)

    def take_databases(self) -> dict[str, str] | None:
        """Default collations of databases, where a statement has changed one since the last call."""
        return self._tracker.take_databases()

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
        online, place, ddl, merged = self.online, understood.place, understood.ddl, self.tables.merged()
        assert online is not None

        def run(event: QueryEvent) -> None:
            wanted = self.understand(event, place)
            if wanted is not None:
                self._execute(replace(wanted, after=understood.after, is_online=True), repeated)

        def check(exchange: Exchange, begun: str, events: Sequence[QueryEvent], before: Table | None) -> None:
            trash = dict(ddl.renames).get(exchange.real) or online.trash_of(exchange)
            one = self._shadow_table(exchange, begun, events, before, place, trash)
            holds, binlog = self._held(exchange.real, before), self.binlog
            kept = [(one, wanted.context) for wanted in filter(None, map(understand, events)) for one in wanted.kept]
            target = self.tables.routed(exchange.real)
            said = what_is_said(exchange.shadow, exchange.real, target, place)
            ends = on_both_ends(self._downstream, before, said, target)
            refuse_lost_rows(self._downstream, [ddl for ddl, _ in kept], ends, said, target)
            alter = ""
            if online.has_other_checks(exchange.shadow):
                is_merged = self.tables.is_merged(exchange.real)
                alter = checks_of_like(self._downstream, exchange.real, said, target, is_merged=is_merged)
            found = refuse_other_rows(self._downstream, one, ends[1], binlog, holds) if one and binlog else None
            if kept:
                refuse_copied_rows(self._downstream, kept, before, self.tables.routed, place)
            if one is not None and found is not None:
                refuse_exchanged(self._asked, one, found, holds)
            if alter:
                run(understood.event.written_anew(alter))

        understand = partial(self.understand, place=place)
        read = partial(self.reader.read, before={})
        by_names = repeated and self.pieces.journal.trusts_answers and self.shards is None
        begun = self.tables.present if by_names else None
        exchanged = [online.exchange(one, self._tracker, read, run, begun, check) for one in understood.exchanges]
        before = {name: self.tables.tracked(name) for name in ddl.tables}
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
        shadow, real = self.tables.tracked(exchange.shadow), exchange.real
        if before is None or shadow is None or self.online is None:
            return None
        now, ddls = before, list[Ddl]()
        for event in events:  # each names its keys by what the one before it has left
            ddls.append(self.reader.read(event, {real: now}))
            now = altered(now, [(ddls[-1], self.reader.context(event, ddls[-1]))])
        begin, rows = Position.parse(begun) if begun else None, self.online.rows.of(exchange.shadow)
        return ShadowTable(
            shadow, before, now, tuple(ddls), begin, Position.parse(place), self.tables.routed(real), rows, trash
        )

    def _held(self, real: TableName, before: Table | None) -> Holds:
        """What the target has of the real table's rows."""
        if self.tables.is_merged(real):
            return Holds.OTHERS
        rules = (
            before is not None and self._config.row_filters(self._flavor).of(before),
            self._config.event_filter().ignored_rows(real.schema, real.table),
            self._config.column_rules().of(real.schema, real.table),
        )
        return Holds.CHANGED if any(rules) else Holds.THESE

    def _is_shadow(self, name: TableName) -> bool:
        return self.online is not None and self.online.is_shadow(name)

    def _execute(self, understood: Understood, repeated: bool) -> Structures:
        ddl, merged = understood.ddl, self.tables.merged()
        self._load_as_upstream(ddl)
        before = {name: self.tables.known(name, ddl) for name in ddl.tables}
        if not understood.kept:
            changes = self._followed_anyhow(understood)
            return self.shards.follow(ddl, understood.after, changes) if self.shards is not None else changes
        if self.shards is None:
            self._check_unknown(understood)
        changes = self._tracker.apply(ddl, understood.context)
        shards = None if understood.is_cut else self.shards
        with shards.in_pieces(ddl) if shards is not None else nullcontext():
            self._run_kept(understood, repeated, before, merged)
        return changes

    def _load_as_upstream(self, ddl: Ddl) -> None:
        """What the upstream's present table tells of the one before the statement."""
        table = self.tables.tracked(ddl.subject) if ddl.alterations else None
        if table is not None:
            self._tracker.load(self.reader.as_upstream(table, ddl))

    def _run_kept(
        self, understood: Understood, repeated: bool, before: Mapping[TableName, Table | None], merged: Merged
    ) -> None:
        """What of the statement is for the target; ``merged`` are the upstream's tables before it."""
        pieces = [one for kept in understood.kept for one in kept.pieces()]
        for one in pieces:
            known = before.get(one.subject), self.tables.structure(one, understood.ddl)
            refuse_becoming(self._downstream, one, *known, self.tables.routed(one.subject), understood.place)
        if self.unseen_cascades is not None:
            for one in pieces:
                self.unseen_cascades.check_dropped(one, before.get(one.subject), self.tables.present)
            changed = {one.subject: self.tables.tracked(one.subject) for one in pieces}
            self.unseen_cascades.check_changes(changed, before)
        check, compared = self._structure_check(merged), []
        # What shadow tables were given runs before the tables take their places.
        if not (understood.is_online or understood.is_cut):
            compared = [one for one in pieces if self.shards is None or not self.shards.takes(one)]
        if not repeated:
            self.pieces.journal.remember(check.differed(compared, before))
        if self.shards is None and self._is_done_by_hand(understood, pieces, before, merged):
            return
        if self.shards is None:
            pieces = list(once_per_target(filterfalse(merged.changes_nothing, pieces), self.tables.routed))
        for piece, is_referred_to in self._in_parts(pieces, understood, merged):
            event = without_key_checks(understood.event) if is_referred_to else understood.event
            self._do(piece, replace(understood, event=event), repeated, before.get(piece.subject))
        check.check(compared, self.pieces.journal, understood.place, understood.event.sql)

    def _structure_check(self, merged: Merged) -> StructureCheck:
        """``merged``: the upstream's tables before the statement."""

        def is_merged(name: TableName) -> bool:
            return merged.is_shared(name) or self.tables.is_merged(name)

        return StructureCheck(self._downstream, self.tables.routed, self.tables.tracked, is_merged)

    def _in_parts(self, pieces: Sequence[Ddl], understood: Understood, merged: Merged) -> Iterator[tuple[Ddl, bool]]:
        """The pieces, with the tables of a database that is dropped; see _children_first."""
        for piece, is_referred_to in self._children_first(pieces):
            if piece.kind is not DdlKind.DROP_DATABASE:
                yield piece, is_referred_to
                continue
            dropped = self._dropped_database(piece, merged)
            drops = [self.reader.given(f"DROP TABLE IF EXISTS {name.quoted()}", name.schema) for name in dropped.tables]
            yield from self._children_first(drops)
            schema = self.tables.routed(piece.subject).schema
            if dropped.database or (dropped.emptied and self._downstream.is_bare(schema)):
                yield piece, False
            elif self.shards is not None and understood.after is not None:
                self.shards.ran(piece, understood.after)

    def _children_first(self, pieces: Sequence[Ddl]) -> Iterator[tuple[Ddl, bool]]:
        """The pieces, those of a DROP TABLE so that foreign keys go first; whether one is referred to even then."""
        drops = len(pieces) > 1 and all(piece.kind is DdlKind.DROP_TABLE for piece in pieces)
        if not drops or not self._downstream.checks_keys:
            yield from ((piece, False) for piece in pieces)
            return
        references = ((TableName(*child), TableName(*parent)) for child, parent in self._downstream.references())
        order, held = children_first([self.tables.routed(piece.subject) for piece in pieces], references)
        yield from ((pieces[place], place in held) for place in order)

    def _dropped_database(self, piece: Ddl, merged: Merged) -> DroppedDatabase:
        schema = piece.subject.schema
        return merged.dropped_database(piece.subject, takes_all=self._allow_list.takes_all(schema))

    def _do(self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None) -> None:
        """One table's part of a statement: run it, or let it wait for the other shards."""
        shards, after = self.shards, understood.after
        if shards is None or after is None:
            self.pieces.run(piece, understood, repeated, before)
        elif shards.takes(piece):
            is_conditional = piece.kind is DdlKind.ALTER_TABLE and piece.if_exists
            if is_conditional and self.tables.known_or_asked(piece, before) is None:
                log.info("DDL at %s is of a table that is not there: %s", understood.place, shortened(piece.text))
                return
            has_effect = any(self.pieces.text.sql(part, understood, before) for part in self.pieces.text.split(piece))
            # As it was written: what servers imply, such as collations, may differ between sources.
            texts = (replace(piece, edits=()).rename(self.tables.routed),) if has_effect else ()
            present, settings = partial(self.tables.present, piece.subject), self._settings(piece, understood, before)
            shards.meet(piece, texts, before, after, understood.event, present, settings)
        else:
            self.pieces.run(piece, understood, repeated, before)
            shards.ran(piece, after)

    def _settings(self, piece: Ddl, understood: Understood, before: Table | None) -> str:
        """What the statement depended on; what an operator gives counts as it is, whatever its session was."""
        structure = self.tables.structure(piece, understood.ddl)
        if understood.is_given or before is None or structure is None:
            return ""
        return self._sessions.settings(understood.event, piece, before, structure)

    def _check_unknown(self, understood: Understood) -> None:
        """Raise where the upstream did not know a table that the statement drops, and the target has them all."""
        ddl, error = understood.ddl, understood.event.error_code
        if ddl.kind is not DdlKind.DROP_TABLE or error != UNKNOWN_TABLE:
            return
        if all(map(self.tables.present, ddl.tables)):
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
        target = self.tables.routed(sharded)
        old, new = before.get(sharded), self.tables.tracked(sharded)
        if old is not None and new is not None and old != new and not ddl.or_replace:  # which removes its rows, too
            there = self._downstream.table(target.schema, target.table)
            if there is not None and reflects(old, new, there) and not fills_otherwise(old, new, there):
                log.info("DDL at %s is in %s.%s already", understood.place, target.schema, target.table)
                return True
        raise SHARD_DDL.error(
            table=f"{sharded.schema}.{sharded.table}".rstrip("."),
            target=f"{target.schema}.{target.table}".rstrip("."),
            place=understood.place,
            sql=shortened(ddl.text),
        )

    def _refuse_shortened(self, understood: Understood) -> None:
        """Raise SHORTENED_CREATE, unless the upstream shows that nothing was left out.

        MariaDB logs CREATE TABLE … SELECT as its session's SHOW CREATE TABLE, in the transaction of the rows, and so
        CREATE TABLE … LIKE a temporary table.
        """
        ddl, event = understood.ddl, understood.event
        modes = mode_names(event.status.sql_mode, "mariadb") & SHORTENING
        if not modes or not (event.in_transaction or _SHOWN.match(event.sql)):
            return
        scratch = self._tracker.copy()
        scratch.apply(ddl, understood.context)
        name = ddl.subject
        logged, now = scratch.table(name.schema, name.table), self._asked.table(name.schema, name.table)
        found = ["has no such table"]
        if logged is not None and now is not None:
            found = unlike(now, logged)
            if now.charset != logged.charset or now.collation != logged.collation:
                found.append(f"the table is in {now.collation}, and not in {logged.collation}")
        if found:
            raise SHORTENED_CREATE.error(
                table=name.quoted(), modes=",".join(sorted(modes)), found="; ".join(found), place=understood.place,
                sql=shortened(ddl.text),
            )  # fmt: skip

    def _refuse(self, understood: Understood) -> None:
        """Raise for what this version must not run."""
        ddl, place, kept = understood.ddl, understood.place, understood.kept
        if kept and ddl.kind is DdlKind.CREATE_TABLE_SELECT:
            raise CREATE_SELECT.error(place=place, sql=shortened(ddl.text))
        if kept and self._flavor == "mariadb" and ddl.kind is DdlKind.CREATE_TABLE:
            self._refuse_shortened(understood)
        for piece in kept:
            refuse_files(piece, place)
        is_truncation = ddl.kind is DdlKind.TRUNCATE_TABLE
        if is_truncation and (kept or not taken_pieces(ddl, self._allow_list.allows)):  # no filter leaves it out
            refuse_truncation(ddl, self.tables.merges.reaches, place)
        in_turn = kept and ddl.kind is DdlKind.RENAME_TABLE and not understood.is_online
        for piece in (ddl,) if in_turn else kept:
            if reason := mixture(piece, self._allow_list.allows):
                raise MIXED_TABLES.error(place=place, reason=reason, sql=shortened(ddl.text))
