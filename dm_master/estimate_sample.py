"""Some seconds of copying, to learn a rate: the largest table's first rows, into scratch tables that are dropped.

Each connection writes into a scratch table of its own in the task's meta schema; it has the structure of
the target table (or what would be made), so its indexes cost what they will cost.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pymysql.constants.COMMAND import COM_QUERY

from dm_master.estimate import Sample
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.errors import DMError, as_dm_error
from pkg.rows.text_protocol import StatementBuilder
from pkg.task import SubtaskConfig

log = logging.getLogger(__name__)

MOST_CONNECTIONS: Final = 4
_RECEIVE_BYTES: Final = 256 * 1024
_STATEMENT_ROWS: Final = 1000
_STATEMENT_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 256 * 2**20  # of each connection


@dataclass(frozen=True, slots=True)
class Scratch:
    """What is copied for a sample; ``create_sql`` makes a scratch table, {} stands for its qualified name."""

    table: str  # as shown
    select: str
    columns: tuple[str, ...]  # quoted
    create_sql: str


@dataclass(slots=True)
class _Lane:
    """One connection's part; its own thread fills it."""

    rows: int = 0
    bytes: int = 0
    error: DMError | None = None
    seconds: float = field(default=0.0)


def take_sample(
    subtask: SubtaskConfig,
    source: Server,
    target: Server,
    scratch: Scratch,
    seconds: float,
    lanes: int,
    *,
    writes: bool,
) -> Sample:
    """Copy for ``seconds``, or only read; when the target does not let us write, only read and say so."""
    if not writes:
        return _copied(subtask, source, target, scratch, seconds, lanes, names=[])
    names = [f"{quoted(subtask.meta_schema)}.{quoted(f'{subtask.task_name}_sparkdm_sample{n}')}" for n in range(lanes)]
    try:
        with _scratch_tables(subtask, target, scratch, names):
            return _copied(subtask, source, target, scratch, seconds, lanes, names)
    except DMError as exc:
        log.info("no sample is written: %s", exc)
        read = _copied(subtask, source, target, scratch, seconds, lanes, names=[])
        text = exc.fields.get("text", exc.message)
        return Sample(
            read.seconds, read.rows, read.bytes, read.connections, read.table, writes=False,
            note=f"no sample could be written to the target: {text}",
        )  # fmt: skip


class _scratch_tables:
    """The scratch tables, and the meta schema if it was not there, for as long as the sample is taken."""

    def __init__(self, subtask: SubtaskConfig, target: Server, scratch: Scratch, names: list[str]) -> None:
        self._options = ConnectionOptions.from_config(subtask.target, side="downstream")
        self._session = target.downstream_session(self._options.session) | {"foreign_key_checks": "0"}
        self._schema, self._scratch, self._names = subtask.meta_schema, scratch, names
        self._made_schema = False

    def __enter__(self) -> None:
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise

    def _make(self) -> None:
        with closing(self._connect()) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = %s", (self._schema,))
            row: Any = cursor.fetchone()
            self._made_schema = not row[0]
            cursor.execute(f"CREATE DATABASE IF NOT EXISTS {quoted(self._schema)}")
            for name in self._names:
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
                connection.query(self._scratch.create_sql.replace("{}", name))

    def __exit__(self, *_: object) -> None:
        with suppress(DMError), closing(self._connect()) as connection, connection.cursor() as cursor:
            for name in self._names:
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
            if self._made_schema:
                cursor.execute(f"DROP DATABASE IF EXISTS {quoted(self._schema)}")

    def _connect(self) -> Connection:
        return connect(self._options, side="downstream", session=self._session)


def _copied(
    subtask: SubtaskConfig, source: Server, target: Server, scratch: Scratch, seconds: float, lanes: int,
    names: list[str],
) -> Sample:  # fmt: skip
    """All lanes at once; ``names`` are the tables to write to, none: they only read."""
    found = [_Lane() for _ in range(lanes)]
    began = time.monotonic()
    threads = [
        threading.Thread(
            target=_run_lane,
            args=(lane, subtask, source, target, scratch, began + seconds, names[n : n + 1]),
            daemon=True,
        )
        for n, lane in enumerate(found)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    error = next((lane.error for lane in found if lane.error is not None), None)
    if error is not None:
        raise error
    rows, size = sum(lane.rows for lane in found), sum(lane.bytes for lane in found)
    taken = max(lane.seconds for lane in found)  # without the time that connecting took
    return Sample(max(taken, 0.001), rows, size, lanes, scratch.table, writes=bool(names))


def _run_lane(
    lane: _Lane,
    subtask: SubtaskConfig,
    source: Server,
    target: Server,
    scratch: Scratch,
    until: float,
    names: list[str],
) -> None:
    try:
        options = ConnectionOptions.from_config(subtask.upstream, side="upstream")
        reader = connect(options, side="upstream", session=source.upstream_session())
        try:
            if not names:
                _copy(lane, reader, None, scratch, "`sample`", until)
                return
            to = ConnectionOptions.from_config(subtask.target, side="downstream")
            with closing(connect(to, side="downstream", session=target.copy_session(to.session))) as writer:
                _copy(lane, reader, writer, scratch, names[0], until)
        finally:
            reader._force_close()  # its answer is not read to the end
    except Exception as exc:
        lane.error = as_dm_error(exc)


def _copy(
    lane: _Lane, reader: Connection, writer: Connection | None, scratch: Scratch, name: str, until: float
) -> None:
    prefix = f"INSERT INTO {name} ({', '.join(scratch.columns)}) VALUES "
    builder = StatementBuilder(prefix.encode(), _STATEMENT_ROWS, _STATEMENT_BYTES)
    began = time.monotonic()
    for statement in _statements(reader, scratch.select, builder):
        if writer is not None:
            writer.query(statement)
        lane.rows, lane.bytes = builder.rows, builder.value_bytes
        lane.seconds = time.monotonic() - began
        if time.monotonic() >= until or lane.bytes >= _MOST_BYTES:
            break
    if writer is not None:
        writer.commit()
    lane.seconds = time.monotonic() - began


def _statements(reader: Connection, sql: str, builder: StatementBuilder) -> Iterator[bytes]:
    reader._execute_command(COM_QUERY, sql)
    buffer = bytearray(_RECEIVE_BYTES)
    view = memoryview(buffer)
    while not builder.finished:
        size = reader._sock.recv_into(buffer)
        if not size:
            return
        for statement, _ in builder.feed(view[:size]):
            yield statement
