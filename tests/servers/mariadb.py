"""MariaDB as the system's `mariadb-server-core` package brings it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.servers.running import HOST, Place, Recipe, ServerError, Unavailable, cache_folder, make_template

_FLAGS = (
    "--log-bin=mysql-bin",
    "--log-slave-updates=1",  # so that a replica can be an upstream, too
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--local-infile=1",
    "--innodb-flush-log-at-trx-commit=2",
    "--sync-binlog=0",
    "--innodb-buffer-pool-size=256M",
    "--performance-schema=off",
    "--skip-name-resolve",
)


def lacks() -> str:
    """What this machine lacks for it; "" where nothing."""
    try:
        _find("mariadbd")
    except Unavailable as lacking:
        return str(lacking)
    return ""


def recipe() -> Recipe:
    binary = _find("mariadbd")
    template = cache_folder() / "templates" / f"mariadb-{_version(binary)}"
    base = cache_folder() / "run"
    return Recipe(
        "mariadb",
        make_template(template, _initialise),
        base,
        base,
        lambda place: _command(binary, place),
    )


def _find(program: str) -> str:
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if found is None:
        raise Unavailable(f"{program} is not installed (Debian: mariadb-server-core and mariadb-client-core)")
    return found


def _version(binary: str) -> str:
    text = subprocess.run([binary, "--no-defaults", "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"Ver (\d+\.\d+\.\d+)", text)
    if match is None:
        raise ServerError(f"{binary} --version says {text!r}, which names no version")
    return match[1]


def _user() -> list[str]:
    """mariadbd refuses to run as root unless told to."""
    return ["--user=root"] if os.geteuid() == 0 else []


def _initialise(datadir: Path) -> subprocess.CompletedProcess[str]:
    install = [_find("mariadb-install-db"), "--no-defaults", f"--datadir={datadir}", "--skip-test-db"]
    # --force: a bare system resolves neither its own name nor localhost, and an account per address is enough.
    install += ["--auth-root-authentication-method=normal", "--force", *_user()]
    return subprocess.run(install, capture_output=True, text=True)


def _command(binary: str, place: Place) -> list[str]:
    place_flags = [
        f"--datadir={place.datadir}",
        f"--port={place.port}",
        f"--socket={place.socket}",
        f"--bind-address={HOST}",
        f"--server-id={place.port}",  # a port is unique among the servers of a machine, as a server id must be
        f"--pid-file={place.datadir}/server.pid",
    ]
    return [binary, "--no-defaults", *_user(), *place_flags, *_FLAGS]
