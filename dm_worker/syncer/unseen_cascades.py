"""Foreign keys whose cascades nobody does in the target: no binlog tells them, and the target checks no foreign keys.

Children of deleted and changed parents would stay there as they were, so the task pauses unless its file says
``foreign_key_checks`` itself: 1 has the target cascade, 0 takes the difference.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from pkg.adapters.structures import Cascade, cascades
from pkg.errors import ErrorKind, Level, Scope, listed
from pkg.schema.alter import Alteration, DropConstraint, DropForeignKey
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table

log = logging.getLogger(__name__)

UNSEEN_CASCADES = ErrorKind(
    36252,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "no binlog of this upstream tells what foreign keys cascade, and the target, which checks none, does not cascade "
    "either, so that children of deleted and changed parents would stay there: {listed}",
    workaround="set `foreign_key_checks: 1` in the `session` of the task's target-database, so that the target "
    "cascades, too; or `foreign_key_checks: 0` where nobody deletes or changes such parents, or such a difference is "
    "taken; then stop-task and start-task with that file, which goes on from here",
)
UNKNOWN_CASCADES = ErrorKind(
    36294,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} had a foreign key up to here that is not there today, when the table was read for this task. What it "
    "cascaded is not in this upstream's binlog, and the target, which checks no foreign keys, did not do it: {sql}",
    workaround="compare the table's rows with the upstream's, and mend them; then set `foreign_key_checks: 0` in the "
    "`session` of the task's target-database, stop-task and start-task with that file, which goes on from here. Or "
    "begin behind that statement, or by a full migration",
)


@dataclass(frozen=True, slots=True)
class UnseenCascades:
    """``is_chosen``: the task's file says that foreign keys are not checked; ``allows``: whether a table is wanted."""

    is_chosen: bool
    allows: Callable[[str, str], bool]

    def check(self, found: Iterable[Cascade]) -> None:
        """Raise UNSEEN_CASCADES, or warn where that was chosen."""
        unseen = [str(one) for one in found if self.allows(*one.child)]
        if not self.is_chosen and unseen:
            raise UNSEEN_CASCADES.error(listed=listed(unseen))
        for one in unseen:
            log.warning("what %s cascades is not in the binlog, and the target does not cascade either", one)

    def check_changes(self, changes: Mapping[TableName, Table | None], known: Mapping[TableName, Table | None]) -> None:
        """The same of tables that a DDL made or changed; ``known``: before it."""
        for name, table in changes.items():
            before = set(cascades(known.get(name)))
            self.check(one for one in cascades(table) if one not in before)

    def check_dropped(self, ddl: Ddl, before: Table | None, present: Callable[[TableName], Table | None]) -> None:
        """The statement drops no foreign key that replication has not known.  Raises UNKNOWN_CASCADES, or warns.

        ``before``: the upstream's table as it is tracked; ``present``: the target's by the upstream's name.
        """
        unknown = [
            one for one in ddl.alterations if _drops_key(one, ddl.subject, present) and not _has_key(before, one.name)
        ]
        if unknown and not self.is_chosen:
            raise UNKNOWN_CASCADES.error(table=ddl.subject.quoted(), sql=shortened(ddl.text))
        for one in unknown:
            log.warning("what %s of %s cascaded up to here is not known", one.name, ddl.subject)


def _drops_key(
    one: Alteration, name: TableName, present: Callable[[TableName], Table | None]
) -> TypeGuard[DropForeignKey | DropConstraint]:
    """Whether it drops a foreign key: DROP CONSTRAINT what the target has by that name."""
    if isinstance(one, DropForeignKey):
        return not one.if_exists
    return isinstance(one, DropConstraint) and _has_key(present(name), one.name)


def _has_key(table: Table | None, name: str) -> bool:
    return table is not None and any(small(key.name) == small(name) for key in table.foreign_keys)
