"""From commit upstream to visible downstream: `python -m tests.bench.bench_latency [--target tidb|mariadb]`.

Single-row commits at 300/s; the target is asked for the next row all the time.  DM: p50 1.9 ms,
p99 4.2 ms into TiDB, without exactly-once.
"""

from __future__ import annotations

import argparse
import threading
import time

from tests.bench import backlog, ceiling
from tests.bench.loads import LOADS
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

COMMITS = 3000
PER_SECOND = 300
TABLE = "bench.orders"


def measure(upstream: RunningServer, target: RunningServer) -> list[float]:
    """Milliseconds from each commit's end until a reader of the target saw it, sorted."""
    made = backlog.write(upstream, LOADS["insert"], 200)
    backlog.make_schema(target, LOADS["insert"])
    process = SyncProcess(subtask(upstream, target, made.name, made.offset))
    process.in_step()
    committed: list[float] = []
    writer = threading.Thread(target=_write, args=(upstream, committed))
    writer.start()
    seen = _watch(target)
    writer.join()
    process.stop()
    return sorted((there - here) * 1000 for here, there in zip(committed, seen, strict=True))


def _write(upstream: RunningServer, committed: list[float]) -> None:
    connection = ceiling.connect(upstream)
    began = time.perf_counter()
    with connection.cursor() as cursor:
        for number in range(COMMITS):
            delay = began + number / PER_SECOND - time.perf_counter()
            if delay > 0:
                time.sleep(delay)
            cursor.execute(f"INSERT INTO {TABLE} (id, note) VALUES ({1_000_000 + number}, 'x')")
            committed.append(time.perf_counter())


def _watch(target: RunningServer) -> list[float]:
    """When each row was first seen, in the order of the commits; asked for by its key, which costs the target least."""
    connection = ceiling.connect(target)
    seen: list[float] = []
    with connection.cursor() as cursor:
        while len(seen) < COMMITS:
            found = cursor.execute(f"SELECT id FROM {TABLE} WHERE id = {1_000_000 + len(seen)}")
            if found:
                seen.append(time.perf_counter())
            else:
                time.sleep(0.0003)
    return seen


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb", "mysql"])
    options = arguments.parse_args()
    upstream, target = start("mariadb"), start(options.target)
    try:
        times = measure(upstream, target)
    finally:
        upstream.stop()
        target.stop()
    quantiles = {name: times[int(len(times) * share)] for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}
    figures = "  ".join(f"{name} {value:.1f} ms" for name, value in quantiles.items())
    print(f"MariaDB → {options.target}, {COMMITS} single-row commits at {PER_SECOND}/s")
    print(f"{figures}  max {times[-1]:.1f} ms")


if __name__ == "__main__":
    main()
