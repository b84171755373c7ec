"""One table's piece of a DDL, run in the target so that a repetition does no harm.

A piece that the target cannot take at once runs in parts.  Each is looked at first (``_ready``, which changes
nothing), then run, behind what tells the next run whether it was done; what it leaves to be written comes last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from dm_worker.syncer.backslashes import refuse_backslashes
from dm_worker.syncer.ddl_errors import MAY_BE_DONE, NOT_CREATED, ROWS_THERE, of_part
from dm_worker.syncer.ddl_jobs import was_finished
from dm_worker.syncer.ddl_journal import Begun, Behind, DdlJournal
from dm_worker.syncer.ddl_reading import DdlReader
from dm_worker.syncer.ddl_session import StatementSession, session_cuts
from dm_worker.syncer.ddl_tables import DdlTables, Understood
from dm_worker.syncer.ddl_target import DdlTarget, Situation
from dm_worker.syncer.ddl_text import DdlText
from dm_worker.syncer.downstream import Downstream
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
from dm_worker.syncer.fingerprint import fingerprint, has_run, must_run_once
from dm_worker.syncer.ignoring import strictly
from dm_worker.syncer.impossible_dates import refuse_impossible_dates
from dm_worker.syncer.mapped_ddl import refuse_unmapped
from dm_worker.syncer.moving_zones import MovingZones
from dm_worker.syncer.named_keys import drops_one_index, named_there, references_said, without_keys_left_out
from dm_worker.syncer.needless_keys import to_drop, to_replace
from dm_worker.syncer.new_keys import KeyCollations, Tables, recollate
from dm_worker.syncer.new_shards import refuse_coarser_key
from dm_worker.syncer.no_tables import (
    is_about_no_table,
    refuse_conversion,
    refuse_other_kind,
)
from dm_worker.syncer.origin_defaults import refuse_other_origins
from dm_worker.syncer.partitions import PartitionedUpstream, refuse_other_partitions
from dm_worker.syncer.passing import AskedUpstream, Passing
from dm_worker.syncer.renamed_parents import refuse_left_keys
from dm_worker.syncer.repeated import done_before, is_exchange, says_done, was_done
from dm_worker.syncer.shrinking import KEY_IS_THERE, NO_SUCH_KEY, to_shrink
from dm_worker.syncer.unlike_values import Met, refuse_other_values, refuse_unknown_zone
from pkg.adapters.mysql.creation import until_made
from pkg.adapters.mysql.letter_maps import LetterMaps
from pkg.binlog.events import QueryEvent
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.schema.checks_there import (
    modifies_columns,
    refuse_checks_of_columns,
)
from pkg.schema.column_types import BINARY_TYPES
from pkg.schema.conditions import may_be_conditional, replaced_index, without_conditions
from pkg.schema.effective import with_effect
from pkg.schema.errors import shortened
from pkg.schema.fill import Fill
from pkg.schema.fractions import Cut
from pkg.schema.held_keys import held_keys, is_held_there, with_held
from pkg.schema.ignoring import ignores_errors
from pkg.schema.lexer import quote_name
from pkg.schema.long_keys import with_cut_keys
from pkg.schema.names_there import keys_behind
from pkg.schema.not_replicated import rebuilt_tables
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.stored_defaults import Storing, with_stored_defaults
from pkg.schema.table import Index, Table
from pkg.task.stage import ShardMode
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ready:
    """A part of a DDL as it runs in the target."""

    piece: Ddl
    sql: str
    accepted: frozenset[int]  # errors that say that nothing is left to do
    values: tuple[Cut, ...]  # to be written behind it
    is_done: bool  # by an earlier run


class PieceRunner:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        config: SubtaskConfig,
        flavor: str,
        tables: DdlTables,
        downstream: Downstream,
        sessions: DdlTarget,
        reader: DdlReader,
        passing: Passing,
        asked: AskedUpstream,
    ) -> None:
        self._config = config
        self._flavor = flavor
        self._tables = tables
        self.text = DdlText(flavor, downstream, tables, lambda note: self.journal.note(note))
        self._downstream = downstream
        self._sessions = sessions
        self._reader = reader
        self._passing = passing
        self._asked = asked
        self._letters = LetterMaps(asked.rows, downstream.rows)
        self._zones = MovingZones(downstream, asked.rows)
        self._partitioned = PartitionedUpstream(flavor, asked, config.column_rules())
        self._shown = ""
        self.parts_done = 0  # of the DDL at hand …
        self.journal = DdlJournal()  # … and what is stored of it

    @property
    def running(self) -> str:
        """The statement that the target is executing."""
        return self._shown or self._sessions.running

    def run(self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None) -> None:
        is_judged = self._flavor == "mariadb" and before is not None and not understood.is_given
        if is_judged and before is not None and with_effect(piece, before) is None:
            log.info("DDL at %s has no effect upstream: %s", understood.place, shortened(piece.text))
            return
        piece = references_said(self._downstream, piece, before, self._tables.routed(piece.subject), self._flavor)
        structure, storing = self._tables.structure(piece, understood.ddl), self._storing(understood.event)
        piece = with_stored_defaults(with_cut_keys(piece, before, structure, storing.flavors), structure, storing)
        parts = self.text.split(piece, before)
        if before is not None:
            parts = with_held(parts, self._held_keys(piece, before), self._flavor)
        done = 0
        if repeated and self.journal.trusts_answers and (len(parts) > 1 or not is_exchange(piece)):
            there = partial(self._tables.present, piece.subject)
            done = done_before(piece, parts, before, there, self._tables.routed(piece.subject), understood.place)
        self.parts_done += done
        for number, part in enumerate(parts[done:], done):
            now = keys_behind(before, parts[:number]) if before is not None else None
            try:
                self._run_part(part, understood, repeated, before, now)
            except DMError as exc:
                if exc.resumable or len(parts) == 1:
                    raise
                raise of_part(exc, number, [one.text for one in parts], shortened(piece.text)) from exc

    def refuse_rebuilt(self, ddl: Ddl, event: QueryEvent, place: str) -> None:
        """Raise for a table that MySQL copies for OPTIMIZE TABLE, where that moves moments.  Raises DMError."""
        zone = event.status.time_zone or ""  # it is said where the copy has read moments
        for name in rebuilt_tables(ddl.text, event.schema) if zone and self._flavor == "mysql" else ():
            if self._tables.allows(name):
                piece = self._reader.given(f"ALTER TABLE {name.quoted()} FORCE", name.schema)
                before, target = self._tables.tracked(name), self._tables.routed(name)
                met = Met(piece, before, before, target, place, self._flavor)
                self._zones.refuse(met, zone, lambda: zone, is_online=False)

    def _held_keys(self, piece: Ddl, before: Table) -> list[Index]:
        """See held_keys; a table that somebody has made may lack them."""
        held = held_keys(piece, before, self._downstream.server.flavor)
        there = self._tables.present(piece.subject) if held else None
        return [one for one in held if there is None or is_held_there(one, there)]

    def _storing(self, event: QueryEvent) -> Storing:
        flavors = self._flavor, self._downstream.server.flavor
        return Storing(flavors, session_cuts(event, self._flavor), self._sessions.ahead(event.status))

    def _run_part(
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
        journal, part, known = self.journal, piece.text, (before, self._tables.structure(piece, understood.ddl))
        if journal.is_over(part):
            log.info("DDL at %s was done before: %s", understood.place, shortened(part))
            self.parts_done += 1
            return
        target, begun = self._tables.routed(piece.subject), journal.begun(part)
        if begun is not None and self._has_run(begun, piece, known, understood.place):
            behind = begun.behind
        else:
            ready = self._ready(piece, understood, repeated, before, now or before)
            if ready is None:
                return
            behind = self._run_ready(ready, piece, known, understood, repeated)
            piece = ready.piece
        self.parts_done += 1  # what follows may fail, and the next run finds the statement done
        self._write_behind(piece, understood.ddl, known, behind, target, self._executor(piece, understood, target))
        journal.end(part)

    def _has_run(self, begun: Begun, piece: Ddl, known: tuple[Table | None, Table | None], place: str) -> bool:
        """Whether an earlier run did a statement that it began.  Raises MAY_BE_DONE."""
        self.parts_done += 1  # it may be there: the mark stays
        was_finished(self._downstream, begun.sql, self._show)
        self._show("")
        done = has_run(piece, known, begun.fingerprint, fingerprint(self._downstream, piece, self._tables.routed))
        if done is None:
            target = self._tables.routed(piece.subject)
            raise MAY_BE_DONE.error(place=place, target=target.quoted(), sql=shortened(begun.sql))
        met = "was done by an earlier run" if done else "was begun by an earlier run, and runs again"
        log.info("DDL at %s %s: %s", place, met, shortened(begun.sql))
        return done

    def _executor(self, piece: Ddl, understood: Understood, target: TableName) -> Callable[..., None]:
        """What runs statements as parts of this one."""
        session = self._sessions.session(understood.event, piece)
        return partial(self._sessions.run, session=session, situation=self._situation(understood.place, piece, target))

    def _situation(self, place: str, piece: Ddl, target: TableName) -> Situation:
        return Situation(place, piece, partial(self._downstream.table, target.schema, target.table))

    def _ready(
        self, piece: Ddl, understood: Understood, repeated: bool, before: Table | None, now: Table | None
    ) -> Ready | None:
        """What is to run of a part, None if nothing.  Nothing is changed yet.  Raises DMError."""
        place, target = understood.place, self._tables.routed(piece.subject)
        structure = self._tables.structure(piece, understood.ddl)
        by_answers = repeated and self.journal.trusts_answers  # what an earlier run has done is told by nothing else
        refuse_other_kind(self._downstream, piece, target, place)
        is_there = self._tables.is_there(piece)
        plain = None if is_there else self._unconditional(piece, understood, repeated, before, target)
        if plain is None:
            if piece.kind in CREATIONS and before is None and not repeated:
                is_new = self._flavor == "mariadb" or understood.event.status.has_xid  # else it may have done nothing
                if is_new and not understood.is_given and self._downstream.has_row(target):
                    raise ROWS_THERE.error(target=target.quoted(), place=place, sql=shortened(piece.text))
                log.warning("DDL at %s: the target has the table already: %s", place, shortened(piece.text))
            else:
                log.info("DDL at %s has no effect: %s", place, shortened(piece.text))
            return None
        piece = plain
        if self._flavor == "mysql":
            piece = self.text.of_mysql(piece, target, understood.ddl, before)
        if self._flavor == "mariadb" != self._downstream.server.flavor and modifies_columns(piece):
            refuse_checks_of_columns(piece, self._downstream.shown_table(target), target.quoted())
        piece = named_there(self._downstream, piece, understood.ddl, now, target, place, repeated=by_answers)
        known_there = without_keys_left_out(self._downstream, piece, now, target, self._flavor)
        sql = self.text.sql(known_there, understood, before) if known_there is not None else ""
        if not sql:
            return None
        known = before, structure
        if self._passing.is_of_other(piece, is_tracked=before is not None):
            return None
        if is_about_no_table(piece, *known, target, self._downstream, self._tables.kind_above, place):
            return None
        refuse_conversion(piece, self._tables.routed, self._downstream.server.flavor, place)
        refuse_left_keys(self._downstream, piece, self._tables.routed, place)
        refuse_other_partitions(self._downstream, piece, before, target, self._partitioned, place)
        if self._flavor == "mysql":
            refuse_backslashes(piece, understood.event.status.sql_mode, before, structure, place)
        is_done = False
        if by_answers:
            self.parts_done += is_exchange(piece) or self.journal.is_lost  # it may be there: the mark stays
            if self.journal.is_lost and must_run_once(understood.ddl):
                raise MAY_BE_DONE.error(place=place, target=target.quoted(), sql=shortened(sql))
            is_done = was_done(self._downstream, piece, sql, known, target, place=place, show=self._show)
        session = self._sessions.session(understood.event, piece)
        after, rules = structure or self._tables.asked_table(piece, understood.ddl), self._partitioned.rules
        strict = session.is_strict
        refuse_unmapped(self._downstream, (piece, understood.ddl), rules, after, target, place, strict=strict)
        wanted = to_fill(self._downstream, piece, *known, target, session, repeated=by_answers, place=place)
        if not understood.is_given:
            refuse_unlike_defaults(piece, structure, self._storing(understood.event), place)
        padded = to_pad(self._downstream, piece, before, session)
        if not is_done:
            refuse_other_origins(self._downstream, piece, self._tables.routed, place)
            met = Met(piece, before, after, target, place, self._flavor, is_given=understood.is_given)
            if not understood.is_given:
                zone_there = partial(self._sessions.zone, session, self._situation(place, piece, target))
                zone = session.status.time_zone or ""
                self._zones.refuse(met, zone, zone_there, is_online=understood.is_online)
            sql = self._with_upstreams_values(met, sql, session, is_ignoring=ignores_errors(understood.ddl))
        values = (*(Cut(one.column, self._filled(one, after, understood)) for one in wanted), *padded)
        return Ready(piece, sql, self._accepted(piece, by_answers=by_answers), values, is_done)

    def _filled(self, fill: Fill, after: Table | None, understood: Understood) -> str:
        """What an UPDATE writes; bytes of a column of bytes are no text, whatever set they name."""
        column = after.column(fill.column) if after is not None else None
        if column is not None and column.base_type in BINARY_TYPES:
            return fill.value
        return self.text.literals(fill.value, understood.event.status)

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
        piece, target, place = ready.piece, self._tables.routed(ready.piece.subject), understood.place
        run = self._executor(piece, understood, target)

        def run_before(sql: str, **more: Any) -> None:
            self.journal.prepare()
            run(sql, **more)

        if not ready.is_done:
            self._recollate(piece, known, target, place, run_before, repeated=repeated)
        after = known[1] or self._tables.asked_table(piece, understood.ddl)
        session = self._sessions.session(understood.event, piece)
        for cut in to_cut(self._downstream, piece, after, target, session, self._flavor):
            run_before(fill_statement(self._downstream, cut, target))
        made = [target, *(self._tables.routed(new) for _, new in piece.renames)]
        needs_database = piece.kind in CREATIONS or piece.kind is DdlKind.ALTER_DATABASE or bool(piece.renames)
        for schema in {name.schema for name in made} if needs_database else ():
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
            journal.begin(part.text, fingerprint(self._downstream, part, self._tables.routed), ready.sql, behind)
        crashpoint("ddl.begun")
        try:
            self._run_ready_sql(ready, partial(run, ready.sql, accepted=ready.accepted))
        except DMError as exc:
            if not exc.resumable:
                with suppress(DMError):  # the refusal itself is to be told
                    journal.refuse()
            raise
        crashpoint("ddl.done")

    def _run_ready_sql(self, ready: Ready, run: Callable[[], None]) -> None:
        """Other sources may create the same table at the same moment, of which TiDB then makes none."""
        piece, target = ready.piece, self._tables.routed(ready.piece.subject)
        if self._downstream.server.flavor != "tidb" or piece.kind not in CREATIONS or not self._joins(piece):
            run()
        elif until_made(run, lambda: self._downstream.table(target.schema, target.table)) is None:
            raise NOT_CREATED.error(table=target.quoted(), sql=shortened(ready.sql))

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
        tables = Tables(self._tables.routed, self._tables.tracked, self._tables.allows)
        keys = KeyCollations(self._downstream, piece, known, target, tables, place)
        for change in keys.changes(repeated=repeated):
            self.parts_done += 1  # the mark stays while keys may lack
            failed = recollate(change, lambda sql, accepted: run(sql, accepted=accepted))
            self.parts_done -= 1
            if failed is not None:
                raise failed

    def _with_upstreams_values(self, met: Met, sql: str, session: StatementSession, *, is_ignoring: bool) -> str:
        """The statement, which gives rows the upstream's values; ``is_ignoring``: an ALTER IGNORE.  Raises DMError."""
        cuts, strict = session.cuts_fractions, session.is_strict and not is_ignoring
        if self._tables.has_other_sources and not session.status.time_zone:
            refuse_unknown_zone(self._downstream, met)
        if not strict and not met.is_given:
            refuse_impossible_dates(self._downstream, met)
        refuse_other_values(
            self._downstream,
            met,
            cuts=cuts,
            strict=strict,
            is_merged=self._tables.is_merged,
            counts_zeros=session.counts_zeros,
            ask=self._asked.rows,
            first_row=self._asked.first_row,
            unlike_letters=self._letters.unlike,
        )
        if met.piece.kind in CREATIONS and self._config.sync.on_duplicate == "error":
            self._refuse_coarser_key(met)
        if not is_ignoring:
            return sql
        return strictly(self._downstream, met, sql, is_merged=self._tables.is_merged(met.piece.subject))

    def _refuse_coarser_key(self, met: Met) -> None:
        """Raise COARSER_KEY for a table that is created to be merged with others."""
        tables, name = self._tables, met.piece.subject
        present = self._downstream.table(met.target.schema, met.target.table)
        if met.after is None or present is None or not tables.is_merged(name):
            return
        others = (one for its, one in tables.all_tracked().items() if its != name and tables.routed(its) == met.target)
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
                self._run_part(self._reader.given(drop, piece.default_schema), understood, repeated, before)
        return without_conditions(piece, before, self._downstream.shown_table(target), flavor)

    def _show(self, running: str) -> None:
        self._shown = running

    def _joins(self, piece: Ddl) -> bool:
        """Whether the statement creates what a merged target has already."""
        if piece.kind is DdlKind.CREATE_DATABASE:
            return True
        if piece.kind not in CREATIONS:
            return False
        if self._tables.is_coordinated or self._config.shard_mode is not ShardMode.NONE:
            return True
        return self._tables.merged().is_shared(piece.subject)
