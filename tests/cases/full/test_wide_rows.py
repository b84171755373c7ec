"""A row's size does not count in an executor's memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.cases.full.migration import ROOT, execute, query
from tests.cases.full.one_chunk import OneChunk
from tests.servers import RunningServer

WIDE = 64 << 20
MOST_MEGABYTES = 200
LOG_OF_REDO = {"mariadb": "--innodb-log-file-size=512M", "mysql": "--innodb-redo-log-capacity=1G"}
SCRIPT = """
import pickle, sys
from pathlib import Path
from dm_worker.dumper.chunks import Range
from dm_worker.loader.chunk_copy import ChunkTask, copy_chunk
job = pickle.load(sys.stdin.buffer)
done = copy_chunk(job, ChunkTask(0, 0, Range()))
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]  # ru_maxrss is that of the parent, too
print(done.error or done.rows, int(peak) >> 10)
"""


@pytest.mark.parametrize("kind", LOG_OF_REDO)
def test_rows_of_64_megabytes_pass_through_200(server_factory: Callable[..., RunningServer], kind: str) -> None:
    server = server_factory(kind, options=["--max-allowed-packet=256M", LOG_OF_REDO[kind]])
    chunk = OneChunk(server, server, "wide_rows")
    chunk.fill("id INT PRIMARY KEY, b LONGBLOB, t LONGTEXT CHARACTER SET utf8mb4")
    execute(
        server,
        f"INSERT INTO t VALUES (1, REPEAT(x'09ff0a00', {WIDE // 4}), 'ä'), (2, x'', REPEAT('ä\\\\', {WIDE // 8})), (3, NULL, NULL)",
        database=chunk.schema,
    )
    # In a process of its own: an executor's.
    copied = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=pickle.dumps(chunk.job), cwd=ROOT,
        capture_output=True, check=True,
    )  # fmt: skip
    rows, megabytes = copied.stdout.decode().rsplit(maxsplit=1)
    assert rows == "3"
    assert int(megabytes) < MOST_MEGABYTES
    sums = "SELECT id, SHA2(b, 256), SHA2(t, 256), LENGTH(b), LENGTH(t) FROM t ORDER BY id"
    assert query(server, sums, chunk.target_schema) == query(server, sums, chunk.schema)
