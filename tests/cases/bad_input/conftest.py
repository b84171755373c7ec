"""The arena: started once for all tests of wrong input."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.bad_input.arena import SOURCE, WORKERS, Arena
from tests.cluster import Cluster
from tests.conftest import start_or_report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "arena" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.servers)


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """A cluster with the source `main` bound to one worker and a second worker that is free."""
    with (
        pytest.MonkeyPatch.context() as environment,
        start_or_report("mariadb") as upstream,
        start_or_report("mariadb") as target,
        Cluster(tmp_path_factory.mktemp("arena"), keepalive_seconds=8) as cluster,
    ):
        environment.setenv("COLUMNS", "1000")  # messages in one line each, so that they can be searched
        arena = Arena(cluster, upstream, target)
        cluster.start_master()
        for worker in WORKERS:
            cluster.start_worker(worker)
        cluster.wait(lambda: cluster.ask("list-member", "--worker").out.count('"free"') == len(WORKERS), "workers", 60)
        cluster.expect("operate-source", "create", str(arena.source(SOURCE)), "--worker", WORKERS[0])
        yield arena
