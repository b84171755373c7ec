"""What checkpoints cost: `python -m tests.bench.bench_checkpoint [--target tidb mariadb] [--scale 1.0] [--rounds 5]`.

The mixed backlog is caught up with by turns with a checkpoint each 0.2 s and with none at all, each time into a fresh
schema of the same target.  Asked: at the usual interval of 30 s throughput differs by at most 3 %.  No run lasts that
long, so it follows from the 150 times shorter one: the share of time that a checkpoint takes, 150 times rarer.
"""

from __future__ import annotations

import argparse
import statistics

from tests.bench import backlog
from tests.bench.loads import LOADS, Load
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

OFTEN_SECONDS, NEVER_SECONDS, USUAL_SECONDS = 0.2, 86_400.0, 30.0
GOAL = 0.03


def rate(
    load: Load, made: backlog.Backlog, upstream: RunningServer, target: RunningServer, checkpoint_seconds: float
) -> float:
    """Rows/s of one run, its start left out."""
    backlog.make_schema(target, load)
    process = SyncProcess(subtask(upstream, target, made.name, made.offset), checkpoint_seconds)
    process.in_step()
    cost = process.stop()
    if not backlog.is_equal(upstream, target, load):
        raise RuntimeError("source and target differ")
    return made.changes / (cost.seconds - cost.start_seconds)


def compare(kind: str, scale: float, rounds: int) -> str:
    load = LOADS["mixed"]
    ratios, often, never = [], [], []
    with start("mariadb") as upstream, start(kind) as target:
        made = backlog.write(upstream, load, int(load.changes * scale))
        rate(load, made, upstream, target, NEVER_SECONDS)  # a fresh server is slower than it will be
        for turn in range(rounds):
            intervals = (OFTEN_SECONDS, NEVER_SECONDS) if turn % 2 else (NEVER_SECONDS, OFTEN_SECONDS)
            found = {interval: rate(load, made, upstream, target, interval) for interval in intervals}
            often.append(found[OFTEN_SECONDS])
            never.append(found[NEVER_SECONDS])
            ratios.append(found[OFTEN_SECONDS] / found[NEVER_SECONDS])
    ratio = statistics.median(ratios)
    usual = 1 - (1 - ratio) * OFTEN_SECONDS / USUAL_SECONDS
    return (
        f"{kind:<8} {statistics.median(often):>8,.0f}/s {statistics.median(never):>8,.0f}/s {ratio:>8.3f} "
        f"({min(ratios):.3f} to {max(ratios):.3f}) {usual:>9.4f}  {'good' if usual >= 1 - GOAL else 'TOO DEAR'}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", nargs="+", default=["tidb", "mariadb"], choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    print(f"mixed load from MariaDB, medians of {options.rounds} runs each by turns")
    print("target   each 0.2 s      never    ratio (of one pair)   at 30 s")
    for kind in options.target:
        print(compare(kind, options.scale, options.rounds), flush=True)


if __name__ == "__main__":
    main()
