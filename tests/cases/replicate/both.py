"""What ``-- both`` of a case says: the same statements on both ends, behind replication, do the same.

They show what later changes of applications meet: defaults, checks, unique keys, columns that are invisible.
"""

from __future__ import annotations

from typing import Any, Protocol

import pymysql

from tests.cases.replicate.cases import Case
from tests.cases.replicate.comparing import contents


class End(Protocol):
    """One end's link, as `comparing` has it."""

    @property
    def server(self) -> Any: ...


def both_differ(case: Case, here: End, there: End, schema: str, ours: Any, theirs: Any) -> str:
    """What the two ends made of the statements, "" where it is the same; nothing of it stays."""
    statements = [sql for step in case.steps if step.place == "both" for sql in step.what]
    if not statements:
        return ""
    common = [table for table in ours if table in theirs]
    found, expected = (_made(end, schema, statements, common, ours) for end in (there, here))
    return "" if found == expected else f"upstream {expected}, target {found}"


def _made(end: End, schema: str, statements: list[str], tables: list[Any], columns: Any) -> tuple[list[bool], Any]:
    """Which statements were taken, and the rows then."""
    server = end.server
    server.query(f"USE `{schema}`")
    server.query("SET sql_mode = 'STRICT_TRANS_TABLES'")
    server.query("BEGIN")
    taken = [_is_taken(server, sql) for sql in statements]
    rows = {table[1]: contents(server, table, columns[table]) for table in tables}
    server.query("ROLLBACK")
    server.query("SET sql_mode = ''")
    return taken, rows


def _is_taken(server: Any, sql: str) -> bool:
    try:
        server.query(sql)
    except pymysql.err.MySQLError:
        return False
    return True
