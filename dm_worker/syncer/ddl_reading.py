"""What a query event says: its statement as it took effect upstream, and the settings that its text leaves out.

Servers log a statement that ended with an error for what it had done by then: a native replica runs it and must meet
the same error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from dm_worker.syncer.ddl_session import says_timestamps, text_modes
from dm_worker.syncer.ddl_target import UpstreamSettings
from dm_worker.syncer.passing import AskedUpstream
from pkg.binlog.charset import charset_of
from pkg.binlog.events import QueryEvent
from pkg.binlog.sql_modes import mode_names
from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.taken import Allows, taken_pieces
from pkg.schema import renaming_alter
from pkg.schema.alter import SetOptions
from pkg.schema.charset import Charset, default_collation
from pkg.schema.checks import leaves_check_names
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.dropped_constraints import doubtful_foreign_keys, drops_constraint, left_columns, with_kinds_said
from pkg.schema.effective import may_lack_effect, with_effect
from pkg.schema.errors import shortened
from pkg.schema.held_literals import bytes_of_defaults, in_other_bytes
from pkg.schema.key_names import leaves_names, with_key_names
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.not_replicated import SEQUENCES
from pkg.schema.parent_columns import with_parent_columns
from pkg.schema.references import doubtful_keys, made_by_server, says_foreign_keys, with_made
from pkg.schema.said_engine import NO_SUBSTITUTION, Engines, engine_matters, made_engine, said_engine, with_engine
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName, edited
from pkg.schema.stored_defaults import without_forgotten_defaults
from pkg.schema.table import Table, has_foreign_keys, kind_of
from pkg.schema.tracker import SchemaTracker
from pkg.schema.unsaid_defaults import is_implicit, with_defaults_said, with_explicit_timestamps
from pkg.schema.week_modes import leaves_week_modes, with_week_modes

UNKNOWN_TABLE = 1051
FAILED_UPSTREAM = ErrorKind(
    36122,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream logged a DDL that ended with error {error} there: what it did is not known: {sql}",
    workaround="look at its tables upstream, make the same change downstream, and `dmctl binlog skip <task>`; or "
    "`dmctl binlog replace <task> <sql>` runs what it did",
)
LOST_KEYS = ErrorKind(
    36194,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "MariaDB loses all foreign keys of a table that it copies while it renames it, and {table}, which would show "
    "whether it did, is not there any more, or has other ones now: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with ALTER TABLE … RENAME TO as a statement of its own, and with "
    "DROP FOREIGN KEY where the upstream had lost them",
)
LOST_OR_DROPPED = ErrorKind(
    36297,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} has no foreign key {keys} upstream: a later statement has dropped it, or MariaDB has lost it here, as it "
    "does where it copies a table that it renames (alter_algorithm=COPY of the session, which no binlog has): {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with ALTER TABLE … RENAME TO as a statement of its own, and with "
    "DROP FOREIGN KEY where the upstream had lost it",
)
LEFT_REFERENCES = ErrorKind(
    36316,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the foreign keys {keys} still refer to {old} upstream: MariaDB has copied that table while it renamed it, and "
    "they did not follow, as they would in the target; or they were made later: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with ALTER TABLE … RENAME TO as a statement of its own; then, in "
    "the target, under foreign_key_checks = 0, DROP these foreign keys and ADD them anew for {old}",
)
KEPT_OR_DROPPED = ErrorKind(
    36289,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "MariaDB keeps a foreign key that DROP CONSTRAINT names beside other clauses where it copies the table, and "
    "{table}, which would show whether it did, is not there any more, or is another one: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with the same statement, where the upstream has dropped {keys}, "
    "and without its DROP CONSTRAINT where it has not",
)
OTHER_ENGINE = ErrorKind(
    36303,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the statement makes {table} with foreign keys and ENGINE={said}, and it is a table of {now} upstream, which has "
    "none: a session's enforce_storage_engine, which no binlog has, may have made it so, or a later statement: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with the same statement, with the engine that the table had got "
    "then; where a later statement has changed it, that is the one that it names",
)
_USUAL_ENGINE = "@@GLOBAL.default_storage_engine"
_CREATIONS = CREATIONS | {DdlKind.CREATE_TABLE_SELECT}


def effect_upstream(ddl: Ddl, error_code: int, flavor: str) -> Ddl | None:
    """``ddl`` as what it did, by its event's error (0: none); None where that cannot be said.

    * CREATE OR REPLACE TABLE: the old table is dropped before the new one fails, and only then is it logged.
    * DROP TABLE of several, of which some are unknown (1051): the others are dropped.  MariaDB from 10.6 on logs it
      without the error.
    """
    if not ddl.is_schema_change:
        return ddl
    if ddl.kind is DdlKind.DROP_TABLE and not ddl.if_exists:
        fails_partly = error_code == UNKNOWN_TABLE or (not error_code and flavor == "mariadb" and len(ddl.spans) > 1)
        if fails_partly:
            return ddl.dropped_if_exists()
    if ddl.kind in _CREATIONS and ddl.or_replace and error_code:
        return ddl.dropped_if_exists(1)
    return None if error_code else ddl


class DdlReader:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        upstream: UpstreamSettings,
        tracker: SchemaTracker,
        allows: Allows,
        present: Callable[[TableName], Table | None],
        is_shadow: Callable[[TableName], bool],
        is_other: Callable[[TableName], bool],
        asked: AskedUpstream,
    ) -> None:
        """``present``: the target's table, by the upstream's name; ``is_shadow``: whether a tool's DDL waits there.

        ``is_other``: whether the stream has made a view or sequence of that name; ``asked``: the upstream as it is now.
        """
        self._flavor = upstream.flavor
        self._collations = upstream.collations
        self._folds_names = upstream.folds_names
        self._default_of_charset = upstream.default_of_charset
        self._utf8_is_utf8mb4 = upstream.utf8_is_utf8mb4
        self._tracker = tracker
        self._allows = allows
        self._present = present
        self._is_shadow = is_shadow
        self._is_other = is_other
        self._asked = asked
        self.former: Callable[[Table, Ddl], Table] = lambda today, ddl: today  # see Former.before

    def given(self, sql: str, default_schema: str) -> Ddl:
        """A statement that an operator gave, perhaps about what the target alone has."""
        ddl = parse_ddl(sql, default_schema=default_schema, flavor=self._flavor, folds_names=self._folds_names)
        ddl = self._with_kinds_said(ddl, self._altered(ddl, {}) if drops_constraint(ddl) else None)
        return self._with_kinds_said(ddl, self._present(ddl.subject) if drops_constraint(ddl) else None)

    def read(
        self,
        event: QueryEvent,
        before: Mapping[TableName, Table | None],
        *,
        is_decided: bool = False,
        names_keys: bool = True,
    ) -> Ddl:
        """The statement as it took effect, with its TIMESTAMP columns said in full, and its keys named.

        ``is_decided``: an operator has said what runs instead; what it did to foreign keys is not asked for then.
        Raises LOST_KEYS, LEFT_REFERENCES, KEPT_OR_DROPPED.
        """
        ddl = self._took_effect(self._parsed(event), event.error_code)
        if self._met_view(ddl, event):
            return replace(ddl, kind=DdlKind.NOT_REPLICATED, note="a table that was not created, since a view is there")
        if said_engine(ddl) and not is_decided:
            ddl = self._with_engine_made(ddl, event, before)
        if self._flavor == "mariadb":
            ddl = self._of_other_kind(ddl, before)
        ddl = self._with_bytes(ddl, event, before)
        if says_foreign_keys(ddl):
            ddl = with_parent_columns(ddl, self._flavor, lambda name: self._known(name, before))
        if self._flavor == "mysql":
            ddl = without_forgotten_defaults(ddl)
            if leaves_week_modes(ddl) and not is_decided:
                now = self._asked.table(ddl.subject.schema, ddl.subject.table)
                ddl = with_week_modes(ddl, now, self._asked.value_of("@@GLOBAL.default_week_format", ""))
        if not says_timestamps(event.status, self._flavor) and is_implicit(ddl, self._flavor):
            ddl = with_explicit_timestamps(ddl, self._altered(ddl, before), self._flavor)
        if self._flavor == "mariadb":
            ddl = with_defaults_said(ddl)
        if self._flavor == "mariadb" and may_lack_effect(ddl) and not self._is_shadow(ddl.subject):
            table = self._altered(ddl, before)
            effect = with_effect(ddl, table) if table is not None else ddl
            if effect is None:
                return ddl  # whoever runs it finds the same; its keys get no names that others have
            ddl = effect
        # The keys of a shadow table are named when its DDL runs on the real one.
        if drops_constraint(ddl) and not self._is_shadow(ddl.subject):
            ddl = self._with_kinds_said(ddl, self._altered(ddl, before), is_asked=not is_decided)
        if ddl.alterations and ddl.renames and not is_decided and not self._is_shadow(ddl.subject):
            ddl = self._without_lost(ddl, self._altered(ddl, before))
            if self._flavor == "mariadb" and renaming_alter.renames_beside(ddl):
                self._refuse_left_references(ddl, before)
        leaves_check = self._flavor == "mysql" and ddl.kind is DdlKind.ALTER_TABLE and leaves_check_names(ddl)
        if names_keys and (leaves_names(ddl) or leaves_check) and not self._is_shadow(ddl.subject):
            table = self._altered(ddl, before) if ddl.kind is DdlKind.ALTER_TABLE else None
            table = self.former(table, ddl) if table is not None else None
            ddl = with_key_names(ddl, self.as_upstream(table, ddl) if table is not None else None, self._flavor)
        return ddl

    def _with_engine_made(self, ddl: Ddl, event: QueryEvent, before: Mapping[TableName, Table | None]) -> Ddl:
        """The statement with the engine that the upstream's table got.  Raises OTHER_ENGINE."""
        name, said = ddl.subject, said_engine(ddl)
        table, is_taken = self._tracked(name, before), taken_pieces(ddl, self._allows)
        is_kept = NO_SUBSTITUTION in mode_names(event.status.sql_mode, self._flavor)
        if is_kept or not is_taken or not engine_matters(ddl, table):
            return ddl
        now = self._asked.table(name.schema, name.table)
        columns = {small(one.name) for one in ddl.create.columns} if ddl.create is not None else set()
        there = now if _has_columns(now, columns) else None
        engine = made_engine(ddl, table, there, self._engines(said))
        if engine is None:
            assert now is not None, "else what is said counts"
            raise OTHER_ENGINE.error(table=name.quoted(), said=said, now=now.engine, sql=shortened(ddl.text))
        return ddl if engine.upper() == said else with_engine(ddl, engine, self._flavor)

    def _engines(self, said: str) -> Engines:
        """What the upstream tells of the engine that a statement names."""
        support = f"(SELECT support FROM information_schema.engines WHERE engine = {quote_string(said)})"
        enforced = "@@GLOBAL.enforce_storage_engine" if self._flavor == "mariadb" else "NULL"
        has = self._asked.value_of(support, "") in ("YES", "DEFAULT")
        return Engines(has, self._asked.value_of(enforced, ""), self._asked.value_of(_USUAL_ENGINE, ""))

    def _of_other_kind(self, ddl: Ddl, before: Mapping[TableName, Table | None]) -> Ddl:
        """A statement about a table that makes a sequence or MERGE table as what it does to a table of that name."""
        if ddl.kind is DdlKind.ALTER_TABLE and self._makes_sequence(ddl, before):
            return replace(ddl.dropped_if_exists(1), clauses=(), note=SEQUENCES)
        if ddl.kind not in CREATIONS:
            return ddl
        kind = self._created_kind(ddl, before)
        is_taken = self._allows(ddl.subject.schema, ddl.subject.table)  # MERGE tables that are left out are followed
        if ddl.or_replace and (kind == "sequence" or (kind == "merge" and is_taken)):
            return replace(ddl.dropped_if_exists(1), note=SEQUENCES if kind == "sequence" else "")
        if kind == "sequence":
            return replace(ddl, kind=DdlKind.NOT_REPLICATED, create=None, note=SEQUENCES)
        return ddl

    def _makes_sequence(self, ddl: Ddl, before: Mapping[TableName, Table | None]) -> bool:
        """Whether an ALTER TABLE makes a sequence of what was none."""
        said = [one.options.sequence for one in ddl.alterations if isinstance(one, SetOptions)]
        if True not in said:
            return False
        table = self._tracked(ddl.subject, before)
        return table.kind != "sequence" if table is not None else not self._is_other(ddl.subject)

    def _created_kind(self, ddl: Ddl, before: Mapping[TableName, Table | None]) -> str:
        """See Table.kind."""
        if ddl.create is not None and ddl.kind is DdlKind.CREATE_TABLE:
            return "sequence" if ddl.create.options.sequence else kind_of(ddl.create.options.engine)
        model = ddl.tables[1]
        table = self._tracked(model, before)
        if table is not None:
            return table.kind
        is_sequence = self._is_other(model) or self._asked.kind_of(model.schema, model.table) == "SEQUENCE"
        return "sequence" if is_sequence else "table"

    def _without_lost(self, ddl: Ddl, table: Table | None) -> Ddl:
        """The statement with the foreign keys that the upstream lost since it copied the table.

        Raises LOST_KEYS, LOST_OR_DROPPED.
        """
        if table is None:
            return ddl
        keys = renaming_alter.doubtful_foreign_keys(ddl, table, self._flavor)
        others = renaming_alter.lost_by_sessions(ddl, table, self._flavor)
        if not keys and not others:
            return ddl
        new = ddl.renames[-1][1]
        now = self._asked.table(new.schema, new.table)
        are_lost = renaming_alter.are_lost(keys or others, ddl, now) if now is not None else None
        is_ours = taken_pieces(ddl, self._allows)
        if keys and are_lost is None and is_ours:
            raise LOST_KEYS.error(table=new.quoted(), sql=shortened(ddl.text))
        # What an action did before a later statement dropped its key is in no binlog either.
        unsure = others or [key for key in keys if key.acts and not renaming_alter.copies_by_its_words(ddl)]
        if unsure and now is not None and are_lost is not False and is_ours:
            names = ", ".join(key.name for key in unsure)
            raise LOST_OR_DROPPED.error(table=new.quoted(), keys=names, sql=shortened(ddl.text))
        return renaming_alter.with_lost_dropped(ddl, keys, self._flavor) if keys and are_lost else ddl

    def _refuse_left_references(self, ddl: Ddl, before: Mapping[TableName, Table | None]) -> None:
        """Raise LEFT_REFERENCES where foreign keys of other tables did not follow the table to its new name."""
        old = ddl.subject
        if not taken_pieces(ddl, self._allows):
            return
        found = self._asked.rows(
            "SELECT constraint_schema, table_name, constraint_name FROM information_schema.referential_constraints "
            f"WHERE unique_constraint_schema = {quote_string(old.schema)} "
            f"AND referenced_table_name = {quote_string(old.table)}"
        )
        left = [
            f"{child.quoted()}.{quote_name(name)}"
            for child, name in ((TableName(schema, table), name) for schema, table, name in found)
            if self._refers(self._tracked(child, before), name, old)
        ]
        if left:
            raise LEFT_REFERENCES.error(keys=", ".join(left), old=old.quoted(), sql=shortened(ddl.text))

    @staticmethod
    def _refers(child: Table | None, key: str, parent: TableName) -> bool:
        """Whether a foreign key was there before; it is not known of a table that is not tracked."""
        if child is None:
            return True
        there = (one for one in child.foreign_keys if small(one.name) == small(key))
        return any((one.ref_schema, one.ref_table) == (parent.schema, parent.table) for one in there)

    def as_upstream(self, table: Table, ddl: Ddl) -> Table:
        """The statement's table, with its engine, and keys that the upstream has made and drops by itself as such."""
        names = doubtful_keys(table, ddl) if ddl.alterations else frozenset[str]()
        leaves_engine = says_foreign_keys(ddl) and not table.engine
        now = self._asked.table(table.schema, table.name) if names or leaves_engine else None
        if now is None:
            return table
        if leaves_engine and not has_foreign_keys(now.engine):
            table = replace(table, engine=now.engine, foreign_keys=())
        return with_made(table, made_by_server(table, ddl, names, now))

    def _with_kinds_said(self, ddl: Ddl, table: Table | None, *, is_asked: bool = False) -> Ddl:
        """The statement with what DROP CONSTRAINT has dropped of its table, which is ``table`` before it.

        ``is_asked``: the upstream tells what it kept.  Raises KEPT_OR_DROPPED.
        """
        if table is None:
            return ddl
        doubtful = doubtful_foreign_keys(ddl, table, self._flavor) if is_asked else []
        if not doubtful:
            return with_kinds_said(ddl, table, self._flavor)
        now = self._asked.table(ddl.subject.schema, ddl.subject.table)
        there = {small(key.name): key for key in now.foreign_keys} if now is not None else {}
        is_other = any(there.get(small(key.name), key) != key for key in doubtful)  # made anew, or what it refers to is
        if (is_other or not _has_columns(now, left_columns(ddl, table))) and taken_pieces(ddl, self._allows):
            keys = ", ".join(key.name for key in doubtful)
            raise KEPT_OR_DROPPED.error(table=ddl.subject.quoted(), keys=keys, sql=shortened(ddl.text))
        kept = [key for key in doubtful if small(key.name) in there]
        return with_kinds_said(ddl, table, self._flavor, kept)

    def _with_bytes(self, ddl: Ddl, event: QueryEvent, before: Mapping[TableName, Table | None]) -> Ddl:
        """The statement with defaults of columns of bytes, by what the table says of them, as bytes."""
        connection = _set_of(event.status.connection_collation)
        if not in_other_bytes(ddl, connection) or ddl.kind not in (DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE):
            return ddl
        table = self._altered(ddl, before) if ddl.kind is DdlKind.ALTER_TABLE else None
        database = self._tracker.database(ddl.subject.schema) or self.context(event, ddl).database
        edits = list(bytes_of_defaults(ddl, connection, table, database))
        if not edits:
            return ddl
        return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=self._flavor)

    def _known(self, name: TableName, before: Mapping[TableName, Table | None]) -> Table | None:
        """A table as it is tracked before the statement, else as it is upstream now."""
        return self._tracked(name, before) or self._asked.table(name.schema, name.table)

    def _tracked(self, name: TableName, before: Mapping[TableName, Table | None]) -> Table | None:
        return before.get(name) or self._tracker.table(name.schema, name.table)

    def _altered(self, ddl: Ddl, before: Mapping[TableName, Table | None]) -> Table | None:
        """The table that the statement alters, as it is before it; the target's where it is not tracked."""
        name = ddl.subject
        table = self._tracked(name, before)
        if table is None and ddl.kind is DdlKind.ALTER_TABLE and taken_pieces(ddl, self._allows):
            table = self._present(name)
        return table

    def _parsed(self, event: QueryEvent) -> Ddl:
        return parse_ddl(
            event.sql,
            default_schema=event.schema,
            flavor=self._flavor,
            sql_mode=text_modes(event.status, self._flavor),
            logged_by=self._flavor,
            folds_names=self._folds_names,
            utf8_is_utf8mb4=self._utf8_is_utf8mb4,
            sets=(_set_of(event.status.client_collation), _set_of(event.status.connection_collation)),
        )

    def _took_effect(self, ddl: Ddl, error_code: int) -> Ddl:
        """What the statement did by the error that it ended with upstream.  Raises FAILED_UPSTREAM."""
        effect = effect_upstream(ddl, error_code, self._flavor)
        if effect is not None:
            return effect
        if taken_pieces(ddl, self._allows):
            raise FAILED_UPSTREAM.error(error=error_code, sql=shortened(ddl.text))
        self._tracker.forget((name.schema, name.table) for name in ddl.tables)  # read anew when they are needed
        return replace(ddl, kind=DdlKind.NOT_REPLICATED, note=f"a statement that ended with error {error_code}")

    def _met_view(self, ddl: Ddl, event: QueryEvent) -> bool:
        """Whether a CREATE TABLE IF NOT EXISTS did nothing upstream, since a view has the name.

        MariaDB logs none that did nothing; MySQL does, without the number of a transaction in its dictionary.  (Nor has
        the table of an engine without transactions such a number, and so the view is looked for.)
        """
        if self._flavor != "mysql" or ddl.kind not in CREATIONS or not ddl.if_exists or event.status.has_xid:
            return False
        name = ddl.subject
        if self._tracker.table(name.schema, name.table) is not None or not self._allows(name.schema, name.table):
            return False
        return self._is_other(name) or self._asked.kind_of(name.schema, name.table) == "VIEW"

    def context(self, event: QueryEvent, ddl: Ddl) -> DdlContext:
        status = event.status
        return DdlContext(
            flavor=self._flavor,
            server=self._charset_by_number(status.server_collation) or DdlContext().server,
            database=self._charset_by_number(status.database_collation),
            default_collations={"utf8mb4": "utf8mb4_0900_ai_ci"} if status.utf8mb4_collation == 255 else {},
            sql_mode=text_modes(event.status, self._flavor),
            empty_is_null="EMPTY_STRING_IS_NULL" in mode_names(status.sql_mode, self._flavor),
            explicit_defaults_for_timestamp=says_timestamps(event.status, self._flavor),
            connection=_set_of(status.connection_collation),
            default_of_charset=self._default_of_charset,
            zone=status.time_zone or "",
            engine=self._engine(ddl),
        )

    def _engine(self, ddl: Ddl) -> str:
        """The engine without foreign keys that a session's default_storage_engine, which no event says, may have set.

        It is that of the table as it is now, unless that is another one; else what new tables of the upstream get.
        """
        if ddl.create is None or ddl.create.options.engine or not says_foreign_keys(ddl):
            return ""
        now = self._asked.table(ddl.subject.schema, ddl.subject.table)
        is_it = _has_columns(now, {small(one.name) for one in ddl.create.columns})
        if now is not None and is_it:
            engine = now.engine
        else:
            engines = self._engines("")
            engine = engines.enforced or engines.usual
        return "" if has_foreign_keys(engine.upper()) else engine.upper()

    def _charset_by_number(self, number: int | None) -> Charset | None:
        if number is None:
            return None
        name = charset_of(number)
        return Charset(name, self._collations.get(number) or default_collation(name))


def _set_of(collation: int | None) -> str:
    """The character set of a connection's collation, which the event may leave out."""
    return "utf8mb4" if collation is None else charset_of(collation)


def _has_columns(now: Table | None, names: Iterable[str]) -> bool:
    """Whether the table that is there today may be the one with columns of these names."""
    return now is not None and all(now.column(name) is not None for name in names)
