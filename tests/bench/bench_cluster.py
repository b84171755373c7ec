"""A standalone Spark cluster that grows: `python -m tests.bench.bench_cluster [--rows 200000] [--executors 1 2 4]
[--target mariadb]`.

Executors of one core each, all on this machine, beside both servers: what is measured is where the machine, or the
target on it, is busy, and what an executor costs in CPU and memory.  Rates count from the moment on at which
Spark is up; nothing is copied before.  The limit of the target alone is LOAD DATA LOCAL of ready files on 4 connections.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from dm_worker.loader.consistent import SnapshotLanes
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.lanes import ChunkLanes
from dm_worker.loader.traffic import Traffic
from dm_worker.loader.unit import FullMigration
from pkg.task.blocks import DumpConfig, LoadConfig, SparkConfig
from tests.bench import copies, ready_files
from tests.bench.bench_full_load import CREATE, checksum, fill
from tests.bench.copies import Copied
from tests.cases.full.spark_cluster import standalone
from tests.servers import RunningServer, start

_CEILING_ROWS = 100_000
_POLL_SECONDS = 0.05
# Python as the hosts of a cluster have it: it knows nothing of this project.
_CONF = {
    "spark.pyspark.python": str(Path(sys.base_prefix, "bin", "python3")),
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
}


class WhenUp(FullMigration):
    """Copies nothing by itself while Spark starts."""

    def _lanes_for(self, job: CopyJob, traffic: Traffic) -> ChunkLanes | SnapshotLanes:
        self._engine = engine = self._engine or self._start_engine()
        while engine is not None and engine.is_starting:
            time.sleep(_POLL_SECONDS)
        return super()._lanes_for(job, traffic)


def copied(upstream: RunningServer, target: RunningServer, executors: int) -> Copied:
    """By a cluster of its own, whose processes' CPU is not in the result."""
    copies.forget(target)
    folder = Path(tempfile.mkdtemp(prefix="spark-dm-bench-"))
    try:
        with standalone(folder, executors, cores=1) as master:
            config = copies.subtask(
                upstream,
                target,
                dump=DumpConfig(consistency="none", threads=executors),
                load=LoadConfig.model_validate({"pool-size": executors}),
                spark=SparkConfig(master=master, conf=_CONF),
            )
            return copies.copied(config, WhenUp, upstream=upstream, target=target)
    finally:
        shutil.rmtree(folder)


def limit(upstream: RunningServer, target: RunningServer, rows: int) -> float:
    with ready_files.files_of(upstream, rows) as files:
        return ready_files.rows_per_second(target, CREATE.format(table="ceiling.t"), files, rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4])
    arguments.add_argument("--target", default="mariadb", choices=["mariadb", "tidb"])
    options = arguments.parse_args()
    with start("mariadb") as upstream, start(options.target) as target:
        fill(upstream, options.rows)
        for executors in options.executors:
            alone = limit(upstream, target, min(_CEILING_ROWS, options.rows))
            made = copied(upstream, target, executors)
            same = "" if checksum(upstream) == checksum(target) else " DIFFERENT"
            since = (made.rows - made.rows_before) / made.since_up
            print(f"{executors} executors: {made.line()}{same}")
            print(
                f"  since Spark was up {since:,.0f} rows/s, {since / alone:.2f} of the target alone ({alone:,.0f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
