"""What the demo does, step by step, on real servers and processes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cases.e2e.job import TASK, Job, Upstream
from tests.cluster import Cluster
from tests.demo.screen import LiveView, Screen
from tests.servers import RunningServer, Unavailable, start
from tests.servers.running import cache_folder
from tests.workload.compare import Difference
from tests.workload.shop import Shard, connect, shards

TABLES_PER_SCHEMA = 4
SHARDS = 16
TRAFFIC_SECONDS_BEFORE_THE_KILL = 4
TRAFFIC_SECONDS_AFTER_THE_KILL = 5


@dataclass
class Figures:
    """What the summary shows."""

    rows: int = 0
    megabytes: float = 0
    load_seconds: float = 0
    transactions: int = 0
    catch_up_seconds: float = 0
    worst_lag_seconds: float = 0
    shard_ddl_seconds: float = 0
    rates: list[int] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        return bool(self.differences) and all(one.is_equal for one in self.differences)


class Story:
    """Servers, cluster and task of one demo; `tell` runs it."""

    def __init__(self, screen: Screen, folder: Path, target: str, rows: int, *, keep: bool) -> None:
        self._screen = screen
        self._folder = folder
        self._target_kind = target
        self._rows_per_shard = max(1, rows // SHARDS)
        self._keep = keep
        self.servers: dict[str, RunningServer] = {}
        self.cluster = Cluster(folder)
        self.figures = Figures()

    def tell(self) -> bool:
        """Everything; True when the target equals the upstreams."""
        self._start_servers()
        job = self._job()
        self._fill(job)
        self._start_cluster(job)
        writers = job.traffic(seed=7, per_second=100)
        with contextlib.ExitStack() as running:
            for writer in writers:
                running.enter_context(writer)
            self._migrate(job)
            self._watch_traffic("replicating while both upstreams are written to", TRAFFIC_SECONDS_BEFORE_THE_KILL)
            self._kill_a_worker()
            self._watch_traffic("the other source goes on, the killed one comes back", TRAFFIC_SECONDS_AFTER_THE_KILL)
            self._change_all_shards(job)
        self.figures.transactions = sum(writer.transactions for writer in writers)
        self._catch_up(job)
        self._compare(job)
        return self.figures.is_equal

    def _start_servers(self) -> None:
        second = "mysql" if (cache_folder() / "mysql-root").is_dir() else "mariadb"
        with self._screen.step("starting two upstreams and a target"):
            for name, kind in (("upstream-1", "mariadb"), ("upstream-2", second), ("target", self._target_kind)):
                try:
                    server = start(kind, detached=self._keep)
                except Unavailable as reason:
                    self._screen.note(f"no {kind} here ({reason}); a MariaDB takes its place")
                    server = start("mariadb", detached=self._keep)
                self.servers[name] = server
        for name, server in self.servers.items():
            self._screen.note(f"{name:<11} {server.kind:<8} 127.0.0.1:{server.port}")

    def _job(self) -> Job:
        first = Upstream("upstream-1", self.servers["upstream-1"], shards(1, 2, TABLES_PER_SCHEMA), extras=True)
        second = Upstream("upstream-2", self.servers["upstream-2"], shards(3, 4, TABLES_PER_SCHEMA), extras=False)
        job = Job(self.cluster, [first, second], self.servers["target"], self._rows_per_shard)
        job.options = "shard-mode: pessimistic\nspark: {start: at-once}  # so little would be copied by threads\n"
        return job

    def _fill(self, job: Job) -> None:
        text = f"creating shop_01…04.orders_0…3 with {self._rows_per_shard * SHARDS:,} rows in all"
        with self._screen.step(text):
            job.prepare(seed=7)
        for name in ("upstream-1", TASK):
            self._screen.file(job.files[name])

    def _start_cluster(self, job: Job) -> None:
        with self._screen.step("starting dm-master and two dm-workers"):
            self.cluster.start_master()
            for worker in ("worker-1", "worker-2"):
                self.cluster.start_worker(worker)
            self.cluster.wait(
                lambda: self.cluster.dmctl("list-member", "--worker").out.count('"free"') == 2, "both workers are there"
            )
        for upstream in job.upstreams:
            self._command("operate-source", "create", str(job.files[upstream.source_id]))

    def _command(self, *words: str) -> None:
        self._screen.command(f"dmctl --master-addr {self.cluster.master_address} {' '.join(words)}")
        self.cluster.expect(*words)

    def _statuses(self) -> dict[str, Any]:
        return self.cluster.subtasks(TASK)

    def _migrate(self, job: Job) -> None:
        """The full migration, until both sources replicate."""
        began = time.monotonic()
        self._command("start-task", str(job.files[TASK]))
        with self._screen.live("full migration through Spark") as live:
            while True:
                statuses = self._statuses()
                live.update(statuses)
                self._note_load(statuses)
                if len(statuses) == 2 and all("sync" in status for status in statuses.values()):
                    break
                if time.monotonic() - began > 180:
                    raise AssertionError(f"the full migration takes too long\n{self.cluster.logs()}")
                time.sleep(0.3)
        self.figures.load_seconds = time.monotonic() - began
        with connect(self.servers["target"]) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT SUM(row_count), SUM(byte_count) FROM dm_meta.{TASK}_sparkdm_chunk")
            rows, size = cursor.fetchone()
        self.figures.rows, self.figures.megabytes = int(rows or 0), int(size or 0) / 1e6

    def _note_load(self, statuses: dict[str, Any]) -> None:
        for status in statuses.values():
            rate = int(status.get("load", {}).get("rowsPerSecond", 0))
            if rate:
                self.figures.rates.append(rate)

    def _watch_traffic(self, title: str, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._screen.live(title) as live:
            while time.monotonic() < until:
                live.update(self._statuses())
                time.sleep(0.3)

    def _kill_a_worker(self) -> None:
        pid = self.cluster.pid("worker-1")
        self._screen.command(f"kill -9 {pid}    # worker-1, in the middle of the traffic")
        self.cluster.kill("worker-1")
        with self._screen.live("worker-1 is dead") as live:
            until = time.monotonic() + 1.5
            while time.monotonic() < until:
                live.update(self._statuses())
                time.sleep(0.3)
        self._screen.command("dm-worker --name worker-1 …    # and comes back")
        self.cluster.start_worker("worker-1")

    def _change_all_shards(self, job: Job) -> None:
        """One column more in all shards, one after the other; the last one keeps the others waiting."""
        change = "ADD COLUMN gift_note VARCHAR(100) DEFAULT ''"
        *first, last = [(one, shard) for one in job.upstreams for shard in one.shards]
        for upstream, shard in first:
            self._alter(upstream, shard, change)
        title = f"{len(first)} shards have a new column, {last[1].name} has not: the merged table waits, writes go on"
        with self._screen.live(title) as live:
            self.cluster.wait(lambda: self._is_shown(live) and self._waits_for(last[1]), "the lock")
        words = ("shard-ddl-lock", "explain", TASK)
        self._screen.command(f"dmctl --master-addr {self.cluster.master_address} {' '.join(words)}")
        self._screen.text(self.cluster.dmctl(*words, "--output", "table").out)
        began = time.monotonic()
        self._alter(*last, change)
        with self._screen.live("the last shard has it, too: it runs downstream once, what waited is applied") as live:
            self.cluster.wait(lambda: self._is_shown(live) and not self._waiting(), "the shard DDL")
        self.figures.shard_ddl_seconds = time.monotonic() - began

    def _alter(self, upstream: Upstream, shard: Shard, change: str) -> None:
        with connect(upstream.server) as connection, connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {shard.name} {change}")

    def _is_shown(self, live: LiveView) -> bool:
        live.update(self._statuses())
        time.sleep(0.3)
        return True

    def _waiting(self) -> list[Any]:
        return [group for one in self._statuses().values() for group in one.get("sync", {}).get("unresolvedGroups", ())]

    def _waits_for(self, shard: Shard) -> bool:
        """Whether all other tables wait for this one alone."""
        awaited = [name for group in self._waiting() for name in group["unsynced"]]
        return awaited == [f"`{shard.schema}`.`{shard.table}`"] and len(self._waiting()) == len(self.servers) - 1

    def _catch_up(self, job: Job) -> None:
        began = time.monotonic()
        with self._screen.live("traffic has ended: catching up") as live:
            while True:
                statuses = self._statuses()
                live.update(statuses)
                lags = [status.get("sync", {}).get("lagSeconds", 0) for status in statuses.values()]
                self.figures.worst_lag_seconds = max(self.figures.worst_lag_seconds, *lags, 0)
                if self.cluster.in_step(TASK, 2):
                    break
                if time.monotonic() - began > 120:
                    raise AssertionError(f"the catch-up takes too long\n{self.cluster.logs()}")
                time.sleep(0.2)
        self.figures.catch_up_seconds = time.monotonic() - began

    def _compare(self, job: Job) -> None:
        with self._screen.step("comparing every row by independent queries"):
            self.figures.differences = job.differences()
        for difference in self.figures.differences:
            self._screen.note(str(difference), good=difference.is_equal)

    def commands_to_play_with(self) -> Iterator[str]:
        """What a user can try while everything runs."""
        dmctl = f".venv/bin/dmctl --master-addr {self.cluster.master_address}"
        target = self.servers["target"]
        yield f"{dmctl} query-status {TASK}"
        yield f"{dmctl} list-member"
        yield f"{dmctl} shard-ddl-lock explain {TASK}     # after an ALTER TABLE on one of the shards"
        yield f"{dmctl} pause-task {TASK} --wait"
        yield f"{dmctl} resume-task {TASK} --wait"
        yield f"{dmctl}                       # the interactive prompt"
        yield f"mariadb -h 127.0.0.1 -P {self.servers['upstream-1'].port} -u root shop_01    # write something …"
        yield f"mariadb -h 127.0.0.1 -P {target.port} -u root shop       # … and see it here"

    def close(self) -> None:
        """Stop all processes and servers."""
        self.cluster.close()
        for server in self.servers.values():
            server.close()
