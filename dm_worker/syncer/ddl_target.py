"""A DDL in the target, in a session like the one that it ran in upstream.

Where the upstream cut values (its sql_mode was not strict) the statement runs strictly first: what does not need a
cut is then right on any server.  If the target refuses it, it runs as upstream, but only where both servers cut alike.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from dm_worker.syncer.ddl_errors import (
    COLUMN_IN_FOREIGN_KEY,
    COLUMN_OF_FOREIGN_KEY,
    CUT_OTHERWISE,
    DDL_FAILED,
    GENERATED_THERE,
    KEYED_TEXT,
    OF_GENERATED,
    OF_KEYED_TEXT,
    UNKNOWN_OFFSET,
    UNKNOWN_PARTITION,
    UNKNOWN_ZONE,
    UNLIKE_SESSION,
    WHATEVER_THE_MODE,
)
from dm_worker.syncer.ddl_session import StatementSession, asks_for_moments, is_offset, shift_of_moment, words_of
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.partitions import OTHER_PARTITIONS
from dm_worker.syncer.shard_settings import depended_on, looks_at_zone
from pkg.adapters.mysql.computing import ZERO_DATE_TIME_CAST
from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.charset import UTF8, charset_of
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.errors import DMError
from pkg.schema.charset import default_collation
from pkg.schema.collation import nearest
from pkg.schema.conversions import dated_times
from pkg.schema.cut_values import cut_otherwise, fills_from_char
from pkg.schema.errors import shortened
from pkg.schema.held_literals import UNLIKE_ASCII, calculates, has_other_characters
from pkg.schema.mode_types import specs_of
from pkg.schema.other_expressions import changes_generated
from pkg.schema.partition_moments import with_numbered_moments
from pkg.schema.partitions import takes_rows
from pkg.schema.plain_moments import Ahead
from pkg.schema.statement import Ddl
from pkg.schema.table import Table
from pkg.shardddl.settings import settings_text
from pkg.task.start_time import offset_text, seconds_ahead

log = logging.getLogger(__name__)

_PADS = "PAD_CHAR_TO_FULL_LENGTH"
_COLLATIONS_OF_UTF8MB4 = frozenset({"utf8mb4_general_ci", "utf8mb4_0900_ai_ci"})  # that a session can default to


@dataclass(frozen=True, slots=True)
class UpstreamSettings:
    """What a statement's event leaves to the server that wrote it."""

    flavor: str
    collations: Mapping[int, str]  # by number
    expressions: tuple[tuple[str, str], ...]  # global variables that expressions depend on
    zone_offset: Callable[[str, int], str]  # (zone, seconds since 1970) → +08:00
    zone_moves: Callable[[str], bool]  # whether a zone's offset is not always the same
    folds_names: bool = False  # whether it takes names of databases and tables in small letters
    default_of_charset: bool = False  # whether COLLATE DEFAULT is the default of the set, and not what is inherited
    utf8_is_utf8mb4: bool = False  # what its sessions mean by that name, unless they set old_mode for themselves
    times_have_no_day: bool = False  # under its old_mode, unless sessions set it for themselves


@dataclass(frozen=True, slots=True)
class Situation:
    """A statement's place in the stream, and the tables that it meets."""

    place: str
    piece: Ddl
    present: Callable[[], Table | None]  # downstream, before it


class DdlTarget:
    """Runs statements downstream; ``running`` is the one that the target is executing."""

    def __init__(self, downstream: Downstream, upstream: UpstreamSettings, timezone: str = "") -> None:
        """``timezone``: the task's, for what the target computes of statements that depended on none upstream."""
        self._timezone = timezone
        self._downstream = downstream
        self._upstream = upstream
        self.running = ""

    def session(self, event: QueryEvent, piece: Ddl) -> StatementSession:
        """What the statement, of which ``piece`` is about one table, ran under upstream."""
        status, upstream = event.status, self._upstream
        session = StatementSession(
            status,
            upstream.flavor,
            event.timestamp,
            words_of(piece.text),
            self._collation(status.connection_collation),
            self._utf8mb4_collation(status.utf8mb4_collation),
            upstream.expressions,
        )
        # Literals of such a connection stand as bytes, and what the target has instead of them may be a text.
        return replace(session, collation="") if session.collation == "binary" and not session.casts else session

    def settings(self, event: QueryEvent, piece: Ddl, before: Table, after: Table) -> str:
        """What the statement's meaning, or the values it gave to rows, depended on (pkg.shardddl.settings)."""
        zone = event.status.time_zone or ""
        if zone and not is_offset(zone) and looks_at_zone(piece, before):
            moves = asks_for_moments(piece, before) and self._upstream.zone_moves(zone)
            zone = zone if moves else self._upstream.zone_offset(zone, event.timestamp)
        return settings_text(dict(depended_on(piece, self.session(event, piece), before, after, zone)))

    def ahead(self, status: QueryStatus) -> Ahead | None:
        """How far a statement's session is ahead of UTC; None where it named no zone, since it needed none."""
        zone = status.time_zone or ""
        if not zone or is_offset(zone):
            return partial(seconds_ahead, zone) if zone else None
        return lambda at: seconds_ahead(self._upstream.zone_offset(zone, int(at)), at)

    def _collation(self, number: int | None) -> str:
        if number is None:
            return ""
        name = self._upstream.collations.get(number) or default_collation(charset_of(number))
        return nearest(name, self._downstream.collations).collation if name != "binary" else name

    def _utf8mb4_collation(self, number: int | None) -> str:
        name = self._upstream.collations.get(number, "") if number is not None else "utf8mb4_general_ci"
        return name if name in _COLLATIONS_OF_UTF8MB4 else ""

    def run(
        self, sql: str, session: StatementSession, situation: Situation, accepted: frozenset[int] = frozenset()
    ) -> None:
        """Run a statement; the errors ``accepted`` say that it was done before.  Raises DMError."""
        self._refuse_unlike(sql, session, situation)
        session, zone = self._within_limits(session, self.zone(session, situation), situation)
        if self._downstream.server.flavor == "tidb":
            sql = with_numbered_moments(sql, situation.piece, partial(seconds_ahead, zone))
        log.info("DDL at %s: %s", situation.place, shortened(sql))
        try:
            self._execute(sql, session, zone, accepted, strict=True)
        except DMError as exc:
            if exc.resumable or session.is_strict or errno_of(exc) in WHATEVER_THE_MODE:
                raise self._refused(sql, situation, exc) from exc
            self._run_loosely(sql, session, zone, situation, accepted, exc)

    def _run_loosely(
        self, sql: str, session: StatementSession, zone: str, situation: Situation, accepted: frozenset[int],
        refused: DMError,
    ) -> None:  # fmt: skip
        server = self._downstream.server
        present = situation.present() if situation.piece.alterations else None
        what = cut_otherwise(situation.piece, present, self._upstream.flavor, server.flavor)
        if what:
            raise CUT_OTHERWISE.error(place=situation.place, sql=shortened(sql), what=what, cause=refused) from refused
        log.warning("DDL at %s cuts values as its sql_mode did upstream: %s", situation.place, refused)
        try:
            self._execute(sql, session, zone, accepted, strict=False)
        except DMError as exc:
            raise self._refused(sql, situation, exc) from exc

    def _execute(
        self, sql: str, session: StatementSession, zone: str, accepted: frozenset[int], *, strict: bool
    ) -> None:
        downstream = self._downstream
        variables = session.variables(downstream.server, zone, checks_keys=downstream.checks_keys, strict=strict)
        self.running = sql
        try:
            downstream.execute_ddl(sql, variables)
        except DMError as exc:
            if errno_of(exc) not in accepted:
                raise
            log.info("DDL was done before (error %s): %s", errno_of(exc), shortened(sql))
        finally:
            self.running = ""

    @staticmethod
    def _refused(sql: str, situation: Situation, exc: DMError) -> DMError:
        if exc.resumable:
            return exc
        number = errno_of(exc)
        kind = COLUMN_OF_FOREIGN_KEY if number in COLUMN_IN_FOREIGN_KEY else DDL_FAILED
        if number in OF_GENERATED and changes_generated(situation.piece, situation.present()):
            kind = GENERATED_THERE
        elif number == UNKNOWN_PARTITION and takes_rows(situation.piece):
            kind = OTHER_PARTITIONS
        elif OF_KEYED_TEXT in str(exc):
            kind = KEYED_TEXT
        reason, table = str(exc.fields.get("text", "")), situation.present()
        target = f"{table.schema}.{table.name}" if table is not None else "the target"
        return kind.error(place=situation.place, sql=shortened(sql), cause=exc, target=target, reason=reason)

    def zone(self, session: StatementSession, situation: Situation) -> str:
        """The target's zone: the offset of the moment, unless the statement looks at others, too.

        Raises UNKNOWN_ZONE.
        """
        zone = session.status.time_zone  # a server names it whenever the statement depended on it
        if not zone:
            return offset_text(seconds_ahead(self._timezone, session.timestamp))
        if is_offset(zone):
            return zone
        upstream = self._upstream
        if not asks_for_moments(situation.piece, situation.present()) or not upstream.zone_moves(zone):
            return upstream.zone_offset(zone, session.timestamp)
        if zone != "SYSTEM" and self._downstream.knows_zone(zone):
            return zone
        raise UNKNOWN_ZONE.error(place=situation.place, zone=zone, sql=shortened(situation.piece.text))

    def _within_limits(
        self, session: StatementSession, zone: str, situation: Situation
    ) -> tuple[StatementSession, str]:
        """The session and zone where the target knows no offset that is so far from UTC."""
        west, east = self._downstream.server.zone_limits
        if not is_offset(zone):
            return session, zone
        seconds = seconds_ahead(zone, session.timestamp)
        known = min(max(seconds, west * 60), east * 60)
        shift = shift_of_moment(situation.piece, situation.present(), seconds - known) if known != seconds else 0
        if shift is None:
            raise UNKNOWN_OFFSET.error(place=situation.place, zone=zone, sql=shortened(situation.piece.text))
        return replace(session, timestamp=session.timestamp + shift), offset_text(known)

    def _refuse_unlike(self, sql: str, session: StatementSession, situation: Situation) -> None:
        """Raise for what the target's session cannot be told, where it changes what the statement means."""
        lacks = next(self._unlike(sql, session, situation), "")
        if lacks:
            raise UNLIKE_SESSION.error(place=situation.place, lacks=lacks, sql=shortened(situation.piece.text))

    def _unlike(self, sql: str, session: StatementSession, situation: Situation) -> Iterator[str]:
        piece = situation.piece
        server, status = self._downstream.server, session.status
        if session.needs_locale and status.locale and not server.may_set("lc_time_names"):
            yield "names of days and months in another language (lc_time_names)"
        if server.flavor != "mariadb":
            yield from (f"sql_mode {mode}" for mode in sorted(session.own_modes))
            if self._upstream.times_have_no_day:
                columns = dated_times(piece, situation.present())
                yield from (f"old_mode {ZERO_DATE_TIME_CAST}, by which {column} gets no day" for column in columns)
        elif "ORACLE" in session.own_modes and any(spec.type.base == "date" for spec in specs_of(piece)):
            yield "sql_mode ORACLE for an expression, without it for a DATE"
        number = status.connection_collation
        charset = charset_of(number) if number is not None else "utf8mb4"
        if session.casts and server.flavor == "tidb" and charset not in {*UTF8, "binary"}:
            yield f"CAST to CHAR in {charset}, the character set of its connection"
        if session.casts and server.flavor != "tidb" and session.collation == "binary" and has_other_characters(sql):
            yield "CAST to CHAR in binary, the character set of its connection, beside texts that are not ASCII"
        if server.flavor == "tidb" and _PADS in session.modes and fills_from_char(piece, situation.present()):
            yield f"sql_mode {_PADS} for an expression that reads a CHAR"
        if charset in UNLIKE_ASCII and server.flavor != session.flavor and calculates(piece):
            yield f"texts that an expression makes in {charset}, the character set of its connection"
