"""The sessions of a server.

By SHOW FULL PROCESSLIST: MySQL refuses to read information_schema.processlist (error 3854) while any session runs a
statement with characters that utf8mb3 lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Session:
    """``client``: its host and port; ``info``: the statement that it runs, "" for none.

    ``seconds``: for how long it has done what it does, or has had nothing to do.
    """

    number: int
    client: str
    command: str
    seconds: int
    state: str
    info: str


def sessions(connection: Any, *, of_cluster: bool = False) -> list[Session]:
    """Those that the account may see: its own without the privilege PROCESS.

    ``of_cluster``: those of all servers of a TiDB cluster, else of the connection's server alone.
    """
    with connection.cursor() as cursor:
        if of_cluster and _count(cursor, "SELECT COUNT(*) FROM information_schema.tidb_servers_info") > 1:
            cursor.execute(
                "SELECT id, 0, host, 0, command, time, state, info FROM information_schema.cluster_processlist"
            )
        else:
            cursor.execute("SHOW FULL PROCESSLIST")
        rows = cursor.fetchall()
    return [
        Session(int(number), str(client), str(command), int(seconds or 0), str(state or ""), _text(info))
        for number, _, client, _, command, seconds, state, info, *_ in rows
    ]


def _count(cursor: Any, sql: str) -> int:
    cursor.execute(sql)
    return int((cursor.fetchone() or (0,))[0])


def _text(info: Any) -> str:
    return info.decode(errors="replace") if isinstance(info, bytes) else str(info or "")
