"""CPU seconds of a piece of work: those of ended child processes and of servers.

On a machine that others use, too, they tell more than time does: where all cores are busy, time follows them.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

from tests.servers import RunningServer

_TICKS = os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """Counts from its making on; `own` are child processes, then come the servers by the names that they are given."""

    def __init__(self, **servers: RunningServer) -> None:
        self._servers = servers
        self._before = self._used()

    def parts(self) -> dict[str, float]:
        return {name: used - self._before[name] for name, used in self._used().items()}

    def seconds(self) -> float:
        return sum(self.parts().values())

    def _used(self) -> dict[str, float]:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = children.ru_utime + children.ru_stime
        return {"own": own} | {name: _cpu_of(server.pid) for name, server in self._servers.items()}


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
