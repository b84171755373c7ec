"""Statements that change rows and are logged as text: which of them surely leave the task's tables alone.

MySQL says which databases a statement has changed, by triggers and functions, too.  Else its text says which tables it
may write; the upstream is asked whether one of them is a view or has a trigger, and whether a name in it is a stored
function.  It answers for now, and what has been dropped since the statement ran cannot be seen any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pkg.binlog.events import QueryEvent
from pkg.rules.block_allow_list import BlockAllowList
from pkg.schema.dml_text import Written, written_by
from pkg.schema.statement import Ddl, DdlKind, TableName

Writers = Callable[[tuple[TableName, ...], tuple[TableName, ...]], list[str]]
"""Given names of tables and of functions: the views, triggers and stored functions of the upstream among them."""
IsTemporary = Callable[[int, TableName], bool]
"""Whether a session, by its thread, has a temporary table of that name."""


class TextRows:
    """Owned by the thread that reads the stream."""

    def __init__(self, allow_list: BlockAllowList, writers: Writers) -> None:
        self._allow_list = allow_list
        self._writers = writers
        self._asked: dict[Written, list[str]] = {}

    def may_write(self, ddl: Ddl, event: QueryEvent, is_temporary: IsTemporary) -> str:
        """Why the statement may have changed rows of the task's tables; "" where it surely has not."""
        databases = event.status.databases
        if databases and not any(self._allow_list.allows(name) for name in databases):
            return ""
        written = written_by(ddl.text, event.schema)
        if ddl.kind is not DdlKind.DML_TEXT:
            written = replace(written, tables=())  # it makes its table; functions that it calls may write others
        elif written.tables is None:
            return "what it has changed is not in its text"
        for name in written.tables or ():
            if self._allow_list.allows(name.schema, name.table) and not is_temporary(event.thread_id, name):
                return f"it may change {name.quoted()}"
        found = self._found(written)
        return f"it may change more than its text says, by {', '.join(found)}" if found else ""

    def forget(self) -> None:
        """Views, triggers or functions were changed."""
        self._asked = {}

    def _found(self, written: Written) -> list[str]:
        if written not in self._asked:
            self._asked[written] = self._writers(written.tables or (), written.functions)
        return self._asked[written]
