"""The product's main job in front of you: `./dev demo [--target tidb|mariadb] [--rows N] [--keep]`.

Two upstreams with sharded tables are migrated into one table and kept in step while they are written
to; a worker is killed; all shards get a new column, one after the other; at the end every row is compared.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from tests.demo.screen import Screen
from tests.demo.story import Story


def main() -> int:
    arguments = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    arguments.add_argument("--target", default="mariadb", choices=["mariadb", "tidb"])
    arguments.add_argument("--rows", type=int, default=40_000, help="in all shards together (default 40,000)")
    arguments.add_argument("--keep", action="store_true", help="leave everything running, to play with")
    options = arguments.parse_args()
    began = time.monotonic()
    screen = Screen(Console(width=None if sys.stdout.isatty() else 110))
    folder = Path(tempfile.mkdtemp(prefix="spark-dm-demo-"))
    screen.title("spark-dm: two sharded upstreams → one table, in full and then for good")
    story = Story(screen, folder, options.target, options.rows, keep=options.keep)
    try:
        equal = story.tell()
        summarise(screen, story, time.monotonic() - began)
    except KeyboardInterrupt:
        screen.note("interrupted; stopping what was started")
        options.keep = False
        return 130
    finally:
        if options.keep:
            keep(screen, story, folder)
        else:
            story.close()
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if equal else 1


def summarise(screen: Screen, story: Story, seconds: float) -> None:
    figures = story.figures
    peak = f", at most {max(figures.rates):,} rows/s" if figures.rates else ""
    average = figures.rows / figures.load_seconds if figures.load_seconds else 0
    screen.table(
        [
            ("rows migrated in full", f"{figures.rows:,} ({figures.megabytes:.1f} MB)"),
            ("full migration", f"{figures.load_seconds:.1f} s with Spark's start: {average:,.0f} rows/s{peak}"),
            ("transactions written meanwhile", f"{figures.transactions:,}"),
            ("worst lag after the kill", f"{figures.worst_lag_seconds:.1f} s"),
            ("from the last shard's ALTER to all going on", f"{figures.shard_ddl_seconds:.1f} s"),
            ("catch-up when the traffic ended", f"{figures.catch_up_seconds:.1f} s"),
            ("rows compared", f"{sum(one.rows for one in figures.differences):,}"),
            ("target equals upstreams", "[bold green]yes[/]" if figures.is_equal else "[bold red]NO[/]"),
            ("in all", f"{seconds:.0f} s"),
        ],
        good=figures.is_equal,
    )


def keep(screen: Screen, story: Story, folder: Path) -> None:
    screen.title("everything is still running; try")
    for command in story.commands_to_play_with():
        screen.command(command)
    pids = " ".join(str(story.cluster.pid(name)) for name in ("master", "worker-1", "worker-2"))
    screen.note(f"files and logs: {folder}")
    screen.note(f"to end it: kill {pids} && ./dev servers stop all")


if __name__ == "__main__":
    sys.exit(main())
