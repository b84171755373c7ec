"""Decoding speed: `python -m tests.bench.bench_codec [mariadb|mysql] [--scale 1.0]`.

Two recorded streams of a table with seven columns: transactions of one row, and statements of many.
Rates are per second of this process's CPU time, since other work on the machine is none of the codec's.
The ratio is to python-mysql-replication on the same binlog; go-mysql's parser does 310-400 thousand
row images a second on such a machine.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

from pkg.binlog import COMPILED
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.rows import RowPlan
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.servers import RunningServer, start

CREATE = """CREATE TABLE bench.orders (id BIGINT UNSIGNED NOT NULL PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL,
  state ENUM('new','paid','sent') NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(80), created DATETIME NOT NULL,
  updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)) DEFAULT CHARSET utf8mb4"""
INSERT = "INSERT INTO bench.orders (customer, state, amount, note, created) VALUES "
PIECE_BYTES = 1 << 18
ORACLE_IMAGES = 20_000  # enough for it: it does some ten thousand a second
REPETITIONS = 3


@dataclass(frozen=True, slots=True)
class Recording:
    """One binlog file and the structure of its table."""

    kind: str
    path: Path
    table: Table


def values(rng: random.Random) -> str:
    note = "NULL" if rng.random() < 0.1 else f"'note {rng.randrange(10**6)} für den Kunden'"
    day = (
        f"2024-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d} {rng.randrange(24):02d}:15:{rng.randrange(60):02d}"
    )
    state = rng.choice(("new", "paid", "sent"))
    return f"({rng.randrange(1 << 30)}, '{state}', {rng.randrange(10**7)}.{rng.randrange(100):02d}, {note}, '{day}')"


def record(server: RunningServer, scale: float) -> list[Recording]:
    rng = random.Random(1)
    with pymysql.connect(host=server.host, port=server.port, user="root", autocommit=True) as connection:
        cursor: Any = connection.cursor()
        cursor.execute("DROP DATABASE IF EXISTS bench")
        cursor.execute("CREATE DATABASE bench")
        cursor.execute(CREATE)
        cursor.execute("SHOW CREATE TABLE bench.orders")
        table = parse_create_table(cursor.fetchone()[1], "bench")
        files = [newest_file(cursor)]
        for _ in range(int(40_000 * scale)):
            cursor.execute(INSERT + values(rng))
        files.append(newest_file(cursor))
        for _ in range(int(150 * scale)):
            cursor.execute(INSERT + ", ".join(values(rng) for _ in range(1000)))
        cursor.execute(f"UPDATE bench.orders SET amount = amount + 1 LIMIT {int(50_000 * scale)}")
        newest_file(cursor)
    kinds = ("one-row transactions", "multi-row events")
    return [Recording(kind, Path(server.datadir) / file, table) for kind, file in zip(kinds, files, strict=True)]


def newest_file(cursor: Any) -> str:
    cursor.execute("FLUSH BINARY LOGS")
    cursor.execute("SHOW BINARY LOGS")
    return str(cursor.fetchall()[-1][0])


def images_per_second(recording: Recording, flavor: str) -> tuple[int, float]:
    """Number of row images, and the best rate of a few runs."""
    images, best = 0, 0.0
    for _ in range(REPETITIONS):
        decoder = Decoder(
            flavor=flavor,
            framing="file",
            resolve=lambda table_map: plan(recording.table, table_map),
            file_name=recording.path.name,
        )
        images, began = 0, time.process_time()
        with recording.path.open("rb") as binlog:
            while piece := binlog.read(PIECE_BYTES):
                decoder.feed(piece)
                while (event := decoder.next()) is not None:
                    if isinstance(event, RowsEvent):
                        images += len(event.rows)
        best = max(best, images / (time.process_time() - began))
    return images, best


def plan(table: Table, table_map: TableMap) -> RowPlan | None:
    return RowPlan.build(table.columns, table_map) if table_map.schema == "bench" else None


def oracle_images_per_second(server: RunningServer, recording: Recording) -> float:
    """The same with python-mysql-replication, for the first images of the file."""
    stream = BinLogStreamReader(
        connection_settings={"host": server.host, "port": server.port, "user": "root", "passwd": ""},
        server_id=4711,
        log_file=recording.path.name,
        log_pos=4,
        only_events=[WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
        is_mariadb=server.kind == "mariadb",
    )
    images, began = 0, time.process_time()
    try:
        for event in stream:
            images += len(event.rows) * (2 if isinstance(event, UpdateRowsEvent) else 1)
            if images >= ORACLE_IMAGES:
                break
    finally:
        stream.close()
    return images / (time.process_time() - began)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("server", nargs="?", default="mariadb", choices=["mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    server = start(options.server, options=["--binlog-row-metadata=FULL"])  # what the other one asks for
    try:
        print(f"codec: {'compiled' if COMPILED else 'plain Python'}; binlog of {options.server}")
        print("stream                  images       rate    binlog  mysql-replication   ratio")
        for recording in record(server, options.scale):
            images, rate = images_per_second(recording, options.server)
            speed = recording.path.stat().st_size * rate / images / 1e6
            oracle = oracle_images_per_second(server, recording)
            print(
                f"{recording.kind:<20} {images:>9,} {rate:>9,.0f}/s {speed:>4.0f} MB/s {oracle:>16,.0f}/s "
                f"{rate / oracle:>7.1f}",
                flush=True,
            )
    finally:
        server.stop()
    print(f"peak RSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
