"""The soak's watch over a child process that decodes damaged binlogs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.soak.fuzz import MEMORY, Campaign, main

ENDS = """
import os, sys, time
from pathlib import Path
from struct import pack, unpack
state, first = Path(sys.argv[1]), int(sys.argv[2])
_, changed, cases = unpack("<QQQ", state.read_bytes())
state.write_bytes(pack("<QQQ", first + 7, changed + 50, cases + 8))
if first == 0:
    os.abort()
if first == 8:
    raise MemoryError
if first == 16:
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_child_that_dies_or_is_silent_is_followed_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "code"
    (code / "tests" / "soak").mkdir(parents=True)
    for package in ("tests", "tests/soak"):
        (code / package / "__init__.py").touch()
    (code / "tests" / "soak" / "fuzz_child.py").write_text(ENDS)
    campaign = Campaign(tmp_path, code, dict(os.environ), 0, silence=1.0)
    campaign.play(0, 200)
    reasons, files = zip(*(failure.split("; kept as ") for failure in campaign.failures), strict=True)
    assert reasons == ("ended by signal 6", "ended with code 1", "silent for 1 s")
    assert [Path(file).stem for file in files] == ["soak-fuzz-7", "soak-fuzz-15", "soak-fuzz-23"]
    assert "MemoryError" in Path(files[1]).with_suffix(".log").read_text()
    assert (campaign.cases, campaign.changed) == (32, 203)


def test_the_decoder_takes_what_was_changed(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, Path.cwd(), dict(os.environ), MEMORY)
    campaign.play(1, 3000)
    assert campaign.failures == []
    assert campaign.changed >= 3000
    assert campaign.cases > 100


def test_one_case_is_repeated_by_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--case", "12"]) == 0
    assert "1 damaged binlogs" in capsys.readouterr().out
