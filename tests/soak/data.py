"""Whole migrations under random kills: `./dev soak [data] [--rounds N] [--seconds S] [--seed S] [--pair mariadb-tidb|mysql-tidb|mixed-mariadb]`.

Each round starts a fresh task with writers on every upstream and kills subtask processes, workers
and the master at random moments, in the full migration and in replication.  A round ends when the
writers stop and everything is in step; then every row is compared.  The seed of a round is printed
before it runs; `--rounds 1 --seed S` repeats it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.cases.e2e.job import Job, Upstream
from tests.cluster import Cluster
from tests.servers import start
from tests.workload.shop import shards

PAIRS = {
    "mariadb-tidb": (("mariadb",), "tidb"),
    "mysql-tidb": (("mysql",), "tidb"),
    "mixed-mariadb": (("mariadb", "mysql"), "mariadb"),
}
ROWS = 2000


@dataclass(frozen=True, slots=True)
class Outcome:
    """One round: what was done, and how the tables compare."""

    kills: dict[str, int]
    transactions: int
    rows: int
    problems: list[str]


def kill_something(cluster: Cluster, rng: random.Random, workers: list[str]) -> str:
    """`kill -9`, and the start that a service manager would do."""
    victim = rng.choice(["subtask", "subtask", "worker", "master"])
    worker = rng.choice(workers)
    if victim == "subtask":
        cluster.kill_subtasks(worker)
    elif victim == "worker":
        cluster.kill(worker)
        cluster.start_worker(worker)
    else:
        cluster.kill("master")
        cluster.start_master()
    return victim


def play(pair: str, seed: int, seconds: float, folder: Path) -> Outcome:
    """One round."""
    rng = random.Random(seed)
    kinds, target_kind = PAIRS[pair]
    with ExitStack() as stack:
        upstreams = []
        for number, kind in enumerate(kinds):
            server = stack.enter_context(start(kind))
            parts = shards(2 * number + 1, 2 * number + 2, tables=2)
            upstreams.append(Upstream(f"{kind}-{number}", server, parts, extras=number == 0))
        target = stack.enter_context(start(target_kind))
        cluster = stack.enter_context(Cluster(folder))
        job = Job(cluster, upstreams, target, ROWS)
        job.prepare(seed)
        cluster.start_master()
        workers = [f"worker-{number}" for number in range(len(kinds))]
        for worker in workers:
            cluster.start_worker(worker)
        cluster.wait(lambda: cluster.ask("list-member", "--worker").out.count('"free"') == len(workers), "workers")
        traffic = [stack.enter_context(writer) for writer in job.traffic(seed, per_second=rng.choice((30, 100, 300)))]
        job.start()
        kills: dict[str, int] = {}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(rng.uniform(0.2, 6))
            victim = kill_something(cluster, rng, workers)
            kills[victim] = kills.get(victim, 0) + 1
        for writer in traffic:
            writer.stop()
        job.wait_in_step()
        differences = job.differences()
        problems = [str(difference) for difference in differences if not difference.is_equal]
        if problems:
            problems.append(cluster.logs(60))
        done = sum(writer.transactions for writer in traffic)
        return Outcome(kills, done, sum(difference.rows for difference in differences), problems)


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak data", description=__doc__)
    arguments.add_argument("--rounds", type=int, default=10)
    arguments.add_argument("--seconds", type=float, default=20, help="of killing in each round")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--pair", choices=PAIRS, help="default: each in turn")
    options = arguments.parse_args(words)
    failed = 0
    for number in range(options.rounds):
        seed = options.seed + number
        pair = options.pair or list(PAIRS)[number % len(PAIRS)]
        print(f"round {number + 1}/{options.rounds}  {pair}  seed {seed}", end="  ", flush=True)
        with tempfile.TemporaryDirectory(prefix="spark-dm-soak-") as folder:
            try:
                outcome = play(pair, seed, options.seconds, Path(folder))
            except AssertionError as exc:
                outcome = Outcome({}, 0, 0, [str(exc)])
        kills = ", ".join(f"{count} {victim}" for victim, count in sorted(outcome.kills.items()))
        verdict = "equal" if not outcome.problems else "DIFFERENT"
        print(f"killed {kills}; {outcome.transactions:,} transactions, {outcome.rows:,} rows: {verdict}", flush=True)
        for problem in outcome.problems:
            print(problem)
        failed += bool(outcome.problems)
    print(f"{options.rounds - failed} passed, {failed} failed")
    return 1 if failed else 0
