"""What can go wrong in dmctl itself (48xxx); everything else is the master's answer."""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope

CANNOT_CONNECT = ErrorKind(
    48001,
    "dmctl",
    Scope.INTERNAL,
    Level.HIGH,
    "no dm-master can be reached: {tried}",
    workaround="check that dm-master runs, that --master-addr (or DM_MASTER_ADDR) names its --master-addr,"
    " and that no firewall is in between",
    resumable=True,
)
NO_MASTER_ADDR = ErrorKind(
    48002,
    "dmctl",
    Scope.NOT_SET,
    Level.MEDIUM,
    "which dm-master? no address was given",
    workaround="add --master-addr HOST:PORT, or set the environment variable DM_MASTER_ADDR",
)
CALL_FAILED = ErrorKind(
    48003,
    "dmctl",
    Scope.INTERNAL,
    Level.HIGH,
    "dm-master at {address} did not carry out {rpc}: {reason}",
    workaround="{advice}",
)
FILE_UNREADABLE = ErrorKind(
    48004,
    "dmctl",
    Scope.NOT_SET,
    Level.MEDIUM,
    "error in get file content: {path}: {reason}",
    workaround="check the path, and that you may read the file; relative paths start at the folder where dmctl runs",
)
FILE_UNWRITABLE = ErrorKind(
    48005,
    "dmctl",
    Scope.NOT_SET,
    Level.MEDIUM,
    "cannot write {path}: {reason}",
    workaround="give a path in a folder that exists and that you may write to",
)
BAD_SETTINGS = ErrorKind(
    48006,
    "dmctl",
    Scope.NOT_SET,
    Level.MEDIUM,
    "{where}: {problem}",
    workaround="{advice}",
)
