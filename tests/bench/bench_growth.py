"""How cost grows: `python -m tests.bench.bench_growth [--target tidb|mariadb] [--scale 1.0] [--tables …] [--channels …]`.

The mixed load, spread over 1, 10, 100 and 2,000 tables (8 channels), then one table over 1, 2, 8 and 32 channels.
"start" is from the unit's start to the first row that is applied; "apply" is what comes then, and rows/s are of it.
"per table" is what a further table costs at the start and in memory, against the smallest number of the run.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tests.bench import backlog
from tests.bench.loads import LOADS, Load
from tests.bench.syncing import Cost, SyncProcess, subtask
from tests.servers import RunningServer, start

TABLES = (1, 10, 100, 2000)
CHANNELS = (1, 2, 8, 32)
CHANGES = 100_000
CHANGES_PER_TABLE = 100  # at least, so that meeting a table for the first time is not most of the work
USUAL_CHANNELS = 8


@dataclass(frozen=True, slots=True)
class Measured:
    size: int
    changes: int
    cost: Cost
    equal: bool

    @property
    def apply_seconds(self) -> float:
        return max(self.cost.seconds - self.cost.start_seconds, 0.001)

    def line(self, first: Measured) -> str:
        rate, base = self.changes / self.apply_seconds, first.changes / first.apply_seconds
        transactions = self.cost.status["totalTps"]
        return (
            f"{self.size:>6} {self.changes:>8,} {rate:>8,.0f}/s {rate / base:>5.2f} x {self.cost.start_seconds:>7.2f} s "
            f"{self.cost.cpu_seconds / self.changes * 1e6:>6.1f} us {self.changes / max(1, transactions):>7.0f} "
            f"{self.cost.peak_mb:>6} MB {self.cost.status['retries']:>8}  {'equal' if self.equal else 'DIFFERENT'}"
        )


def measure(
    load: Load, made: backlog.Backlog, upstream: RunningServer, kind: str, size: int, channels: int
) -> Measured:
    """A fresh target catches up."""
    with start(kind) as target:
        backlog.make_schema(target, load)
        process = SyncProcess(subtask(upstream, target, made.name, made.offset, worker_count=channels))
        process.in_step()
        cost = process.stop()
        return Measured(size, made.changes, cost, backlog.is_equal(upstream, target, load))


def head(what: str) -> str:
    return f"{what:>8} changes       rate  growth    start   CPU/row  rows/tx  peak RSS  retries"


def of_tables(kind: str, sizes: list[int], scale: float) -> list[Measured]:
    print(head("tables"))
    results: list[Measured] = []
    for size in sizes:
        load = LOADS["mixed"].over(size)
        with start("mariadb") as upstream:
            made = backlog.write(upstream, load, int(max(CHANGES, CHANGES_PER_TABLE * size) * scale))
            results.append(measure(load, made, upstream, kind, size, USUAL_CHANNELS))
        print(results[-1].line(results[0]), flush=True)
    return results


def of_channels(kind: str, sizes: list[int], changes: int) -> None:
    print(head("channels"))
    load = LOADS["mixed"]
    with start("mariadb") as upstream:
        made = backlog.write(upstream, load, changes)
        first: Measured | None = None
        for size in sizes:
            measured = measure(load, made, upstream, kind, size, size)
            first = first or measured
            print(measured.line(first), flush=True)


def per_table(results: list[Measured]) -> str:
    """What the tables beyond those of the first line cost, each."""
    first, last = results[0], results[-1]
    more = last.size - first.size
    seconds = last.cost.start_seconds - first.cost.start_seconds
    return (
        f"per table: {seconds / more * 1000:.2f} ms at the start, "
        f"{(last.cost.peak_mb - first.cost.peak_mb) / more * 1024:.1f} kB of memory"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    arguments.add_argument("--tables", type=int, nargs="*", default=TABLES)
    arguments.add_argument("--channels", type=int, nargs="*", default=CHANNELS)
    options = arguments.parse_args()
    print(f"mixed load, MariaDB → {options.target}")
    if options.tables:
        results = of_tables(options.target, list(options.tables), options.scale)
        if results[-1].size > results[0].size:
            print(per_table(results))
    if options.channels:
        of_channels(options.target, list(options.channels), int(CHANGES * options.scale))


if __name__ == "__main__":
    main()
