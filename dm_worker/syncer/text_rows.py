"""Rows that a statement's text changes, where the binlog has the text alone: whether they may be rows of the task.

The text says which tables it may write, and what else it names.  The upstream is asked whether one of those tables is
a view or a MERGE table, has a trigger, or is the parent of rows that go with its own; whether a name is a stored
function, or a view that calls one; and what is there no more, and may have been any of these.  MySQL says which
databases a statement has changed or read, by triggers and functions, too, but not by those that a view calls, nor by
foreign keys.  The upstream answers for now: a trigger that has been dropped since is seen by its database alone.
Foreign keys of the task's own tables are known as they are where the stream is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, Protocol

from pkg.adapters.structures import Cascade, cascades_there
from pkg.binlog.events import QueryEvent
from pkg.rules.block_allow_list import BlockAllowList
from pkg.schema.dml_text import Written, called_and_named, written_by
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table

IsTemporary = Callable[[int, TableName], bool]
"""Whether a session, by its thread, has a temporary table of that name."""


class AskedUpstream(Protocol):
    """What is there now."""

    def named(self, columns: str, source: str, names: Sequence[TableName]) -> list[Sequence[Any]]: ...

    def is_no_function(self, name: TableName) -> bool: ...

    def cascades(self) -> list[Cascade]: ...


class TextRows:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        allow_list: BlockAllowList,
        upstream: AskedUpstream,
        reaches: Callable[[TableName], bool],
        tracked: Callable[[], Iterable[Table]],
    ) -> None:
        """``reaches``: see MergeTables; ``tracked``: structures of the task's tables where the stream is."""
        self._allow_list = allow_list
        self._upstream = upstream
        self._reaches = reaches
        self._tracked = tracked
        self._asked: dict[tuple[Written, bool, frozenset[TableName]], list[str]] = {}

    def may_write(self, ddl: Ddl, event: QueryEvent, is_temporary: IsTemporary, made: Set[TableName]) -> str:
        """Why the statement may have changed rows of the task's tables; "" where it surely has not.

        ``made`` are tables, whether they are still there or not.
        """
        databases = event.status.databases or ()
        is_listed = bool(databases) and not any(self._allow_list.allows(name) for name in databases)
        written = written_by(ddl.text, event.schema)
        if ddl.kind is not DdlKind.DML_TEXT:
            written = replace(written, tables=())  # it makes its table; functions that it calls may write others
        elif written.tables is None:
            return "" if is_listed else "what it has changed is not in its text"
        tables = written.tables or ()
        own = {name for name in (*tables, *written.read) if is_temporary(event.thread_id, name)}
        for name in tables if not is_listed else ():
            if self._allow_list.allows(name.schema, name.table) and name not in own:
                return f"it may change {name.quoted()}"
        key = written, is_listed, frozenset(own | (made & {*tables, *written.read}))
        if key not in self._asked:
            self._asked[key] = list(self._reasons(*key))
        if reasons := self._asked[key]:
            return f"it may change more than its text says, by {', '.join(reasons)}"
        said = {*tables, *written.read, *written.names, *written.functions, *ddl.tables}
        if unsaid := self._unsaid(databases, said):
            return f"it used the database `{unsaid}`, which its text does not name: by a trigger or function"
        return ""

    def _unsaid(self, databases: Iterable[str], said: Set[TableName]) -> str:
        """A database of the task's that MySQL says the statement used, and that neither its text nor its views name."""
        schemas = {small(name.schema) for name in said}
        left = [name for name in databases if self._allow_list.allows(name) and small(name) not in schemas]
        if left:
            schemas |= {small(name.schema) for name in self._called_by_views(said)[2]}
        return next((name for name in left if small(name) not in schemas), "")

    def forget(self) -> None:
        """Views, triggers, functions or tables have changed."""
        self._asked = {}

    def _reasons(self, written: Written, is_listed: bool, known: Set[TableName]) -> Iterator[str]:
        """``is_listed``: MySQL says what it changed, but for what it does not know; ``known``: tables for sure."""
        tables = written.tables or ()
        functions, hidden, _ = self._called_by_views(written.names)
        if not is_listed:
            functions |= set(written.functions)
            views = self._upstream.named("CONCAT(table_schema, '.', table_name)", _VIEWS, tables)
            yield from (f"the view {view}" for (view,) in views)
            triggers = self._upstream.named("CONCAT(trigger_schema, '.', trigger_name)", _TRIGGERS, tables)
            yield from (f"the trigger {trigger}" for (trigger,) in triggers)
        called = self._upstream.named("CONCAT(routine_schema, '.', routine_name)", _FUNCTIONS, tuple(functions))
        yield from (f"the function {function}" for (function,) in called)
        yield from (f"the view {view.quoted()}, whose text this account may not read" for view in hidden)
        for name in self._gone({*tables, *written.read} - known):
            yield f"{name.quoted()}, which is there no more, or not for this account, and may be a view"
        for name in written.functions if not is_listed else ():
            if self._upstream.is_no_function(name):
                yield f"the function {name.quoted()}, which is there no more"
        yield from self._children(tables)
        yield from (f"the MERGE table {name.quoted()}" for name in tables if self._reaches(name))

    def _called_by_views(self, names: Iterable[TableName]) -> tuple[set[TableName], list[TableName], set[TableName]]:
        """Functions that views of these names call, and views that they read; views with hidden texts; all names."""
        functions, hidden = set[TableName](), list[TableName]()
        new, seen = set(names), set[TableName]()
        while new:
            views = self._upstream.named("table_schema, table_name, view_definition", _VIEWS, tuple(new))
            seen |= new
            new = set()
            for schema, view, definition in views:
                if not definition:
                    hidden.append(TableName(str(schema), str(view)))
                called, named = called_and_named(str(definition), str(schema))
                functions.update(called)
                new.update(named)
            new -= seen
        return functions, hidden, seen

    def _gone(self, names: Set[TableName]) -> list[TableName]:
        rows = self._upstream.named("table_schema, table_name", _TABLES, tuple(names))
        there = {(str(schema).lower(), str(table).lower()) for schema, table in rows}
        return sorted((one for one in names if (one.schema.lower(), one.table.lower()) not in there), key=str)

    def _children(self, parents: Sequence[TableName]) -> Iterator[str]:
        """Foreign keys by which rows of the task go with rows of the parents, or with their children's."""
        if not parents:
            return
        cascades = list(cascades_there(self._tracked(), self._upstream.cascades()))
        new = {(name.schema.lower(), name.table.lower()) for name in parents}
        seen = set[tuple[str, str]]()
        while new:
            seen |= new
            below = [one for one in cascades if (one.parent[0].lower(), one.parent[1].lower()) in new]
            yield from (f"the foreign key {one}" for one in below if self._allow_list.allows(*one.child))
            new = {(one.child[0].lower(), one.child[1].lower()) for one in below} - seen


_VIEWS = "views WHERE table_schema = %s AND table_name = %s"
_TABLES = "tables WHERE table_schema = %s AND table_name = %s"
_TRIGGERS = "triggers WHERE event_object_schema = %s AND event_object_table = %s"
_FUNCTIONS = "routines WHERE routine_type = 'FUNCTION' AND routine_schema = %s AND routine_name = %s"
