"""Why a DDL of the stream pauses a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.errors import shortened
from pkg.schema.statement import DdlKind

STATEMENT_FORMAT = ErrorKind(
    36014,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows were changed by a statement that is logged as text, not as rows, at {place} ({reason}): {sql}",
    workaround="SET GLOBAL binlog_format = 'ROW' on the upstream and end the sessions that were open before; then make "
    "the same change downstream by hand and `dmctl binlog skip <task>`, or copy anew: start-task --remove-meta; where "
    "it changes no table of the task, an `sql-pattern` of the binlog event filter leaves such statements out for good",
)
SHARD_DDL = ErrorKind(
    36105,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the sharded table {table}, which is merged into {target}, is changed at {place}, and this version does not "
    "coordinate DDL across shards: {sql}",
    workaround="run the same change, with the same defaults, on {target} yourself, then resume-task: a change of "
    "columns or indexes is recognised there, and replication goes on; what {target} shall not follow (a dropped, "
    "truncated or renamed shard) is passed over by `dmctl binlog skip <task>`",
)
CREATE_SELECT = ErrorKind(
    36107,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a table is created from a SELECT at {place}: {sql}",
    workaround="create the table first, then INSERT … SELECT; to go on here, create and fill the table downstream and "
    "`dmctl binlog skip <task>`, or start the task with --remove-meta",
)
SHORTENED_CREATE = ErrorKind(
    36299,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} was created from a SELECT in a session with sql_mode {modes}, by which the upstream logs the new table "
    "without some of its properties, and its rows may be others by that; upstream now {found}; the statement at "
    "{place}: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with the CREATE TABLE that SHOW CREATE TABLE prints upstream (in a "
    "session without that sql_mode), as the table was at {place}",
)
NOT_TEXT = ErrorKind(
    36296,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a name, comment or label of the DDL at {place} has bytes that are no text in its session's character set ({sql})",
    workaround="`dmctl binlog replace <task> <sql>` runs a statement in its place, whose text says what the target is "
    "to have, and `dmctl binlog skip <task>` none",
)
NOT_CREATED = ErrorKind(
    36298,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target says that {table} exists, makes none, and does not show it: {sql}",
    workaround="see whether another program drops or makes this table, then resume-task",
)
DDL_FAILED = ErrorKind(
    36108,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses a DDL from {place}: {sql}",
    workaround="mend what the target names, then resume-task; or `dmctl binlog replace <task> <sql>` runs another "
    "statement in its place, `dmctl binlog inject <task> <sql>` one before it, and `dmctl binlog skip <task>` none. Of "
    "shards whose sessions were not alike (one strict, one not), `dmctl shard-ddl-lock unlock <lock> --owner <source>` "
    "lets another one run it",
)
MAY_BE_DONE = ErrorKind(
    36181,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "an earlier run began the DDL from {place} and may have done it in {target}, which does not tell; done twice, it "
    "could undo itself: {sql}",
    workaround="compare {target} with the upstream's table, rows of EXCHANGE PARTITION by their keys; where it was "
    "done, `dmctl binlog skip <task>`, else `dmctl binlog replace <task> <sql>` with the statement itself, in the "
    "upstream's names. An account with the privilege PROCESS in a target of MySQL or MariaDB can tell",
)
COLUMN_OF_FOREIGN_KEY = ErrorKind(
    36220,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a column of a foreign key is changed at {place}, which MariaDB refuses on both sides of the key, also where "
    "MySQL takes it: {sql}",
    workaround="drop the foreign key that the cause names in the target, run the statement there, add the foreign key "
    "again, then `dmctl binlog skip <task>`",
)
GENERATED_THERE = ErrorKind(
    36208,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a generated column is changed at {place} in a way that TiDB refuses: {sql}",
    workaround="drop the column there and add it with its new definition, since its values are calculated, and "
    'again: `dmctl binlog replace <task> "ALTER TABLE … DROP COLUMN …, ADD COLUMN … VIRTUAL"`. Where it becomes a '
    "plain column: ADD a plain one there under another name, UPDATE … SET it to the old one's values, DROP the old "
    "one, give the new one its name (CHANGE … AFTER …), then `dmctl binlog skip <task>`",
)
KEYED_TEXT = ErrorKind(
    36189,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a text gets another character set or collation at {place}, and TiDB changes none that a key has which stays "
    "(its primary key, the key of a foreign key) or is dropped by the same statement: {sql}",
    workaround="make the table anew there under another name, with the new collation, `INSERT … SELECT` its rows, "
    "exchange the two by RENAME TABLE, and `dmctl binlog skip <task>`; drop a foreign key before, and add it again",
)
OF_KEYED_TEXT = "when index is defined on it"  # TiDB's words
OF_GENERATED = frozenset({3106, 8200})  # what TiDB answers then
UNKNOWN_PARTITION = 1735  # of a subpartition, too, where the target has none
COLUMN_IN_FOREIGN_KEY = frozenset({1832, 1833})
# A table, column or key that is there or is not, or on which a generated column depends.
WHATEVER_THE_MODE = frozenset({1050, 1051, 1054, 1060, 1061, 1091, 1146, 3108})
CUT_OTHERWISE = ErrorKind(
    36115,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a DDL from {place} cut values upstream, as its sql_mode allowed, and the target would make others of them "
    "({what}): {sql}",
    workaround="write downstream what the upstream has in these rows now and resume-task; or run the statement there "
    "by hand, put these values right by the table's key, and `dmctl binlog skip <task>`",
)
UNKNOWN_ZONE = ErrorKind(
    36116,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a DDL from {place} turns times by the time zone {zone} of its session, whose offset changes, and the target does "
    "not know that zone: {sql}",
    workaround="load the zones there (`mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql`), then resume-task; "
    "where the zone is SYSTEM, `SET SESSION time_zone` to that zone's name downstream, run the statement by hand, and "
    "`dmctl binlog skip <task>`",
)
UNKNOWN_OFFSET = ErrorKind(
    36227,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a DDL from {place} turns times by the offset {zone} of its session, which is farther from UTC than the target "
    "knows, and asks for local times and for TIMESTAMPs: {sql}",
    workaround="run the statement downstream by hand, in parts of which each asks for one of the two, or write the "
    "upstream's values into its rows; then `dmctl binlog skip <task>`",
)
UNLIKE_SESSION = ErrorKind(
    36117,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a DDL from {place} depends on what the target has not: {lacks}: {sql}",
    workaround="bring about downstream by hand what it did upstream, then `dmctl binlog skip <task>`; or "
    "`dmctl binlog replace <task> <sql>` runs another statement in its place",
)

DONE_ALREADY: Mapping[DdlKind, frozenset[int]] = {
    DdlKind.CREATE_TABLE: frozenset({1050}),
    DdlKind.CREATE_TABLE_LIKE: frozenset({1050}),
    DdlKind.DROP_TABLE: frozenset({1051, 1146}),
    DdlKind.RENAME_TABLE: frozenset({1050, 1146, 1017}),
    DdlKind.CREATE_DATABASE: frozenset({1007}),
    DdlKind.DROP_DATABASE: frozenset({1008}),
    DdlKind.CREATE_INDEX: frozenset({1061}),
    DdlKind.DROP_INDEX: frozenset({1091}),
    DdlKind.ALTER_TABLE: frozenset({1050, 1054, 1060, 1061, 1068, 1091, 1146}),
}
"""Errors of a server by which a statement that is repeated was done before."""
ROWS_THERE = ErrorKind(
    36305,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the upstream makes an empty table at {place}, and the target has {target} already, with rows: {sql}",
    workaround="drop or empty it there, or give it another name, then resume-task; `dmctl binlog skip <task>` keeps it "
    "with its rows",
)


def of_part(exc: DMError, number: int, parts: Sequence[str], sql: str) -> DMError:
    """``exc`` at the part with this number of those in which the target gets the statement ``sql``.

    What an operator then decides is about all of the statement, so it has to be told.
    """
    place = f"part {number + 1} of {len(parts)}" + (f" ({number} ran)" if number else "")
    told = f"{exc.message}. This is {place} in which the target gets the statement: {sql}"
    left = "; ".join(map(shortened, parts[number + 1 :]))
    more = f", with the parts behind this one ({left})" if left else ""
    workaround = (
        f"{exc.workaround}. `binlog skip` leaves out, and `binlog replace` replaces, what is left of the whole "
        f"statement{more}; resume-task and `binlog inject` go on at this part"
    )
    return DMError(exc.kind, told, workaround, exc.raw_cause, exc.fields)
