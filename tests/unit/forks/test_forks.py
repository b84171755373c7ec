"""Forks are processes of their own, as new ones would be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pkg.crashpoints import VARIABLE
from tests.forks import Forked

MODULE = "tests.unit.forks.talker"
pytestmark = pytest.mark.slow  # the first fork waits for the imports


def test_it_has_its_own_arguments_environment_and_streams() -> None:
    fork = Forked(MODULE, "a", "b c", environment={"NAME": "ä"})
    assert fork.stdin is not None
    fork.stdin.write("line\n")
    assert fork.communicate(60) == ("['a', 'b c'] {'NAME': 'ä'} ['line\\n']\nat exit\n", "to stderr\n")
    assert fork.poll() == fork.returncode == 3
    assert fork.communicate() == ("", "")  # all is read


def test_it_is_as_a_new_process() -> None:
    environment = dict(os.environ)
    fork = Forked(MODULE, environment=environment)
    new = subprocess.run([sys.executable, "-m", MODULE], input="", env=environment, capture_output=True, text=True)
    assert (*fork.communicate(60), fork.returncode) == (new.stdout, new.stderr, new.returncode)


def test_it_can_be_killed_and_waited_for() -> None:
    fork = Forked(MODULE, environment={})
    with pytest.raises(subprocess.TimeoutExpired):
        fork.wait(0.05)
    assert fork.poll() is None
    os.kill(fork.pid, signal.SIGKILL)
    assert fork.wait(60) == -signal.SIGKILL
    fork.kill()
    assert fork.communicate(60) == ("", "")


def test_its_crash_points_are_armed_and_its_output_goes_to_a_file(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        fork = Forked(MODULE, environment={VARIABLE: "talker.spoke=raise"}, stdout=log, stderr=log)
        fork.communicate(60)
    assert fork.returncode == 1
    assert (tmp_path / "log").read_text().endswith("CrashpointRaised: talker.spoke\nat exit\n")
