"""MySQL, MariaDB and TiDB error numbers as errors that a user can act on.

Every connection made by ``connection.connect`` raises what this module makes of a server's or the
driver's error; nobody reads an error's text to decide anything.  Each kind exists once per side
(``upstream`` 101xx, ``downstream`` 102xx), so that the scope says who has to act.  The server's own
number stays in ``DMError.fields["errno"]``; ``errno_of`` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pymysql

from pkg.errors import DMError, ErrorKind, Level, Scope

Side = Literal["upstream", "downstream"]


@dataclass(frozen=True, slots=True)
class KindPair:
    """One meaning of a server's error, once per side."""

    upstream: ErrorKind
    downstream: ErrorKind

    def of(self, side: Side) -> ErrorKind:
        return self.upstream if side == "upstream" else self.downstream

    def matches(self, error: BaseException) -> bool:
        """Whether ``error`` is of this kind, on either side."""
        return isinstance(error, DMError) and (error.is_a(self.upstream) or error.is_a(self.downstream))


def _pair(number: int, message: str, workaround: str, *, resumable: bool = False) -> KindPair:
    def kind(base: int, scope: Scope) -> ErrorKind:
        text = f"{scope} {{address}}: {message}"
        return ErrorKind(base + number, "database", scope, Level.HIGH, text, workaround, resumable)

    return KindPair(kind(10100, Scope.UPSTREAM), kind(10200, Scope.DOWNSTREAM))


WRONG_PASSWORD = _pair(
    1,
    "access denied for user {user} (error {errno})",
    "check `user` and `password` (an encrypted password needs the key it was encrypted with) and that the account "
    "may log in from this host",
)
UNREACHABLE = _pair(
    2,
    "cannot be reached (error {errno})",
    "check `host` and `port`, that the server runs and that a firewall lets this host through",
    resumable=True,
)
UNKNOWN_DATABASE = _pair(
    3, "{text} (error {errno})", "create the database, or correct its name in the task; then resume-task"
)
MISSING_PRIVILEGE = _pair(
    4,
    "user {user} lacks the privilege {privilege} on {object} (error {errno})",
    "run there: GRANT {privilege} ON {object} TO {account}; then resume-task",
)
LOST_CONNECTION = _pair(
    5,
    "the connection was lost (error {errno})",
    "look into the server's log when this goes on; wait_timeout, a restart and a proxy are the usual reasons",
    resumable=True,
)
LOCK_CONFLICT = _pair(
    6,
    "a transaction gave way to another one: {text} (error {errno})",
    "it is tried again by itself; find the other writers of these rows when it goes on",
    resumable=True,
)
NO_SPACE = _pair(
    7, "no space is left: {text} (error {errno})", "free disk space on the server, then resume-task", resumable=True
)
PACKET_TOO_BIG = _pair(
    8,
    "a row or statement is larger than the server takes: {text} (error {errno})",
    "raise max_allowed_packet there (TiDB: txn-entry-size-limit and txn-total-size-limit too), then resume-task",
)
DUPLICATE = _pair(
    9,
    "{text} (error {errno})",
    "two source rows, or a source row and one that was there before, have the same key: merged shards need distinct "
    "keys; on-duplicate: replace keeps the last one",
)
UNKNOWN_TABLE = _pair(
    10, "{text} (error {errno})", "create the table, or correct its name in the task; then resume-task"
)
TLS_FAILED = _pair(
    11,
    "the TLS connection failed: {text} (error {errno})",
    "check the security block: ssl-ca must have signed the server's certificate, ssl-cert and ssl-key belong together",
)
LOGIN_METHOD = _pair(
    12,
    "user {user} logs in by a method that is not supported: {text} (error {errno})",
    "use caching_sha2_password, mysql_native_password, sha256_password or client_ed25519 for this account",
)
STATEMENT_FAILED = _pair(
    13, "{text} (error {errno})", "the text is the server's own; correct what it names, then resume-task"
)
SERVER_BUSY = _pair(
    14,
    "the server refuses work for the moment: {text} (error {errno})",
    "it is tried again by itself; raise max_connections or lower pool-size and worker-count when it goes on",
    resumable=True,
)
INTERRUPTED = _pair(
    15, "the statement was interrupted: {text} (error {errno})", "raise the limit that ended it", resumable=True
)
VALUE_REFUSED = _pair(
    16,
    "a value does not fit the column: {text} (error {errno})",
    "compare the column's type upstream and downstream and make the target's at least as wide",
)
READ_ONLY = _pair(
    17,
    "the server is read-only: {text} (error {errno})",
    "write to the primary, or end read_only there",
    resumable=True,
)
FOREIGN_KEY = _pair(
    18,
    "{text} (error {errno})",
    "a row that it refers to is missing there, or rows refer to it: put that right, then resume-task; tables that "
    "foreign keys tie to each other must come from one source; without `foreign_key_checks: 1` in the session of "
    "target-database nothing of the kind is checked",
)
NO_RESULT = _pair(
    19,
    "a result is out of the range of its numbers: {text} (error {errno})",
    "an expression of a generated column or a CHECK, for a row that passed it upstream: a session with the sql_mode "
    "NO_UNSIGNED_SUBTRACTION wrote it, by which a difference of UNSIGNED numbers may be negative. Make the generated "
    "column a plain one downstream, which the migration then fills (DROP and ADD COLUMN there, and copy its values by "
    "the table's key), or drop the CHECK there; then resume-task",
)

_BY_NUMBER: Mapping[int, KindPair] = {
    number: pair
    for pair, numbers in {
        WRONG_PASSWORD: (1045, 1698, 1862, 3118),
        UNREACHABLE: (2001, 2002, 2003, 2004, 2005, 1129, 1130),
        UNKNOWN_DATABASE: (1049,),
        MISSING_PRIVILEGE: (1044, 1142, 1143, 1227, 1370, 8121),
        LOST_CONNECTION: (2006, 2013, 2055, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 4031),
        LOCK_CONFLICT: (1205, 1213, 1020, 1479, 3572, 8002, 8005, 8022, 8028, 9007),
        NO_SPACE: (1021, 1114, 1030, 3675),
        PACKET_TOO_BIG: (1153, 1162, 2020, 8004, 8025, 1118, 1301),
        DUPLICATE: (1062, 1022, 1169, 1586),
        UNKNOWN_TABLE: (1146, 1051),
        TLS_FAILED: (2026, 3159),
        LOGIN_METHOD: (2059, 2061, 1251, 1524),
        SERVER_BUSY: (1040, 1041, 1037, 1135, 1203, 1226, 8027, 9001, 9002, 9003, 9004, 9005, 9008, 9010, 9011),
        INTERRUPTED: (1317, 1969, 3024, 1907, 3058, 8175, 1028),
        VALUE_REFUSED: (
            1048,
            1263,
            1264,
            1265,
            1292,
            1364,
            1366,
            1406,
            1411,
            1416,
            1441,
            3140,
            3141,
            3751,
            3752,
            3819,
            3903,
            3907,
            4025,
            4078,
        ),
        NO_RESULT: (1690,),
        READ_ONLY: (1290, 1792, 1836),
        FOREIGN_KEY: (1216, 1217, 1451, 1452, 1761, 1762),
    }.items()
    for number in numbers
}

# TiDB says 1105 of whatever has no number of its own, also when it ends while a statement runs: nobody has said whether
# that was done.
_ENDS = re.compile(r"^context canceled", re.IGNORECASE)
_TIDB_UNNUMBERED = 1105
_NEEDED = re.compile(r"need \(at least one of\) the (.+?) privilege", re.IGNORECASE)
_DENIED = re.compile(r"^(.+?) command denied to user (.+?) for (?:table|column) (.+)$", re.IGNORECASE)
_DATABASE = re.compile(r"for user (.+?) to database (.+)$", re.IGNORECASE)


def translated(
    exc: pymysql.err.MySQLError, *, side: Side, address: str, user: str, database: str | None = None
) -> DMError:
    """The error of this project that ``exc`` means for the user of ``side``."""
    number, text = _number_and_text(exc)
    ends = number == _TIDB_UNNUMBERED and _ENDS.search(text)
    pair = LOST_CONNECTION if ends else _BY_NUMBER.get(number, STATEMENT_FAILED)
    fields = {"address": address, "user": f"'{user}'", "text": text, "errno": number, "side": side}
    if pair is MISSING_PRIVILEGE:
        fields |= _what_is_missing(number, text, user, database)
    return pair.of(side).error(cause=exc, **fields)


def naming(error: DMError, what: str) -> DMError:
    """A server's error with what was done when it came; one that passes by itself stays as it is."""
    if error.resumable or "side" not in error.fields:
        return error
    text = f"{error.fields.get('text', '')}; {what}"
    return error.kind.error(cause=error.__cause__, **{**error.fields, "text": text})


def errno_of(error: BaseException) -> int | None:
    """The server's error number behind ``error``, if a server said one."""
    if isinstance(error, DMError):
        number = error.fields.get("errno")
        return number if isinstance(number, int) else None
    if isinstance(error, pymysql.err.MySQLError):
        return _number_and_text(error)[0]
    return None


def _number_and_text(exc: pymysql.err.MySQLError) -> tuple[int, str]:
    arguments = exc.args
    if len(arguments) >= 2 and isinstance(arguments[0], int):
        if isinstance(exc, pymysql.err.InterfaceError) and arguments[0] == 0:
            return 2006, "the connection is closed"
        return arguments[0], str(arguments[1])
    if isinstance(exc, pymysql.err.InternalError):
        return 2013, str(exc)  # the driver's word for a broken packet stream
    return 2000, str(exc)


def _what_is_missing(number: int, text: str, user: str, database: str | None) -> dict[str, str]:
    """Privilege, object and account of an access error, for the GRANT to run."""
    account = f"'{user}'@'%'"
    if needed := _NEEDED.search(text):
        return {"privilege": _first_privilege(needed[1]), "object": "*.*", "account": account}
    if denied := _DENIED.search(text):
        return {"privilege": denied[1], "object": _table(denied[3], database), "account": denied[2]}
    if schema := _DATABASE.search(text):
        return {"privilege": "ALL PRIVILEGES", "object": f"{_quoted(schema[2])}.*", "account": schema[1]}
    return {"privilege": f"named by error {number}: {text}", "object": "*.*", "account": account}


def _first_privilege(listed: str) -> str:
    """Of "(at least one of) the SUPER, BINLOG MONITOR" the narrow one, which servers list last."""
    return listed.split(",")[-1].removeprefix(" or ").strip()


def _quoted(name: str) -> str:
    return "`" + name.strip("'`\"").replace("`", "``") + "`"


def _table(named: str, database: str | None) -> str:
    """`a`.`b`, 'a.b' or 'b' as the object of a GRANT."""
    plain = named.strip().strip("'")
    if plain.startswith("`"):
        return plain
    schema, dot, table = plain.partition(".")
    if dot:
        return f"{_quoted(schema)}.{_quoted(table)}"
    return f"{_quoted(database)}.{_quoted(plain)}" if database else _quoted(plain)
