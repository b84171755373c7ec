"""DDL of MySQL in a session with NO_BACKSLASH_ESCAPES: it writes the table's expressions anew, with more backslashes.

SHOW CREATE TABLE then shows twice as many, so that later rows have other values (measured on 9.7, whatever the
statement changes).  The target's expressions stay as they are.  Where the statement copies the table, LIKE and
JSON_SEARCH take a backslash of a value for no escape.
"""

from __future__ import annotations

from pkg.binlog.sql_modes import quoting_modes
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.errors import shortened
from pkg.schema.expressions import that_escape, with_backslashes
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

BACKSLASHES = ErrorKind(
    36255,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "MySQL changes the backslashes of expressions in a DDL under NO_BACKSLASH_ESCAPES, and what LIKE and JSON_SEARCH "
    "make of those of values; {table} has such at {place}: {columns}; {sql}",
    workaround="compare SHOW CREATE TABLE on both ends, and make the target's expressions what the upstream's are; "
    "then `dmctl binlog skip <task>` if all else of the statement is there, or `dmctl binlog replace <task> <sql>`",
)


def refuse_backslashes(piece: Ddl, modes: int | None, before: Table | None, after: Table | None, place: str) -> None:
    """Raise BACKSLASHES where a statement of MySQL's makes or keeps an expression with one."""
    if "NO_BACKSLASH_ESCAPES" not in quoting_modes(modes):
        return
    tables = [table for table in (before, after) if table is not None]
    found = dict.fromkeys(name for table in tables for name in with_backslashes(table))
    if before is not None:  # rows that are there may be calculated anew
        found |= dict.fromkeys(name for table in tables for name in that_escape(table))
    if "\\" in piece.text and "CHECK" in piece.text.upper():
        found["a CHECK"] = None
    if found:
        names, table = ", ".join(found), piece.subject.quoted()
        raise BACKSLASHES.error(table=table, place=place, columns=names, sql=shortened(piece.text))
