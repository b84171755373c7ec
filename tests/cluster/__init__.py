"""A cluster of real processes: dm-master, dm-workers and dmctl, as a user starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from dmctl.answer import is_accepted, without_late
from dmctl.run import run
from dmctl.settings import Settings
from tests.servers.ports import free_port

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 120.0
EXECUTORS = 3  # generations below a subtask
_UNCARRIED = "an answer has what its message does not carry"  # dm-master logs it, and answers without


@dataclass(frozen=True, slots=True)
class Result:
    """What one dmctl call gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def is_late(self) -> bool:
        """Whether it was refused only for taking longer than dm-master waits."""
        try:
            body = self.json
        except json.JSONDecodeError:
            return False
        return any(part.get("late") for part in body.get("sources", [])) and is_accepted(without_late(body))


def generations(pid: int) -> list[list[int]]:
    """A process, its children, theirs and so on; below a subtask that copies: the JVM, its daemon, the executors."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [[pid]]
    while found[-1]:
        found.append(sorted(child for child, parent in parents.items() if parent in found[-1]))
    return found[:-1]


class Cluster:
    """Processes in `folder`; use it as a context manager, so that each is stopped by its own pid."""

    def __init__(self, folder: Path, *, keepalive_seconds: int = 5) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keepalive_seconds = keepalive_seconds
        self.master_address = f"127.0.0.1:{free_port()}"
        self.environment: dict[str, dict[str, str]] = {}  # what a process is started with beside ours, by its name
        self._addresses: dict[str, str] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_master(self, *options: str) -> None:
        """Start dm-master, or start it again on its data; returns when it answers."""
        data = str(self.folder / "master")
        self._start("master", "dm_master", "--master-addr", self.master_address, "--data-dir", data, *options)
        self.wait(lambda: self.ask("list-member", "--master").code == 0, "dm-master answers")

    def start_worker(self, name: str, *options: str) -> None:
        """Start a dm-worker; the same name comes back at the same address."""
        address = self._addresses.setdefault(name, f"127.0.0.1:{free_port()}")
        keepalive = str(self.keepalive_seconds)
        arguments = ("--worker-addr", address, "--join", self.master_address, "--keepalive-ttl", keepalive)
        self._start(name, "dm_worker", "--name", name, *arguments, *options)

    def _start(self, name: str, module: str, *arguments: str) -> None:
        log = self.folder / f"{name}.log"
        with (self.folder / f"{name}.out").open("ab") as out:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, *arguments, "--log-file", str(log)],
                cwd=ROOT,
                env={**os.environ, **self.environment.get(name, {})},
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for whoever runs the cluster, who stops it in order
            )

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def subtask_pids(self, worker: str) -> list[int]:
        """The worker's child processes, one per subtask."""
        pid = self.pid(worker)
        children = Path(f"/proc/{pid}/task/{pid}/children")
        found: list[int] = []
        for task in children.parents[1].glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                found += map(int, task.read_text().split())
        return found

    def kill(self, name: str) -> None:
        """`kill -9`."""
        self._processes[name].kill()
        self._processes[name].wait()

    def kill_subtasks(self, worker: str) -> int:
        """`kill -9` of the worker's children; how many there were."""
        pids = self.subtask_pids(worker)
        for pid in pids:
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(pid, signal.SIGKILL)
        return len(pids)

    def stop(self, name: str) -> int:
        """SIGTERM; the exit code."""
        process = self._processes[name]
        process.terminate()
        return process.wait(timeout=90)

    def is_running(self, name: str) -> bool:
        return name in self._processes and self._processes[name].poll() is None

    def close(self) -> None:
        for process in reversed(self._processes.values()):
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for log in self.folder.glob("master*.log"):
            assert _UNCARRIED not in log.read_text(errors="replace"), f"{log}: {_UNCARRIED}"

    def dmctl(self, *words: str, stdin: str = "", timeout: float = 120) -> Result:
        command = [sys.executable, "-m", "dmctl", "--master-addr", self.master_address, *words]
        done = subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, text=True, timeout=timeout)
        return Result(done.returncode, done.stdout, done.stderr)

    def ask(self, *words: str) -> Result:
        """What `dmctl` does, in this process: for questions that are asked again and again."""
        out, err = StringIO(), StringIO()
        code = run(words, Settings(addresses=(self.master_address,)), StringIO(), out, err)
        return Result(code, out.getvalue(), err.getvalue())

    def expect(self, *words: str) -> Any:
        """dmctl's JSON; anything but success fails with what it said, but not what takes longer than dm-master waits."""
        result = self.ask(*words)
        assert result.code == 0 or result.is_late, (
            f"dmctl {' '.join(words)}: exit {result.code}\n{result.out}{result.err}\n{self.logs()}"
        )
        return result.json

    def subtasks(self, task: str) -> dict[str, Any]:
        """SubTaskStatus by source; {} while dm-master does not answer."""
        result = self.ask("query-status", task, "--more")
        if result.code not in (0, 1) or not result.out:
            return {}
        try:
            sources = result.json.get("sources", [])
        except json.JSONDecodeError:
            return {}
        return {
            entry["sourceStatus"]["source"]: status
            for entry in sources
            for status in entry.get("subTaskStatus", [])
            if status.get("name") == task
        }

    def in_step(self, task: str, sources: int) -> bool:
        """Whether every source replicates and is where its upstream is."""
        found = self.subtasks(task)
        return len(found) == sources and all(status.get("sync", {}).get("synced") for status in found.values())

    def stages(self, task: str) -> set[str]:
        return {status["stage"] for status in self.subtasks(task).values()}

    def errors(self, task: str) -> str:
        """The messages of all errors of the task's subtasks."""
        return "\n".join(
            f"{error['Message']} {error['RawCause']} {error['Workaround']}"
            for status in self.subtasks(task).values()
            for error in (status.get("result") or {}).get("errors", [])
        )

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = DEADLINE_SECONDS) -> None:
        """Until `condition()` holds; fails with the logs when it does not."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds:.0f} s for: {what}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self, lines: int = 25) -> str:
        """The tail of every process's log and output."""
        parts = []
        for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]):
            tail = path.read_text(errors="replace").splitlines()[-lines:]
            parts.append(f"--- {path.name}\n" + "\n".join(line[:400] for line in tail))
        return "\n".join(parts)
