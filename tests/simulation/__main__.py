"""Replay one simulated life: `python -m tests.simulation SEED [--trace]`."""

from __future__ import annotations

import argparse
import sys

from tests.simulation.world import play


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--trace", action="store_true", help="print each step")
    options = parser.parse_args()
    world = play(options.seed, print if options.trace else None)
    print(
        f"seed {options.seed} is good: {len(world.workload.changes)} changes in {len(world.workload.transactions)} "
        f"transactions, {world.crashes} ends, {world.steps} steps"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
