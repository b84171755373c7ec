"""What the rounds of a campaign share: upstreams, and a cluster with a worker for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pkg.crashpoints import VARIABLE
from tests.cases.shardddl.world import CHECKER, World
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect


class Stage:
    """A cluster that lives from round to round, and begins anew after a round that failed.

    Where the processes of a source die can be said in the file by its name in the cluster's folder.
    """

    def __init__(self, servers: dict[str, RunningServer], folder: Path, tasks: Sequence[str], more: str = "") -> None:
        """`tasks` are those that a round may have started; `more` belongs to the text of each source."""
        self.servers = servers
        self._folder = folder
        self._tasks = tasks
        self._more = more
        self._clusters = 0
        self._cluster: Cluster | None = None

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.end_cluster()

    def cleared(self, target: RunningServer) -> Cluster:
        """The cluster, without what an earlier round left."""
        if self._cluster is None:
            self._cluster = self._begin(target)
        else:
            for task in self._tasks:
                self._cluster.ask("stop-task", task)
            self._cluster.wait(self._is_idle, "no subtask")
        for name in self.servers:
            (self._cluster.folder / name).unlink(missing_ok=True)
        wipe([*self.servers.values(), target])
        return self._cluster

    def end_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def _begin(self, target: RunningServer) -> Cluster:
        self._clusters += 1
        folder = self._folder / f"cluster-{self._clusters}"
        cluster = Cluster(folder)
        cluster.environment = {f"w-{name}": {VARIABLE: f"@{folder / name}"} for name in self.servers}
        World(cluster, self.servers, target, source_more=CHECKER + self._more).start_cluster()
        return cluster

    def _is_idle(self) -> bool:
        cluster = self._cluster
        return cluster is not None and not any(cluster.subtask_pids(f"w-{name}") for name in self.servers)


def wipe(servers: Sequence[RunningServer]) -> None:
    """Whatever an earlier round left."""
    own = {"mysql", "sys", "information_schema", "performance_schema", "test", "metrics_schema"}
    for server in servers:
        with connect(server) as connection, connection.cursor() as cursor:
            cursor.execute("SET foreign_key_checks = 0")  # of one database to another
            cursor.execute("SHOW DATABASES")
            for (name,) in cursor.fetchall():
                if name.lower() not in own:
                    cursor.execute(f"DROP DATABASE `{name}`")
