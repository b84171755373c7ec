"""What can go wrong while a relay log is pulled, each with a way out."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from pkg.errors import DMError, ErrorKind, Level, Scope


def _kind(code: int, scope: Scope, message: str, workaround: str, *, resumable: bool = False) -> ErrorKind:
    return ErrorKind(code, "relay-unit", scope, Level.HIGH, message, workaround, resumable)


SWITCHED_BY_POSITION = _kind(
    30044,
    Scope.UPSTREAM,
    "the relay log in {folder} is of the server {known}, and {address} is the server {found}: {reason}",
    "set enable-gtid: true in the source file (the servers must write GTIDs); or point the source at the former "
    "server; or begin anew: stop-relay, delete the folder, start-relay, and start the tasks with --remove-meta",
)
DISK_FULL = _kind(
    30070,
    Scope.INTERNAL,
    "the disk of the relay log is full: {folder} has {free_bytes} bytes left",
    "free space there: delete what else is on it, give it more, or have old relay files purged sooner (purge in the "
    "source file); the relay log goes on by itself when there is room; where its next event is larger than the disk, "
    "stop-relay: the tasks then read from the upstream",
    resumable=True,
)
CANNOT_WRITE = _kind(
    30071,
    Scope.INTERNAL,
    "the relay log cannot be written: {path}: {reason}",
    "correct the rights on it, or the disk; then resume-relay",
)
GAP = _kind(
    30072,
    Scope.UPSTREAM,
    "the upstream left out events of {file}: from {expected} on, where it goes on at {found}",
    "resume-relay asks for them again; if it stays so, look at what stands between worker and upstream (a proxy?)",
)
RESTORED = _kind(
    30073,
    Scope.UPSTREAM,
    "the upstream's {file} is not the one that the relay log in {folder} has: {reason}; it was restored to an earlier "
    "time, lost its last transactions in a crash, or its binlog was reset",
    "what the tasks have applied of the lost transactions is in the target only: compare; then begin anew: stop-relay, "
    "delete the folder, start-relay, and start the tasks with --remove-meta",
)
RENAMED = _kind(
    30074,
    Scope.UPSTREAM,
    "behind {file} the upstream goes on with {found}, and {expected} should come",
    "if its log_bin was given another name: when the tasks have applied all, stop-relay, delete {folder} and "
    "start-relay",
)
PURGED_UPSTREAM = _kind(
    30075,
    Scope.UPSTREAM,
    "the upstream no longer has what the relay log needs next: {needed}; its first binlog file is {first}",
    "keep binlogs for longer on the upstream; when the tasks do not need what is missing, set relay-binlog-name or "
    "relay-binlog-gtid, delete {folder} between stop-relay and start-relay; else start them with --remove-meta",
)

UNLOGGED_UPSTREAM = _kind(
    30076,
    Scope.UPSTREAM,
    "the binlog of the upstream {address} lacks transactions that it has and that the relay log needs: {missing}",
    "it applied them as a replica without logging them (log_replica_updates, log_slave_updates), came from a "
    "copy that has them, or their files were purged: point the source at a server whose binlog has them; when the "
    "tasks do not need them, delete {folder} between stop-relay and start-relay; else start them with --remove-meta",
)


def disk_error(path: Path, exc: OSError) -> DMError:
    """What the operating system says about a file of the relay log."""
    if exc.errno not in (errno.ENOSPC, errno.EDQUOT):
        return CANNOT_WRITE.error(path=path, reason=exc.strerror or exc, cause=exc)
    folder = next(one for one in (path, *path.parents) if one.is_dir())
    return DISK_FULL.error(folder=folder, free_bytes=shutil.disk_usage(folder).free, cause=exc)
