"""Tables through which rows of others are written: MERGE tables of the upstream, of the task or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pkg.rules.taken import Allows
from pkg.schema.merge_tables import members
from pkg.schema.statement import DATABASE_KINDS, Ddl, TableName
from pkg.schema.table import Table

_MOST_NAMES = 10_000  # that are kept


class ShowsMerge(Protocol):
    """The upstream."""

    def shown_merge(self, schema: str, table: str) -> str:
        """SHOW CREATE TABLE of a MERGE table; "" where there is none of that name now."""


class MergeTables:
    """Owned by the thread that reads the stream."""

    def __init__(self, tracked: Callable[[TableName], Table | None], allows: Allows, upstream: ShowsMerge) -> None:
        self._tracked = tracked
        self._allows = allows
        self._upstream = upstream
        self._reaching: dict[TableName, bool] = {}  # of names that were asked for

    def reaches(self, name: TableName) -> bool:
        """Whether it is a MERGE table with rows of a table that the task takes.

        The upstream answers for now; of what is there no more, one that the stream has made may have such rows.
        """
        if name not in self._reaching:
            if len(self._reaching) >= _MOST_NAMES:
                self._reaching.clear()
            self._reaching[name] = self._asked(name)
        return self._reaching[name]

    def is_merge(self, name: TableName) -> bool:
        """Whether the upstream has a MERGE table of that name now."""
        return self._upstream.shown_merge(name.schema, name.table) != ""

    def forget(self, ddl: Ddl) -> None:
        """Its tables may be others behind it."""
        if ddl.kind in DATABASE_KINDS:
            self._reaching.clear()
        for name in ddl.tables:
            self._reaching.pop(name, None)

    def _asked(self, name: TableName) -> bool:
        tracked = self._tracked(name)
        if tracked is not None and tracked.kind != "merge":
            return False
        shown = self._upstream.shown_merge(name.schema, name.table)
        if not shown:
            return tracked is not None
        return any(self._allows(one.schema, one.table) for one in members(shown, name.schema))
