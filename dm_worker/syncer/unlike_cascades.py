"""Foreign keys that cascade on one side alone, where the target checks them.

A key that only the target has changes children which the upstream keeps.  One that the target lacks, or whose parent
the task does not take, cascades upstream alone, and most binlogs do not tell it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from pkg.adapters.structures import Cascade, cascades_there, filtered_cascades
from pkg.errors import ErrorKind, Level, Scope, listed
from pkg.rows.foreign_keys import Name
from pkg.rules.router import Target
from pkg.schema.letter_case import small
from pkg.schema.table import Table

log = logging.getLogger(__name__)

OWN_CASCADES = ErrorKind(
    36256,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "foreign keys that only the target has would change rows there which the upstream keeps: {listed}",
    workaround="drop them in the target, or make them anew without CASCADE and SET NULL; or set "
    "`foreign_key_checks: 0` in the `session` of the task's target-database, stop-task and start-task with that file; "
    "then resume-task goes on from here",
)
LOST_CASCADES = ErrorKind(
    36269,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target has to cascade by itself, and MySQL from 9.6 on loses some of what foreign keys cascade (an UPDATE of "
    "a parent where a child has the new value already, SET NULL beside CASCADE): {listed}",
    workaround="start the target's mysqld with `innodb_native_foreign_keys=ON`, which cascades as InnoDB always did, "
    "then resume-task; or set `foreign_key_checks: 0` in the `session` of the task's target-database where nobody "
    "deletes or changes such parents, stop-task and start-task with that file, which goes on from here",
)
MAKES_IDLE_KEYS = ErrorKind(
    36308,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the task asks for `foreign_key_checks: 1`, and TiDB makes foreign keys there that neither check nor cascade: its "
    "tidb_enable_foreign_key is OFF",
    workaround="SET GLOBAL tidb_enable_foreign_key = ON in the target (TiDB 6.6 and later), then resume-task; or set "
    "`foreign_key_checks: 0` in the `session` of the task's target-database, stop-task and start-task with that file",
)
IDLE_CASCADES = ErrorKind(
    36309,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "foreign keys that TiDB marks as INVALID, since it made them while tidb_enable_foreign_key was OFF, do not cascade "
    "there, and no binlog tells what they cascade upstream: {listed}",
    workaround="in the target, with tidb_enable_foreign_key ON: ALTER TABLE … DROP FOREIGN KEY, and ADD it again; "
    "compare the children with the upstream's where such a key was there before; then resume-task. Or set "
    "`foreign_key_checks: 0` in the `session` of the task's target-database, stop-task and start-task with that file",
)
_Meaning: TypeAlias = tuple[Name, Name, tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class Above:
    """The upstream: its ``tables`` and their ``cascades`` now, and the structures that replication ``tracked``."""

    tables: Iterable[Name]
    cascades: Iterable[Cascade]
    tracked: Iterable[Table]


@dataclass(frozen=True, slots=True)
class UnlikeCascades:
    """``ignored_rows``: see EventFilter.  ``is_logged``: the binlog tells what cascades, so that no key need do it."""

    allows: Callable[[str, str], bool]
    route: Callable[[str, str], Target]
    ignored_rows: Callable[[str, str], frozenset[str]]
    is_logged: bool

    def check(self, above: Above, below: Iterable[Cascade], *, loses: bool) -> None:
        """Raise OWN_CASCADES for keys that cascade ``below`` alone; the log names those that cascade above alone.

        ``loses``: whether the target is a MySQL that cascades above the engine.  Raises LOST_CASCADES and
        IDLE_CASCADES, too.
        """
        there = list(below)
        wanted = [one for one in cascades_there(above.tracked, above.cascades) if self.allows(*one.child)]
        meant = {self._routed(one) for one in wanted if self.allows(*one.parent)}
        tables = [*above.tables, *((table.schema, table.name) for table in above.tracked)]
        fed = {self._target(name) for name in tables if self.allows(*name)} if there else set()
        inside = [one for one in there if {_lower(one.child), _lower(one.parent)} <= fed]
        if own := [str(one) for one in inside if not one.is_idle and not _is_among(_meaning(one), meant)]:
            raise OWN_CASCADES.error(listed=listed(own))
        if self.is_logged:
            return
        if idle := [str(one) for one in inside if one.is_idle]:
            raise IDLE_CASCADES.error(listed=listed(idle))
        if inside and loses:
            raise LOST_CASCADES.error(listed=listed([str(one) for one in inside]))
        meanings = {_meaning(one) for one in there}
        for one in wanted:
            if not self.allows(*one.parent) or not _is_among(self._routed(one), meanings):
                log.warning("what %s cascades is not in the binlog, and the target has no such key that cascades", one)
        for text in filtered_cascades(wanted, self.ignored_rows):
            log.warning("what the upstream cascades and what the target does differ: %s", text)

    def _routed(self, one: Cascade) -> _Meaning:
        return self._target(one.child), self._target(one.parent), *_meaning(one)[2:]

    def _target(self, name: Name) -> Name:
        target = self.route(*name)
        return _lower((target.schema, target.table))


def _meaning(one: Cascade) -> _Meaning:
    columns = tuple(small(column) for column in one.columns)
    return _lower(one.child), _lower(one.parent), columns, one.on_delete, one.on_update


def _is_among(one: _Meaning, others: Iterable[_Meaning]) -> bool:
    """Whether each rule by which ``one`` cascades is a rule of others over the same columns."""
    alike = [other for other in others if other[:3] == one[:3]]
    return all(not rule or any(other[place] == rule for other in alike) for place, rule in ((3, one[3]), (4, one[4])))


def _lower(name: Name) -> Name:
    return name[0].lower(), name[1].lower()
