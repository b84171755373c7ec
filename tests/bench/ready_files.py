"""The limit of loading: `LOAD DATA LOCAL` of ready files by the C client, on 4 connections, measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dm_worker.dumper.rows import read_statements
from dm_worker.loader.streamed import FORMAT
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.rows.load_lines import LineBuilder
from pkg.task.secret import Secret
from tests.bench import ceiling
from tests.servers import RunningServer

ROWS_PER_FILE = 25_000


@contextmanager
def files_of(server: RunningServer, count: int) -> Iterator[list[Path]]:
    """The first rows of `bench.orders` as files of lines, made by the same code as the migration's."""
    folder = Path(tempfile.mkdtemp(prefix="spark-dm-bench-"))
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    files: list[Path] = []
    try:
        with connect(options, side="upstream") as connection:
            builder = LineBuilder(ROWS_PER_FILE, 1 << 18, False)
            is_new = True
            for block, ends in read_statements(connection, f"SELECT * FROM bench.orders LIMIT {count}", builder):
                if is_new:
                    files.append(folder / f"{len(files)}.tsv")
                with files[-1].open("ab") as out:
                    out.write(block)
                is_new = ends
        yield files
    finally:
        shutil.rmtree(folder)


def rows_per_second(server: RunningServer, create: str, files: list[Path], rows: int) -> float:
    """Rows/s of the server for these files; `create` makes the table `ceiling.t`."""
    with ceiling.connect(server).cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS ceiling")
        cursor.execute("CREATE DATABASE ceiling DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(create)

    def write(number: int) -> None:
        statements = ";".join(
            f"LOAD DATA LOCAL INFILE '{file}' INTO TABLE ceiling.t CHARACTER SET binary {FORMAT}"
            for file in files[number :: ceiling.CONNECTIONS]
        )
        address = [f"--host={server.host}", f"--port={server.port}", "--user=root", "--skip-ssl"]
        subprocess.run(["mariadb", *address, "--local-infile=1", "-e", statements], check=True)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(ceiling.CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    with ceiling.connect(server).cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM ceiling.t")
        found = cursor.fetchone()[0]
        cursor.execute("DROP DATABASE ceiling")
    assert found == rows, f"{found} of {rows} rows arrived"
    return rows / seconds
