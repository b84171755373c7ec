"""What the rounds of a pair of servers share: the servers, and a dm-master with its dm-workers.

One worker more than there are sources: it takes the source of a worker that is away.  The cluster lives from round to round
and begins anew behind a round that failed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from pkg.crashpoints import VARIABLE
from tests.cases.e2e.job import source_text
from tests.cases.replicate.comparing import TableName
from tests.cases.shardddl.world import place
from tests.cluster import Cluster, Result
from tests.servers import RunningServer, start
from tests.soak.sql.settings import TASK, Settings, source_more, task_text
from tests.soak.sql.upstream import Upstream
from tests.soak.stage import wipe

KEEPALIVE_SECONDS = 3  # the least that a worker takes
DISK = "96m"  # of all relay logs
SOURCES = ("s1", "s2")
WORKERS = ("w1", "w2", "w3")


class Stage:
    """`with Stage(pair, folder) as stage`."""

    def __init__(self, pair: str, folder: Path, kept: Path | None = None) -> None:
        """``kept``: where the logs of a round that did not end well are put."""
        self.upstream_kind, self.target_kind = pair.split("-")
        self._folder = folder
        self._kept = kept
        self._open = ExitStack()
        self._sources: dict[str, Upstream] = {}
        self._clusters = 0
        self._cluster: Cluster | None = None
        self._disk: Path | None = None
        self._mode = ""  # of the task that was started last
        self.said = ""  # by dmctl, where it did not do the last thing

    def __enter__(self) -> Stage:
        try:
            for name in SOURCES:
                self._sources[name] = Upstream(self.upstream_kind, self._folder / f"backup-{name}")
                self._open.callback(self._sources[name].close)
            self.target = self._open.enter_context(start(self.target_kind))
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end_cluster()
        self._open.close()

    @property
    def upstreams(self) -> dict[str, RunningServer]:
        """The server of each source, as it is now."""
        return {name: upstream.server for name, upstream in self._sources.items()}

    def upstream(self, source: str) -> Upstream:
        return self._sources[source]

    @property
    def cluster(self) -> Cluster:
        assert self._cluster is not None
        return self._cluster

    @property
    def armed(self) -> Path:
        """The file that arms crash points in all processes of the workers."""
        return self.cluster.folder / "armed"

    @property
    def relays(self) -> Path:
        """The disk of the relay logs."""
        return self.cluster.folder / "relays"

    # --- rounds

    def begin(self, settings: Settings) -> None:
        """Empty servers, and the round's sources."""
        if self._cluster is None:
            self._begin_cluster()
        self.armed.unlink(missing_ok=True)
        wipe([*self.upstreams.values(), self.target])
        for name in settings.names:
            upstream = self._sources[name]
            upstream.begin()
            text = source_text(name, upstream.server).replace(f"port: {upstream.server.port}", f"port: {upstream.port}")
            self._source_file(name).write_text(text + source_more(settings))
        assert self.know(settings.names), self.said

    def know(self, sources: Sequence[str]) -> bool:
        """Make the sources known; whether they are."""
        files = (str(self._source_file(name)) for name in sources)
        return self._is_done(self.cluster.ask("operate-source", "create", *files, "--wait"))

    def _source_file(self, name: str) -> Path:
        return self.cluster.folder / f"{name}.yaml"

    def start_task(self, settings: Settings) -> None:
        """From here on; with a copy first where the settings say so."""
        here = {name: f", meta: {{{place(self.upstreams[name])}}}" for name in settings.names}
        assert self._start(settings, here if settings.mode == "incremental" else {}), self.said

    def start_again(self, settings: Settings) -> bool:
        """With a copy of all that there is, and nothing that an earlier run left; whether it began."""
        return self._start(replace(settings, mode="all"), {}, options=["--remove-meta"])

    def start_on(self, settings: Settings, left_out: Sequence[TableName]) -> bool:
        """From where it was stopped, without some tables."""
        return self._start(replace(settings, mode=self._mode), {}, left_out)

    def _start(
        self,
        settings: Settings,
        places: Mapping[str, str],
        left_out: Sequence[TableName] = (),
        options: Sequence[str] = (),
    ) -> bool:
        self._mode = settings.mode
        self.task_file.write_text(task_text(settings, self.target.host, self.target.port, places, left_out))
        return self._is_done(self.cluster.ask("start-task", str(self.task_file), *options))

    def _is_done(self, result: Result) -> bool:
        """Whether dmctl did what it was asked for."""
        done = result.code == 0 or result.is_late or _has_died(result)
        self.said = "" if done else f"exit {result.code}\n{result.out}{result.err}\n{self.cluster.logs()}"
        return done

    @property
    def task_file(self) -> Path:
        return self.cluster.folder / "task.yaml"

    def end(self, settings: Settings) -> None:
        """Nothing is left of a round that ended well."""
        self.cluster.expect("stop-task", TASK, "--wait")
        self.cluster.expect("operate-source", "stop", *settings.names, "--wait")

    # --- the cluster

    def _begin_cluster(self) -> None:
        self._clusters += 1
        self._cluster = cluster = Cluster(
            self._folder / f"cluster-{self._clusters}", keepalive_seconds=KEEPALIVE_SECONDS
        )
        self.relays.mkdir()
        with suppress(OSError, subprocess.CalledProcessError):  # without root all disks are large
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.relays], check=True)
            self._disk = self.relays
        cluster.environment = {name: {VARIABLE: f"@{self.armed}"} for name in WORKERS}
        cluster.start_master()
        for name in WORKERS:
            self.start_worker(name)
        cluster.wait(lambda: len(self.bound()) == len(WORKERS), "all workers are there")

    def start_worker(self, name: str) -> None:
        self.cluster.start_worker(name, "--relay-dir", str(self.relays / name))

    def revive(self, held: str = "") -> None:
        """Start the workers that have died at a crash point of their own, as a service manager would; ``held`` stays away."""
        for name in WORKERS:
            if name != held and not self.cluster.is_running(name):
                self.start_worker(name)

    def keep_logs(self) -> None:
        """The processes' logs and the task file, in a folder that is called by the time."""
        if self._kept is None:
            return
        folder = self._kept / time.strftime("%Y%m%d-%H%M%S")
        folder.mkdir(parents=True, exist_ok=True)
        for path in (*self.cluster.folder.glob("*.log"), *self.cluster.folder.glob("*.out"), self.task_file):
            with suppress(OSError):
                shutil.copy(path, folder)
        print(f"  logs in {folder}", flush=True)

    def end_cluster(self) -> None:
        """The next round begins with another one."""
        cluster, disk = self._cluster, self._disk
        self._cluster = self._disk = None
        try:
            if cluster is not None:
                cluster.close()
        finally:
            if disk is not None:
                subprocess.run(["umount", "--lazy", disk], check=True)

    @property
    def has_small_disk(self) -> bool:
        return self._disk is not None

    def bound(self) -> dict[str, str]:
        """The source of each worker that dm-master knows as there; "" of one that is free."""
        result = self.cluster.ask("list-member", "--worker")
        found: dict[str, str] = {}
        with suppress(json.JSONDecodeError):
            for member in result.json.get("members", []):
                for worker in (member.get("worker") or {}).get("workers") or []:
                    if worker["stage"] != "offline":
                        found[worker["name"]] = worker.get("source") or ""
        return found

    def worker_of(self, source: str) -> str:
        """The worker that has the source; "" while none has."""
        return next((name for name, its in self.bound().items() if its == source), "")


def _has_died(result: Result) -> bool:
    """Whether all that failed is a process that died at its crash point: it is started again."""
    with suppress(json.JSONDecodeError):
        failed = [part for part in result.json.get("sources", []) if not part.get("result")]
        return bool(failed) and all("code=40101:" in part.get("msg", "") for part in failed)
    return False
