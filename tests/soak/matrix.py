"""Every type, character set and collation × key form × statement form and copy × target: `./dev soak matrix [--pair UPSTREAM-TARGET] [--tables N] [--again]`.

The tables of one type after the other are replicated, N at once.  What is done is kept in `.soak-matrix.json`, so a
campaign that is ended goes on where it was (`--again` begins anew).  Each cell that does not hold is printed with the
fewest statements that show it; all of them go to `soak-matrix-PAIR.txt`.  At its end a campaign adds a line to
tests/soak/ledger/matrix.jsonl: date, commit, pair, cells, and how many of them differ, pause, or are refused as documented.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.cases.replicate.arena import Pair
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.matrix import FORMS, Matrix, tables
from tests.cases.replicate.matrix_types import Typed, texts_of, typed
from tests.servers import RunningServer, Unavailable, start
from tests.soak.commit import commit

PAIRS = ("mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mysql")
LEDGER = Path(__file__).parent / "ledger" / "matrix.jsonl"
STATE = Path(".soak-matrix.json")


def portions(size: int, upstream: RunningServer) -> list[list[tuple[Typed, str]]]:
    """All tables, in runs of ``size``; the character sets and collations are those of ``upstream``."""
    with connected(upstream) as server:
        types = [*typed(), *texts_of(server)]
    everything = [(one, key) for one in types for key in one.keys]
    return [everything[start : start + size] for start in range(0, len(everything), size)]


def play(name: str, size: int, state: dict[str, Any]) -> bool:
    """One pair, from where it was left; whether every cell holds."""
    done = state.setdefault(name, {"size": size, "portions": 0, "cells": 0, "verdicts": {}})
    with ExitStack() as stack:
        upstream, target = (stack.enter_context(start(kind)) for kind in name.split("-"))
        runs = portions(done["size"], upstream)
        for number in range(done["portions"], len(runs)):
            begun = time.monotonic()
            matrix = Matrix(Pair(upstream, target), f"mx_{number:03d}", Path(f"soak-matrix-{name}.log"))
            matrix.play(tables(runs[number]))
            verdicts = Counter(done["verdicts"]) + Counter(one.verdict for one in matrix.findings)
            verdicts += Counter(refused=matrix.refused)
            done |= {"portions": number + 1, "cells": done["cells"] + matrix.cells, "verdicts": dict(verdicts)}
            STATE.write_text(json.dumps(state))
            keep(f"matrix-{name}", matrix.findings)
            spent = time.monotonic() - begun
            print(
                f"{name} {number + 1}/{len(runs)}: {done['cells']} cells, {dict(verdicts)}, {spent:.0f} s", flush=True
            )
    record(name, done)
    del state[name]
    STATE.write_text(json.dumps(state))
    return not done["verdicts"]


def keep(name: str, findings: Sequence[object]) -> None:
    """Print findings and add them to the campaign's file."""
    with Path(f"soak-{name}.txt").open("a") as file:
        for finding in findings:
            print(finding)
            file.write(f"{finding}\n\n")


def record(name: str, done: dict[str, Any], ledger: Path = LEDGER, **more: int | str) -> None:
    """A line of the ledger; its verdicts add up to its cells."""
    verdicts = {"holds": done["cells"] - sum(done["verdicts"].values()), **done["verdicts"]}
    line = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "pair": name,
        **more,
        "cells": done["cells"],
        "verdicts": verdicts,
    }
    with ledger.open("a") as file:
        file.write(json.dumps(line) + "\n")
    print(json.dumps(line))


def kept_state(path: Path, *, again: bool) -> dict[str, Any]:
    """Where an earlier campaign was left."""
    state: dict[str, Any] = json.loads(path.read_text()) if path.exists() and not again else {}
    return state


def each_pair(names: Sequence[str] | None, play: Callable[[str], bool]) -> int:
    """The exit code of a campaign over these pairs of servers, or all; those that cannot run here are left out."""
    good = True
    for name in names or PAIRS:
        try:
            good &= play(name)
        except Unavailable as problem:
            print(f"{name} cannot run on this machine: {problem}")
    return 0 if good else 1


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak matrix", description=__doc__)
    arguments.add_argument("--pair", choices=PAIRS, action="append", help="default: all of them")
    arguments.add_argument("--tables", type=int, default=100, help=f"of one run; each has {len(FORMS)} cells")
    arguments.add_argument("--again", action="store_true", help="begin anew")
    options = arguments.parse_args(words)
    state = kept_state(STATE, again=options.again)
    return each_pair(options.pair, lambda name: play(name, options.tables, state))
