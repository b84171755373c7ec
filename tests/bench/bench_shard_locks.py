"""Shard DDL at size: `python -m tests.bench.bench_shard_locks [--sources 64] [--tables 64]`.

1. A real dm-master, with simulated workers that speak gRPC to it: each source reports the same DDL, obeys its
   order, and reports that it has passed.  Seconds from the last report until the lock is gone, and the
   master's memory.
2. The group of one source with all the tables: seconds to meet a DDL with each and to resolve it.
"""

from __future__ import annotations

import argparse
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc

from pkg.adapters.metastore.store import MetaStore
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.binlog.position import Location, Position
from pkg.facts import Put, SourceFact, SubtaskFact, TaskFact
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.shardddl.group import Group
from pkg.task.stage import Stage
from tests.servers.ports import free_port

TARGET, DDL = "`all`.`t`", "ALTER TABLE `all` . `t` ADD COLUMN b INT"


class Worker:
    """One simulated worker: a stream to dm-master, and where its source stands with the DDL."""

    def __init__(self, address: str, number: int) -> None:
        self.name = f"w{number:03d}"
        self.passed = threading.Event()
        self._out: queue.SimpleQueue[dm_pb2.WorkerMessage] = queue.SimpleQueue()
        self._bound: dm_pb2.Binding | None = None
        self.bound = threading.Event()
        self._channel = grpc.insecure_channel(address)
        self._number, self._ddls = 1, [""][:0]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        hello = dm_pb2.Hello(name=self.name, address=f"{self.name}:1", instance=self.name, lease_seconds=60)
        self._out.put(dm_pb2.WorkerMessage(hello=hello))
        stub = dm_pb2_grpc.WorkerSessionStub(self._channel)
        for message in stub.Connect(self._messages()):
            self._bound = message.desired.binding if message.desired.HasField("binding") else None
            if self._bound is None:
                continue
            if not self.bound.is_set():
                self.bound.set()
                self.report()
            for subtask in self._bound.subtasks:
                if any(order.number == self._number for order in subtask.shard_orders):
                    self._number, self._ddls = self._number + 1, []
                    self.report()
                    self.passed.set()

    def _messages(self) -> Iterator[dm_pb2.WorkerMessage]:
        while True:
            yield self._out.get()

    def meet(self) -> None:
        """All tables of the source have met the DDL."""
        self._ddls = [DDL]
        self.report()

    def report(self) -> None:
        assert self._bound is not None
        report = dm_pb2.ShardReport(target=TARGET, number=self._number, ddls=self._ddls, location="(bin.000001, 4)")
        sync = dm_pb2.SyncStatus(shards_known=True, shard_reports=[report])
        status = dm_pb2.SubTaskStatus(name="task", stage="Running", unit="Sync", sync=sync)
        bound = self._bound
        observed = dm_pb2.Observed(source=bound.source, bind_epoch=bound.bind_epoch)
        observed.subtasks.add(revision=1, status=status)
        self._out.put(dm_pb2.WorkerMessage(observed=observed))


def prepare(folder: Path, sources: int) -> None:
    """Sources and a task in the metastore, as if start-task had been run."""
    store = MetaStore(f"sqlite:///{folder / 'dm-master.db'}")
    epoch = store.campaign("bench", "bench", time.time(), 1.0)
    assert epoch is not None
    names = [f"s{number:03d}" for number in range(sources)]
    changes = [Put(TaskFact("task", "name: task"))]
    changes += [Put(SourceFact(name, f"source-id: {name}", "{}")) for name in names]
    changes += [Put(SubtaskFact("task", name, Stage.RUNNING, 1, "{}")) for name in names]
    store.apply(epoch, changes)
    store.resign(epoch)
    store.close()


def resident_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def with_master(sources: int) -> tuple[list[float], int]:
    """Seconds that each DDL took to resolve, and the master's peak memory in MB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, sources)
        address = f"127.0.0.1:{free_port()}"
        command = [sys.executable, "-m", "dm_master", "--master-addr", address, "--data-dir", name, "--name", "bench"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as master:
            try:
                grpc.channel_ready_future(grpc.insecure_channel(address)).result(60)
                return _rounds([Worker(address, number) for number in range(sources)]), resident_mb(master.pid)
            finally:
                master.terminate()


def _rounds(workers: list[Worker]) -> list[float]:
    for worker in workers:
        assert worker.bound.wait(60), f"{worker.name} is bound to no source"
    seconds = []
    for _ in range(5):
        for worker in workers:
            worker.passed.clear()
        for worker in workers[:-1]:
            worker.meet()
        began = time.perf_counter()
        workers[-1].meet()
        for worker in workers:
            assert worker.passed.wait(120), f"{worker.name} got no order"
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)


def one_group(tables: int) -> float:
    """Seconds until a group of so many tables has met a DDL with all and resolved it."""
    before = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY)", schema="db")
    after = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, b INT)", schema="db")
    names = [TableName("db", f"t{number}") for number in range(tables)]
    group = Group(TableName("all", "t"), frozenset(names))
    began = time.perf_counter()
    for place, name in enumerate(names):
        group = group.meet(name, Location(Position("bin.000001", place)), (DDL,), before, after, "")
        if group.is_synced:
            group, _ = group.resolve()
    return time.perf_counter() - began


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sources", type=int, default=64)
    arguments.add_argument("--tables", type=int, default=64, help="of each source")
    options = arguments.parse_args()
    seconds, memory = with_master(options.sources)
    print(
        f"{options.sources} sources, a real dm-master: resolved in {seconds[len(seconds) // 2]:.2f} s (median of 5), "
    )
    print(f"slowest {seconds[-1]:.2f} s, master's peak memory {memory} MB   (asked: < 10 s, < 300 MB)")
    for tables in (options.tables, options.tables * options.sources):
        print(f"a group of {tables} tables meets and resolves a DDL in {one_group(tables):.2f} s")


if __name__ == "__main__":
    main()
