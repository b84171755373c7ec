"""A grammar's SQL under every fault: `./dev soak sql [--upstream KIND] [--target KIND] [--rounds N] [--seconds S] [--seed S] [--jobs N]`.

A round draws its settings and its steps from its seed: DDL and DML of several connections on one or two upstreams, into
tables of the same names, of others, or of all sources together; a copy under traffic or replication alone; by relay log or
not, by GTID or by position.  Among the statements the real programs and servers are killed, frozen past their leases, cut
off, moved, paused, stopped and filled up (harm.py), and die at the crash points of the code; upstreams begin their binlog
anew, come back from a backup, or are replaced by a replica (upstream.py).  Every 300 statements all that was written is
waited for and every table compared.  A round's verdict is

  equal         every table has the upstreams' rows, columns and keys
  different ... the target has something else: a defect
  paused N      a subtask waits for an operator with the error N, and there is no way on that the round knows (onwards.py)
  stuck N       nothing got on for 60 s; N: the errors that are tried again after
  broken        a server or the campaign failed

A pause that the documentation names ends no round: it is passed as its error says, counted, and what it was about is copied
anew behind the next comparison.  The verdict stands in tests/soak/ledger/sql.tsv with the commit, statements, pauses, faults and the crash points that were met, each with the
kind of statement under way.  A seed that stands there is not run again, so that a campaign goes on where it was (--again).
A round that does not end well is made as few steps as give its verdict, kept as soak-sql-PAIR-SEED.case; `--case FILE` runs
such a file, `--reduce FILE` makes it smaller.  `--report` prints the ledger's totals.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.cases.sync.test_crashpoints import ALL_POINTS
from tests.soak.commit import commit
from tests.soak.corpus.ledger import Ledger, Line
from tests.soak.corpus.reduce import reduced
from tests.soak.sql import harm
from tests.soak.sql.grammar import Troubles, plan
from tests.soak.sql.play import Play
from tests.soak.sql.report import report
from tests.soak.sql.settings import MERGED, PAIRS, Settings, drawn
from tests.soak.sql.stage import Stage
from tests.soak.sql.steps import Step, read, written
from tests.soak.sql.verdicts import BROKEN, EQUAL, PAUSED, Outcome, is_right

LEDGER = Path(__file__).parents[1] / "ledger" / "sql.tsv"
LOGS = Path("soak-sql-logs")
STATEMENTS = 1800
REDUCE_SECONDS = 300.0
POINTS = [
    point for point in ALL_POINTS if point.split(".")[0] not in ("dumper", "files")
]  # of a task with dump files alone


def steps_of(seed: int, pair: str, statements: int) -> tuple[Settings, list[Step]]:
    """What the round of a seed is."""
    rng = random.Random(f"{pair} {seed}")
    settings = drawn(rng, pair, statements)
    names = sorted({*harm.FAULTS} - {*harm.PAIRED.values()})
    away = [*(() if settings.relay else ("relay",)), *(() if settings.routes == MERGED else ("shard",))]
    points = [point for point in POINTS if point.split(".")[0] not in away]
    troubles = Troubles(
        faults=lambda settings, rng: harm.drawn(settings, rng, names),
        point=lambda what, rng: harm.drawn_point(what, rng, points),
    )
    return settings, plan(settings, rng, troubles)


def play(stage: Stage, settings: Settings, steps: Sequence[Step]) -> Outcome:
    """One round; a cluster that saw another end than an equal one is not used again."""
    outcome = Play(stage, settings).run(steps)
    if outcome.verdict != EQUAL:
        stage.keep_logs()
        stage.end_cluster()
    return outcome


def is_good(outcome: Outcome, target: str) -> bool:
    """Whether nobody needs to look at it."""
    return outcome.verdict == EQUAL or (outcome.verdict == PAUSED and is_right(outcome.code, target))


def reduce(stage: Stage, settings: Settings, steps: Sequence[Step], found: Outcome, seconds: float) -> list[Step]:
    """The fewest steps with the verdict."""

    def holds(fewer: Sequence[Step]) -> bool:
        return play(stage, settings, fewer).words == found.words

    return reduced(steps, holds, seconds)


def keep(path: Path, settings: Settings, steps: Sequence[Step], outcome: Outcome) -> None:
    path.write_text(written(settings, steps, (outcome.words, outcome.detail)))
    print(f"  kept as {path}", flush=True)


def run(pair: str, seeds: Sequence[int], options: argparse.Namespace) -> bool:
    """The rounds of one pair; whether all of them are good."""
    ledger, end, good = Ledger(options.ledger), time.monotonic() + options.seconds, True
    with tempfile.TemporaryDirectory(prefix="spark-dm-soak-") as folder, Stage(pair, Path(folder), LOGS) as stage:
        for seed in seeds:
            if time.monotonic() > end:
                break
            if ledger.has(pair, str(seed)) and not options.again:
                continue
            settings, steps = steps_of(seed, pair, options.statements)
            outcome = play(stage, settings, steps)
            say(outcome, f"seed {seed}  {settings}  ")  # in one line: others run side by side
            ledger.add(Line(str(seed), pair, commit(), outcome.words, outcome.notes))
            if not is_good(outcome, settings.target):
                good = False
                _look_closer(
                    stage, settings, steps, outcome, Path(f"soak-sql-{pair}-{seed}.case"), options.reduce_seconds
                )
    return good


def _look_closer(
    stage: Stage, settings: Settings, steps: Sequence[Step], outcome: Outcome, path: Path, seconds: float
) -> None:
    print(outcome.detail[:3000], flush=True)
    keep(path, settings, steps, outcome)
    if seconds and outcome.verdict != BROKEN:
        keep(path.with_suffix(".small.case"), settings, reduce(stage, settings, steps, outcome, seconds), outcome)


def say(outcome: Outcome, what: str = "") -> None:
    faults = ", ".join(f"{number} {name}" for name, number in sorted(outcome.faults.items()) if number) or "no faults"
    refused = " ".join(f"{code}×{number}" for code, number in outcome.refused.most_common(5))
    went = ", ".join(f"{number} {code}" for code, number in (outcome.pauses + outcome.ways).items()) or "no pauses"
    spent = " ".join(f"{part} {seconds:.0f}" for part, seconds in outcome.spent.items())
    print(
        f"{what}{outcome.statements} statements ({outcome.refused.total()} refused: {refused}), {faults}, {went}, {outcome.rows:,} rows, "
        f"{outcome.seconds:.1f} s ({spent}): {outcome.words}  {outcome.detail[:200]}",
        flush=True,
    )


def run_case(path: Path, act: Callable[[Stage, Settings, Sequence[Step]], None]) -> int:
    settings, steps = read(path.read_text())
    with (
        tempfile.TemporaryDirectory(prefix="spark-dm-soak-") as folder,
        Stage(settings.pair, Path(folder), LOGS) as stage,
    ):
        act(stage, settings, steps)
    return 0


def show(stage: Stage, settings: Settings, steps: Sequence[Step]) -> None:
    """`--case`."""
    outcome = play(stage, settings, steps)
    say(outcome)
    print(outcome.detail)


def side_by_side(words: Sequence[str], jobs: int) -> int:
    """As many campaigns as ``jobs``, each with its share of the seeds."""
    command = [sys.executable, "-m", "tests.soak", "sql", *words, "--jobs", "1"]
    running = [subprocess.Popen([*command, "--share", f"{number}/{jobs}"]) for number in range(jobs)]
    try:
        return max(process.wait() for process in running)
    finally:
        for process in running:
            process.terminate()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./dev soak sql", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", choices=("mariadb", "mysql"), help="default: both")
    parser.add_argument("--target", choices=("tidb", "mariadb"), help="default: both")
    parser.add_argument("--rounds", type=int, default=20, help="of each pair of servers")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, of each pair")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--statements", type=int, default=STATEMENTS, help="of a round")
    parser.add_argument("--jobs", type=int, default=1, help="clusters side by side")
    parser.add_argument("--share", default="0/1", help=argparse.SUPPRESS)
    parser.add_argument("--again", action="store_true", help="also seeds that stand in the ledger")
    parser.add_argument("--ledger", type=Path, default=LEDGER, help=argparse.SUPPRESS)
    parser.add_argument("--reduce-seconds", type=float, default=REDUCE_SECONDS, help="0: rounds are kept whole")
    parser.add_argument("--case", type=Path, metavar="FILE", help="run a kept round")
    parser.add_argument("--reduce", type=Path, metavar="FILE", help="run a kept round and make it smaller")
    parser.add_argument("--report", action="store_true", help="only the totals of the ledger")
    return parser


def main(words: Sequence[str]) -> int:
    options = _parser().parse_args(words)
    if options.report:
        print(report(Ledger(options.ledger), PAIRS))
        return 0
    if options.case:
        return run_case(options.case, show)
    if options.reduce:
        return run_case(options.reduce, lambda *what: _reduce_kept(*what, options))
    if options.jobs > 1:
        return side_by_side(words, options.jobs)
    part, parts = map(int, options.share.split("/"))
    seeds = range(options.seed + part, options.seed + options.rounds, parts)
    chosen = [f"{one}-{other}" for one in ("mariadb", "mysql") for other in ("tidb", "mariadb")
              if options.upstream in (None, one) and options.target in (None, other)]  # fmt: skip
    ended = [run(pair, seeds, options) for pair in chosen]
    return 0 if all(ended) else 1


def _reduce_kept(stage: Stage, settings: Settings, steps: Sequence[Step], options: argparse.Namespace) -> None:
    outcome = play(stage, settings, steps)
    say(outcome)
    if outcome.verdict != EQUAL:
        small = reduce(stage, settings, steps, outcome, options.reduce_seconds)
        keep(options.reduce.with_suffix(".small.case"), settings, small, outcome)
