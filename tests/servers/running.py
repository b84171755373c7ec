"""One running database server for tests: how it is started, watched until it answers, stopped, killed and restarted.

What differs from one kind of server to the next is a `Recipe`; everything here holds for all of them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket as sockets
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql

from tests.servers.ports import HOST, free_port

START_TIMEOUT = 90.0
STOP_TIMEOUT = 30.0
LONGEST_SOCKET = 107  # bytes of a path; the kernel takes no more
_PORT_TAKEN = ("address already in use", "can't start server: bind", "unable to setup listen")


class ServerError(Exception):
    """A server that was there did not start or stop as it should."""


class Unavailable(Exception):
    """This machine cannot run that kind of server; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one server keeps its things."""

    name: str
    datadir: Path
    socket: Path
    port: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one kind of server needs: an initialised directory to copy, where to put the copy, and a command line."""

    kind: str
    template: Path | None
    base: Path
    socket_base: Path
    command: Callable[[Place], list[str]]
    forget: tuple[str, ...] = ()  # files of the template that identify one server, so that copies must not have them

    def place(self, name: str, port: int, datadir: Path | None) -> Place:
        socket = self.socket_base / f"{name}.sock"
        if len(os.fsencode(socket)) > LONGEST_SOCKET:
            raise ServerError(
                f"the socket {socket} would have a path of more than {LONGEST_SOCKET} bytes; "
                "name a shorter folder in SPARK_DM_CACHE"
            )
        return Place(name, datadir or self.base / name, socket, port)


def cache_folder() -> Path:
    """The folder for everything that is made once; SPARK_DM_CACHE moves it."""
    named = os.environ.get("SPARK_DM_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "spark-dm"


def is_strict() -> bool:
    """Whether what this machine cannot run is an error: in CI, which has to run everything."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def say(text: str) -> None:
    """One line about work that takes long."""
    print(f"==> {text}", file=sys.stderr, flush=True)


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock between processes, for work that only one of them should do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def copy_tree(template: Path, target: Path, forget: tuple[str, ...]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Files of a new server are zeros for the most part: 6 MB of 260 are copied.
    command = ["cp", "-a", "--reflink=auto", "--sparse=always", str(template), str(target)]
    subprocess.run(command, check=True)
    for name in forget:
        (target / name).unlink(missing_ok=True)


def make_template(target: Path, make: Callable[[Path], subprocess.CompletedProcess[str]]) -> Path:
    """Runs `make` on a fresh directory once; a half-made one never gets the final name."""
    with locked(cache_folder() / "locks" / f"{target.name}.lock"):
        if not target.is_dir():
            work = target.with_name(f"{target.name}.part")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            done = make(work)
            if done.returncode:
                raise ServerError(f"initialising {target.name} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
            work.rename(target)
    return target


class _Launcher:
    """Starts processes from one thread that lives as long as this process.

    The kernel sends the parent-death signal when the *thread* that started the child ends, so a server
    started from a short-lived thread would otherwise die in the middle of a test.
    """

    def __init__(self) -> None:
        self._pid = 0
        self._pool: ThreadPoolExecutor | None = None

    def start(self, argv: list[str], **keywords: Any) -> subprocess.Popen[bytes]:
        if self._pool is None or self._pid != os.getpid():  # a forked child has the object but not the thread
            self._pid, self._pool = os.getpid(), ThreadPoolExecutor(1, "server-launcher")
        return self._pool.submit(lambda: subprocess.Popen(argv, **keywords)).result()


_launcher = _Launcher()


@dataclass(slots=True)
class RunningServer:
    """A server that answers; root without a password may log in at `host`:`port`."""

    kind: str
    host: str
    port: int
    socket: Path
    pid: int
    datadir: Path
    name: str = ""
    command: list[str] = field(default_factory=list, repr=False)
    detached: bool = False
    owns_data: bool = True
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        return self.datadir.with_name(self.datadir.name + ".log")

    def connect(self, database: str | None = None, **keywords: Any) -> Any:
        """A connection as root with autocommit; the caller closes it.

        Without TLS: PyMySQL reads the system's certificates for each connection that may have it, 40 ms of CPU.
        """
        settings: dict[str, Any] = {
            "autocommit": True, "charset": "utf8mb4", "connect_timeout": 10, "ssl_disabled": True
        }  # fmt: skip
        return pymysql.connect(
            host=self.host, port=self.port, user="root", password="", database=database, **(settings | keywords)
        )

    def cut_streams(self) -> None:
        """End all streams of the binlog, as the server sees it, which notices late that their readers have gone."""
        with contextlib.closing(self.connect()) as connection, connection.cursor() as cursor:
            for one in sessions(cursor):
                if one.command.startswith("Binlog Dump"):
                    with contextlib.suppress(pymysql.err.OperationalError):  # it has ended by itself
                        cursor.execute(f"KILL {one.number}")

    def purge_binlog(self, seconds: float = 60) -> str:
        """Leave only the newest file of the binlog; its name.  Streams end, since the server keeps what they read."""
        with contextlib.closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW BINARY LOGS")
            last = str(cursor.fetchall()[-1][0])
            end = time.monotonic() + seconds
            while True:
                self.cut_streams()
                cursor.execute(f"PURGE BINARY LOGS TO '{last}'")
                cursor.execute("SHOW BINARY LOGS")
                if str(cursor.fetchall()[0][0]) == last:
                    return last
                assert time.monotonic() < end, "a stream holds a file of the binlog"
                time.sleep(0.05)

    @property
    def has_died(self) -> bool:
        """Whether it has ended, and nobody has ended it by these methods."""
        return self.pid != 0 and self._process is not None and self._process.poll() is not None

    def stop(self) -> None:
        """Ends the server cleanly and keeps its data, so that `restart` finds them."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the server as a crash would."""
        self._end(signal.SIGKILL)

    def restart(self) -> RunningServer:
        """Stops the server where it still runs and starts it again on the same port and data."""
        self.stop()
        self._launch()
        return self

    def snapshot(self, folder: Path) -> Path:
        """A copy of its data below ``folder``, as a crash at this moment would leave them."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            return Path(shutil.copytree(self.datadir, folder / self.datadir.name, symlinks=True))
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def put_back(self, snapshot: Path) -> None:
        """It crashes, and comes back with the data of ``snapshot``, which are moved."""
        self.kill()
        shutil.rmtree(self.datadir)
        shutil.move(snapshot, self.datadir)
        self.restart()

    def close(self) -> None:
        """Stops the server and removes the data that were made for it."""
        if self.owns_data:
            self.kill()  # nobody reads these data again: a clean end would only cost time
            shutil.rmtree(self.datadir, ignore_errors=True)
            self.log.unlink(missing_ok=True)
            owner_file(self.datadir).unlink(missing_ok=True)
            remove_socket(self.socket)
        else:
            self.stop()

    def __enter__(self) -> RunningServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def log_tail(self, size: int = 4000) -> str:
        return self.log.read_text(errors="replace")[-size:] if self.log.exists() else "(no log)"

    def _launch(self) -> None:
        guard = [] if self.detached else ["setpriv", "--pdeathsig", "KILL", "--"]
        with self.log.open("ab") as log:
            self._process = _launcher.start(
                [*guard, *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt from the keyboard is for the tests, not for their servers
                env=os.environ | {"TMPDIR": str(self.datadir), "LC_ALL": "C"},
            )
        self.pid = self._process.pid
        if self.owns_data and not self.detached:  # what outlives its starter is removed by `servers stop` alone
            owner_file(self.datadir).write_text(str(os.getpid()))
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                # By its own socket first: on the port a server that had it before might answer in place of ours.
                # PyMySQL leaves a socket open when nobody listens, so that is found out beforehand.
                with sockets.socket(sockets.AF_UNIX) as knock:
                    knock.connect(str(self.socket))
                self.connect(unix_socket=str(self.socket), connect_timeout=2, read_timeout=5).close()
                self.connect(connect_timeout=2, read_timeout=5).close()
                return
            except (pymysql.MySQLError, OSError) as problem:
                failure: BaseException = problem
            if self._process is not None and self._process.poll() is not None:
                reason = f"ended with code {self._process.returncode}"
            elif time.monotonic() > deadline:
                reason = f"did not answer within {START_TIMEOUT:.0f} s ({failure})"
                self.kill()
            else:
                time.sleep(0.05)
                continue
            raise ServerError(f"{self.kind} on port {self.port} {reason}; the end of {self.log}:\n{self.log_tail()}")

    def _end(self, how: signal.Signals) -> None:
        if self.pid == 0:
            return
        if self._gone(0.0):
            self.pid = 0
            return
        os.kill(self.pid, how)
        if not self._gone(STOP_TIMEOUT):
            os.kill(self.pid, signal.SIGKILL)
            if not self._gone(STOP_TIMEOUT):
                raise ServerError(f"{self.kind} (pid {self.pid}) does not end")
        self.pid = 0

    def _gone(self, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while alive(self.pid):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        if self._process is not None:
            self._process.wait()
        return True


@dataclass(frozen=True, slots=True)
class Session:
    """``schema``: its default database, "" for none."""

    number: int
    user: str
    schema: str
    command: str


def sessions(cursor: Any) -> list[Session]:
    """Of the cursor's server, without its own; MySQL may refuse the table of them (pkg/adapters/mysql/sessions.py)."""
    cursor.execute("SHOW PROCESSLIST")
    found = [Session(number, user, schema or "", command) for number, user, _, schema, command, *_ in cursor.fetchall()]
    return [one for one in found if one.number != cursor.connection.thread_id()]


def owner_file(datadir: Path) -> Path:
    """Holds the pid of the process on whose account the data are kept."""
    return datadir.with_name(datadir.name + ".owner")


def remove_socket(socket: Path) -> None:
    for suffix in ("", ".lock"):  # MySQL keeps a lock beside its socket
        socket.with_name(socket.name + suffix).unlink(missing_ok=True)


def sweep(recipe: Recipe) -> None:
    """Removes the data of servers whose owner was killed before it could."""
    for marker in recipe.base.glob("*.owner"):
        datadir = marker.with_suffix("")
        try:
            owner = int(marker.read_text() or 0)
        except (FileNotFoundError, ValueError):
            continue
        if alive(owner):
            continue
        shutil.rmtree(datadir, ignore_errors=True)
        datadir.with_name(datadir.name + ".log").unlink(missing_ok=True)
        remove_socket(recipe.socket_base / f"{datadir.name}.sock")
        marker.unlink(missing_ok=True)


def launch(
    recipe: Recipe,
    *,
    port: int | None,
    options: tuple[str, ...],
    datadir: Path | None,
    name: str | None,
    detached: bool,
) -> RunningServer:
    """Starts one server; a port that somebody takes between choosing and binding it is chosen anew."""
    recipe.base.mkdir(parents=True, exist_ok=True)
    recipe.socket_base.mkdir(parents=True, exist_ok=True)
    sweep(recipe)
    attempts = 1 if port else 5
    while True:
        attempts -= 1
        chosen = port or free_port()
        place = recipe.place(name or f"{recipe.kind}-{uuid.uuid4().hex[:8]}", chosen, datadir)
        if recipe.template is not None and not place.datadir.exists():
            copy_tree(recipe.template, place.datadir, recipe.forget)
        place.datadir.mkdir(parents=True, exist_ok=True)
        server = RunningServer(
            recipe.kind,
            HOST,
            chosen,
            place.socket,
            0,
            place.datadir,
            place.name,
            [*recipe.command(place), *options],
            detached,
            owns_data=datadir is None,
        )
        try:
            server._launch()
        except ServerError as failure:
            server.close()
            if attempts and any(text in str(failure).lower() for text in _PORT_TAKEN):
                continue
            raise
        except BaseException:  # Ctrl-C: nobody else knows of this server yet
            server.close()
            raise
        return server
