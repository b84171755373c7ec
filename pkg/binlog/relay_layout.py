"""How a relay log's folder is laid out, as values and texts; nothing here touches a disk.

It is DM's layout: sub-directories ``<server-uuid>.<NNNNNN>``, listed in ``server-uuid.index``, each with the
upstream's files under their own names, a ``relay.meta`` that says what is received and durable, and of our own a
``relay.sizes`` with the size of each file that is complete.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from pkg.binlog.gtid import GtidSet, MySQLGtidSet, parse_gtid_set
from pkg.binlog.intervals import Intervals
from pkg.binlog.position import Position
from pkg.binlog.raw_events import Gtids

INDEX_NAME, META_NAME, SIZES_NAME = "server-uuid.index", "relay.meta", "relay.sizes"
_SUB_DIR = re.compile(r"([0-9A-Za-z-]+)\.([0-9]{6,})")
_BINLOG = re.compile(r"[^/\0\n.][^/\0\n]{0,240}\.[0-9]{1,10}")


@dataclass(frozen=True, slots=True)
class SubDir:
    """A sub-directory: what came from one server, until another one answered."""

    server: str
    number: int

    @classmethod
    def parse(cls, name: str) -> SubDir:
        """Raises ValueError for what is no such name."""
        found = _SUB_DIR.fullmatch(name)
        if found is None:
            raise ValueError(f"{name!r} is no <server-uuid>.<number>")
        return cls(found[1], int(found[2]))

    def __str__(self) -> str:
        return f"{self.server}.{self.number:06d}"


def next_sub_dir(server: str, known: Iterable[SubDir]) -> SubDir:
    """The sub-directory of a server that answers now, also of one that has come back."""
    return SubDir(server, max((one.number for one in known), default=0) + 1)


def index_text(sub_dirs: Iterable[SubDir]) -> str:
    return "".join(f"{one}\n" for one in sub_dirs)


def parse_index(text: str) -> list[SubDir]:
    """Oldest first.  Raises ValueError."""
    return [SubDir.parse(line) for line in text.split("\n") if line]


def size_text(file: str, size: int) -> str:
    """A line of relay.sizes; a crash may have left a part of one before it."""
    return f"\n{size} {file}\n"


def sizes_in(text: str) -> dict[str, int]:
    """Sizes of complete files, by name; lines that are not whole say nothing."""
    lines = (line.partition(" ") for line in text.split("\n"))
    return {file: int(size) for size, _, file in lines if size.isascii() and size.isdigit() and is_binlog_name(file)}


@dataclass(frozen=True, slots=True)
class Received:
    """What relay.meta says: durable, at a transaction's end."""

    position: Position
    gtid_set: GtidSet

    def text(self) -> str:
        name, gtid = json.dumps(self.position.name), json.dumps(str(self.gtid_set))
        return f"binlog-name = {name}\nbinlog-pos = {self.position.offset}\nbinlog-gtid = {gtid}\n"

    @classmethod
    def parse(cls, text: str, flavor: str) -> Received:
        """Raises ValueError for what is not whole."""
        meta = tomllib.loads(text)
        name, offset, gtid = meta.get("binlog-name"), meta.get("binlog-pos"), meta.get("binlog-gtid")
        if not isinstance(name, str) or not isinstance(offset, int) or not isinstance(gtid, str) or offset < 4:
            raise ValueError("it lacks binlog-name, binlog-pos or binlog-gtid")
        if not is_binlog_name(name):
            raise ValueError(f"{name!r} is no name of a binlog file")
        return cls(Position(name, offset), parse_gtid_set(gtid, flavor))


def is_binlog_name(name: str) -> bool:
    """Whether a file of an upstream may have this name; a server could say any."""
    return _BINLOG.fullmatch(name) is not None


def in_order(names: Iterable[str]) -> list[str]:
    """Binlog files among `names`, oldest first: by number, however many digits it has."""
    return sorted(filter(is_binlog_name, names), key=lambda name: Position(name, 0))


def following(name: str) -> str:
    """The name of a server's next binlog file."""
    base, _, number = name.rpartition(".")
    return f"{base}.{int(number) + 1:0{len(number)}d}"


def with_gtids(known: GtidSet, met: Gtids) -> GtidSet:
    """The transactions received after some more; those that follow the last of their source cost no copy."""
    found = known if met.before is None else parse_gtid_set(met.before, known.flavor)
    for source, first, last in met.ranges:
        if not isinstance(found, MySQLGtidSet):
            found = found.add(f"{source}-{last}")
            continue
        mine = found.sources.get(source)
        if mine is not None and first == mine.last[1] + 1:
            found = MySQLGtidSet({**found.sources, source: Intervals(mine.leaves, (mine.last[0], last))})
        else:
            found = found.union(MySQLGtidSet({source: Intervals.of([(first, last)])}))
    return found
