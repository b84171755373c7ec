"""MariaDB's sequences: made in the target before the tables, and set to go on when the tables have their rows.

Replication does not carry them: what is set at the end holds for the moment at which the copy ended.  A
sequence is never set back, so it may be there already, and every step may be repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from dm_worker.dumper.source_tables import SYSTEM_SCHEMAS
from dm_worker.loader.summary import Journal
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.errors import DMError
from pkg.rules.router import Target
from pkg.schema.sequence_text import COLUMNS, SequenceState
from pkg.schema.translate import translate_create_database
from pkg.schema.view_text import Name
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)

SEQUENCE: Final = "SEQUENCE"
_TARGETS: Final = frozenset({"mariadb", "tidb"})  # MySQL has none


class Sequences:
    """Those of one source."""

    def __init__(self, config: SubtaskConfig, target: Server, journal: Journal) -> None:
        self._config = config
        self._target = target
        self._journal = journal
        self._router = config.router()
        self._left_out: set[Name] = set()

    def targets(self, upstream: Connection) -> Mapping[Name, Target]:
        """All that the block-allow-list takes and that keep their names; a route of shards gives them another."""
        allowed = self._config.allow_list()
        found: dict[Name, Target] = {}
        with upstream.cursor() as cursor:
            cursor.execute(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE = %s", (SEQUENCE,)
            )
            for schema, name in cursor.fetchall():
                is_own = schema.lower() in SYSTEM_SCHEMAS or schema == self._config.meta_schema
                if not is_own and allowed.allows(schema, name):
                    self._route((str(schema), str(name)), found)
        return found

    def _route(self, name: Name, found: dict[Name, Target]) -> None:
        try:
            target = self._router.route(*name)
        except DMError as exc:  # two rules, none of them more specific
            self._leave_out(name, exc.message)
            return
        if target.table == name[1]:
            found[name] = target
        else:
            self._leave_out(name, f"its route leads to {target}, another name")

    def make(
        self, upstream: Connection, downstream: Connection, schemas: Mapping[str, str], tables: Collection[Target]
    ) -> None:
        """Those that the target lacks; ``schemas`` are the upstream's with their collations."""
        collations = self._target.known_collations(downstream)

        def work(name: Name, target: Target, state: SequenceState) -> None:
            if target in tables:
                self._leave_out(name, f"its route leads to {target}, which is a table")
                return
            schema = translate_create_database(
                target.schema, schemas.get(name[0], "utf8mb4_bin"), flavor=self._target.flavor, collations=collations
            )
            downstream.query(schema.sql)
            downstream.query(state.create(_quoted(target)))
            log.info("sequence is made: sequence=%s", target)

        self._each(upstream, work)

    def let_go_on(self, upstream: Connection, downstream: Connection) -> None:
        """From where they are upstream now."""

        def work(name: Name, target: Target, state: SequenceState) -> None:
            if not _is_there(downstream, target):
                self._leave_out(name, f"there is no sequence {target} in the target")
                return
            if sql := state.go_on(_quoted(target), self._target.flavor):
                with downstream.cursor() as cursor:
                    cursor.execute(sql)
            log.info("sequence goes on: sequence=%s at=%d", target, state.following)
            if self._config.task_mode is TaskMode.ALL:
                log.warning(
                    "sequence %s goes on at %d: replication takes it no further, so set it again before the target is "
                    "written to", target, state.following,
                )  # fmt: skip

        self._each(upstream, work)

    def _each(self, upstream: Connection, work: Callable[[Name, Target, SequenceState], None]) -> None:
        for name, target in self.targets(upstream).items():
            if name in self._left_out:
                continue
            if self._target.flavor not in _TARGETS:
                self._leave_out(name, "the target has no sequences")
                continue
            try:
                work(name, target, _state(upstream, name))
            except DMError as exc:
                if exc.resumable:
                    raise
                self._leave_out(name, str(exc.fields.get("text", exc.message)))

    def _leave_out(self, name: Name, reason: str) -> None:
        if name in self._left_out:
            return
        self._left_out.add(name)
        log.warning("not migrated: %s.%s is a %s: %s", *name, SEQUENCE, reason)
        self._journal.left_out.append(f"{name[0]}.{name[1]} is a {SEQUENCE}: {reason}")


def _state(upstream: Connection, name: Name) -> SequenceState:
    with upstream.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM {quoted(name[0])}.{quoted(name[1])}")
        row: Any = cursor.fetchone()
    following, start, minimum, maximum, increment, cache, cycles = map(int, row)
    return SequenceState(following, start, minimum, maximum, increment, cache, bool(cycles))


def _is_there(downstream: Connection, target: Target) -> bool:
    with downstream.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM information_schema.TABLES WHERE TABLE_TYPE = %s AND TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            (SEQUENCE, target.schema, target.table),
        )
        return cursor.fetchone() is not None


def _quoted(target: Target) -> str:
    return f"{quoted(target.schema)}.{quoted(target.table)}"
