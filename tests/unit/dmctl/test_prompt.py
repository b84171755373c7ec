"""``dmctl`` without a verb: commands from a pipe, and a real terminal with history and completion."""

from __future__ import annotations

import codecs
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dmctl.answer import Exit
from dmctl.prompt import completions


def test_commands_from_a_pipe_run_one_after_the_other(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Pause", "result": True})
    outcome = dmctl(stdin="# maintenance\npause-task a\n\ndmctl pause-task 'b c'\n", master=master.address)
    assert outcome.code == Exit.DONE
    assert [request.name for _, request in master.asked] == ["a", "b c"]


def test_first_failure_is_the_exit_code_and_the_rest_still_runs(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"result": False, "msg": "task not found"}, {"op": "Pause", "result": True})
    outcome = dmctl(stdin="pause-task a\npause-task b\nno-such-verb\n", master=master.address)
    assert outcome.code == Exit.REFUSED
    assert len(master.asked) == 2
    assert "there is no command 'no-such-verb'" in outcome.err


def test_exit_ends_the_pipe(dmctl: Any, master: Any) -> None:
    assert dmctl(stdin="exit\nno-such-verb\n", master=master.address).code == Exit.DONE


def test_quotes_that_stay_open(dmctl: Any) -> None:
    outcome = dmctl(stdin='pause-task "a\n')
    assert outcome.code == Exit.USAGE
    assert "close the quotes" in outcome.err


def test_output_can_be_chosen_for_one_line(dmctl: Any, master: Any) -> None:
    master.will_answer("QueryStatus", {"result": True})
    outcome = dmctl(stdin="query-status --output yaml\nquery-status\n", master=master.address)
    yaml_text, _, json_text = outcome.out.partition("{")
    assert yaml_text.startswith("result: true")
    assert json.loads("{" + json_text)["result"] is True


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "query", ["query-status"]),
        (["operate-source"], "", ["create", "update", "stop", "show"]),
        (["start-task"], "--rem", ["--remove-meta"]),
        (["completion"], "z", ["zsh"]),
    ],
)
def test_completion_of_verbs_and_options(words: list[str], incomplete: str, expected: list[str]) -> None:
    assert completions(words, incomplete) == expected


def test_completion_of_files(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").touch()
    (tmp_path / "tasks").mkdir()
    assert completions(["start-task"], f"{tmp_path}/ta") == [f"{tmp_path}/task.yaml", f"{tmp_path}/tasks/"]


class Terminal:
    """dmctl on a pseudo terminal."""

    def __init__(self, *words: str, state: Path) -> None:
        self._own, theirs = pty.openpty()
        environment = os.environ | {"TERM": "dumb", "XDG_STATE_HOME": str(state), "COLUMNS": "100"}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", sys.executable, "-m", "dmctl", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
        )
        os.close(theirs)
        self.seen = ""
        self._read = 0
        self._decode = codecs.getincrementaldecoder("utf-8")().decode

    def wait_for(self, text: str, seconds: float = 60, *, pressing: str = "") -> None:
        """Read until ``text`` was shown after what was waited for before; ``pressing`` is a key to press meanwhile.

        A key that comes while the prompt draws a completion can be lost: a person presses it again.
        """
        deadline = time.monotonic() + seconds
        press_at = time.monotonic()
        while text not in self.seen[self._read :]:
            assert time.monotonic() < deadline, f"{text!r} was not shown in {self.seen!r}"
            if pressing and time.monotonic() >= press_at:
                self.type(pressing)
                press_at += 10
            if select.select([self._own], [], [], 0.1)[0]:
                self.seen += self._decode(os.read(self._own, 65536))
        self._read = self.seen.index(text, self._read) + len(text)

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def close(self) -> int:
        code = self.process.wait(60)
        os.close(self._own)
        return code


def test_a_terminal_has_completion_survives_ctrl_c_and_leaves_by_ctrl_d(master: Any, tmp_path: Path) -> None:
    master.will_answer("ListMember", {"result": True, "members": [{"worker": {"workers": [{"name": "w1"}]}}]})
    terminal = Terminal("--master-addr", master.address, state=tmp_path)
    terminal.wait_for("» ")
    terminal.type("list-m\t\n")
    terminal.wait_for("w1")
    terminal.wait_for("» ")
    terminal.type("list-m\t")
    terminal.wait_for("list-member")  # a prompt that completes is one that takes keys
    terminal.wait_for("» ", pressing="\x03")
    terminal.type("encrypt secret --key-file /none\n")
    terminal.wait_for("» ")
    terminal.type("\x04")
    assert terminal.close() == Exit.DONE
    history = (tmp_path / "spark-dm" / "dmctl_history").read_text()
    assert "list-member" in history
    assert "secret" not in history


def test_password_is_asked_for_and_not_shown(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    terminal = Terminal("encrypt", "--key-file", str(key), state=tmp_path)
    terminal.wait_for("password")
    terminal.type("geheim\n")
    terminal.wait_for("confirmation")
    terminal.type("geheim\n")
    terminal.wait_for("sparkdm:v1:")
    assert terminal.close() == Exit.DONE
    assert "geheim" not in terminal.seen
