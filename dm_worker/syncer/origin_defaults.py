"""EXCHANGE PARTITION in TiDB, whose rows lack what their table's definition says for them.

TiDB writes no row where a column is added: rows without it have the column's *origin default*, which is the default
that it was added with and stays in the table's definition.  A NULL may be left out of a row, too.  EXCHANGE compares no
origin defaults, so that rows which lack a column get that of the other table.  TiDB shows them in the history of its
DDL jobs alone (mysql.tidb_ddl_history, from 6.2 on).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dm_worker.syncer.downstream import Downstream
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.errors import shortened
from pkg.schema.lexer import quote_name
from pkg.schema.partitions import taking_rows
from pkg.schema.statement import Ddl, TableName

log = logging.getLogger(__name__)

OTHER_ORIGINS = ErrorKind(
    36270,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows would have other values behind an exchange of {table} and {other} in TiDB at {place}: {reason}; {sql}",
    workaround="where one of the two has no rows in the target, make it anew there from the other one, so that both "
    "have the same origin defaults (CREATE TABLE … LIKE, ALTER TABLE … REMOVE PARTITIONING), then resume-task; else "
    "exchange the rows by INSERT … SELECT and DELETE, then `dmctl binlog skip <task>`",
)

Origins = Mapping[str, tuple[object, object]]  # of the columns, in small letters: as texts, and as those of bits
Job = Mapping[str, Any]  # of TiDB's history
_NO_ORIGIN = (None, None)
_EXCHANGE = 42  # TiDB's number of the kind of job; its table is the one without partitions
_SYNCED = 6  # a job that was done


@dataclass(frozen=True, slots=True)
class _Side:
    """Rows that go to another table: ``rows`` is what stands behind FROM, ``origins`` are of the table they are in."""

    rows: str
    origins: Origins | None


def refuse_other_origins(
    downstream: Downstream, piece: Ddl, routed: Callable[[TableName], TableName], place: str
) -> None:
    """Raises OTHER_ORIGINS."""
    exchange = taking_rows(piece)
    if downstream.server.flavor != "tidb" or exchange is None or exchange.action != "EXCHANGE":
        return
    table, other = (routed(name) for name in piece.tables[:2])
    own = _Side(f"{table.quoted()} PARTITION ({quote_name(exchange.clause.named[0])})", _origins(downstream, table))
    given = _Side(other.quoted(), _origins(downstream, other))
    for side, taking in ((own, given), (given, own)):
        for where, reason in doubts(side.origins, taking.origins):
            if downstream.rows(f"SELECT 1 FROM {side.rows}{where and ' WHERE '}{where} LIMIT 1"):
                raise OTHER_ORIGINS.error(
                    place=place, table=table.quoted(), other=other.quoted(), reason=reason, sql=shortened(piece.text)
                )


def doubts(own: Origins | None, taking: Origins | None) -> Iterator[tuple[str, str]]:
    """Conditions of rows that may change, and why.  ``own``: of the table that they leave; None: not known."""
    if own is None or taking is None:
        yield "", "TiDB's history of DDL jobs (mysql.tidb_ddl_history) does not tell which columns were added to them"
        return
    for name, origin in own.items():
        if taking.get(name, _NO_ORIGIN) != origin:
            reason = f"the column {name} was added with another default, or to one of the two alone"
            yield (f"{quote_name(name)} IS NULL" if origin == _NO_ORIGIN else ""), reason


def _origins(downstream: Downstream, name: TableName) -> Origins | None:
    """What the table's definition has; None where the history does not tell, or is closed to the account."""
    try:
        found = downstream.rows(
            "SELECT tidb_table_id FROM information_schema.tables WHERE table_schema = %s AND table_name = %s",
            (name.schema, name.table),
        )
        return origins_in(_jobs(downstream, int(found[0][0]), name), int(found[0][0]), name) if found else None
    except DMError as exc:
        if exc.resumable:
            raise
        log.warning("the history of TiDB's DDL jobs is not read: %s", exc)
        return None


def origins_in(jobs: Iterable[Job], number: int, name: TableName) -> Origins | None:
    """The origin defaults of the table that has this number now.  ``jobs``: those that speak of it, the last one first.

    An exchange gives a table the number of the partition, and leaves its definition.
    """
    for job in jobs:
        told = job["binlog"]
        for one in (told["TableInfo"], *(told["MultipleTableInfos"] or ())):
            if one is not None and one["id"] == number:
                return {each["name"]["L"]: (each["origin_default"], each["origin_default_bit"]) for each in one["cols"]}
        if job["type"] == _EXCHANGE and job["table_id"] == number:
            return None  # given away, and back by an exchange that the history does not have
        if job["type"] == _EXCHANGE and _folded(TableName(job["schema_name"], job["table_name"])) == _folded(name):
            number = job["table_id"]
    return None


def _jobs(downstream: Downstream, number: int, name: TableName) -> Iterator[Job]:
    found = downstream.rows(
        "SELECT job_id FROM mysql.tidb_ddl_history WHERE job_meta LIKE %s OR FIND_IN_SET(%s, table_ids) "
        "OR (LOWER(db_name), LOWER(table_name)) = (%s, %s) ORDER BY job_id DESC",
        (f'%"id":{number},"name":{{%', number, *_folded(name)),
    )
    for [job] in found:
        [[text]] = downstream.rows("SELECT job_meta FROM mysql.tidb_ddl_history WHERE job_id = %s", (job,))
        read = json.loads(text)
        if read["state"] == _SYNCED:
            yield read


def _folded(name: TableName) -> tuple[str, str]:
    return name.schema.lower(), name.table.lower()
