"""Reads damaged binlogs, one after the other: a process that may die.  `fuzz` starts and watches it.

Before each case its seed is written to a file, so that whoever finds this process dead or silent
knows by what.
"""

from __future__ import annotations

import faulthandler
import mmap
import resource
import struct
import sys
from pathlib import Path

from tests.golden.damage import Case

STATE = struct.Struct("<QQQ")  # seed of the case, bytes that were changed and cases before it


def main(state: str, first: int, amount: int, memory: int) -> None:
    faulthandler.enable()
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with Path(state).open("r+b") as file, mmap.mmap(file.fileno(), STATE.size) as shared:
        _, changed, cases = STATE.unpack(shared)
        end, seed = changed + amount, first
        while changed < end:
            STATE.pack_into(shared, 0, seed, changed, cases)
            case = Case.of(seed)
            case.read()
            changed += case.changed
            cases += 1
            seed += 1
        STATE.pack_into(shared, 0, seed, changed, cases)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
