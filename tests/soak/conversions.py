"""Every type changed into every other one, with values that are chosen to hurt: `./dev soak conversions [--pair UPSTREAM-TARGET] [--seconds S] [--seed N]`.

A cell is (sql_mode, type, values, new type): a table with a row of each value, a MODIFY, and the rows compared on both
ends.  Cells are drawn at random, and replicated 600 at once.  Where the upstream refuses the change, or the task pauses,
some of the cell's values are tried again, each in a table of its own; for one value either is as it shall be.
What differs is printed and goes to `soak-conversions-PAIR.txt`; each pair adds a line to tests/soak/ledger/conversions.jsonl.
`--sources` and `--targets` choose types by regular expressions.  With `--read`, each table has a generated column that
reads the one which is changed.  With `--added`, tables with a row get columns of every type with every kind of default
instead.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.cases.replicate import conversions
from tests.servers import start
from tests.soak.matrix import PAIRS, each_pair, keep, record

LEDGER = Path(__file__).parent / "ledger" / "conversions.jsonl"
_AT_ONCE = 600  # cells; schemas are numbered by three digits


def play(name: str, chosen: argparse.Namespace) -> bool:
    """One pair; whether every cell holds."""
    kinds = name.split("-")
    left: list[conversions.Cell | conversions.Addition] = (
        [*conversions.additions(kinds[0], chosen.sources)]
        if chosen.added
        else [*conversions.cells(kinds[0], chosen.sources, chosen.targets)]
    )
    if chosen.read:
        left = [*conversions.read_by([one for one in left if isinstance(one, conversions.Cell)], chosen.seed)]
    random.Random(f"{chosen.seed} {name}").shuffle(left)
    verdicts, begun, part = Counter[str](), time.monotonic(), 0
    with ExitStack() as stack:
        upstream, target = (stack.enter_context(start(kind)) for kind in kinds)
        while left and time.monotonic() - begun < chosen.seconds:
            now, left, part = left[:_AT_ONCE], left[_AT_ONCE:], part + 1
            played = conversions.play(now, upstream, target, f"conv{part}")
            keep(f"conversions-{name}", played.findings)
            verdicts += played.verdicts
            left = [*played.again, *left]
            print(f"{name}: {verdicts.total()} cells, {len(left)} left, {dict(verdicts)}", flush=True)
    different = {what: count for what, count in verdicts.items() if what != "holds"}
    record(
        f"{name}{' added' * chosen.added}{' read' * chosen.read}",
        {"cells": verdicts.total(), "verdicts": different},
        LEDGER,
        seed=chosen.seed,
    )
    return "different" not in verdicts


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak conversions", description=__doc__)
    arguments.add_argument("--pair", choices=PAIRS, action="append", help="default: all of them")
    arguments.add_argument("--seconds", type=float, default=600, help="at most, for each pair")
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument("--sources", default="", help="types that are changed")
    arguments.add_argument("--targets", default="", help="types that they become")
    arguments.add_argument("--added", action="store_true", help="new columns with defaults instead of changed types")
    arguments.add_argument("--read", action="store_true", help="a generated column reads what is changed")
    options = arguments.parse_args(words)
    return each_pair(options.pair, lambda name: play(name, options))
