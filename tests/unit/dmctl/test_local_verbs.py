"""Verbs that need no server: samples, check-config, encrypt, completion, and wrong usage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dmctl.answer import Exit
from pkg.task.secret import decrypt, parse_key


@pytest.mark.parametrize(
    ("kind", "name"), [("task", "t.yaml"), ("source", "s.yaml"), ("master", "m.toml"), ("worker", "w.toml")]
)
def test_sample_can_be_sent_into_a_file_and_is_valid(dmctl: Any, tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(dmctl("config", kind).out)
    assert path.read_text().startswith("#")
    outcome = dmctl("check-config", str(path))
    assert outcome.code == Exit.DONE
    assert json.loads(outcome.out)["files"][0]["kind"] == kind


def test_sample_of_a_source_as_dm_prints_it(dmctl: Any) -> None:
    assert "source-id" in dmctl("operate-source", "create", "-p").out
    assert "source-id" in dmctl("operate-source", "-p").out


def test_all_problems_of_all_files_are_shown(dmctl: Any, tmp_path: Path, source_file: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: shop\ntask-mode: al\ntarget-databse: {}\n")
    outcome = dmctl("check-config", str(bad), str(tmp_path / "none.yaml"), str(source_file))
    assert outcome.code == Exit.REFUSED
    first, second, third = json.loads(outcome.out)["files"]
    assert [problem["nearest"] for problem in first["problems"] if problem["line"] == 2] == ["all"]
    assert f"{bad}:3: `target-databse`" in "\n".join(problem["text"] for problem in first["problems"])
    assert "error in get file content" in second["problems"][0]["text"]
    assert third["result"] is True


def test_task_file_with_a_mistake_is_not_sent(dmctl: Any, master: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: [\n")
    outcome = dmctl("start-task", str(bad), master=master.address)
    assert outcome.code == Exit.REFUSED
    assert f"{bad}:" in json.loads(outcome.out)["msg"]
    assert master.asked == []


def test_warning_goes_to_stderr_and_the_task_is_sent(dmctl: Any, master: Any, task_file: Path) -> None:
    task_file.write_text(task_file.read_text() + "enable-heartbeat: true\n")
    master.will_answer("StartTask", {"result": True})
    outcome = dmctl("start-task", str(task_file), master=master.address)
    assert outcome.code == Exit.DONE
    assert f"warning: {task_file}:" in outcome.err
    assert "enable-heartbeat" in outcome.err


def test_encrypt_with_a_key_file_needs_no_master(dmctl: Any, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("0f" * 32)
    outcome = dmctl("encrypt", "--key-file", str(key), stdin="p ä ss\n")
    assert decrypt(json.loads(outcome.out)["ciphertext"], parse_key(key.read_text())) == "p ä ss"


def test_encrypt_with_a_bad_key(dmctl: Any, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("short")
    outcome = dmctl("encrypt", "x", "--key-file", str(key))
    assert outcome.code == Exit.REFUSED
    assert "64" in json.loads(outcome.out)["msg"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_names_dmctl(dmctl: Any, shell: str) -> None:
    outcome = dmctl("completion", shell)
    assert outcome.code == Exit.DONE
    assert f"_DMCTL_COMPLETE={shell}_complete" in outcome.out


def test_bash_completes_with_the_script(dmctl: Any, tmp_path: Path) -> None:
    wrapper = tmp_path / "dmctl"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} -m dmctl "$@"\n')
    wrapper.chmod(0o755)
    script = dmctl("completion", "bash").out
    program = f'{script}\nCOMP_WORDS=(dmctl query); COMP_CWORD=1; _dmctl_completion {wrapper}; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "query-status"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["query-statsu"], "did you mean query-status?"),
        (["operate-source", "crate"], "did you mean create?"),
        (["query-status", "--mroe"], "--more"),
        (["start-task"], "FILE"),
        (["list-member", "--output", "xml"], "xml"),
        (["transfer-source", "a", "w1"], "moving a source"),
        (["start-task", "x.yaml", "--wait-timeout", "soon"], "'soon' is not a duration"),
        (["query-status", "--output"], "requires an argument"),
    ],
)
def test_wrong_usage(dmctl: Any, words: list[str], expected: str) -> None:
    outcome = dmctl(*words)
    assert outcome.code == Exit.USAGE
    assert expected in outcome.err
    assert outcome.out == ""


def test_bad_setting_is_wrong_usage(dmctl: Any) -> None:
    outcome = dmctl("query-status", "--rpc-timeout", "0s")
    assert outcome.code == Exit.USAGE
    assert "must be more than zero" in outcome.out


def test_version(dmctl: Any) -> None:
    assert dmctl("version").out == dmctl("--version").out == dmctl("-V").out
    assert dmctl("version").out.startswith("dmctl ")


def test_reader_that_went_away_ends_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dmctl", "config", "task"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), error) == (1, "")
