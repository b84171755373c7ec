"""Places in a binary log: file and offset, and a location that also carries the GTID set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pkg.binlog.gtid import GtidSet

_TEXT = re.compile(r"\(?\s*([^\s,:()]+)\s*[,:]\s*(\d+)\s*\)?")


@total_ordering
@dataclass(frozen=True, slots=True)
class Position:
    """A byte offset (64-bit) in a binlog file such as ``mysql-bin.000007``."""

    name: str
    offset: int

    @classmethod
    def parse(cls, text: str) -> Position:
        """From ``(mysql-bin.000007, 1234)`` or ``mysql-bin.000007:1234``; ValueError for anything else."""
        found = _TEXT.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is no binlog position; write file:offset")
        return cls(found[1], int(found[2]))

    def __lt__(self, other: Position) -> bool:
        if self.name == other.name:
            return self.offset < other.offset
        return self._order() < other._order()

    def _order(self) -> tuple[str, int, int]:
        base, _, number = self.name.rpartition(".")
        return (base, int(number), self.offset) if number.isdigit() else (self.name, 0, self.offset)

    def __str__(self) -> str:
        return f"({self.name}, {self.offset})"


def sorts_before(file_name: str, former: str) -> bool:
    """Whether a binlog's files have another name, and places in the ``former`` ones are behind those of this one.

    ``former`` is "" where none is known, before which nothing sorts.
    """
    base, former_base = file_name.rpartition(".")[0], former.rpartition(".")[0]
    return base != former_base and Position(file_name, 0) < Position(former, 0)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a stream stands: after a complete transaction or event."""

    position: Position
    gtid_set: GtidSet | None = None

    def __str__(self) -> str:
        return str(self.position) if self.position.name else f"GTID set {self.gtid_set}"
