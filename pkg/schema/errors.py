"""What a user reads when a DDL cannot be understood or does not fit the tracked structure."""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope

UNREADABLE_DDL = ErrorKind(
    36067,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "cannot understand the DDL: {reason}; statement (default database `{schema}`): {sql}",
    workaround=(
        "`dmctl binlog skip <task>` passes over the statement, `dmctl binlog replace <task> <sql>` runs another one "
        "in its place; an `sql-pattern` of the binlog event filter leaves such statements out for good"
    ),
)
UNREADABLE_TABLE = ErrorKind(
    44008,
    "schema-tracker",
    Scope.NOT_SET,
    Level.HIGH,
    "cannot understand the structure of a table in `{schema}`: {reason}; statement: {sql}",
    workaround="`dmctl binlog-schema update` sets the structure from a file; please report the statement as a defect",
)
DDL_DOES_NOT_FIT = ErrorKind(
    44006,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "the DDL does not fit the tracked structure of `{schema}`.`{table}`: {reason}; statement: {sql}",
    workaround=(
        "`dmctl binlog-schema list` shows the tracked structure, `dmctl binlog-schema update --from-source` sets it "
        "to the upstream's; `dmctl binlog skip <task>` passes over the statement"
    ),
)


def shortened(sql: str, limit: int = 2000) -> str:
    return sql if len(sql) <= limit else f"{sql[:limit]}… ({len(sql)} characters in all)"
