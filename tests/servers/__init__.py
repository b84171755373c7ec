"""Real database servers for tests, benchmarks and the demo, each with its own data, port, socket and pid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tests.servers import mariadb, mysql, tidb
from tests.servers.running import Recipe, RunningServer, ServerError, Unavailable, launch

__all__ = ["KINDS", "LACKS", "RunningServer", "ServerError", "Unavailable", "start"]

KINDS: dict[str, Callable[[], Recipe]] = {"mariadb": mariadb.recipe, "mysql": mysql.recipe, "tidb": tidb.recipe}
LACKS: dict[str, Callable[[], str]] = {"mariadb": mariadb.lacks, "mysql": mysql.lacks, "tidb": tidb.lacks}


def start(
    kind: str,
    *,
    port: int | None = None,
    options: Iterable[str] = (),
    datadir: Path | None = None,
    name: str | None = None,
    detached: bool = False,
) -> RunningServer:
    """Starts a server of `kind` and returns it when it answers.

    A free port is taken unless one is named. A `datadir` that is given is used as it is when it exists, is
    initialised when it does not, and is kept by `close`. The server dies with this process unless `detached`.
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind of server {kind!r}; known are {', '.join(KINDS)}")
    return launch(KINDS[kind](), port=port, options=tuple(options), datadir=datadir, name=name, detached=detached)
