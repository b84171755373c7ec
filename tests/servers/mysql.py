"""MySQL 9, which Debian stable does not carry: a minimal root of Debian unstable, made once, run by chroot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.servers.running import (
    HOST,
    Place,
    Recipe,
    ServerError,
    Unavailable,
    cache_folder,
    locked,
    make_template,
    say,
)

_FLAGS = (
    "--log-bin=mysql-bin",
    "--binlog-row-image=FULL",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--local-infile=1",
    "--innodb-flush-log-at-trx-commit=2",
    "--sync-binlog=0",
    "--innodb-buffer-pool-size=256M",
    "--innodb-redo-log-capacity=64M",
    "--performance-schema=off",
    "--skip-name-resolve",
    "--mysqlx=OFF",
)

# A new server knows only root@localhost, which a client at 127.0.0.1 is not when names are not resolved.
_ACCOUNTS = """CREATE USER 'root'@'127.0.0.1' IDENTIFIED BY '';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
GRANT PROXY ON ''@'' TO 'root'@'127.0.0.1' WITH GRANT OPTION;
"""


def lacks() -> str:
    """What this machine lacks for it, found out without fetching anything; "" where nothing."""
    if os.geteuid() != 0:
        return "MySQL runs by chroot, which needs root"
    if not (_place() / "usr" / "sbin" / "mysqld").exists() and shutil.which("debootstrap") is None:
        return "MySQL needs debootstrap, which is not installed (Debian: debootstrap)"
    return ""


def recipe() -> Recipe:
    if lacking := lacks():
        raise Unavailable(lacking)
    root = _root()
    base = root / "var" / "lib" / "spark-dm"
    template = base / f"template-{_version(root)}"
    make_template(template, lambda datadir: _initialise(root, datadir))
    # auto.cnf holds the server's UUID: two servers with one UUID would share GTIDs.
    return Recipe("mysql", template, base, root / "tmp", lambda place: _command(root, place), ("auto.cnf",))


def _place() -> Path:
    return cache_folder() / "mysql-root"


def _root() -> Path:
    root = _place()
    with locked(cache_folder() / "locks" / "mysql-root.lock"):
        if not (root / "usr" / "sbin" / "mysqld").exists():
            _bootstrap(root)
    return root


def _bootstrap(root: Path) -> None:
    say("fetching MySQL 9 with debootstrap, once: some minutes")
    work = root.with_name(root.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", "--include=mysql-server", "sid", str(work)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Unavailable(f"debootstrap of MySQL failed; its last words:\n{done.stdout[-2000:]}")
    shutil.rmtree(root, ignore_errors=True)
    work.rename(root)


def regression_suite() -> Path:
    """The folder of MySQL's own regression suite (Debian's mysql-testsuite), fetched once: 330 MB.  Raises Unavailable."""
    root = _root()
    folder = cache_folder() / f"mysql-suite-{_version(root)}"
    with locked(cache_folder() / "locks" / "mysql-suite.lock"):
        if not folder.exists():
            say("fetching MySQL's regression suite, once: 330 MB")
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            # A mirror may be older than its lists say they are good for; debootstrap above does not look at that.
            command = (
                "cd /tmp && rm -f mysql-testsuite_*.deb && apt-get -q -o Acquire::Check-Valid-Until=false update "
                "&& apt-get -q download mysql-testsuite"
            )
            done = subprocess.run(["chroot", str(root), "sh", "-c", command], capture_output=True, text=True)
            packages = list((root / "tmp").glob("mysql-testsuite_*.deb"))
            if done.returncode or not packages:
                raise Unavailable(f"the package mysql-testsuite cannot be fetched:\n{done.stderr[-1000:]}")
            wanted = " ".join(f"./usr/lib/mysql-test/{name}" for name in ("t", "include", "std_data", "suite"))
            read = f"dpkg-deb --fsys-tarfile {packages[0]} | tar -x -C {part} --strip-components=4 {wanted}"
            subprocess.run(["sh", "-c", read], check=True)
            packages[0].unlink()
            part.rename(folder)
    return folder


def seen_from_inside(path: Path) -> Path:
    """Where a file must lie so that MySQL, which runs by chroot, finds it as ``path``."""
    return _place() / path.relative_to("/")


def _inside(root: Path, path: Path) -> str:
    if not path.is_relative_to(root):
        raise ServerError(f"a MySQL data directory must lie below {root}, {path} does not")
    return "/" + str(path.relative_to(root))


def _mysqld(root: Path) -> list[str]:
    return ["chroot", str(root), "/usr/sbin/mysqld", "--no-defaults"]


def _version(root: Path) -> str:
    text = subprocess.run([*_mysqld(root), "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"Ver (\d+\.\d+\.\d+)", text)
    if match is None:
        raise ServerError(f"mysqld --version says {text!r}, which names no version")
    return match[1]


def _initialise(root: Path, datadir: Path) -> subprocess.CompletedProcess[str]:
    accounts = datadir.with_name(f"{datadir.name}.sql")
    accounts.write_text(_ACCOUNTS)
    flags = ["--user=root", "--initialize-insecure", "--innodb-redo-log-capacity=64M"]
    flags += [f"--init-file={_inside(root, accounts)}", f"--datadir={_inside(root, datadir)}"]
    try:
        return subprocess.run([*_mysqld(root), *flags], capture_output=True, text=True)
    finally:
        accounts.unlink()


def _command(root: Path, place: Place) -> list[str]:
    inside = _inside(root, place.datadir)
    place_flags = [
        "--user=root",
        f"--datadir={inside}",
        f"--tmpdir={inside}",
        f"--port={place.port}",
        f"--socket={_inside(root, place.socket)}",
        f"--bind-address={HOST}",
        f"--server-id={place.port}",
        f"--pid-file={inside}/server.pid",
    ]
    return [*_mysqld(root), *place_flags, *_FLAGS]
