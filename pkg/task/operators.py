"""What an operator decided about single statements of the stream: skip, replace, inject."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pkg.binlog.position import Position


class Op(StrEnum):
    """What is done with the statement at a place."""

    SKIP = "skip"
    REPLACE = "replace"
    INJECT = "inject"  # others first, then it


@dataclass(frozen=True, slots=True)
class Operator:
    """For the statement that ends at ``position``; ``sqls`` are in the upstream's names, as it was."""

    position: Position
    op: Op
    sqls: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Tells this decision from another one about the same place, where it is noted as begun."""
        statements = "\0".join(self.sqls)
        return f"{self.position} {self.op} {zlib.crc32(statements.encode()):08x}"


def is_of_one_run(begun: str, mark: str) -> bool:
    """Whether both are marks of one statement that runs: alone, or behind what an operator injects."""
    parts = [one.partition(f" {Op.INJECT} ")[0] for one in (begun, mark)]
    return parts[0] == parts[1]


Operators = Mapping[Position, Operator]
