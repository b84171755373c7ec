"""What the tests of shard DDL share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.cases.replicate.replication import Replication
from tests.cases.shardddl.world import Sources, World
from tests.cluster import Cluster
from tests.conftest import start_or_report


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    started = Replication(tmp_path_factory.mktemp("replication") / "log")
    yield started
    started.close()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sources]:
    """Two sources, MariaDBs, in a cluster that runs one task after the other."""
    with ExitStack() as stack:
        servers = {name: stack.enter_context(start_or_report("mariadb")) for name in ("s1", "s2")}
        cluster = stack.enter_context(Cluster(tmp_path_factory.mktemp("cluster")))
        World(cluster, servers, servers["s1"]).start_cluster()
        yield cluster, servers
