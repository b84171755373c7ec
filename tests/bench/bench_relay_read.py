"""Reading the relay log: `python -m tests.bench.bench_relay_read [mariadb] [mysql] [--scale 1.0]`.

Two streams of a table with seven columns, recorded from each server: transactions of one row, and
events of many.  Megabytes a second of a relay log of several files through RelayStream, and of the same
bytes in one plain file by the same loop: with rows decoded, as the syncer does, and without.  Seconds are
of CPU time, and files are in the page cache.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from dm_worker.relay.notices import Notices
from dm_worker.relay.reader import PIECE_BYTES, RelayStream
from pkg.binlog import COMPILED
from pkg.binlog.decoder import Decoder
from pkg.binlog.framing import MAGIC
from pkg.binlog.position import Location, Position
from tests.bench.bench_codec import plan
from tests.bench.codec_streams import Recording, record
from tests.servers import Unavailable, start

FILES = 8
REPETITIONS = 5
GOAL = 0.8
SERVER = "server"

Read = Callable[[], bytes | None]


class RelayLog:
    """A relay log of several files, each with the recording's bytes, and one plain file with all of them."""

    def __init__(self, folder: Path, recording: Recording) -> None:
        self.folder = folder
        self.sub_dir = f"{SERVER}.000001"
        (folder / self.sub_dir).mkdir()
        (folder / "server-uuid.index").write_text(f"{self.sub_dir}\n")
        content = recording.path.read_bytes()
        self.names = [f"bench.{number:06d}" for number in range(1, FILES + 1)]
        for name in self.names:
            (folder / self.sub_dir / name).write_bytes(content)
        self.plain = folder / "plain"
        self.plain.write_bytes(MAGIC + content[len(MAGIC) :] * FILES)
        self.size = self.plain.stat().st_size
        meta = f'binlog-name = "{self.names[-1]}"\nbinlog-pos = {len(content)}\nbinlog-gtid = ""\n'
        (folder / self.sub_dir / "relay.meta").write_text(meta)

    @contextmanager
    def from_relay(self) -> Iterator[Read]:
        stream = RelayStream(self.folder, SERVER, Location(Position(self.names[0], 4)), use_gtid=False)
        yield lambda: stream.read(0)
        stream.close()

    @contextmanager
    def from_plain_file(self) -> Iterator[Read]:
        with self.plain.open("rb", buffering=0) as file:
            yield lambda: file.read(PIECE_BYTES)


def only_read(read: Read) -> None:
    while read():
        pass


def decode(recording: Recording, name: str) -> Callable[[Read], None]:
    def use(read: Read) -> None:
        decoder = Decoder(
            flavor=recording.flavor,
            framing="file",
            resolve=lambda table_map: plan(recording.table, table_map),
            file_name=name,
        )
        while piece := read():
            decoder.feed(piece)
            while decoder.next() is not None:
                pass

    return use


def seconds_of(opened: Callable[[], AbstractContextManager[Read]], use: Callable[[Read], None]) -> float:
    began = time.process_time()
    with opened() as read:
        use(read)
    return time.process_time() - began


def rates(log: RelayLog, use: Callable[[Read], None]) -> tuple[float, float]:
    """Megabytes a second of the relay log and of the plain file: the best of runs by turns."""
    seconds = [(seconds_of(log.from_relay, use), seconds_of(log.from_plain_file, use)) for _ in range(REPETITIONS)]
    relay, plain = (min(column) for column in zip(*seconds, strict=True))
    return log.size / relay / 1e6, log.size / plain / 1e6


def measure(kind: str, scale: float) -> None:
    with start(kind, options=["--binlog-row-metadata=FULL"]) as server:
        for recording in record(server, scale):
            with tempfile.TemporaryDirectory() as folder:
                log = RelayLog(Path(folder), recording)
                notices = Notices(log.folder)
                notices.start()
                for what, use in (("decoded", decode(recording, log.names[0])), ("bytes only", only_read)):
                    relay, plain = rates(log, use)
                    verdict = "" if relay / plain >= GOAL else f"  below {GOAL}"
                    print(
                        f"{kind:<8} {recording.kind:<20} {what:<10} {log.size / 1e6:>6.0f} MB {relay:>8,.0f} MB/s "
                        f"{plain:>8,.0f} MB/s {relay / plain:>6.2f}{verdict}",
                        flush=True,
                    )
                notices.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("servers", nargs="*", default=["mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    print(f"codec: {'compiled' if COMPILED else 'plain Python'}; goal: {GOAL}")
    print("server   stream               what          size   relay log   plain file   ratio")
    for kind in options.servers:
        try:
            measure(kind, options.scale)
        except Unavailable as problem:
            print(f"no {kind} on this machine: {problem}")


if __name__ == "__main__":
    main()
