"""dm-master and dm-worker as real processes, driven through their public interface."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.json_format import MessageToDict

from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from tests.servers.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")
Body = dict[str, Any]


def eventually(look: Callable[[], T | None], what: str, seconds: float = 90.0) -> T:
    """The first result of ``look`` that is true; fails with ``what`` after ``seconds``."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s: {what}")


@dataclass
class Cluster:
    """One dm-master and any number of workers, all on this host."""

    folder: Path
    flags: tuple[str, ...] = ()  # of the master
    master: str = "m1"
    port: int = field(default_factory=free_port)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start_master(self) -> None:
        """Returns when it leads, or when it stands by for the one that does."""
        data = ["--data-dir", str(self.folder / self.master), *self.flags]
        self._start(self.master, "dm_master", "--name", self.master, "--master-addr", self.address, *data)
        eventually(self._answers, f"dm-master answers: {self.log(self.master)}")

    def start_worker(self, name: str, *flags: str, join: str = "") -> None:
        address = f"127.0.0.1:{free_port()}"
        ttl = () if "--keepalive-ttl" in flags else ("--keepalive-ttl", "3")
        self._start(
            name, "dm_worker", "--name", name, "--worker-addr", address, "--join", join or self.address, *ttl, *flags
        )

    def _start(self, name: str, module: str, *arguments: str) -> None:
        (self.folder / "copy.py").write_text("raise ImportError('of the folder in which the process was started')")
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *arguments],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"},
            )

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> int:
        process = self.running.pop(name)
        process.send_signal(number)
        return process.wait(90)

    def stop(self) -> None:
        for name in sorted(self.running, reverse=True):
            self.kill(name, signal.SIGTERM)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def call(self, method: str, request: Any) -> Body:
        with grpc.insecure_channel(self.address) as channel:
            call = getattr(dm_pb2_grpc.MasterStub(channel), method)
            try:
                answer = call(request, timeout=60, wait_for_ready=True)
            except grpc.RpcError as exc:
                exc.add_note(f"exit codes: { {name: process.poll() for name, process in self.running.items()} }")
                raise
        return MessageToDict(answer, always_print_fields_with_no_presence=True)

    def workers(self) -> dict[str, tuple[str, str]]:
        """Worker → stage and source."""
        body = self.call("ListMember", dm_pb2.ListMemberRequest(worker=True))
        return {one["name"]: (one["stage"], one["source"]) for one in body["members"][0]["worker"]["workers"]}

    def status(self, task: str) -> Body:
        return self.call("QueryStatus", dm_pb2.QueryStatusRequest(name=task))

    def subtask(self, task: str) -> Body:
        """The only subtask of the only source."""
        listed = self.status(task)["sources"][0]["subTaskStatus"]
        return listed[0] if listed else {}

    def _answers(self) -> bool:
        try:
            body = self.call("ListMember", dm_pb2.ListMemberRequest())
        except grpc.RpcError:
            return False
        return bool(body["result"]) or "nobody does yet" not in body["msg"]
