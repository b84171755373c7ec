"""Which sessions of the upstream keep a lock from being taken, for the error that says so."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError

_SHOWN: Final = 3
_SHOWN_TEXT: Final = 80
# Statements that run, longest first, without those that wait for a lock themselves.
_STATEMENTS: Final = (
    "SELECT ID, USER, HOST, TIME, INFO FROM information_schema.PROCESSLIST "
    "WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID') "
    "AND INFO IS NOT NULL AND COALESCE(STATE, '') NOT LIKE 'Waiting for%%' AND TIME >= %s ORDER BY TIME DESC LIMIT 10"
)
# Transactions that are open, oldest first, whatever their sessions do now.
_TRANSACTIONS: Final = (
    "SELECT t.trx_mysql_thread_id, p.USER, p.HOST, TIMESTAMPDIFF(SECOND, t.trx_started, NOW()), t.trx_query "
    "FROM information_schema.INNODB_TRX t LEFT JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id "
    "WHERE t.trx_mysql_thread_id NOT IN (0, CONNECTION_ID()) "
    "AND TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) >= %s ORDER BY t.trx_started LIMIT 10"
)


def blocking_sessions(connection: Connection, seconds: int) -> str:
    """Sessions that have worked for at least ``seconds``, in words."""
    told: dict[int, str] = {}
    for sql, what in ((_STATEMENTS, "runs"), (_TRANSACTIONS, "has a transaction open")):
        # Without the privilege PROCESS there are own sessions only, or none.
        with suppress(DMError):
            for number, user, host, age, text in _rows(connection, sql, seconds):
                told.setdefault(int(number), _told(number, user, host, what, age, text))
    if told:
        return "session " + "; session ".join(list(told.values())[:_SHOWN])
    return "a session that this user may not see (GRANT PROCESS ON *.* shows it)"


def _rows(connection: Connection, sql: str, seconds: int) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, (max(seconds - 1, 0),))  # a server counts whole seconds
        return list(cursor.fetchall())


def _told(number: Any, user: Any, host: Any, what: str, age: Any, text: Any) -> str:
    statement = " ".join(str(text).split()) if text else "between two statements"
    if len(statement) > _SHOWN_TEXT:
        statement = statement[:_SHOWN_TEXT] + "..."
    return f"{number} of {user or 'unknown'}@{host or 'unknown'} {what} for {age} s: {statement}"
