"""Statements of a binlog that are no DDL of tables: transaction control, rows as text, and what stays upstream.

What is called "not replicated" changes neither rows nor structures of tables, but for one: CREATE OR REPLACE SEQUENCE
drops the table whose name it takes, and ddl.py reads it as that.  Where SET, SHOW, DO or EXPLAIN ANALYZE
call a function that writes, both servers log ``SELECT function()``; EXECUTE, CALL and compound statements are logged as
the statements that they ran; SET STATEMENT … FOR (settings.py) and MariaDB's ANALYZE … stand before what they run.
IMPORT TABLE, which brings tables with their rows, is none of these.
"""

from __future__ import annotations

import re

from pkg.schema.cursor import Cursor
from pkg.schema.lexer import tokenize
from pkg.schema.statement import TableName

VIEWS = "views"
SEQUENCES = "sequences"
_OTHER_VIEWS = ("JSON duality views", "materialized views")
_OBJECTS = {
    "VIEW": VIEWS, "TRIGGER": "triggers", "PROCEDURE": "stored procedures", "FUNCTION": "stored functions",
    "AGGREGATE": "stored functions", "EVENT": "events", "USER": "users", "ROLE": "roles",
    "SERVER": "server definitions",
    "TABLESPACE": "tablespaces", "UNDO": "tablespaces", "LOGFILE": "log file groups", "PACKAGE": "packages",
    "SEQUENCE": SEQUENCES, "RESOURCE": "resource groups", "LIBRARY": "libraries", "INSTANCE": "instance settings",
    "JSON": _OTHER_VIEWS[0], "SPATIAL": "spatial reference systems", "PREPARE": "prepared statements",
    "BINDING": "plan bindings", "MATERIALIZED": _OTHER_VIEWS[1], "SQL": VIEWS,
}  # fmt: skip
TEMPORARY = "temporary tables"
NAMED_AS_TABLES = frozenset({VIEWS, SEQUENCES, *_OTHER_VIEWS})
"""What shares one name space with tables."""
WRITERS = frozenset({VIEWS, "triggers", "stored functions"})
"""What writes rows that the text of a statement does not name."""
TEXTS_OF_UPSTREAM = frozenset(
    ("triggers", "stored procedures", "stored functions", "events", "packages", "users", "roles", "privileges")
)
"""Kinds whose statements are passed over without a look at what they say."""
_VIEW_HEADS = frozenset({"ALGORITHM", "DEFINER", "SQL"})
_STATEMENTS = {
    "FLUSH": "FLUSH", "GRANT": "privileges", "REVOKE": "privileges", "ANALYZE": "ANALYZE TABLE",
    "OPTIMIZE": "OPTIMIZE TABLE", "REPAIR": "REPAIR TABLE", "CHECK": "CHECK TABLE", "CHECKSUM": "CHECKSUM TABLE",
    "CACHE": "CACHE INDEX", "INSTALL": "plugins", "UNINSTALL": "plugins", "SET": "variables, passwords and roles",
    "LOCK": "table locks", "UNLOCK": "table locks", "PURGE": "PURGE", "RESET": "RESET", "KILL": "KILL", "USE": "USE",
    "HANDLER": "HANDLER", "SHUTDOWN": "SHUTDOWN", "HELP": "HELP", "SHOW": "SHOW", "DEALLOCATE": "prepared statements",
    "SIGNAL": "SIGNAL",
}  # fmt: skip
_ANALYZED = ("TABLE", "TABLES", "LOCAL", "NO_WRITE_TO_BINLOG")
DML_WORDS = frozenset(
    ("INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "WITH", "CALL", "SELECT", "DO", "EXECUTE", "ANALYZE", "VALUES")
)

# MySQL's programs in other languages, between `$tag$` and the next one, in which quotes are none of SQL.
_PROGRAM = re.compile(
    r"(?P<head>(?:\s|/\*.*?\*/)*CREATE\s(?:[^$;('`]|'[^']*'|`[^`]*`)*?\b(?:FUNCTION|PROCEDURE|LIBRARY)\s.*?\bAS\s*)"
    r"(?P<tag>\$\w*\$).*(?P=tag)",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)


def without_programs(sql: str) -> str:
    """The text of a statement that makes a routine or library, without the program in another language than SQL."""
    found = _PROGRAM.match(sql) if "$" in sql else None
    return sql if found is None else f"{found['head']}''{sql[found.end() :]}"


def rebuilt_tables(sql: str, schema: str) -> list[TableName]:
    """Tables that OPTIMIZE TABLE builds anew; ``schema``: of those that are named without one."""
    cursor = Cursor(sql, tokenize(sql))
    if not cursor.accept("OPTIMIZE"):
        return []
    cursor.accept_any("LOCAL", "NO_WRITE_TO_BINLOG")
    cursor.accept_any("TABLE", "TABLES")
    cursor.table_name()
    while cursor.accept(","):
        cursor.table_name()
    return [TableName(span.schema or schema, span.name) for span in cursor.names]


def not_replicated(cursor: Cursor) -> str:
    """What kind of thing the statement is about, if such things are not replicated, else ''."""
    first = cursor.key
    if first == "ANALYZE" and cursor.key_after(1) not in _ANALYZED:
        return ""  # MariaDB's ANALYZE UPDATE … does what it shows
    if first in _STATEMENTS:
        return _STATEMENTS[first]
    if first == "LOAD" and cursor.key_after(1) == "INDEX":
        return "LOAD INDEX"
    if first == "RENAME" and cursor.key_after(1) == "USER":
        return "users"
    if first not in ("CREATE", "ALTER", "DROP"):
        return ""
    ahead = 3 if first == "CREATE" and cursor.key_after(1) == "OR" else 1
    word = cursor.key_after(ahead)
    if word == "TEMPORARY":
        return TEMPORARY
    if word in _VIEW_HEADS:
        return _behind_definer(cursor, ahead)
    if word == "SPATIAL" and cursor.key_after(ahead + 1) == "INDEX":
        return ""
    return _OBJECTS.get(word, "")


def _behind_definer(cursor: Cursor, ahead: int) -> str:
    """Which object a ``DEFINER=… SQL SECURITY …`` head belongs to."""
    for offset in range(ahead, ahead + 16):
        word = cursor.key_after(offset)
        if word in _OBJECTS and word not in _VIEW_HEADS:
            return _OBJECTS[word]
    return VIEWS
