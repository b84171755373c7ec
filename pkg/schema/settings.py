"""``SET STATEMENT variable = value, … FOR statement``: MariaDB logs it whole; the statement behind FOR is what counts.

What such settings mean for a DDL (sql_mode, time_zone, timestamp …) stands in its event's status variables as well:
MariaDB writes those while the settings are in force.  The text was read before, by the session's own sql_mode.
"""

from __future__ import annotations

from collections.abc import Collection

from pkg.schema.cursor import Cursor, Unreadable
from pkg.schema.lexer import tokenize

Settings = tuple[tuple[str, str], ...]
"""(variable in lower case, its value as written) in the order of the text; the last one of a name counts."""


def cut_settings(sql: str, sql_mode: Collection[str] = frozenset()) -> tuple[Settings, str]:
    """The settings before a statement that is logged with ``sql_mode``, () if there are none, and the rest of it.

    Raises Unreadable, LexicalError.
    """
    found: list[tuple[str, str]] = []
    rest = sql
    ansi_quotes, backslash_escapes = "ANSI_QUOTES" in sql_mode, "NO_BACKSLASH_ESCAPES" not in sql_mode
    while "statement" in rest.lower():
        cursor = Cursor(rest, tokenize(rest, ansi_quotes=ansi_quotes, backslash_escapes=backslash_escapes))
        if not cursor.accept("SET", "STATEMENT"):
            break
        found += _read(cursor)
        rest = rest[cursor.token.start :]
    if any(name == "sql_mode" for name, _ in found) and ('"' in rest or "\\" in rest):
        reason = "the session's own sql_mode, which is not logged, has read its quotes and backslashes"
        raise Unreadable(f"SET STATEMENT sql_mode stands before it, and {reason}")
    return tuple(found), rest


def _read(cursor: Cursor) -> list[tuple[str, str]]:
    """The settings up to FOR, which is passed over."""
    found = []
    while True:
        name = _variable(cursor)
        if not cursor.accept_any("=", ":="):
            raise cursor.unreadable("=")
        start = cursor.position
        while not cursor.at(",", "FOR"):
            cursor.parenthesized() if cursor.at("(") else cursor.next()
        found.append((name, cursor.text_since(start)))
        if not cursor.accept(","):
            cursor.expect("FOR")
            return found


def _variable(cursor: Cursor) -> str:
    name = cursor.name("a variable")
    while cursor.accept("."):
        name = cursor.name("a variable")
    return name.lower()
