"""The tables that a task keeps in its target: names, and the claim of an epoch (meta_structure.py has the columns).

All of them live in the task's ``meta-schema`` and start with the task's name:

``source``      one row per source: the epoch (the fence of the running subtask), where replication
                starts (and whose binlog that is: "" if not known), where the lock-free copy ended, how far the load is,
                by what mode, lists and rules the last run took tables, or an unfinished copy was begun (JSON;
                NULL: that of a build that did not say)
``chunk``       one row per chunk of the full migration
``pinned``      keyless tables: the location of the snapshot in which each was read
``snapshot``    one row per source: the consistent snapshot of a full migration that holds one
``lane``        the connections that read this snapshot
``structure``   the tracked structure of each upstream table at the checkpoint's location
``shard``       what tables that are merged wait for, by their DDL
``onlineddl``   DDL of shadow tables, until they take their tables' places; named and built as DM's
``channel``     what each channel of the syncer has applied
``checkpoint``  the location before which everything is applied
``summary``     what the full migration came to, as JSON
``later``       indexes and foreign keys of tables of the target that come after the rows, and views
``made``        tables of the target that the full migration has created, as they were then
``again``       upstream tables that were altered while they were copied, and were copied anew: as they were, and where
``copied``      upstream tables of which all chunks were read, and where the binlog was then
``planned``     upstream tables that were altered while they were copied, as they were when that began, as JSON
``row_order``   by what rows of each upstream table are given to channels (dm_worker/syncer/row_orders.py)
``temporary``   temporary tables of the upstream's sessions that the stream has told of, as JSON
``connection``  connections that write to the target, until they are known to be gone (owned_connections.py)
``ddl``         what was begun of the DDL that the checkpoint marks, as JSON (dm_worker/syncer/ddl_journal.py)
``operator``    what an operator decided about single statements (`dmctl binlog`)

An epoch is ``bind_epoch << 20 | run``: a later binding of the source always outranks every run of an
earlier one, and a later run of the same binding outranks an earlier run (DESIGN.md §4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import RUN_BITS

Connection = Any  # pymysql.Connection[Any]; its stubs make the cursor class part of the type

CHUNK_GONE: Final = 3
"""What ``done`` says of a chunk whose table was gone from the upstream before it was read."""

FENCED = ErrorKind(
    42502,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "another run of source {source} of task {task} has begun, or the task was stopped or begun anew: epoch {current} "
    "in {table} is newer than {mine}",
    workaround="nothing to do where `query-status {task}` shows the newer run, or the task was stopped: this run has "
    "stopped without writing; else resume-task",
)

SET_BACK = ErrorKind(
    42505,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target does not hold any more what this run of source {source} of task {task} wrote: {table} is older",
    workaround="it was restored, or a replica that lacked the last transactions was promoted: nothing to do for this "
    "task, which goes on from where the target now stands; rows that others wrote there may be lost",
    resumable=True,
)

NEWER_FORMAT = ErrorKind(
    42503,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "source {source} of task {task} was run by a newer build: its meta tables have format {there} ({table}), and this "
    "build knows formats up to {known}",
    workaround="run the newer build of dm-worker again; nothing was changed",
)
COPY_OF_ANOTHER = ErrorKind(
    34136,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the full migration of source {source} read the server {known}, and at {address} {found} answers: what is left of "
    "it, and places in the binlog, are those of the former server",
    workaround="point the source at the former server, and it goes on by itself; or start the task with "
    "--remove-meta, which copies its tables anew",
    resumable=True,
)
FORMAT: Final = 12
"""Of what the meta tables hold; 0: of a build before formats had numbers (meta_structure.py)."""


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class MetaTables:
    """Qualified, quoted names of a task's meta tables."""

    schema: str
    task: str

    def _name(self, suffix: str) -> str:
        return f"{quoted(self.schema)}.{quoted(f'{self.task}_sparkdm_{suffix}')}"

    @property
    def source(self) -> str:
        return self._name("source")

    @property
    def chunk(self) -> str:
        return self._name("chunk")

    @property
    def pinned(self) -> str:
        return self._name("pinned")

    @property
    def snapshot(self) -> str:
        return self._name("snapshot")

    @property
    def lane(self) -> str:
        return self._name("lane")

    @property
    def structure(self) -> str:
        return self._name("structure")

    @property
    def channel(self) -> str:
        return self._name("channel")

    @property
    def checkpoint(self) -> str:
        return self._name("checkpoint")

    @property
    def operator(self) -> str:
        return self._name("operator")

    @property
    def summary(self) -> str:
        return self._name("summary")

    @property
    def later(self) -> str:
        return self._name("later")

    @property
    def made(self) -> str:
        return self._name("made")

    @property
    def again(self) -> str:
        return self._name("again")

    @property
    def copied(self) -> str:
        return self._name("copied")

    @property
    def planned(self) -> str:
        return self._name("planned")

    @property
    def row_order(self) -> str:
        return self._name("row_order")

    @property
    def temporary(self) -> str:
        return self._name("temporary")

    @property
    def shard(self) -> str:
        return self._name("shard")

    @property
    def connection(self) -> str:
        """Kept when a source is forgotten: whoever comes next ends them."""
        return self._name("connection")

    @property
    def ddl(self) -> str:
        return self._name("ddl")

    @property
    def online_ddl(self) -> str:
        """Rows are found by ``id``, the source's: it is DM's own table where DM ran the task before."""
        return f"{quoted(self.schema)}.{quoted(f'{self.task}_onlineddl')}"

    def all(self) -> tuple[str, ...]:
        return (
            self.source, self.chunk, self.pinned, self.structure, self.channel, self.checkpoint, self.operator,
            self.shard, self.snapshot, self.lane, self.summary, self.later,
            self.made, self.again, self.temporary, self.ddl, self.copied, self.planned,
            self.row_order,
        )  # fmt: skip


def location_values(location: Location) -> tuple[str, int, str | None]:
    """What the three columns of a location hold."""
    gtids = location.gtid_set
    return location.position.name, location.position.offset, None if gtids is None else str(gtids)


def stored_epoch(connection: Connection, tables: MetaTables, source_id: str) -> int:
    """The epoch of the last run; -1: none has come to the target."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT epoch FROM {tables.source} WHERE source_id = %s", (source_id,))
            row = cursor.fetchone()
    except DMError as exc:
        if not (UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc)):
            raise
        return -1
    return -1 if row is None else int(row[0])


def claim_epoch(
    connection: Connection, tables: MetaTables, source_id: str, bind_epoch: int, only_from: int | None = None
) -> int:
    """Take over ``source_id``: the new epoch, after which no earlier run can commit anything.

    The rows that a run's transactions check (source, channels, unfinished chunks) change together.
    Raises FENCED when a later binding has already claimed the source, or anybody since the epoch ``only_from``,
    NEWER_FORMAT when a newer build has.
    """

    def work(cursor: Any) -> int:
        # The row is made first, so that FOR UPDATE has one to lock also when two workers start at once.
        cursor.execute(f"INSERT IGNORE INTO {tables.source} (source_id, epoch) VALUES (%s, 0)", (source_id,))
        cursor.execute(f"SELECT epoch, format FROM {tables.source} WHERE source_id = %s FOR UPDATE", (source_id,))
        current, there = map(int, cursor.fetchone())
        if there > FORMAT:
            raise NEWER_FORMAT.error(source=source_id, task=tables.task, table=tables.source, there=there, known=FORMAT)
        if current >> RUN_BITS > bind_epoch or only_from not in (None, current):
            raise FENCED.error(
                source=source_id, task=tables.task, table=tables.source, current=current, mine=bind_epoch << RUN_BITS
            )
        epoch = max(current + 1, (bind_epoch << RUN_BITS) + 1)
        for table, condition in ((tables.source, ""), (tables.channel, ""), (tables.chunk, " AND done = 0")):
            cursor.execute(f"UPDATE {table} SET epoch = %s WHERE source_id = %s{condition}", (epoch, source_id))
        cursor.execute(f"UPDATE {tables.source} SET format = %s WHERE source_id = %s", (FORMAT, source_id))
        return epoch

    return in_transaction(connection, work)


def store_taken(connection: Connection, tables: MetaTables, source_id: str, epoch: int, taken: str) -> None:
    """By what lists the run of ``epoch`` takes tables; nothing where another run has begun."""
    sql = f"UPDATE {tables.source} SET taken = %s WHERE source_id = %s AND epoch = %s"
    in_transaction(connection, lambda cursor: cursor.execute(sql, (taken, source_id, epoch)))


def hold_epoch(cursor: Any, tables: MetaTables, source_id: str, epoch: int) -> None:
    """No other run claims the source until the open transaction ends.  Raises FENCED when one has."""
    current = _current_epoch(cursor, tables, source_id)
    if current != epoch:
        raise not_ours(tables, source_id, epoch, current)


def hold_all_epochs(cursor: Any, tables: MetaTables, source_id: str, epoch: int) -> None:
    """The same, and no source's run stores a plan either.  Raises FENCED."""
    cursor.execute(f"SELECT source_id, epoch FROM {tables.source} FOR UPDATE")
    if (source_id, epoch) not in [(str(one), int(its)) for one, its in cursor.fetchall()]:
        raise fenced(cursor, tables, source_id, epoch)


def fenced(cursor: Any, tables: MetaTables, source_id: str, epoch: int) -> DMError:
    """Why a run found a row that it writes not to be its own: FENCED, or SET_BACK."""
    return not_ours(tables, source_id, epoch, _current_epoch(cursor, tables, source_id))


def _current_epoch(cursor: Any, tables: MetaTables, source_id: str) -> int:
    """The newest one, whatever the open transaction sees; -1: the source has no row."""
    cursor.execute(f"SELECT epoch FROM {tables.source} WHERE source_id = %s FOR UPDATE", (source_id,))
    row = cursor.fetchone()
    return -1 if row is None else int(row[0])


def not_ours(tables: MetaTables, source_id: str, mine: int, current: int, table: str = "") -> DMError:
    """FENCED by a newer epoch; an older one, or none, is that of an older state of the target."""
    names: dict[str, Any] = {"source": source_id, "task": tables.task, "table": table or tables.source}
    if current < mine:
        return SET_BACK.error(**names)
    return FENCED.error(**names, current="another" if current == mine else current, mine=mine)


def forget_source(connection: Connection, tables: MetaTables, source_id: str, epoch: int) -> bool:
    """``--remove-meta``: drop all that is known of ``source_id`` but its epoch, which goes on fencing.

    False where another run than that of ``epoch`` (-1: there was none) has claimed the source: nothing is dropped.
    """

    def work(cursor: Any) -> bool:
        if _current_epoch(cursor, tables, source_id) != epoch:
            return False
        cursor.execute(
            f"UPDATE {tables.source} SET epoch = epoch + 1, load_status = '', start_binlog_name = '', "
            "start_binlog_pos = 0, start_gtid = NULL, start_server = '', "
            "end_binlog_name = '', end_binlog_pos = 0, end_gtid = NULL, taken = NULL, "
            "database_collations = NULL WHERE source_id = %s",
            (source_id,),
        )
        for table in tables.all()[1:]:
            cursor.execute(f"DELETE FROM {table} WHERE source_id = %s", (source_id,))
        cursor.execute(f"DELETE FROM {tables.online_ddl} WHERE id = %s", (source_id,))
        return True

    return in_transaction(connection, work)
