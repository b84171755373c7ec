"""What can be wrong with a binlog, each with the place where it is."""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope


def _kind(code: int, message: str, workaround: str, *, klass: str = "binlog-op") -> ErrorKind:
    return ErrorKind(code, klass, Scope.UPSTREAM, Level.HIGH, message, workaround)


CORRUPT = _kind(
    22010,
    "the binlog is damaged at {file}:{position}, {event}{table}: {reason}",
    "check the upstream's disk with mysqlbinlog --verify-binlog-checksum; start again after the damaged part by "
    "start-task --remove-meta",
)
UNKNOWN_EVENT = _kind(
    22011,
    "the binlog holds an event of the unknown type {event} at {file}:{position}",
    "this version of spark-dm does not know what the event means; please report the server's version and the number",
)
UNSUPPORTED_EVENT = _kind(
    22012,
    "the binlog holds a {event} event at {file}:{position}: {reason}",
    "{remedy}; then start the task again",
)
UNSUPPORTED_TYPE = _kind(
    22013,
    "column {column} of {table} has the type {type}, which this version cannot replicate",
    "leave the table out by the block-allow-list",
)
PARTIAL_IMAGE = _kind(
    11126,
    "rows of {table} at {file}:{position} do not log all columns: binlog_row_image is not FULL",
    "run on the upstream: SET GLOBAL binlog_row_image = 'FULL'; end the sessions that were open before; then start the "
    "task with --remove-meta, since the rows that were logged in part cannot be restored",
    klass="functional",
)
COLUMN_MISMATCH = _kind(
    36027,
    "rows of {table} have {found} columns ({types}) in the binlog, and the structure known at this place has {known}: "
    "{columns}",
    "the table was changed before the place where the task started: start again with --remove-meta, or from a later "
    "place",
    klass="sync-unit",
)
SERVER_ERROR = _kind(
    22014,
    "the upstream ends the binlog stream at {file}:{position} with error {errno}: {text}",
    "when the binlog was purged, start the task again with --remove-meta and keep binlogs for longer; else mend what "
    "the server names, then resume-task",
)
