"""A table that is copied as one chunk by a call in this process: what executors do, without the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import plan_copy
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, copy_chunk
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.meta import LoadMeta, PlannedChunk
from dm_worker.loader.streamed import allows_local
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables, claim_epoch
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import structure_of
from pkg.task.secret import Secret
from tests.cases.full.migration import execute
from tests.servers import RunningServer

SOURCE_ID = "src"


@contextmanager
def linked(server: RunningServer) -> Iterator[Connection]:
    connection = connect(options(server), side="downstream")
    try:
        yield connection
    finally:
        connection.close()


def options(server: RunningServer) -> ConnectionOptions:
    return ConnectionOptions(server.host, server.port, "root", Secret(""))


class OneChunk:
    """`schema.table` upstream to `schema_to.t` downstream; further tables make chunks with the next numbers."""

    def __init__(self, source: RunningServer, target: RunningServer, schema: str, **settings: Any) -> None:
        self.source, self.target = source, target
        self.schema, self.target_schema = schema, f"{schema}_to"
        self.meta = MetaTables(f"{schema}_meta", schema)
        self._settings = settings

    def fill(self, create: str, *rows: str, at: str = "both", tables: tuple[str, ...] = ("t",)) -> None:
        """The table at both ends, or as the target has it `at` there; the rows upstream."""
        fresh = [f"DROP DATABASE IF EXISTS {name}" for name in (self.schema, self.target_schema, self.meta.schema)]
        for server in (self.source, self.target):
            execute(server, *fresh)
        for server, name in ((self.source, self.schema), (self.target, self.target_schema)):
            execute(server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        for table in tables:
            inserts = [f"INSERT INTO {table} VALUES {row}" for row in rows]
            execute(self.source, f"CREATE TABLE {table} ({create})", *inserts, database=self.schema)
        execute(self.target, f"CREATE TABLE t ({create if at == 'both' else at})", database=self.target_schema)
        self._plan(tables)

    def _plan(self, tables: tuple[str, ...]) -> None:
        with linked(self.source) as upstream, linked(self.target) as downstream:
            structures = [structure_of(upstream, self.schema, table) for table in tables]
            create_meta_tables(downstream, self.meta)
            epoch = claim_epoch(downstream, self.meta, SOURCE_ID, 1)
            source, target = Server.probe(upstream), Server.probe(downstream)
            chunks = [
                PlannedChunk(number, self.schema, table, self.target_schema, "t", Range())
                for number, table in enumerate(tables)
            ]
            found = [one for one in structures if one is not None]
            LoadMeta(downstream, self.meta, SOURCE_ID, epoch).store_plan(source.fetch_location(upstream), chunks, found)
            self.job = CopyJob(
                upstream=options(self.source),
                downstream=options(self.target),
                upstream_session=source.upstream_session(),
                downstream_session=target.copy_session(),
                meta=self.meta,
                source_id=SOURCE_ID,
                epoch=epoch,
                on_duplicate="replace",
                tables=tuple(plan_copy(one, self.target_schema, "t") for one in found),
                flavor=target.flavor,
                streams=allows_local(downstream),
            )
        self.job = replace(self.job, **self._settings)

    def copy(self, number: int = 0, stopped: Callable[[], bool] = lambda: False) -> ChunkDone:
        try:
            return copy_chunk(self.job, ChunkTask(number, number, Range()), stopped=stopped)
        finally:
            Ends.forget()
