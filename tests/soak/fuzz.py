"""Damaged binlogs: `./dev soak fuzz [--bytes N] [--seed S] [--case SEED] [--sanitize]`.

A child process with little memory decodes recordings of which some bytes were changed, until that
many bytes were.  It may neither die nor be silent, nor raise anything but a DMError.  What fails is
kept as a file with its seed; `--case SEED` repeats it.  `--sanitize` compiles a copy of the codec that
ends at the first read beyond a buffer.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from pkg.binlog import COMPILED
from pkg.binlog.framing import MAGIC
from tests.golden.damage import Case
from tests.golden.made_events import packets
from tests.soak import sanitized
from tests.soak.fuzz_child import STATE

MEMORY = 1 << 30  # of addresses, of which Python and its modules take a third
SILENCE = 30.0  # seconds; a case takes less than a thousandth
MOST_FAILURES = 10


@dataclass(slots=True)
class Campaign:
    """Children one after the other; the next one goes on behind the case that ended the one before."""

    folder: Path
    code: Path
    environment: dict[str, str]
    memory: int
    silence: float = SILENCE
    failures: list[str] = field(default_factory=list)

    def play(self, first: int, amount: int) -> None:
        self.state.write_bytes(STATE.pack(first, 0, 0))
        begun = first
        while self.changed < amount and len(self.failures) < MOST_FAILURES:
            ended = self._child(begun, amount - self.changed)
            if not ended:
                return
            seed, changed, cases = STATE.unpack(self.state.read_bytes())
            self.state.write_bytes(STATE.pack(seed, changed + 1, cases))
            self.failures.append(f"{ended}; kept as {keep(seed, (self.folder / 'log').read_text(errors='replace'))}")
            begun = seed + 1

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def changed(self) -> int:
        return int(STATE.unpack(self.state.read_bytes())[1])

    @property
    def cases(self) -> int:
        return int(STATE.unpack(self.state.read_bytes())[2])

    def _child(self, first: int, amount: int) -> str:
        """Why it ended before its work was done; nothing when it did the work."""
        command = [sys.executable, "-m", "tests.soak.fuzz_child", str(self.state)]
        with (self.folder / "log").open("wb") as log:
            child = subprocess.Popen(
                [*command, str(first), str(amount), str(self.memory)],
                cwd=self.code,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
            with child:
                return self._watch(child)

    def _watch(self, child: subprocess.Popen[bytes]) -> str:
        last, since = b"", time.monotonic()
        while True:
            try:
                code = child.wait(1.0)
            except subprocess.TimeoutExpired:
                now = self.state.read_bytes()
                if now != last:
                    last, since = now, time.monotonic()
                elif time.monotonic() - since > self.silence:
                    child.send_signal(signal.SIGABRT)  # faulthandler says where it was
                    child.wait()
                    return f"silent for {self.silence:.0f} s"
                continue
            return "" if code == 0 else f"ended by signal {-code}" if code < 0 else f"ended with code {code}"


def keep(seed: int, log: str) -> Path:
    """The damaged bytes, and what the process said at its end."""
    case = Case.of(seed)
    stream = packets(case.events) if case.framing == "packets" else MAGIC + b"".join(case.events)
    path = Path(f"soak-fuzz-{seed}.{case.framing}").resolve()
    path.write_bytes(stream)
    path.with_suffix(".log").write_text(f"./dev soak fuzz --case {seed}\n{log[-20000:]}")
    return path


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak fuzz", description=__doc__)
    arguments.add_argument("--bytes", type=int, default=10_000_000, help="that are changed in all")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--case", type=int, help="only this one")
    arguments.add_argument("--sanitize", action="store_true", help="with a copy compiled by AddressSanitizer")
    options = arguments.parse_args(words)
    first = options.case if options.case is not None else options.seed * 1_000_000_000
    print(f"codec: {'compiled' if COMPILED else 'plain Python'}; seed {options.seed}", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-dm-soak-")))
        if options.sanitize:
            sanitized.build(folder / "code")
            campaign = Campaign(folder, folder / "code", sanitized.environment(), 0)
        else:
            campaign = Campaign(folder, Path.cwd(), dict(os.environ), MEMORY)
        campaign.play(first, 1 if options.case is not None else options.bytes)
        print(f"{campaign.cases:,} damaged binlogs, {campaign.changed:,} bytes changed: ", end="")
    print("none harmed" if not campaign.failures else "\n".join(["FAILED", *campaign.failures]))
    return 1 if campaign.failures else 0
