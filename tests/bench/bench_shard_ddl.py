"""From the last shard's DDL until all sources replicate again: `python -m tests.bench.bench_shard_ddl [--sources 4]`.

Real MariaDB sources and target, real processes; each source has one shard, which is written to all along.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from pathlib import Path

import grpc

from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from tests.cases.shardddl.world import TARGET, TASK, World
from tests.cluster import Cluster
from tests.servers import start


class Watch:
    """The status by gRPC: dmctl takes longer to start than what is measured."""

    def __init__(self, address: str) -> None:
        self._stub = dm_pb2_grpc.MasterStub(grpc.insecure_channel(address))

    def blocked(self) -> set[str]:
        """The sources that wait for a DDL, or have not gone on after it."""
        answer = self._stub.QueryStatus(dm_pb2.QueryStatusRequest(name=TASK))
        return {
            one.source_status.source
            for one in answer.sources
            for subtask in one.sub_task_status
            if subtask.sync.blocking_ddls or subtask.sync.unresolved_groups
        }

    def until(self, wanted: set[str]) -> None:
        while self.blocked() != wanted:
            time.sleep(0.005)


def measure(world: World, rounds: int) -> list[float]:
    """Seconds of each round."""
    watch = Watch(world.cluster.master_address)
    sources = list(world.servers)
    seconds = []
    for number in range(rounds):
        add = f"ALTER TABLE t1 ADD COLUMN c{number} INT DEFAULT {number}"
        for source in sources[:-1]:
            world.run(source, add)
        watch.until(set(sources[:-1]))
        began = time.perf_counter()
        world.run(sources[-1], add)
        resolved = False
        while not resolved:
            there = world.rows(world.target, "information_schema.columns", "column_name")
            resolved = (f"c{number}",) in there and not watch.blocked()
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)


def write(world: World, stop: threading.Event) -> None:
    while not stop.is_set():
        for source in world.servers:
            world.insert(source, "t1")
        stop.wait(0.05)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sources", type=int, default=4)
    arguments.add_argument("--rounds", type=int, default=10)
    options = arguments.parse_args()
    servers = {f"s{number}": start("mariadb") for number in range(1, options.sources + 1)}
    target, stop = start("mariadb"), threading.Event()
    try:
        with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder) / "cluster") as cluster:
            world = World(cluster, servers, target, tables={source: ["t1"] for source in servers})
            world.begin()
            writer = threading.Thread(target=write, args=(world, stop))
            writer.start()
            seconds = measure(world, options.rounds)
            stop.set()
            writer.join()
            world.wait_merged("id, a")
    finally:
        stop.set()
        for server in (*servers.values(), target):
            server.stop()
    print(f"{options.sources} sources, {options.rounds} DDLs under writes into {TARGET}: p50", end=" ")
    print(f"{statistics.median(seconds):.2f} s, slowest {seconds[-1]:.2f} s   (asked: p50 < 1 s)")


if __name__ == "__main__":
    main()
