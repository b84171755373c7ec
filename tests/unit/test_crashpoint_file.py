"""Crash points that a file arms: each is passed once, whoever comes by."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pkg.crashpoints import VARIABLE, arm, crashpoint

PASS_TWO = "from pkg.crashpoints import crashpoint as c; c('x.one'); c('x.two'); c('x.one')"


def run(file: Path) -> tuple[int, str]:
    environment = {**os.environ, VARIABLE: f"@{file}"}
    done = subprocess.run([sys.executable, "-c", PASS_TWO], env=environment, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_a_point_leaves_the_file_before_it_acts(tmp_path: Path) -> None:
    file = tmp_path / "armed"
    assert run(file) == (0, "")
    file.write_text("x.two@2=kill,x.one@3=raise")
    assert run(file) == (0, "")
    assert run(file)[1].endswith("CrashpointRaised: x.one\n")
    assert file.read_text() == "x.two@1=kill"
    assert run(file)[0] == -9
    assert run(file) == (0, "")


@pytest.fixture
def disarmed() -> Iterator[None]:
    yield
    arm("")


@pytest.mark.usefixtures("disarmed")
def test_a_point_holds_as_long_as_a_file_is_there(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    arm(f"x.one@2=hold:{gate}")
    crashpoint("x.one")
    passing = threading.Thread(target=crashpoint, args=("x.one",))
    passing.start()
    passing.join(0.1)
    assert passing.is_alive()
    gate.unlink()
    passing.join()
    crashpoint("x.one")  # nothing is there to wait for
