"""Peak memory of a process that decodes a transaction of one gigabyte: `peak_megabytes(flavor)`.

The binlog file is made by hand, with valid headers and checksums, in a temporary folder.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from pkg.binlog.events import RowsEvent
from pkg.binlog.framing import MAGIC
from tests.golden.made_events import XID, format_event, made, query, reader, rows, table_map

TRANSACTION_BYTES = 1 << 30
EVENT_BYTES = 8192  # what servers put into one event by default
TEXT_BYTES = 200
DIFFERENT_EVENTS = 64
PIECE_BYTES = 1 << 18


def peak_megabytes() -> tuple[int, float]:
    """(row images, peak resident megabytes) of the process that reads the file."""
    with tempfile.TemporaryDirectory(prefix="spark-dm-bench-") as folder:
        path = Path(folder) / "large.000001"
        with path.open("wb") as binlog:
            _write(binlog)
        command = [sys.executable, "-m", "tests.bench.codec_memory", str(path)]
        images, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return int(images), float(megabytes)


def _write(binlog: BinaryIO) -> None:
    rng = random.Random(1)
    text = table_map(metadata=(4 * TEXT_BYTES).to_bytes(2, "little"))
    events = [rows(_images(rng)) for _ in range(DIFFERENT_EVENTS)]
    binlog.write(MAGIC + format_event() + query(b"BEGIN") + text)
    while binlog.tell() < TRANSACTION_BYTES:
        binlog.writelines(events)
    binlog.write(made(XID, bytes(8)))


def _images(rng: random.Random) -> bytes:
    def image() -> bytes:
        number, text = rng.randbytes(4), rng.randbytes(TEXT_BYTES // 2).hex().encode()
        return b"\0" + number + len(text).to_bytes(2, "little") + text

    return b"".join(image() for _ in range(EVENT_BYTES // (TEXT_BYTES + 7)))


def main() -> None:
    decoder, images = reader("file"), 0
    with Path(sys.argv[1]).open("rb") as binlog:
        while piece := binlog.read(PIECE_BYTES):
            decoder.feed(piece)
            while (event := decoder.next()) is not None:
                images += len(event.rows) if isinstance(event, RowsEvent) else 0
    print(images, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
