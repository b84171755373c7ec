"""Decoding speed: `python -m tests.bench.bench_codec [mariadb] [mysql] [--scale 1.0]`.

Two streams of a table with seven columns, recorded from each server: transactions of one row, and
events of many.  Row images a second of this codec, and how many times that is what others do with the
same binlog file; then the peak memory of a transaction of one gigabyte.  Seconds are of CPU time.
"""

from __future__ import annotations

import argparse
import time

from pkg.binlog import COMPILED
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.rows import RowPlan
from pkg.schema.table import Table
from tests.bench import codec_memory, codec_rivals
from tests.bench.codec_streams import Recording, record
from tests.servers import Unavailable, start

PIECE_BYTES = 1 << 18
REPETITIONS = 3
GOALS = {"mysql-replication": 40.0, "go-mysql": 1.5, "mysqlbinlog -vv": 2.0}
GOAL_MEGABYTES = 200


def decode(recording: Recording) -> tuple[int, float]:
    """Number of row images, and the seconds of CPU time that they took."""
    images, began = 0, time.process_time()
    decoder = Decoder(
        flavor=recording.flavor,
        framing="file",
        resolve=lambda table_map: plan(recording.table, table_map),
        file_name=recording.path.name,
    )
    with recording.path.open("rb") as binlog:
        while piece := binlog.read(PIECE_BYTES):
            decoder.feed(piece)
            while (event := decoder.next()) is not None:
                if isinstance(event, RowsEvent):
                    images += len(event.rows)
    return images, time.process_time() - began


def plan(table: Table, table_map: TableMap) -> RowPlan | None:
    return RowPlan.build(table.columns, table_map) if table_map.schema == "bench" else None


def measure(kind: str, scale: float) -> None:
    with start(kind, options=["--binlog-row-metadata=FULL"]) as server:  # python-mysql-replication asks for it
        for recording in record(server, scale):
            runs = [decode(recording) for _ in range(REPETITIONS)]
            images = runs[0][0]
            others = (
                codec_rivals.mysql_replication(server, recording),
                codec_rivals.go_mysql(recording, images),
                codec_rivals.binlog_program(recording, images),
            )
            runs += [decode(recording) for _ in range(REPETITIONS)]  # a machine is not equally fast all the time
            rate = images / min(seconds for _, seconds in runs)
            speed = recording.path.stat().st_size * rate / images / 1e6
            print(f"{kind}, {recording.kind}: {images:,} row images, {rate:,.0f}/s, {speed:.0f} MB/s")
            for (name, goal), other in zip(GOALS.items(), others, strict=True):
                print(f"  ÷ {name:<18}" + verdict(rate, other, goal), flush=True)


def verdict(rate: float, other: float | None, goal: float) -> str:
    if other is None:
        return " (not on this machine)"
    ratio = rate / other
    return f"{other:>12,.0f}/s {ratio:>7.2f}  (goal {goal:g}{'' if ratio >= goal else ', MISSED'})"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("servers", nargs="*", default=["mariadb", "mysql"], help="mariadb, mysql; default: both")
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    print(f"codec: {'compiled' if COMPILED else 'plain Python'}")
    for kind in options.servers:
        try:
            measure(kind, options.scale)
        except Unavailable as problem:
            print(f"no {kind} on this machine: {problem}")
    images, megabytes = codec_memory.peak_megabytes()
    missed = "" if megabytes <= GOAL_MEGABYTES else ", MISSED"
    print(f"a transaction of 1 GB, {images:,} row images: peak {megabytes:.0f} MB  (goal {GOAL_MEGABYTES}{missed})")


if __name__ == "__main__":
    main()
