"""What tables of the target get when their rows are there: secondary indexes, then foreign keys.

1. Before a table is created, what is left out of it is noted in the meta tables (``Postponed``).
2. When all rows are there, each table gets its indexes by one ALTER TABLE, then each foreign key is checked
   by a query for rows without a parent, and added (``LaterObjects``).

Every step first looks at what is there: a crash, or a statement that the server finished after its client had
died, costs nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from dm_worker.loader.later_keys import RoutedTable, TargetKeys, free_name, same_key, target_keys
from dm_worker.loader.later_meta import LaterMeta, LaterOfTable
from dm_worker.loader.stoppable import CUT_SHORT, Stoppable
from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, run_allowed
from pkg.adapters.mysql.dialect import LENIENT_SQL_MODE, STRICT_SQL_MODE, Server
from pkg.adapters.mysql.errors import VALUE_REFUSED, errno_of
from pkg.adapters.owned_connections import OwnedConnections
from pkg.adapters.structures import structure_of
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import TableColumnRules
from pkg.rules.router import Target
from pkg.schema.later import add_indexes, cut_create, foreign_key_clause, orphans
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.references import needless_keys
from pkg.schema.table import ForeignKey, Table
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

CREATING_INDEXES: Final = "creating indexes"
CREATING_KEYS: Final = "creating foreign keys"

ORPHANS = ErrorKind(
    34121,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target table {table} has rows without a parent in {parent}, so the foreign key {key} ({columns}) cannot be "
    "added: {rows}",
    workaround="these rows are upstream, too, written while foreign_key_checks was 0: put them right on both ends, "
    "then resume-task; or add the key downstream as it is: SET foreign_key_checks=0; ALTER TABLE {name} ADD {clause}; "
    "then resume-task",
)
INDEX_REFUSED = ErrorKind(
    34122,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses the indexes of {table} that were left out while its rows came in: {text}",
    workaround="add them downstream in a form that it takes, under their names, then resume-task; the statement was: "
    "{sql}",
)

_SHOWN: Final = 3
# What a server says of a key that it does not take as it is written; nothing about rows or the moment.
_UNFIT_KEYS: Final = frozenset({1005, 1215, 1235, 1239, 1506, 1822, 1823, 1824, 3104, 3733, 3780, 6125, 8200})


def postponed(meta: LaterMeta, tables: Iterable[tuple[Table, Target, TableColumnRules]], *, indexes: bool) -> Postponed:
    """For all tables of a source."""
    routed = [
        RoutedTable(table, target, frozenset(small(one.target) for one in rules.mapped))
        for table, target, rules in tables
    ]
    return Postponed(meta, target_keys(routed), indexes=indexes)


class Postponed:
    """What of the tables to be created comes later."""

    def __init__(self, meta: LaterMeta, keys: TargetKeys, *, indexes: bool) -> None:
        self._meta = meta
        self._keys = keys
        self._indexes = indexes

    def cut(self, sql: str, structure: Table, target: Target) -> str:
        """The CREATE TABLE to be carried out now; the rest is noted."""
        if not structure.foreign_keys and not (self._indexes and structure.indexes):
            return sql
        cut = cut_create(sql, indexes=self._indexes)
        for note in self._keys.notes.get(target, ()):
            log.warning("%s", note)
        keys = self._keys.keys.get(target, ())
        if keys or cut.indexes:
            self._meta.note(LaterOfTable(target, cut.indexes, keys))
        return cut.sql

    def forget(self, target: Target) -> None:
        """Somebody else has made the table, whole or as he wants it."""
        self._meta.forget(target)


class LaterObjects:
    """Makes what was postponed, for one run of one subtask; ``tell`` hears the phases."""

    def __init__(
        self, options: ConnectionOptions, target: Server, meta: MetaTables, run: tuple[str, int],
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        """``run`` is the source and the epoch."""
        owned = OwnedConnections(meta, run[0], target.flavor)
        self._register = partial(owned.register, epoch=run[1])
        self._options = replace(options, read_timeout=None)  # an index takes as long as it takes
        self._target = target
        self._meta_tables = meta
        self._run = run
        self._tell = tell

    def create(self, stop: StopSignal, *, is_consistent: bool) -> None:
        """All of it, or what a stop leaves time for; ``is_consistent``: rows of all tables are of one moment."""
        try:
            self._create(stop, is_consistent)
        except DMError as exc:
            if not exc.is_a(CUT_SHORT):
                raise

    def _connect(self) -> Connection:
        session = self._target.downstream_session(self._options.session) | {"foreign_key_checks": "0"}
        return connect(self._options, side="downstream", session=session)

    def _create(self, stop: StopSignal, is_consistent: bool) -> None:
        with Stoppable(self._connect, stop, self._register) as link:
            meta = LaterMeta(link.connection, self._meta_tables, *self._run)
            tables = meta.all()
            if not tables:
                return
            feeders = meta.other_feeders({one.target for one in tables} | _parents(tables))
            self._create_indexes(link, [one for one in tables if one.indexes])
            keyed = [one for one in tables if one.keys]
            if keyed and not stop.is_set():
                self._tell(CREATING_KEYS)
                is_tidb = self._target.flavor == "tidb"
                creation = _KeyCreation(link, feeders, is_consistent=is_consistent, one_by_one=is_tidb)
                for one in keyed:
                    if not stop.is_set():
                        creation.create(one)

    def _create_indexes(self, link: Stoppable, tables: Sequence[LaterOfTable]) -> None:
        if tables:
            self._tell(CREATING_INDEXES)
        for one in tables:
            if link.is_stopped:
                return
            _create_indexes(link, one)


def _parents(tables: Sequence[LaterOfTable]) -> set[Target]:
    return {Target(key.ref_schema, key.ref_table) for one in tables for key in one.keys}


def _create_indexes(link: Stoppable, table: LaterOfTable) -> None:
    name = _quoted(table.target)
    there = _structure(link, table.target)
    missing = [one for one in table.indexes if there is not None and there.index(one.name) is None]
    if not missing:
        return
    sql = add_indexes(name, missing)
    log.info("indexes are created: table=%s indexes=%d", table.target, len(missing))
    try:
        _run_over_any_values(link, sql)
    except DMError as exc:
        if exc.resumable:
            raise
        after = _structure(link, table.target)  # an earlier run's statement may have gone on without it
        if after is None or any(after.index(one.name) is None for one in missing):
            text = exc.fields.get("text", exc.message)
            raise INDEX_REFUSED.error(table=table.target, text=text, sql=sql, cause=exc) from exc
    crashpoint("later.indexes_created")


def _run_over_any_values(link: Stoppable, sql: str) -> None:
    """Add keys, without strictness where that alone refuses a value: keys change none.

    A functional key refuses the rows of a session that was not strict; in TiDB so does any new key of its table.
    """
    try:
        link.run(sql)
    except DMError as exc:
        if not VALUE_REFUSED.matches(exc):
            raise
        link.run(f"SET sql_mode = '{LENIENT_SQL_MODE}'")
        try:
            link.run(sql)
        finally:
            link.run(f"SET sql_mode = '{STRICT_SQL_MODE}'")


class _KeyCreation:
    """Adds foreign keys to one table after the other."""

    def __init__(
        self, link: Stoppable, feeders: Mapping[Target, str], *, is_consistent: bool, one_by_one: bool
    ) -> None:
        self._link = link
        self._feeders = feeders
        self._is_consistent = is_consistent
        self._one_by_one = one_by_one
        self._names: dict[str, dict[str, str]] = {}  # by database: names that are taken, with their tables

    def create(self, table: LaterOfTable) -> None:
        there = _structure(self._link, table.target)
        if there is None:
            log.warning("table %s has no foreign keys: it is gone from the target", table.target)
            return
        wanted = [key for key in table.keys if not any(same_key(key, one) for one in there.foreign_keys)]
        wanted = [key for key in wanted if self._is_its_own(table.target, key)]
        if self._is_consistent:
            for key in wanted:
                self._refuse_orphans(table.target, key)
        elif wanted:
            log.info(
                "foreign keys of %s are not checked: its rows and their parents are of different moments",
                table.target,
            )
        wanted = [replace(key, name=self._free_name(table.target, key)) for key in wanted]
        for part in [[key] for key in wanted] if self._one_by_one else [wanted] if wanted else []:
            self._add(table.target, part)
        if self._one_by_one:
            had = {small(key.name) for key in wanted if there.index(key.name) is not None}
            self._drop_needless(table.target, had | {small(one.name) for one in table.indexes})

    def _drop_needless(self, child: Target, had: set[str]) -> None:
        """Those that TiDB has made, in this run or before; not those that the table ``had``, in lower case."""
        there = _structure(self._link, child)
        for name in needless_keys(there) if there is not None else ():
            if small(name) not in had:
                self._link.run(f"ALTER TABLE {_quoted(child)} DROP KEY {quote_name(name)}")

    def _is_its_own(self, child: Target, key: ForeignKey) -> bool:
        for target in (child, Target(key.ref_schema, key.ref_table)):
            if target in self._feeders:
                log.warning(
                    "foreign key %s of %s is left out: source %s feeds %s, too",
                    key.name, child, self._feeders[target], target,
                )  # fmt: skip
                return False
        return True

    def _refuse_orphans(self, child: Target, key: ForeignKey) -> None:
        rows = self._link.rows(orphans(_quoted(child), key, _SHOWN))
        if rows:
            raise ORPHANS.error(
                table=child, parent=f"{key.ref_schema}.{key.ref_table}", key=key.name,
                columns=", ".join(key.columns), rows=", ".join(_values(row) for row in rows), name=_quoted(child),
                clause=foreign_key_clause(key),
            )  # fmt: skip

    def _free_name(self, child: Target, key: ForeignKey) -> str:
        taken = self._names.get(child.schema)
        if taken is None:
            rows = self._link.rows(
                "SELECT CONSTRAINT_NAME, TABLE_NAME FROM information_schema.TABLE_CONSTRAINTS "
                "WHERE CONSTRAINT_TYPE = 'FOREIGN KEY' AND TABLE_SCHEMA = %s", child.schema,
            )  # fmt: skip
            taken = self._names[child.schema] = {small(str(name)): str(table) for name, table in rows}
        name = free_name(key, child.table, taken)
        taken[small(name)] = child.table
        return name

    def _add(self, child: Target, keys: Sequence[ForeignKey]) -> None:
        """Without the server's own check, which is done: in MySQL and MariaDB it would write the table anew."""
        clauses = ", ".join(f"ADD {foreign_key_clause(key)}" for key in keys)
        log.info("foreign keys are created: table=%s keys=%s", child, ", ".join(key.name for key in keys))
        try:
            adding = partial(_run_over_any_values, self._link, f"ALTER TABLE {_quoted(child)} {clauses}")
            run_allowed(self._link.connection, adding)
        except DMError as exc:
            if exc.resumable or not self._is_answered(child, keys, exc):
                raise
        crashpoint("later.key_created")

    def _is_answered(self, child: Target, keys: Sequence[ForeignKey], error: DMError) -> bool:
        """Whether the keys are there nevertheless, or the target takes none of their kind."""
        there = _structure(self._link, child)  # an earlier run's statement may have gone on without it
        if there is not None and all(any(same_key(key, one) for one in there.foreign_keys) for key in keys):
            return True
        if errno_of(error) not in _UNFIT_KEYS:
            return False
        if len(keys) > 1:
            for key in keys:
                self._add(child, [key])
        else:
            text = error.fields.get("text", error.message)
            log.warning("foreign key %s of %s is left out: the target does not take it: %s", keys[0].name, child, text)
        return True


def _structure(link: Stoppable, table: Target) -> Table | None:
    return structure_of(link.connection, table.schema, table.table)


def _values(row: Sequence[Any]) -> str:
    shown = ", ".join(repr(value) for value in row)
    return f"({shown})"


def _quoted(table: Target) -> str:
    return f"{quoted(table.schema)}.{quoted(table.table)}"
