"""dm-binlog as a user runs it, on recorded binlogs and on ones that are made by hand."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from dm_binlog.cli import command
from tests.golden.made_events import format_event, made

DATA = Path(__file__).parents[2] / "golden" / "data"
MYSQL, MARIADB = DATA / "mysql.binlog", DATA / "mariadb.binlog"
BINLOGS = {"mysql": MYSQL, "mariadb": MARIADB}
XID, GTID, ROTATE = 16, 33, 4


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def rows(self) -> list[dict[str, Any]]:
        return [found for found in self.objects if found["type"] in ("insert", "update", "delete")]


def run(*words: object, stdin: bytes = b"") -> Run:
    result = CliRunner().invoke(command, [str(word) for word in words], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Run(result.exit_code, result.stdout, result.stderr)


def recorded(flavor: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{flavor}.json").read_text(encoding="utf-8"))
    return found


def write(path: Path, events: Iterable[bytes], head: bytes | None = None) -> Path:
    """A binlog file of these events."""
    path.write_bytes(b"\xfebin" + (format_event() if head is None else head) + b"".join(events))
    return path


def gtid(number: int) -> bytes:
    return made(GTID, b"\0" + bytes(range(16)) + struct.pack("<q", number) + bytes(17))


def begin() -> bytes:
    return query(b"BEGIN")


def query(sql: bytes, schema: bytes = b"s") -> bytes:
    return made(2, struct.pack("<IIBHH", 5, 0, len(schema), 0, 0) + schema + b"\0" + sql)


def commit(number: int = 7) -> bytes:
    return made(XID, struct.pack("<Q", number))


def rotate(name: bytes = b"next.000002") -> bytes:
    return made(ROTATE, struct.pack("<Q", 4) + name)


def events(path: Path) -> list[tuple[int, int, int]]:
    """(place, type, size) of each event, read independently of the program."""
    data, at, found = path.read_bytes(), 4, []
    while at < len(data):
        size = int.from_bytes(data[at + 9 : at + 13], "little")
        found.append((at, data[at + 4], size))
        at += size
    return found
