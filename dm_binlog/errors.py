"""What can be wrong with a file that is to be shown, and what to do."""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope


def _kind(code: int, message: str, workaround: str) -> ErrorKind:
    return ErrorKind(code, "binlog-op", Scope.UPSTREAM, Level.MEDIUM, message, workaround)


NO_BINLOG = _kind(22031, "{file} is no binlog: it is {what}", "{remedy}")
UNREADABLE = _kind(22032, "{file} cannot be read: {reason}", "check the path and your permissions (try sudo)")
TRUNCATED = _kind(
    22033,
    "{file} ends inside the {event} event at {position}: {has:,} of its {size:,} bytes are there",
    "{remedy}",
)
UNFINISHED = _kind(22034, "{file} ends at {end} inside the transaction that began at {position}", "{remedy}")
ENCRYPTED = _kind(
    22035,
    "{file} is encrypted for its own server from position {position} on",
    "read it from the server, which decrypts it: mysqlbinlog (mariadb-binlog) --read-from-remote-server --raw FILE",
)
DAMAGED = _kind(
    22036,
    "{file} is damaged at {position}{event}: {reason}",
    "copy the file again from the server; --to {position} shows what stands before it",
)
NOT_FOUND = _kind(22037, "no {what} {value} in {files}", "{remedy}")

STILL_WRITTEN = "the server is still writing it, or crashed: look again later, or copy the file once it is whole"
CUT_OFF = "the copy was cut off, or the disk was full: copy the file again from the server"
