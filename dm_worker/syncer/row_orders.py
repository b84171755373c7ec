"""By what the rows of a table are given to channels, stored, so that a later run knows whether it is still so.

A channel's place beyond the checkpoint counts for the rows that were given to it when they were applied.  The target's
keys and foreign keys decide that, and somebody may change them while the task is paused.  Rows of such a table are
applied once more, as safe jobs, up to where any channel had come.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import TargetTable

log = logging.getLogger(__name__)

OTHER_ORDER = ErrorKind(
    36257,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows of {source} were applied beyond the checkpoint while {target} had other keys or foreign keys, and without a "
    "key now, it does not tell which of them are there",
    workaround="make the keys of {target} as they were, as the log of the worker names them, and resume-task; change "
    "them when `query-status` shows the checkpoint at the end of the binlog, or by a DDL upstream",
)
Name: TypeAlias = tuple[str, str]
Change: TypeAlias = tuple[str, Sequence[Any]]
_VERSION: Final = 1
"""Of the rule by which a row's channel follows from what `row_order` says (pkg/rows/causality.py)."""
_SEVERAL: Final = "several"
"""Rows beyond the checkpoint were applied in more than one order."""


def row_order(table: TargetTable) -> str:
    """What decides which channel a row goes to."""
    columns = [table.columns[place] for place in table.identity]
    key = ", ".join(f"{one.name} {one.type} {one.charset} {one.collation}" for one in columns)
    group = f" tied as {table.group.decode()}" if table.group else ""
    return f"{_VERSION} {table.qualified.decode()} by ({key}){group}"


@dataclass(slots=True)
class RowOrders:
    """Owned by the thread that reads the stream.

    ``stored``: by upstream table; ``until``: how far any channel has come beyond the checkpoint of the start, None
    where none has; ``is_over``: whether all channels have caught up with that; ``store`` keeps one at once.
    """

    stored: dict[Name, str]
    until: Position | None
    is_over: Callable[[], bool]
    store: Callable[[Name, str], None]
    _later: dict[Name, str] = field(default_factory=dict)
    _told: set[Name] = field(default_factory=set)

    def taken(self, name: Name, table: TargetTable) -> TargetTable:
        """``table`` as rows of the upstream table ``name`` go there.  Raises OTHER_ORDER."""
        now, before = row_order(table), self.stored.get(name)
        if now == before:
            return table
        if self.until is None or (before is None and self.is_over()):  # nothing of it is applied yet
            self.stored[name] = now
            self.store(name, now)
            return table
        self._later[name] = now
        if before not in (None, _SEVERAL) and not table.keyless:  # also where the former keys are back in the next run
            self.stored[name] = _SEVERAL
            self.store(name, _SEVERAL)
        if self.is_over() or (table.keyless and before is None):  # a build before this one has stored none
            return table
        if name not in self._told:
            self._told.add(name)
            log.warning(
                "rows of %s.%s may have gone to other channels (%s, now %s), and are applied once more up to %s",
                *name, before or "not known", now, self.until,
            )  # fmt: skip
        if table.keyless:
            raise OTHER_ORDER.error(source=".".join(name), target=table.qualified.decode())
        unchecked = table.unchecked
        return replace(
            table,
            is_reassigned=True,
            unchecked=None if unchecked is None else replace(unchecked, is_reassigned=True),
        )

    def due(self, checkpoint: Position) -> Mapping[Name, str]:
        """What is to be stored with a checkpoint there: nothing is applied beyond it in another order."""
        if self.until is None or checkpoint < self.until:
            return {}
        self.until, due = None, self._later
        self.stored |= due
        self._later = {}
        return due
