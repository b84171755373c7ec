"""dmctl against a real dm-master process that has no worker: what a new user meets first."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dmctl.answer import Exit
from dmctl.client import connect
from dmctl.run import run_words
from dmctl.session import open_session
from dmctl.settings import Settings

pytestmark = pytest.mark.slow


def free_address() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


class DmMaster:
    """A dm-master process; ``start`` returns when it serves."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.address = free_address()
        self._folder, self._flags = folder, flags
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        flags = ("--name", "m1", "--master-addr", self.address, "--data-dir", str(self._folder), *self._flags)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dm_master", *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self._process.stdout is not None
        seen: list[str] = []
        for line in self._process.stdout:
            seen.append(line)
            if "serves" in line:
                return
        raise AssertionError("dm-master did not start:\n" + "".join(seen))

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


@pytest.fixture(scope="module")
def real_master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process = DmMaster(tmp_path_factory.mktemp("dm-master"))
    process.start()
    yield process.address
    process.kill()


def test_members_of_a_new_cluster(dmctl: Any, real_master: str) -> None:
    outcome = dmctl("list-member", master=real_master)
    assert outcome.code == Exit.DONE
    leader, masters, workers = json.loads(outcome.out)["members"]
    assert leader["leader"]["name"] == "m1"
    assert masters["master"]["masters"][0]["alive"] is True
    assert workers["worker"]["workers"] == []
    assert list(json.loads(dmctl("list-member", "-w", master=real_master).out)["members"][0]) == ["worker"]


def test_status_of_nothing(dmctl: Any, real_master: str) -> None:
    outcome = dmctl("query-status", master=real_master)
    assert outcome.code == Exit.DONE
    assert json.loads(outcome.out) == {"result": True, "msg": "", "tasks": []}


@pytest.mark.parametrize(
    "words",
    [
        ("query-status", "none"),
        ("pause-task", "none"),
        ("resume-task", "none"),
        ("stop-task", "none"),
        ("config", "task", "none"),
        ("config", "source", "none"),
        ("operate-source", "stop", "none"),
        ("start-relay", "-s", "none"),
        ("pause-relay", "-s", "none"),
        ("purge-relay", "-s", "none", "-f", "bin.000003"),
        ("binlog", "skip", "none"),
        ("binlog-schema", "list", "none", "d", "t"),
    ],
)
def test_what_the_master_does_not_know(dmctl: Any, real_master: str, words: tuple[str, ...]) -> None:
    outcome = dmctl(*words, master=real_master)
    assert outcome.code == Exit.REFUSED
    body = json.loads(outcome.out)
    assert body["result"] is False
    assert "none" in body["msg"]


def test_answers_have_the_keys_of_dm(dmctl: Any, real_master: str) -> None:
    keys = {
        ("pause-task", "none"): ["op", "result", "msg", "sources"],
        ("query-status", "none"): ["result", "msg", "sources"],
        ("operate-source", "show"): ["result", "msg", "sources"],
        ("config", "task", "none"): ["result", "msg", "cfg"],
        ("start-relay", "-s", "none"): ["result", "msg", "sources"],
        ("binlog", "skip", "none"): ["result", "msg", "sources"],
        ("binlog-schema", "delete", "none", "d", "t"): ["result", "msg", "sources"],
        ("pause-relay", "-s", "none"): ["op", "result", "msg", "sources"],
    }
    for words, expected in keys.items():
        assert list(json.loads(dmctl(*words, master=real_master).out)) == expected


def test_task_for_a_source_that_does_not_exist(dmctl: Any, real_master: str, task_file: Path) -> None:
    outcome = dmctl("start-task", str(task_file), master=real_master)
    assert outcome.code == Exit.REFUSED
    assert "mysql-01" in json.loads(outcome.out)["msg"]


def test_source_whose_server_is_not_there(dmctl: Any, real_master: str, source_file: Path) -> None:
    port = free_address().rpartition(":")[2]
    source_file.write_text(source_file.read_text().replace("3306", port))
    outcome = dmctl("operate-source", "create", str(source_file), master=real_master)
    assert outcome.code == Exit.REFUSED
    assert port in outcome.out
    assert json.loads(dmctl("operate-source", "show", master=real_master).out)["sources"] == []


def test_master_without_a_key_says_how_to_get_one(dmctl: Any, real_master: str) -> None:
    outcome = dmctl("encrypt", "x", master=real_master)
    assert outcome.code == Exit.REFUSED
    assert "secret-key-path" in json.loads(outcome.out)["msg"]


def test_configuration_of_the_master(dmctl: Any, real_master: str) -> None:
    outcome = dmctl("config", "master", "m1", master=real_master)
    assert outcome.code == Exit.DONE
    assert real_master in json.loads(outcome.out)["cfg"]


def test_prompt_goes_on_after_the_master_was_restarted(tmp_path: Path) -> None:
    process = DmMaster(tmp_path)
    process.start()
    session = open_session(Settings(addresses=(process.address,)), connect, sys.stdin, sys.stdout, sys.stderr)
    assert run_words(session, ["list-member"]) == Exit.DONE
    process.kill()
    assert run_words(session, ["list-member"]) == Exit.REFUSED
    process.start()
    assert run_words(session, ["list-member"]) == Exit.DONE
    session.close()
    process.kill()
