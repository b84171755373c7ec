"""Online DDL in the stream: DDL of shadow tables is kept until they take their tables' places.  No I/O.

1. A tool creates its shadow table: an empty record begins.
2. Each DDL on the shadow joins the record; nothing runs downstream, and the rows of shadow and trash
   tables are passed over by the block-allow-list.
3. A RENAME lets the shadow take the real table's place: the recorded DDLs run as if they had come here on
   the real table, and the record ends.  The real table's own RENAME to trash is not followed.

What a record gains or loses is stored in the transaction that stores the checkpoint behind its statement,
so a crash on any line comes back to a record as it was at the checkpoint.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from dm_worker.syncer.online_rows import Record, RecordStatements, Statement
from dm_worker.syncer.shadow_counts import ShadowCounts
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.table_layout import TableMap
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.online_ddl import (
    DROPPED_BEFORE,
    GHOST_RENAMED,
    MOVED_AWAY,
    TRASH_BACK,
    UNRECORDED,
    Exchange,
    OnlineTables,
    Renaming,
    TableRole,
    read_renames,
)
from pkg.schema.checks_there import with_names_of_real
from pkg.schema.letter_case import small
from pkg.schema.shadow_tables import Looks, foreign_names, with_foreign_names
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

_BEGINNINGS = CREATIONS | {DdlKind.CREATE_TABLE_SELECT}
_RECORDED = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX})
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parted:
    """A statement that names tables of online DDL."""

    plain: tuple[Ddl, ...]  # its pieces that are about other tables
    exchanges: tuple[Exchange, ...]  # of migrated tables


class OnlineDdl:
    """The records of one source, by shadow table.  Owned by the thread that reads the stream."""

    def __init__(
        self,
        tables: OnlineTables,
        allow_list: BlockAllowList,
        records: dict[TableName, Record],
        statements: RecordStatements,
        place: Position | None = None,
        tracker: SchemaTracker | None = None,
        flavor: str = "",
    ) -> None:
        """``place``: where the stream goes on, with the structures of ``tracker``; without, no rows are counted yet.

        ``flavor``: the upstream's.
        """
        self._tables = tables
        self._allow_list = allow_list
        self._records = dict(records)
        self._saved = dict(records)
        self._statements = statements
        self._tracker = tracker
        self._flavor = flavor
        self.rows = ShadowCounts()
        for name, record in records.items():
            if place is not None and tracker is not None and record.rows is not None:
                looks = Looks.at(tracker.table(name.schema, name.table), self._before(name, tracker))
                self.rows.go_on(name, place, record.rows, looks)

    def plan(self, table_map: TableMap, tracker: SchemaTracker) -> RowPlan | None:
        """How rows of a shadow table are read, to be counted; None where they are not."""
        name = TableName(table_map.schema, table_map.table)
        if name not in self._records:
            return None
        return self.rows.plan(table_map, tracker.table(name.schema, name.table), self._before(name, tracker))

    def counted(self, location: Position) -> list[Statement]:
        """What stores the rows of shadow tables with a checkpoint at ``location``."""
        return [self._put(name, record, location) for name, record in self._records.items() if self.rows.of(name)]

    def _put(self, name: TableName, record: Record, location: Position | None) -> Statement:
        rows = None if location is None else self.rows.document(name, location)
        return self._statements.put(name, self._tables.classify(name)[1], replace(record, rows=rows))

    def parted(self, ddl: Ddl, place: str) -> Parted | None:
        """What of a statement is about online DDL, None when nothing is; raises DMError for what is not followed."""
        self._check_drop(ddl, place)
        if not any(self._is_ghost(name) for name in _subjects(ddl)):
            return None
        exchanges = []
        renaming = self._renaming(ddl, place)
        self._check_back(renaming, place)
        self._check_away(renaming, place)
        for exchange in renaming.exchanges:
            if not self._allow_list.allows(exchange.real.schema, exchange.real.table):
                continue
            if exchange.shadow not in self._records:
                raise UNRECORDED.error(old=exchange.shadow.quoted(), new=exchange.real.quoted(), place=place)
            exchanges.append(exchange)
        plain = tuple(piece for piece in ddl.pieces() if not any(self._is_ghost(name) for name in _subjects(piece)))
        return Parted(plain, tuple(exchanges))

    def is_shadow(self, name: TableName) -> bool:
        """Whether what happens to the table is recorded, to run on the real one later."""
        return name in self._records

    def has_other_checks(self, shadow: TableName) -> bool:
        """Whether the table's CHECKs got names of their own, as MySQL's LIKE gives them."""
        return self._flavor == "mysql" and self._records[shadow].is_like

    def trash_of(self, exchange: Exchange) -> TableName | None:
        """What the real table has become before its shadow takes its place."""
        moved = self._records[exchange.shadow].moved_to
        return TableName(exchange.real.schema, moved) if moved else None

    def exchange(
        self,
        exchange: Exchange,
        tracker: SchemaTracker,
        read: Callable[[QueryEvent], Ddl],
        run: Callable[[QueryEvent], None],
        begun: Callable[[TableName], Table | None] | None = None,
        check: Callable[[Exchange, str, Sequence[QueryEvent], Table | None], None] | None = None,
    ) -> Table | None:
        """Let ``run`` do the shadow's DDL as if it came here on the real table; that one's structure by it.

        ``check`` raises, before anything runs, where that does not give the rows the shadow's values; it is told where
        the shadow was made, the DDL, and the real table's structure before it.
        ``begun``, where an earlier run may have done some of it already: the target's table, by the real one.
        The tracker is left with the real table as it was: the statement itself brings the new one.
        """
        real = exchange.real
        old, before = tracker.table(real.schema, real.table), self._before(exchange.shadow, tracker, real)
        if before is not None:
            tracker.load(before)
        events = self._as_real(exchange, before, read)
        ddls = [read(event) for event in events]
        present = begun(real) if begun is not None and len(ddls) > 1 else None
        done = 0 if before is None or present is None else _done(ddls, before, present)
        for ddl in ddls[:done]:
            log.info("was done before: %s", ddl.text[:400])
            tracker.apply(ddl)
        if check is not None and not done:
            check(exchange, self._records[exchange.shadow].begun, events, before)
        for event in events[done:]:
            run(event)
        altered = tracker.table(real.schema, real.table)
        tracker.forget([(real.schema, real.table)])
        if old is not None:
            tracker.load(old)
        return altered

    def _as_real(self, exchange: Exchange, before: Table | None, read: Callable[[QueryEvent], Ddl]) -> list[QueryEvent]:
        """The shadow's DDL as of the real table, which is ``before`` it."""
        record, found = self._records[exchange.shadow], list[QueryEvent]()
        names = foreign_names(record.created, before) if record.created is not None and before is not None else {}
        for event in record.events:
            ddl, names = with_foreign_names(read(event), names, self._flavor)
            ddl = with_names_of_real(ddl, exchange.real.table) if self._flavor == "mysql" else ddl
            text = ddl.rename(lambda name: exchange.real if name == exchange.shadow else name)
            found.append(event.written_anew(text))
        return found

    def _before(self, shadow: TableName, tracker: SchemaTracker, real: TableName | None = None) -> Table | None:
        """The real table's structure, also where it is in the trash already, or gone."""
        record, real = self._records[shadow], real or self._tables.classify(shadow)[1]
        known = tracker.table(real.schema, real.table)
        if known is None and record.moved_to:
            known = tracker.table(real.schema, record.moved_to)
        known = known or record.before
        return None if known is None else replace(known, schema=real.schema, name=real.table)

    def keep_structures(self, ddl: Ddl, tracker: SchemaTracker) -> None:
        """Keep the structures of real tables that a statement takes away while their shadows wait.

        ``tracker`` has not followed the statement yet.
        """
        dropped = ddl.tables if ddl.kind is DdlKind.DROP_TABLE else ()
        for name in (*dropped, *(old for old, _ in ddl.renames)):
            for shadow, record in list(self._records.items()):
                is_trash = name == TableName(shadow.schema, record.moved_to)
                is_real = self._role(name) is TableRole.REAL and self._tables.belongs(shadow, name)
                if is_real or is_trash:
                    self._records[shadow] = replace(record, before=tracker.table(name.schema, name.table))

    def follow(self, ddl: Ddl, event: QueryEvent, place: str, *, is_skipped: bool = False) -> None:
        """The statement is behind us; a skipped ALTER of a shadow table is not kept."""
        subject = ddl.subject
        if ddl.kind is DdlKind.DROP_DATABASE or (ddl.kind is DdlKind.CREATE_DATABASE and ddl.or_replace):
            self._forget(name for name in list(self._records) if name.schema == subject.schema)
        elif ddl.kind is DdlKind.DROP_TABLE:
            self._forget(ddl.tables)
        elif ddl.kind is DdlKind.RENAME_TABLE or ddl.renames:
            self._follow_renames(ddl, place, is_skipped=is_skipped)
        elif self._role(subject) is TableRole.SHADOW and self._allow_list.allows(subject.schema):
            if ddl.kind in _BEGINNINGS and not (ddl.if_exists and subject in self._records):
                made = self._tracker.table(subject.schema, subject.table) if self._tracker is not None else None
                created = made if made is not None and made.foreign_keys else None
                self._records[subject] = Record(
                    begun=place, created=created, is_like=ddl.kind is DdlKind.CREATE_TABLE_LIKE
                )
                self.rows.begin(subject, Position.parse(place))
                log.info("%s is taken for a shadow table at %s: its rows are left out", subject.quoted(), place)
            elif ddl.kind in _RECORDED and not is_skipped and subject in self._records:
                self._record(subject, event, place)
            elif ddl.kind is DdlKind.TRUNCATE_TABLE and subject in self._records:
                self.rows.begin(subject, Position.parse(place))

    def takes_given(self, ddl: Ddl, event: QueryEvent, place: str) -> bool:
        """Whether a statement that an operator gave is kept as one on a shadow table."""
        if ddl.kind not in _RECORDED or ddl.renames or ddl.subject not in self._records:
            return False
        self._record(ddl.subject, event.written_anew(ddl.text), place)
        return True

    def take_changes(self, location: Position | None = None) -> list[Statement]:
        """Statements that store what changed since the last call, with a checkpoint at ``location``."""
        statements = [self._statements.delete(name) for name in self._saved.keys() - self._records.keys()]
        for name, record in self._records.items():
            if self._saved.get(name) != record or self.rows.of(name):
                statements.append(self._put(name, record, location))
        self._saved = dict(self._records)
        return statements

    def _record(self, shadow: TableName, event: QueryEvent, place: str) -> None:
        record = self._records[shadow]
        self._records[shadow] = replace(record, events=(*record.events, event))
        log.info("kept until %s takes its table's place: DDL at %s: %s", shadow.quoted(), place, event.sql[:400])

    def _follow_renames(self, ddl: Ddl, place: str, *, is_skipped: bool) -> None:
        self._forget(old for old, _ in ddl.renames)
        if is_skipped:
            return
        renaming = self._renaming(ddl, place)
        for shadow, record in list(self._records.items()):
            for real, trash in renaming.moved_away.items():
                if self._tables.belongs(shadow, real):
                    self._records[shadow] = replace(record, moved_to=trash.table)
            if record.moved_to in {back.table for back in renaming.moved_back.values()}:
                self._records[shadow] = replace(record, moved_to="")

    def _renaming(self, ddl: Ddl, place: str) -> Renaming:
        renaming = read_renames(self._tables, [pair for pair in ddl.renames if self._concerns(pair)], place)
        if len(ddl.alterations) > 1 and renaming.exchanges:
            exchange = renaming.exchanges[0]
            raise GHOST_RENAMED.error(old=exchange.shadow.quoted(), new=exchange.real.quoted(), place=place)
        return renaming

    def _concerns(self, names: Iterable[TableName]) -> bool:
        """Whether a renaming is about a table that is migrated."""
        reals = [self._tables.classify(name)[1] for name in names]
        return any(self._allow_list.allows(real.schema, real.table) for real in reals)

    def _check_away(self, renaming: Renaming, place: str) -> None:
        """A table goes to the trash: a shadow table takes its place, or it is no tool's doing."""
        for real, trash in renaming.moved_away.items():
            is_followed = any(self._tables.belongs(shadow, real) for shadow in self._records)
            if self._allow_list.allows(real.schema, real.table) and not is_followed:
                raise MOVED_AWAY.error(real=real.quoted(), trash=trash.quoted(), place=place)

    def _check_back(self, renaming: Renaming, place: str) -> None:
        """A table comes back from trash: the target has its rows where it is on its way in an exchange, else not."""
        for real, trash in renaming.moved_back.items():
            under_way = {record.moved_to for one, record in self._records.items() if one.schema == trash.schema}
            if self._allow_list.allows(real.schema, real.table) and trash.table not in under_way:
                raise TRASH_BACK.error(old=trash.quoted(), new=real.quoted(), place=place)

    def _check_drop(self, ddl: Ddl, place: str) -> None:
        """A real table may be dropped to make room for its shadow: that must not cost the target its rows."""
        dropped = ddl.tables if ddl.kind is DdlKind.DROP_TABLE else ()
        for shadow in self._records.keys() - set(dropped):
            for real in dropped:
                if self._allow_list.allows(real.schema, real.table) and self._tables.belongs(shadow, real):
                    raise DROPPED_BEFORE.error(real=real.quoted(), shadow=shadow.quoted(), place=place)

    def _forget(self, shadows: Iterable[TableName]) -> None:
        for shadow in shadows:
            self._records.pop(shadow, None)
            self.rows.forget(shadow)

    def _role(self, name: TableName) -> TableRole:
        return self._tables.classify(name)[0]

    def _is_ghost(self, name: TableName) -> bool:
        return self._role(name) is not TableRole.REAL


def _subjects(ddl: Ddl) -> tuple[TableName, ...]:
    """The tables that a statement changes, without those that it only refers to."""
    if ddl.kind in (DdlKind.DROP_TABLE, DdlKind.RENAME_TABLE):
        return ddl.tables
    if not ddl.tables:
        return ()
    return (ddl.subject, *(new for _, new in ddl.renames))


def _done(ddls: Sequence[Ddl], before: Table, present: Table) -> int:
    """How many of the first DDLs need not be repeated on the table ``present``, which has some of them.

    The columns tell after which of them the earlier run ended; that one is repeated, as any DDL would be.
    """
    tracker = SchemaTracker()
    tracker.load(before)
    steps = [_names(before)]
    for ddl in ddls:
        tracker.apply(ddl)
        steps.append(_names(tracker.table(before.schema, before.name) or before))
    shown = _names(present) & frozenset().union(*steps)
    return max(0, steps.index(shown) - 1) if shown in steps else 0


def _names(table: Table) -> frozenset[str]:
    return frozenset(small(column.name) for column in table.columns)


def settled(altered: Iterable[Table | None], tracker: SchemaTracker) -> dict[tuple[str, str], Table | None]:
    """Tables behind their exchange: the shadow's structure counts, or what its DDL gave where it was never known."""
    changes: dict[tuple[str, str], Table | None] = {}
    for table in altered:
        if table is None:
            continue
        shadow = tracker.table(table.schema, table.name)
        if shadow is None:
            tracker.load(table)
            changes[table.schema, table.name] = table
        elif _rows_of(shadow) != _rows_of(table):
            log.warning("%s.%s has other columns than its DDL gave it: %s", table.schema, table.name, _rows_of(shadow))
    return changes


def _rows_of(table: Table) -> list[tuple[str, str]]:
    """What rows of a table look like."""
    return [(small(column.name), str(column.type)) for column in table.columns]
