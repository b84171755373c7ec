"""Relay logs under random kills: `./dev soak relay [--kills N] [--seed S]`.

Each round starts an upstream of the next flavour, with or without GTIDs, writes to it all along, and kills the
process that pulls with `kill -9` after a random number of bytes.  In the end every relay file must be the
upstream's, byte for byte.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from tests.cases.relay.pulls import PullProcess, first_file, has_all, source
from tests.cases.relay.test_crashes import bytes_in, prepare, writing
from tests.contract.processes import eventually
from tests.servers import start

KILLS_PER_ROUND = 10
MOST_BYTES = 400_000
WAIT_SECONDS = 60


def play(flavor: str, enable_gtid: bool, seed: int, kills: int, folder: Path) -> None:
    """One round; raises AssertionError with the log when the files differ."""
    rng = random.Random(seed)
    server = start(flavor)
    log = folder / "log"
    try:
        prepare(server)
        config = source(server, enable_gtid=enable_gtid, relay_binlog_name=first_file(server))
        with writing(server):
            for _ in range(kills):
                pull = PullProcess(config, folder / "relay", log)
                size = bytes_in(folder / "relay") + rng.randrange(MOST_BYTES)
                _wait_for_bytes(folder / "relay", size, pull)
                pull.kill()
        pull = PullProcess(config, folder / "relay", log)
        eventually(lambda: has_all(folder / "relay", server), "the files are equal")
        assert pull.end() == 0, log.read_text()
    except Exception as exc:
        raise AssertionError(f"{exc}\n{log.read_text() if log.exists() else ''}") from exc
    finally:
        server.stop()


def _wait_for_bytes(folder: Path, size: int, pull: PullProcess) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while bytes_in(folder) <= size:
        assert pull.process.poll() is None, "the relay has ended by itself"
        assert time.monotonic() < deadline, f"{size} bytes did not come"
        threading.Event().wait(0.002)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak relay", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="in all (default: 200)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 20), help="of the first round")
    options = parser.parse_args(words)
    done = failed = 0
    variants = cycle([("mariadb", True), ("mysql", True), ("mariadb", False), ("mysql", False)])
    for number, (flavor, enable_gtid) in enumerate(variants):
        if done >= options.kills:
            break
        kills = min(KILLS_PER_ROUND, options.kills - done)
        seed = options.seed + number
        print(f"{flavor}, {'GTID' if enable_gtid else 'position'}, seed {seed}, {kills} kills", end="  ", flush=True)
        with tempfile.TemporaryDirectory(prefix="spark-dm-soak-") as folder:
            try:
                play(flavor, enable_gtid, seed, kills, Path(folder))
                print("equal", flush=True)
            except AssertionError as exc:
                failed += 1
                print(f"FAILED\n{exc}", flush=True)
        done += kills
    print(f"{done} kills, {failed} rounds failed")
    return 1 if failed else 0
