"""How all reading connections come to see the upstream at one moment (option ``consistency``).

Pure: which ways there are on a server, in the order in which they are tried.
"""

from __future__ import annotations

from enum import StrEnum

from pkg.adapters.mysql.dialect import Server
from pkg.errors import ErrorKind, Level, Scope

NOT_PROVABLE = ErrorKind(
    32010,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "consistency: snapshot is not possible at upstream {address}: {version} does not say which location of its binary "
    "log a snapshot belongs to, so nothing proves that all connections see the same moment",
    workaround="set `consistency: lock` (GRANT LOCK TABLES, SELECT; held for milliseconds) or `auto` (GRANT RELOAD), "
    "then resume-task",
)


class Way(StrEnum):
    """What keeps commits out, or proves that there were none, while the connections begin their snapshots."""

    BACKUP_STAGE = "BACKUP STAGE BLOCK_COMMIT"
    FLUSH = "FLUSH TABLES WITH READ LOCK"
    LOCK = "LOCK TABLES ... READ"
    SNAPSHOT = "START TRANSACTION WITH CONSISTENT SNAPSHOT"

    @property
    def stops_all_commits(self) -> bool:
        return self in (Way.BACKUP_STAGE, Way.FLUSH)


def ways_of(consistency: str, server: Server, address: str) -> tuple[Way, ...]:
    """The ways to try, the next one where a privilege is missing; none for ``none``.

    MariaDB's backup stages block commits alone and wait for no long statement; they are not MySQL's LOCK
    INSTANCE FOR BACKUP, which stops DDL and no commit.
    """
    match consistency:
        case "auto":
            return (Way.BACKUP_STAGE if server.has_backup_stages else Way.FLUSH, Way.LOCK)
        case "flush":
            return (Way.FLUSH,)
        case "lock":
            return (Way.LOCK,)
        case "snapshot":
            if not server.knows_snapshot_location:
                raise NOT_PROVABLE.error(address=address, version=server.version_text)
            return (Way.SNAPSHOT,)
    return ()
