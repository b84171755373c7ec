"""What can be wrong with a binlog, each with the place where it is."""

from __future__ import annotations

from pkg.errors import DMError, ErrorKind, Level, Scope


def _kind(code: int, message: str, workaround: str, *, klass: str = "binlog-op") -> ErrorKind:
    return ErrorKind(code, klass, Scope.UPSTREAM, Level.HIGH, message, workaround)


CORRUPT = _kind(
    22010,
    "the binlog is damaged at {file}:{position}{event}{table}: {reason}",
    "check the upstream's disk with mysqlbinlog --verify-binlog-checksum; start again after the damaged part by "
    "start-task --remove-meta",
)
NO_TABLE_MAP = _kind(
    22018,
    "the rows at {file}:{position} come without the event that names their table (number {number}): the stream starts "
    "inside of a statement, or the binlog is damaged",
    "give a start location between two transactions, where SHOW BINLOG EVENTS has a Gtid event, and start again with "
    "--remove-meta; where the stream did not start at this place, check the upstream's disk with mysqlbinlog "
    "--verify-binlog-checksum",
)
UNKNOWN_EVENT = _kind(
    22011,
    "the binlog holds an event of the unknown type {event} at {file}:{position}",
    "this version of spark-dm does not know what the event means; please report the server's version and the number",
)
UNSUPPORTED_EVENT = _kind(
    22012,
    "the binlog holds a {event} event at {file}:{position}: {reason}",
    "{remedy}",
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
    "the table was changed where the binlog does not say so, or before the place where the task started: say what it "
    "was like by `dmctl binlog-schema update <task> <database> <table>` (FILE or --from-source), then resume-task; or "
    "start again with --remove-meta",
    klass="sync-unit",
)
UNLIKE_COLUMN = _kind(
    36307,
    "a column of {table} has another type than is known at this place: {column}; its values would not be those of the "
    "upstream",
    "the table was changed where the binlog does not say so (sql_log_bin=0, another server at the upstream's "
    "address): change the target's column as it is upstream now, say what the table is like by `dmctl binlog-schema "
    "update <task> <database> <table> --from-source`, then resume-task; or start again with --remove-meta",
    klass="sync-unit",
)
NO_CHARACTER = _kind(
    36118,
    "a text in column {column} of {table} does not go through Unicode as it is: {reason}; its bytes in {charset}: "
    "{bytes}",
    "give the target's column the character set {charset} where the target has it (MySQL, MariaDB), then resume-task; "
    "or correct the value upstream and copy the tables anew (start-task --remove-meta); or leave the table out",
    klass="sync-unit",
)
TOO_LONG = _kind(
    36265,
    "a text in column {column} of {table} has {found} characters, and the target's VARCHAR takes {most}: MariaDB does "
    "not hold a COMPRESSED column to its length",
    "give the target's column room (`ALTER TABLE … MODIFY {column} TEXT`), then resume-task; or correct the value "
    "upstream and copy the tables anew (start-task --remove-meta); or leave the table out",
    klass="sync-unit",
)
INEXACT_NUMBER = _kind(
    36210,
    "a document in column {column} of {table} has the number {number}, of which the target's JSON would lose digits",
    "give the target's column a type of text (`ALTER TABLE … MODIFY {column} LONGTEXT`), then resume-task; or have the "
    "upstream write such numbers as texts, and copy the tables anew (start-task --remove-meta); or leave the table out",
    klass="sync-unit",
)
UNLIKE_READ = _kind(
    36267,
    "a document in column {column} of {table} has {found}: {reader} of the target would have another value than "
    "upstream",
    "make what is calculated there a plain column in the target, which replication then fills (DROP and ADD COLUMN "
    "without the expression, and copy its values by the table's key; of a unique key: DROP INDEX), then resume-task; "
    "or have the upstream write such values as texts or plain numbers (`CAST(price AS CHAR)`), and each name once in "
    "an object and without escapes that it needs not, and copy the tables anew (start-task --remove-meta); or leave "
    "the table out",
    klass="sync-unit",
)
LABEL_IN_DOUBT = _kind(
    36268,
    "a row of {table} has label {number} of column {column}, which the upstream shows as {shown!r}; a ? may stand for "
    "a character of four bytes there, and the upstream did not tell the true text",
    "let the task's user read the table upstream (GRANT SELECT ON {table}), or say what it was like at this place by "
    "`dmctl binlog-schema update <task> <database> <table> FILE` (CREATE TABLE with the true labels); give the "
    "target's column these labels, too; then resume-task",
    klass="sync-unit",
)
UNNAMED_LABEL = _kind(
    36211,
    "column {column} of {table}, a SET, has a value that begins with its label '' (number {number}), which no text "
    "says, and {reason}",
    "give the target's column the upstream's type, with the same labels in the same order, and let no expression of "
    "the task read it, then resume-task; or correct the value upstream and copy the tables anew (start-task "
    "--remove-meta); or leave the table out",
    klass="sync-unit",
)
SERVER_ERROR = _kind(
    22014,
    "the upstream ends the binlog stream at {file}:{position} with error {errno}: {text}",
    "{remedy}",
)
STREAM_ENDED = ErrorKind(
    22015,
    "binlog-op",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream ended the binlog stream at {file}:{position}: {text} (error {errno})",
    "it is opened again by itself; look into the server's log when this goes on",
    resumable=True,
)
PURGED = _kind(
    22016,
    "the upstream no longer has the binlog from {file}:{position} on (error {errno}): {text}",
    "start the task again with --remove-meta, which copies the tables anew: what the purged binlog had, or one that "
    "was reset to another number (RESET MASTER TO), is missing in the target until then; keep binlogs for longer on "
    "the upstream (binlog_expire_logs_seconds) or use a relay log",
)
DUPLICATE_SERVER_ID = _kind(
    22017,
    "another replica of the upstream has the same server id or UUID as this task, at {file}:{position} "
    "(error {errno}): {text}",
    "give `server-id` in the source file a number that no other server or replica uses, then resume-task",
)

_FATAL_ERROR_READING_BINLOG = 1236
_SLAVE_SAME_ID = 4052  # MariaDB's own number for it
_SHUTDOWN = frozenset({0, 1053, 1317, 1927, 3169})
_SAME_ID = ("same server_uuid", "same server_id", "server_uuid/server_id")
_TOO_LONG = ("max_allowed_packet", "event too large", "log event entry exceeded")
_GONE = (
    "could not find first log file", "could not find next log", "purged", "not in the master's binlog",
    "before the requested", "not found in the binlog", "missing",
)  # fmt: skip


BY_POSITION = (
    "by position they are replicated: pause-task (also where an error has paused it), set enable-gtid: false in the "
    "source file, operate-source update, resume-task; when they are passed, and the upstream has gtid_mode=ON, go back "
    "to enable-gtid: true in the same way"
)
"""What to do about transactions that have no GTID, where replication goes by GTID."""
_MEND = "mend what the server names, then resume-task"
_REMEDIES = (
    ("auto_position", BY_POSITION),  # in what MySQL says of transactions without GTIDs, and of its gtid_mode
    (
        "truncated in the middle of event",
        "where a later binlog file is there (SHOW BINARY LOGS), MariaDB died while it wrote this one, and its last "
        "transaction never committed; all before it is applied: stop-task, name the next file as binlog-name and 4 as "
        "binlog-pos of the source's meta in the task file, with task-mode incremental, and start-task with "
        "--remove-meta",
    ),
)


def server_error(packet: bytes, file: str, position: int) -> DMError:
    """The error that a packet of the stream is, which is no event: ERR, or the end."""
    errno, text = 0, "it sent the end of the stream"
    if packet[:1] == b"\xff" and len(packet) > 3:
        errno = packet[1] | packet[2] << 8
        message = packet[3:].decode("utf-8", "replace")
        text = message[6:] if message.startswith("#") else message
    remedy = next((told for sign, told in _REMEDIES if sign in text.lower()), _MEND)
    return _kind_of(errno, text).error(file=file, position=position, errno=errno, text=text, remedy=remedy)


def _kind_of(errno: int, text: str) -> ErrorKind:
    """Error 1236 stands for all that ends a dump: only its text tells which."""
    if errno in _SHUTDOWN:
        return STREAM_ENDED
    if errno == _SLAVE_SAME_ID:
        return DUPLICATE_SERVER_ID
    lower = text.lower()
    if errno != _FATAL_ERROR_READING_BINLOG or any(sign in lower for sign in _TOO_LONG):
        return SERVER_ERROR
    if any(sign in lower for sign in _SAME_ID):
        return DUPLICATE_SERVER_ID
    if "i/o error" in lower:  # also where the binlog is reset under the stream: the next stream tells which
        return STREAM_ENDED
    return PURGED if any(sign in lower for sign in _GONE) else SERVER_ERROR
