"""``SET STATEMENT variable = value, … FOR statement``: MariaDB logs it whole; the statement behind FOR is what counts.

What such settings mean for a DDL (sql_mode, time_zone, timestamp …) stands in its event's status variables as well:
MariaDB writes those while the settings are in force.  The text was read before, by the session's own sql_mode.
"""

from __future__ import annotations

from collections.abc import Collection

from pkg.schema.cursor import Cursor, Unreadable
from pkg.schema.lexer import tokenize


def without_settings(sql: str, sql_mode: Collection[str] = frozenset()) -> str:
    """The statement behind the settings, if there are any; both are logged with ``sql_mode``.

    Raises Unreadable, LexicalError.
    """
    names: set[str] = set()
    rest = sql
    while "statement" in rest.lower():
        cursor = Cursor(rest, tokenize(rest, sql_mode))
        if not cursor.accept("SET", "STATEMENT"):
            break
        names |= _pass_settings(cursor)
        rest = rest[cursor.token.start :]
    if "sql_mode" in names and ('"' in rest or "\\" in rest):
        reason = "the session's own sql_mode, which is not logged, has read its quotes and backslashes"
        raise Unreadable(f"SET STATEMENT sql_mode stands before it, and {reason}")
    return rest


def _pass_settings(cursor: Cursor) -> set[str]:
    """Up to FOR and over it; the variables in lower case."""
    names = set()
    while True:
        names.add(_variable(cursor))
        if not cursor.accept_any("=", ":="):
            raise cursor.unreadable("=")
        while not cursor.at(",", "FOR"):
            cursor.parenthesized() if cursor.at("(") else cursor.next()
        if not cursor.accept(","):
            cursor.expect("FOR")
            return names


def _variable(cursor: Cursor) -> str:
    name = cursor.name("a variable")
    while cursor.accept("."):
        name = cursor.name("a variable")
    return name.lower()
