"""The process that `tests.forks` forks from: ``python -m tests.forks.nursery FD``, a socket with a request per fork.

Between it and each fork stands a process that waits for the fork's end and tells how it came.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
from typing import Any

from pkg.crashpoints import VARIABLE, arm
from tests.forks import NUMBER, ROOT

IMPORTED = (
    "dm_worker.dumper.unit",
    "dm_worker.loader.files_unit",
    "dm_worker.loader.unit",
    "dm_worker.relay.unit",
    "dm_worker.runner",
    "dm_worker.syncer.unit",
)
_LONGEST_REQUEST = 1 << 20


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # so that a fork's garbage collection copies no pages
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how those that wait have ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the tests, and with them the socket
    requests = socket.socket(fileno=int(sys.argv[1]))
    while (received := socket.recv_fds(requests, _LONGEST_REQUEST, 4))[0]:
        body, ends, *_ = received
        if os.fork() == 0:
            requests.close()
            _watch(json.loads(body), ends)
            return
        for end in ends:
            os.close(end)


def _watch(request: dict[str, Any], ends: list[int]) -> None:
    """Fork, and wait for the fork's end; returns in the fork alone, when all that it does is done."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, fate = ends
    pid = os.fork()
    if pid == 0:
        os.close(fate)
        _become(request, streams)
        return
    for stream in set(streams):
        os.close(stream)
    os.write(fate, NUMBER.pack(pid))
    _, status = os.waitpid(pid, 0)
    os.write(fate, NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in set(streams):
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    arm(os.environ.get(VARIABLE, ""))
    os.chdir(ROOT)
    sys.argv[1:] = request["arguments"]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
