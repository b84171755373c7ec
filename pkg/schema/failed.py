"""What a statement has done upstream that ended with an error there.

Servers log such a statement for what it had done by then: a native replica runs it and must meet the same error.
"""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.statement import Ddl, DdlKind

UNKNOWN_TABLE = 1051
FAILED_UPSTREAM = ErrorKind(
    36122,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream logged a DDL that ended with error {error} there: what it did is not known: {sql}",
    workaround="look at its tables upstream, make the same change downstream, and `dmctl binlog skip <task>`; or "
    "`dmctl binlog replace <task> <sql>` runs what it did",
)
_CREATIONS = frozenset({DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_LIKE, DdlKind.CREATE_TABLE_SELECT})


def effect_upstream(ddl: Ddl, error_code: int, flavor: str) -> Ddl | None:
    """``ddl`` as what it did, by its event's error (0: none); None where that cannot be said.

    * CREATE OR REPLACE TABLE: the old table is dropped before the new one fails, and only then is it logged.
    * DROP TABLE of several, of which some are unknown (1051): the others are dropped.  MariaDB from 10.6 on logs it
      without the error.
    """
    if not ddl.is_schema_change:
        return ddl
    if ddl.kind is DdlKind.DROP_TABLE and not ddl.if_exists:
        fails_partly = error_code == UNKNOWN_TABLE or (not error_code and flavor == "mariadb" and len(ddl.spans) > 1)
        if fails_partly:
            return ddl.dropped_if_exists()
    if ddl.kind in _CREATIONS and ddl.or_replace and error_code:
        return ddl.dropped_if_exists(1)
    return None if error_code else ddl
