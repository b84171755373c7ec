"""Fuzzing guided by coverage of the codec's plain modules: `python -m tests.soak.atheris_codec [-runs=N] [CORPUS]`.

Needs `pip install atheris`, and takes libFuzzer's options.  An input says which event of which recording
is changed, and how; so does the file that a crash leaves behind.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["pkg.binlog", "pkg.schema"]):
    from tests.golden.damage import PACKINGS, Edit, read, recordings


def one_input(content: bytes) -> None:
    source = atheris.FuzzedDataProvider(content)
    recording = source.PickValueInList(list(recordings()))
    number, packing = source.ConsumeIntInRange(0, 255), source.PickValueInList(list(PACKINGS))
    checksum, framing = source.ConsumeBool(), "file" if source.ConsumeBool() else "packets"
    edits = []
    while source.remaining_bytes():
        at, removed = source.ConsumeIntInRange(0, 4095), source.ConsumeIntInRange(0, 16)
        edits.append(Edit(at, removed, source.ConsumeBytes(source.ConsumeIntInRange(0, 16))))
    read(recording, recording.damaged(number, edits, packing, checksum=checksum), framing, 1 << 20)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
