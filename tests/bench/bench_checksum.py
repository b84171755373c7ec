"""`verify: checksum`: `python -m tests.bench.bench_checksum [--target tidb|mariadb] [--rows 400000] [--rounds 2]`.

The same copy with and without it, in turn.  "checksum ÷ copy" is what a copy takes longer by it, of the fastest
rounds (asked: at most 0.15); "of the lanes' time" is what the lanes themselves count: it holds on a busy machine, too.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Literal

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.summaries import load_summary
from pkg.task.blocks import LoadConfig
from tests.bench.bench_full_load import fill
from tests.bench.copies import Copied, copied, forget, subtask
from tests.servers import RunningServer, start

MODES: Final[tuple[Literal["none", "checksum"], ...]] = ("none", "checksum", "checksum", "none")


@dataclass(frozen=True, slots=True)
class Lanes:
    """Seconds of all lanes together, and those of them in which they compared."""

    all: float
    comparing: float

    @property
    def share(self) -> float:
        return self.comparing / (self.all - self.comparing)


def run(upstream: RunningServer, target: RunningServer, verify: Literal["none", "checksum"]) -> tuple[Copied, Lanes]:
    forget(target, "bench")
    config = subtask(upstream, target, load=LoadConfig(verify=verify))
    found = copied(config)
    with closing(connect(ConnectionOptions.from_config(config.target, side="downstream"), side="downstream")) as link:
        summary = load_summary(link, MetaTables(config.meta_schema, config.task_name), config.source_id)
    assert summary is not None
    spent = sum(table["seconds"] for table in summary["slowestTables"])
    return found, Lanes(spent, (summary["verify"] or {"seconds": 0.0})["seconds"])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--rows", type=int, default=400_000)
    arguments.add_argument("--rounds", type=int, default=2)
    options = arguments.parse_args()
    taken: dict[str, list[Copied]] = {mode: [] for mode in MODES}
    shares: list[float] = []
    with start("mariadb") as upstream, start(options.target) as target:
        fill(upstream, options.rows)
        for _ in range(options.rounds):
            for mode in MODES:
                found, lanes = run(upstream, target, mode)
                taken[mode].append(found)
                print(f"{mode:9} {found.line()}; lanes {lanes.all:.1f} s, compared {lanes.comparing:.2f} s")
                if mode == "checksum":
                    shares.append(lanes.share)
    plain, verified = (min(one.seconds for one in taken[mode]) for mode in ("none", "checksum"))
    print(
        f"MariaDB → {options.target}, {options.rows:,} rows: checksum ÷ copy {verified / plain - 1:.2f} "
        f"({plain:.2f} s, {verified:.2f} s); of the lanes' time {min(shares):.2f}"
    )


if __name__ == "__main__":
    main()
