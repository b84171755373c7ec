"""The events of which a busy stream makes a million a second: C structures once compiled.

Types for the compiler: frequent_events.pxd.  `end` is the 64-bit offset behind the event in its file;
events of one compressed transaction share the payload's.  `timestamp` is the upstream's, in seconds
since 1970.
"""

from __future__ import annotations

from typing import Any

import cython

from pkg.binlog.table_layout import TableMap

RowImage = tuple[bytes, ...]


@cython.cclass
class RowsEvent:
    """Rows of one table; for an update images alternate, before and after."""

    def __init__(
        self,
        table_map: TableMap,
        kind: str,
        rows: list[RowImage],
        start: int,
        end: int,
        timestamp: int,
        server_id: int = 0,
        is_statement_end: bool = True,
        checks_keys: bool = True,
    ) -> None:
        self.table_map = table_map
        self.kind = kind  # insert | update | delete
        self.rows = rows
        self.start = start
        self.end = end
        self.timestamp = timestamp
        self.server_id = server_id
        self.is_statement_end = is_statement_end
        self.checks_keys = checks_keys  # foreign keys were checked

    def _fields(self) -> tuple[Any, ...]:
        place = (self.start, self.end, self.timestamp, self.server_id, self.is_statement_end, self.checks_keys)
        return (self.table_map, self.kind, self.rows, *place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowsEvent) and self._fields() == other._fields()

    def __repr__(self) -> str:
        table = f"{self.table_map.schema}.{self.table_map.table}"
        return f"RowsEvent({table}, {self.kind}, {self.rows}, {self.start}-{self.end}, {self.timestamp})"


@cython.cclass
class XidEvent:
    """A transaction's commit."""

    def __init__(self, end: int, timestamp: int) -> None:
        self.end = end
        self.timestamp = timestamp

    def __eq__(self, other: object) -> bool:
        return isinstance(other, XidEvent) and (self.end, self.timestamp) == (other.end, other.timestamp)

    def __repr__(self) -> str:
        return f"XidEvent({self.end}, {self.timestamp})"


@cython.cclass
class GtidEvent:
    """A transaction begins; `gtid` as the flavour writes it."""

    def __init__(
        self,
        gtid: str,
        end: int,
        timestamp: int,
        standalone: bool = False,
        is_ddl: bool = False,
        committed: int = 0,
    ) -> None:
        self.gtid = gtid
        self.end = end
        self.timestamp = timestamp
        self.standalone = standalone  # MariaDB: one statement without a commit event of its own
        self.is_ddl = is_ddl  # MariaDB says so
        self.committed = committed  # MySQL: microseconds since 1970 on this server's clock; 0: the event does not say

    def _fields(self) -> tuple[Any, ...]:
        return self.gtid, self.end, self.timestamp, self.standalone, self.is_ddl, self.committed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GtidEvent) and self._fields() == other._fields()

    def __repr__(self) -> str:
        return f"GtidEvent({self.gtid}, {self.end}, {self.timestamp}, {self.standalone}, {self.is_ddl})"
