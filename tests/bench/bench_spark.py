"""What Spark costs: `python -m tests.bench.bench_spark [--rows 200000] [--rounds 2] [--target mariadb]`.

The same chunks by Spark's executors (`local[*]`, from start to end, with the start of the JVM and the chunks that are
copied meanwhile) and by as many plain Python processes, in turns.  Asked: at most 1.15 of their time, with 2,000,000
rows; a small migration never waits for the JVM.
"""

from __future__ import annotations

import argparse
import statistics

from pkg.task.blocks import SparkConfig
from tests.bench import copies
from tests.bench.bench_full_load import fill
from tests.bench.plain_lanes import OnProcesses
from tests.servers import start


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--target", default="mariadb", choices=["mariadb", "tidb"])
    options = arguments.parse_args()
    ratios = []
    with start("mariadb") as upstream, start(options.target) as target:
        fill(upstream, options.rows)
        config = copies.subtask(upstream, target, spark=SparkConfig(start="at-once"))
        for _ in range(options.rounds):
            copies.forget(target)
            spark = copies.copied(config, upstream=upstream, target=target)
            copies.forget(target)
            plain = copies.copied(config, OnProcesses, upstream=upstream, target=target)
            ratios.append(spark.seconds / plain.seconds)
            print(f"Spark:     {spark.line()}")
            print(
                f"processes: {plain.line()}\n  ratio {ratios[-1]:.2f}, of CPU {spark.cpu / plain.cpu:.2f}", flush=True
            )
    print(f"Spark ÷ plain processes: {statistics.median(ratios):.2f} of the time (asked: at most 1.15)")


if __name__ == "__main__":
    main()
