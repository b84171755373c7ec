"""`./dev servers start KIND [--port N] | stop NAME|all | list | prepare`: servers that outlive their command."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.servers import KINDS, LACKS, RunningServer, ServerError, Unavailable, start
from tests.servers.running import HOST, alive, cache_folder, is_strict, locked


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered of a detached server."""

    name: str
    kind: str
    port: int
    pid: int
    datadir: str
    socket: str

    @property
    def running(self) -> bool:
        """Whether its process is there; a pid that something else has by now does not count."""
        if not alive(self.pid):
            return False
        try:
            return f"/{Path(self.datadir).name}\0" in Path(f"/proc/{self.pid}/cmdline").read_text()
        except OSError:
            return False

    def line(self) -> str:
        return f"{self.name} {HOST}:{self.port}"

    def details(self) -> str:
        """`line` for a reader who wants to look at the process or the files."""
        state = f"pid {self.pid}" if self.running else "not running"
        return f"{self.name:<12} {self.kind:<8} {HOST}:{self.port:<6} {state:<12} {self.datadir}"

    def server(self) -> RunningServer:
        pid = self.pid if self.running else 0
        datadir, socket = Path(self.datadir), Path(self.socket)
        return RunningServer(self.kind, HOST, self.port, socket, pid, datadir, self.name, detached=True)


def _state() -> Path:
    return cache_folder() / "servers"


def _records() -> dict[str, Record]:
    found = (
        Record(**json.loads(file.read_text())) for file in sorted(_state().glob("*.json"), key=lambda file: file.stem)
    )
    return {record.name: record for record in found}


def _new_name(kind: str) -> str:
    """`mariadb`, then `mariadb-2`, ...."""
    taken = _records()
    number = 1
    while (name := kind if number == 1 else f"{kind}-{number}") in taken and taken[name].running:
        number += 1
    if name in taken:
        _forget(taken[name])
    return name


def _remember(record: Record) -> None:
    """In one step: `list` reads while others write."""
    part = _state() / f"{record.name}.part"
    part.write_text(json.dumps(asdict(record)))
    part.rename(_state() / f"{record.name}.json")


def _forget(record: Record) -> None:
    record.server().close()
    (_state() / f"{record.name}.json").unlink(missing_ok=True)


def _start(kind: str, port: int | None, options: Sequence[str]) -> int:
    with locked(_state() / ".lock"):
        name = _new_name(kind)
        server = start(kind, port=port, options=options, name=f"dev-{name}", detached=True)
        record = Record(name, kind, server.port, server.pid, str(server.datadir), str(server.socket))
        _remember(record)
    print(record.line(), flush=True)
    return 0


def _stop(names: Sequence[str]) -> int:
    with locked(_state() / ".lock"):
        known = _records()
        if unknown := [name for name in names if name != "all" and name not in known]:
            print(f"no server named {unknown[0]!r}; there are: {', '.join(known) or 'none'}", file=sys.stderr)
            return 1
        for record in known.values() if "all" in names else [known[name] for name in dict.fromkeys(names)]:
            _forget(record)
            print(f"{record.name} stopped")
    return 0


def _list() -> int:
    for record in _records().values():
        print(record.details())
    return 0


def _prepare() -> int:
    """Builds and fetches what the servers need, before a test's time limit runs.

    What this machine cannot run is said in a line each, before anything is built; the tests that want it say it again.
    With CI=true it is an error: there everything must run.
    """
    lacking = {kind: text for kind, lacks in LACKS.items() if (text := lacks())}
    for kind in KINDS:
        if kind not in lacking and not (is_strict() and lacking):
            try:
                KINDS[kind]()
            except Unavailable as problem:
                lacking[kind] = str(problem)
    for kind, text in lacking.items():
        print(f"no {kind} on this machine: {text}", file=sys.stderr)
    return 1 if lacking and is_strict() else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev servers", description="Database servers for trying things out.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    starter = verbs.add_parser("start", help="start a server and print NAME 127.0.0.1:PORT when it answers")
    starter.add_argument("kind", choices=sorted(KINDS))
    starter.add_argument("--port", type=int, help="TCP port; a free one is taken when not given")
    starter.add_argument("--option", action="append", default=[], help="one more option for the server, repeatable")
    stopper = verbs.add_parser("stop", help="stop servers and remove their data")
    stopper.add_argument("names", nargs="+", metavar="NAME|all", help="all: those of other checkouts, too")
    verbs.add_parser("list", help="list the servers that were started: name, kind, address, pid, data directory")
    verbs.add_parser("prepare", help="fetch and build what the servers need, and start none")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.verb == "start":
            return _start(chosen.kind, chosen.port, chosen.option)
        if chosen.verb == "prepare":
            return _prepare()
        return _stop(chosen.names) if chosen.verb == "stop" else _list()
    except (ServerError, Unavailable) as problem:
        print(f"./dev servers: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("./dev servers: interrupted; what was being started is stopped again", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
