"""A real gRPC server on a free port that gives recorded answers and remembers what it was asked."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import ParseDict

from dmctl.arguments import split_sources
from dmctl.run import run
from dmctl.settings import Settings
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc

_RPCS = (
    "StartTask",
    "OperateTask",
    "SetTask",
    "QueryStatus",
    "OperateSource",
    "OperateRelay",
    "OperateWorkerRelay",
    "PurgeRelay",
    "OperateBinlog",
    "OperateSchema",
    "ShowDDLLocks",
    "UnlockDDLLock",
    "ListMember",
    "GetCfg",
    "CheckTask",
    "ExplainRules",
    "EstimateTask",
    "ShowSummary",
    "Encrypt",
)


@dataclass
class RecordedMaster:
    """Answers for each request, the last one again and again; ``asked`` holds ``(rpc, request)``."""

    address: str = ""
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    before: Callable[[str], None] = lambda rpc: None

    def will_answer(self, rpc: str, *answers: dict[str, Any]) -> None:
        self.answers[rpc] = list(answers)

    def answer(self, rpc: str, request: Any) -> Any:
        self.asked.append((rpc, request))
        self.before(rpc)
        queue = self.answers[rpc]
        body = queue.pop(0) if len(queue) > 1 else queue[0]
        return ParseDict(body, getattr(dm_pb2, f"{rpc}Response")())

    def serve_on(self, server: grpc.Server) -> None:
        dm_pb2_grpc.add_MasterServicer_to_server(_servicer(self), server)


def _servicer(recorded: RecordedMaster) -> dm_pb2_grpc.MasterServicer:
    def method(rpc: str) -> Callable[..., Any]:
        return lambda self, request, context: recorded.answer(rpc, request)

    made: dm_pb2_grpc.MasterServicer = type(
        "Recorded", (dm_pb2_grpc.MasterServicer,), {rpc: method(rpc) for rpc in _RPCS}
    )()
    return made


@pytest.fixture
def another_master() -> Iterator[Callable[[], RecordedMaster]]:
    """Start one more recorded master."""
    servers: list[grpc.Server] = []

    def start() -> RecordedMaster:
        recorded = RecordedMaster()
        server = grpc.server(ThreadPoolExecutor(max_workers=2))
        recorded.serve_on(server)
        recorded.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        servers.append(server)
        return recorded

    yield start
    for server in servers:
        server.stop(None).wait()


@pytest.fixture
def master(another_master: Callable[[], RecordedMaster]) -> RecordedMaster:
    return another_master()


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Dmctl = Callable[..., Outcome]


@pytest.fixture
def dmctl() -> Dmctl:
    """Run one command line; ``stdin`` is what is piped in."""

    def call(*words: str, master: str = "", stdin: str = "") -> Outcome:
        out, err = io.StringIO(), io.StringIO()
        code = run(words, Settings(addresses=split_sources([master])), io.StringIO(stdin), out, err)
        return Outcome(code, out.getvalue(), err.getvalue())

    return call


TASK = """\
name: shop
task-mode: all
target-database:
  host: 127.0.0.1
  port: 4000
  user: root
  password: ""
mysql-instances:
  - source-id: mysql-01
"""
SOURCE = """\
source-id: mysql-01
from:
  host: 127.0.0.1
  port: 3306
  user: root
  password: ""
"""


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


@pytest.fixture
def source_file(tmp_path: Path) -> Path:
    path = tmp_path / "source1.yaml"
    path.write_text(SOURCE, encoding="utf-8")
    return path
