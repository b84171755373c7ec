"""Planning: `python -m tests.bench.bench_planning [--tables 500] [--rows 1000000]`.

many: tables of 20 rows each (asked: 10,000 in seconds).  gaps: one table whose statistics say 10^9 rows, in ids up
to 2 * 10^9.  10^9 rows do not fit here, so only ``--rows`` are there, evenly spread, and InnoDB's persistent
statistics are told the rest: the questions are those of the large table, the answers are smaller.  dense: the same
claim for ids up to 10^9, as AUTO_INCREMENT leaves them.  text: ``--rows`` rows with a key of CHAR(36), without a claim:
it is cut by keys that are there, which the server finds near values between them.

Shown are seconds (of which the plan's storing), statements, peak memory, and the rows that the server read for it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import threading
import time
from dataclasses import dataclass
from typing import Any

from dm_worker.dumper.chunks import ChunkSize
from dm_worker.dumper.plan import plan_tables
from dm_worker.dumper.source_tables import list_tables, read_structures
from dm_worker.loader.meta import LoadMeta, PlannedChunk
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables, claim_epoch
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.router import Target
from pkg.task.secret import Secret
from tests.bench import ceiling
from tests.bench.bench_full_load import CREATE, DIGITS
from tests.bench.syncing import peak_mb
from tests.servers import RunningServer, start

CLAIMED = 1_000_000_000
_LANES, _WRITERS, _ROWS_OF_SMALL = 4, 4, 20
_CHUNK_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Planned:
    """What one plan took; ``read`` are the rows and keys that the server looked at."""

    tables: int
    chunks: int
    seconds: float
    storing: float
    statements: int
    read: int
    peak_mb: int

    def line(self) -> str:
        return (
            f"{self.tables:,} tables, {self.chunks:,} chunks in {self.seconds:.1f} s (of which storing {self.storing:.1f}): "
            f"{self.statements:,} statements, {self.read:,} rows read, peak memory {self.peak_mb} MB"
        )


def planned(server: RunningServer, schema: str) -> Planned:
    """Plan in a process of its own."""
    context = multiprocessing.get_context("spawn")
    out = context.SimpleQueue()
    process = context.Process(target=_plan, args=(server.host, server.port, schema, out))
    process.start()
    found: Planned = out.get()
    process.join()
    return found


def _plan(host: str, port: int, schema: str, out: Any) -> None:
    options = ConnectionOptions(host, port, "root", Secret(""))
    allowed = BlockAllowList(BlockAllowRules(do_dbs=(schema,)), True)
    began = time.perf_counter()
    with connect(options, side="upstream") as upstream:
        before = _counters(upstream)
        listed, _ = list_tables(upstream, allowed)
        sources = [(one, Target(schema, one.listed.name)) for one in read_structures(upstream, listed)]
        plans = plan_tables(upstream, sources, ChunkSize(0, _CHUNK_BYTES, _LANES), lambda: False)
        after = _counters(upstream)
    ranges = [(plan.source.listed, one) for plan in plans for one in plan.ranges]
    chunks = [
        PlannedChunk(number, table.schema, table.name, table.schema, table.name, one)
        for number, (table, one) in enumerate(ranges)
    ]
    at = time.perf_counter()
    with connect(options, side="downstream") as target:
        tables = MetaTables("plan_meta", schema)
        create_meta_tables(target, tables)
        meta = LoadMeta(target, tables, "bench", claim_epoch(target, tables, "bench", 1))
        meta.store_plan(None, chunks, [plan.source.structure for plan in plans])
    ended = time.perf_counter()
    took = ended - began, ended - at, after[0] - before[0] - 1, after[1] - before[1]
    out.put(Planned(len(plans), len(chunks), *took, peak_mb()))


def _counters(connection: Connection) -> tuple[int, int]:
    """Statements of this session, and its Handler_read_* in all."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS WHERE Variable_name = 'Questions' OR Variable_name LIKE 'Handler_read%'")
        found = {str(name): int(value) for name, value in cursor.fetchall()}
    statements = found.pop("Questions")
    return statements, sum(found.values())


def make_many(server: RunningServer, tables: int) -> None:
    """The schema `many`."""
    with ceiling.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE many DEFAULT CHARACTER SET utf8mb4")
        cursor.execute("CREATE DATABASE plan_meta")

    def work(first: int) -> None:
        with ceiling.connect(server) as connection, connection.cursor() as cursor:
            for number in range(first, tables, _WRITERS):
                cursor.execute(CREATE.format(table=f"many.t{number:05}"))
                values = ", ".join(f"({n}, {n}, 'new', 1, NULL, NULL, NOW())" for n in range(_ROWS_OF_SMALL))
                cursor.execute(f"INSERT INTO many.t{number:05} VALUES {values}")

    threads = [threading.Thread(target=work, args=(first,)) for first in range(_WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def make_claimed(server: RunningServer, schema: str, rows: int, greatest_id: int) -> None:
    """One table of ``rows`` rows with ids up to ``greatest_id`` that passes for one of 10^9 rows."""
    step = greatest_id // rows
    with ceiling.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {schema}")
        cursor.execute(
            f"CREATE TABLE {schema}.t (id BIGINT NOT NULL PRIMARY KEY, v INT) STATS_PERSISTENT=1 STATS_AUTO_RECALC=0"
        )
        digits = ", ".join(f"{DIGITS} d{power}" for power in range(4))
        number = " + ".join(f"d{power}.n * {10**power}" for power in range(4))
        for first in range(0, rows, 10_000):
            cursor.execute(f"INSERT INTO {schema}.t SELECT (1 + {first} + {number}) * {step}, 1 FROM {digits}")
        cursor.execute(f"ANALYZE TABLE {schema}.t")
        cursor.execute(
            f"UPDATE mysql.innodb_table_stats SET n_rows = {CLAIMED}, clustered_index_size = 2500000 "
            f"WHERE database_name = '{schema}' AND table_name = 't'"
        )
        for old, new in (("t", "u"), ("u", "t")):  # the server reads the statistics of a table that is renamed
            cursor.execute(f"RENAME TABLE {schema}.{old} TO {schema}.{new}")


def make_text(server: RunningServer) -> None:
    """The rows of `gaps` with a key of text."""
    with ceiling.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE text")
        cursor.execute("CREATE TABLE text.t (id CHAR(36) CHARACTER SET ascii NOT NULL PRIMARY KEY, v INT)")
        cursor.execute("INSERT INTO text.t SELECT LPAD(id, 36, '0'), v FROM gaps.t")
        cursor.execute("ANALYZE TABLE text.t")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tables", type=int, default=500)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    options = arguments.parse_args()
    with start("mariadb") as server:
        make_many(server, options.tables)
        print(f"many:  {planned(server, 'many').line()}", flush=True)
        make_claimed(server, "gaps", options.rows, 2 * CLAIMED)
        print(f"gaps:  {planned(server, 'gaps').line()}", flush=True)
        make_claimed(server, "dense", options.rows, CLAIMED)
        print(f"dense: {planned(server, 'dense').line()}", flush=True)
        make_text(server)
        print(f"text:  {planned(server, 'text').line()}", flush=True)


if __name__ == "__main__":
    main()
