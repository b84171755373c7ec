"""The target of a sync unit: the connections that write to it, and what is asked of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dm_worker.syncer.ddl_session import VARIABLES
from dm_worker.syncer.target_connections import TargetConnections, answers
from pkg.adapters.mysql.computing import computing_session
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import REFUSING, Server, folds_names
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.structures import (
    Cascade,
    cascades_of,
    has_row,
    kind_of,
    references_of,
    shown_bytes,
    shown_create,
    structure_of,
    triggers_of,
)
from pkg.errors import DMError
from pkg.rows.foreign_keys import Name, asks_for_key_checks
from pkg.schema.charset import Charset
from pkg.schema.indexes import named_after
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.references import says_foreign_keys
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table, has_foreign_keys
from pkg.schema.translate import TranslatedDdl, translate_ddl
from pkg.schema.translate_alter import changes_charset
from pkg.schema.unfit_tables import Trigger
from pkg.task.subtask import SubtaskConfig

_NOT_THERE = frozenset({1049, 1146})
# Few accounts may set them, and no value depends on them.
_UNCERTAIN = frozenset({*REFUSING.values(), "default_table_encryption", "sql_generate_invisible_primary_key"})
log = logging.getLogger(__name__)


class Downstream:
    """The target: connections to write with, and the structures of its tables."""

    def __init__(self, config: SubtaskConfig) -> None:
        self._config = config
        self._options = ConnectionOptions.from_config(config.target, side="downstream")
        self._connections = TargetConnections(self._options)
        self.checks_keys = asks_for_key_checks(self._options.session)  # whether this run has it check foreign keys
        self._connection: Connection | None = None
        self._values: dict[str, str] = {}  # of that connection's session
        self._computing: dict[str, str] = {}  # the upstream's variables that generated columns depend on
        self.packet_bytes = 0  # that statements of one packet have together …
        self.largest_bytes = 0  # … and that the server takes
        self._register: Callable[[Connection, bool], None] | None = None

    def register_by(self, register: Callable[[Connection, bool], None]) -> None:
        """From now on the target is written to: by this connection, and by each that is made later.

        ``register`` is told of each before it is used, and whether it writes rows only.
        """
        register(self.own(), False)
        self._register = register

    def open(self, computing: Mapping[str, str]) -> None:
        """Log in and learn what the server takes; ``computing``: see Upstream.computing_values.  Raises DMError."""
        connection = connect(self._options, side="downstream")
        self.server = Server.probe(connection)
        self._computing = computing_session(self.server, connection, computing)
        self.collations = self.server.known_collations(connection)
        self.folds_names = folds_names(connection)
        with connection.cursor() as cursor:
            cursor.execute("SELECT @@max_allowed_packet")
            row = cursor.fetchone()
        assert row is not None
        self.largest_bytes = int(row[0])
        self.packet_bytes = min(self.largest_bytes // 2, 8 << 20)
        connection.close()
        self._connection = self._connect_own()

    def _connect_own(self) -> Connection:
        # What a DDL has begun is never killed: an index that is built for hours goes on, and is found and waited for.
        connection = self._connections.connect(client_flag=0, session=self._session(), may_kill=False)
        with connection.cursor() as cursor:
            cursor.execute("SHOW SESSION VARIABLES WHERE variable_name IN %s", (VARIABLES,))
            self._values = {str(name).lower(): str(value) for name, value in cursor.fetchall()}
        return self._registered(connection, of_rows=False)

    def connect(self, client_flag: int = 0) -> Connection:
        """A connection with the session that exact writing needs; the task's own variables come on top."""
        made = self._connections.connect(client_flag=client_flag, session=self._session(), may_kill=True)
        return self._registered(made, of_rows=True)

    def _registered(self, connection: Connection, *, of_rows: bool) -> Connection:
        try:
            if self._register is not None:
                self._register(connection, of_rows)
        except BaseException:
            connection._force_close()
            raise
        return connection

    def ping(self) -> None:
        """Raise when the target does not answer, also to a new connection.  For the thread that reads the stream."""
        connection = self.own()
        if not answers(connection):
            connection._force_close()
            self._connection = self._connect_own()

    def cut(self) -> None:
        """End whatever waits for the target; nothing can connect any more.  For any thread."""
        self._connections.cut()

    def _session(self) -> dict[str, str]:
        return self.server.downstream_session({**self._computing, **self._options.session})

    def references(self) -> list[tuple[Name, Name]]:
        """The foreign keys of all tables as (child, parent)."""
        return references_of(self.own())

    @property
    def loses_cascades(self) -> bool:
        """Whether it cascades above the engine, as MySQL does from 9.6 on: not all that it should."""
        return self.server.logs_cascades(self.own())

    @property
    def makes_idle_keys(self) -> bool:
        """Whether its new foreign keys neither check nor cascade."""
        return self.server.makes_idle_keys(self.own())

    def cascades(self) -> list[Cascade]:
        """The foreign keys that cascade."""
        return cascades_of(self.own(), self.server.flavor)

    def execute_ddl(self, sql: str, variables: Mapping[str, str]) -> None:
        """Run a statement in a session with these variables, of which those that the target lacks are left out."""
        connection = self.own()
        changed = self._changed(variables)
        tried = self._try_variables(connection, {name: changed.pop(name) for name in _UNCERTAIN & changed.keys()})
        try:
            set_session(connection, changed)
            with connection.cursor() as cursor:
                cursor.execute(sql)
        finally:
            self._restore(connection, changed.keys() | tried)

    def _changed(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Those of the target's variables that have another value: some may be set by few accounts."""
        known = self._values
        return {
            name: value
            for name, value in variables.items()
            if name in known and self.server.may_set(name) and not _same_value(known[name], value)
        }

    @staticmethod
    def _try_variables(connection: Connection, variables: Mapping[str, str]) -> set[str]:
        """Which of them could be set: the account may not set the others, back neither."""
        found = set()
        for name, value in variables.items():
            try:
                set_session(connection, {name: value})
                found.add(name)
            except DMError as exc:
                if exc.resumable:
                    raise
                log.warning("a DDL runs without %s = %s: %s", name, value, exc)
        return found

    def _restore(self, connection: Connection, names: Iterable[str]) -> None:
        """End what a statement's session began; a connection that cannot do it is lost, which the next one meets."""
        usual = {name: self._values[name] for name in sorted(names) if name in self._values}
        own_text = {name: usual.pop(name) for name in ("collation_connection",) if name in usual}
        try:
            set_session(connection, own_text)  # first: servers misread words such as 'OFF' in UCS-2
            set_session(connection, usual | {"timestamp": "DEFAULT"})
        except DMError as exc:
            log.warning("the session of a DDL did not end: %s", exc)
            connection._force_close()

    def knows_zone(self, zone: str) -> bool:
        """Whether the target can set a named time zone."""
        with self.own().cursor() as cursor:
            cursor.execute("SELECT CONVERT_TZ('2020-01-01 00:00:00', '+00:00', %s) IS NOT NULL", (zone,))
            row = cursor.fetchone()
        return bool(row and row[0])

    def table(self, schema: str, table: str) -> Table | None:
        return structure_of(self.own(), schema, table)

    def kind_of(self, schema: str, table: str) -> str:
        return kind_of(self.own(), schema, table)

    def triggers(self, schema: str, table: str) -> list[Trigger]:
        return triggers_of(self.own(), self.server.flavor, schema, table)

    def missing_database(self, name: str) -> str:
        """The statement that creates a database which is not there; "" when it is."""
        with self.own().cursor() as cursor:
            cursor.execute("SELECT 1 FROM information_schema.schemata WHERE schema_name = %s", (name,))
            return "" if cursor.fetchone() else f"CREATE DATABASE IF NOT EXISTS {quote_name(name)}"

    def rows(self, sql: str, values: Sequence[Any] | None = None) -> list[Sequence[Any]]:
        """What a query gives; ``values`` stand for its `%s`."""
        with self.own().cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall())

    def is_bare(self, schema: str) -> bool:
        """Whether a database has no tables."""
        with self.own().cursor() as cursor:
            cursor.execute("SELECT 1 FROM information_schema.tables WHERE table_schema = %s LIMIT 1", (schema,))
            return cursor.fetchone() is None

    def is_empty(self, name: TableName) -> bool:
        return not self.has_row(name)

    def has_row(self, name: TableName, where: str = "") -> bool:
        """Whether the table has a row, of those that a condition names."""
        return has_row(self.own(), name.schema, name.table, where)

    def count(self, name: TableName) -> int:
        """How many rows the table has."""
        return int(self.rows(f"SELECT COUNT(*) FROM {name.quoted()}")[0][0])

    def shown_table(self, name: TableName) -> str:
        """The text of SHOW CREATE TABLE; "" when there is no such table."""
        if not self.kind_of(name.schema, name.table):
            return ""
        return shown_create(self.own(), f"TABLE {name.quoted()}")

    def shown_as_is(self, what: str) -> str:
        """What SHOW CREATE prints of a table or database, to be compared with itself; "" when there is none."""
        try:
            return shown_bytes(self.own(), what).decode("latin1")
        except DMError as exc:
            if errno_of(exc) not in _NOT_THERE:
                raise
            return ""

    @property
    def prints_by(self) -> str:
        """What decides how the server prints a structure: where it is another, texts cannot be compared."""
        return f"{self.server.version_text} {self._values.get('sql_mode', '')}"

    def column_comment(self, name: TableName, column: str) -> str:
        with self.own().cursor() as cursor:
            cursor.execute(
                "SELECT column_comment FROM information_schema.columns "
                "WHERE table_schema = %s AND table_name = %s AND column_name = %s",
                (name.schema, name.table, column),
            )
            row = cursor.fetchone()
        return str(row[0]) if row is not None else ""

    def columns_set_by_updates(self, name: TableName) -> list[str]:
        """Columns with ON UPDATE CURRENT_TIMESTAMP."""
        with self.own().cursor() as cursor:
            cursor.execute(
                "SELECT column_name FROM information_schema.columns "
                "WHERE table_schema = %s AND table_name = %s AND extra LIKE '%%on update%%'",
                (name.schema, name.table),
            )
            return [str(row[0]) for row in cursor.fetchall()]

    @property
    def has_foreign_names_by_database(self) -> bool:
        """Whether two tables of a database cannot have foreign keys of one name."""
        return self.server.flavor != "tidb"

    def translated(self, ddl: Ddl, structure: Table | None, database: Charset, target: TableName) -> TranslatedDdl:
        """What this server makes of an upstream's statement; `structure` is the table after it."""
        if structure is not None and self.has_foreign_names_by_database:
            keys = named_after(structure.foreign_keys, structure.name, target.table)
            structure = replace(structure, foreign_keys=keys)
        asks = self.server.flavor == "tidb" and changes_charset(ddl)
        present = self.table(target.schema, target.table) if asks else None
        forgets = structure is not None and says_foreign_keys(ddl) and not has_foreign_keys(structure.engine)
        there = self.table(target.schema, target.table) if forgets and ddl.alterations else None
        return translate_ddl(
            ddl,
            structure,
            flavor=self.server.flavor,
            collations=self.collations,
            database=database,
            present=present,
            keys_there=[small(index.name) for index in there.indexes] if there is not None else (),
        )

    def own(self) -> Connection:
        """The connection of the thread that reads the stream: structures and DDL."""
        assert self._connection is not None, "open() comes first"
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection._force_close()
            self._connection = None


def _same_value(shown: str, wanted: str) -> bool:
    """Whether a variable's value, as SHOW has it, is the wanted one."""
    return {"ON": "1", "OFF": "0"}.get(shown, shown).lower() == wanted.lower()
