"""No byte of a binlog can bring the decoder to more than a DMError: it ends, and takes little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.binlog.framing import MAGIC
from tests.golden.damage import NASTY, Case, Edit, Recording, read, recordings, sealed

pytestmark = pytest.mark.slow

MEMORY = 16 << 20  # of files of some kilobytes
PACKINGS = st.sampled_from(("plain", "inside", "outside"))
FRAMINGS = st.sampled_from(("file", "packets"))
PIECES = st.sampled_from((1, 61, 1 << 20))
_edits = st.lists(
    st.builds(Edit, st.integers(0, 2000), st.integers(0, 8), st.sampled_from(NASTY) | st.binary(max_size=40))
    | st.builds(Edit, st.integers(0, 2000), st.just(1 << 16), st.just(b"")),
    max_size=5,
)  # fmt: skip


def peak_of_reading(recording: Recording, events: Sequence[bytes], framing: str, piece: int) -> int:
    tracemalloc.start()
    try:
        read(recording, events, framing, piece)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
@settings(max_examples=300, deadline=None)
@given(
    number=st.integers(0, 60), edits=_edits, packing=PACKINGS, checksum=st.booleans(), framing=FRAMINGS, piece=PIECES
)
def test_a_damaged_event_is_an_event_or_an_error(
    recording: Recording, number: int, edits: list[Edit], packing: str, checksum: bool, framing: str, piece: int
) -> None:
    events = recording.damaged(number, edits, packing, checksum=checksum)
    assert peak_of_reading(recording, events, framing, piece) < MEMORY


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
@settings(max_examples=100, deadline=None)
@given(edits=_edits, framing=FRAMINGS, piece=PIECES)
def test_a_damaged_file_is_read_up_to_the_damage(
    recording: Recording, edits: list[Edit], framing: str, piece: int
) -> None:
    whole = bytearray(b"".join(sealed(event, True) for event in recording.events))
    for edit in edits:
        edit.apply(whole)
    assert peak_of_reading(recording, [bytes(whole)], framing, piece) < MEMORY


@settings(max_examples=50, deadline=None)
@given(content=st.binary(max_size=300), framing=FRAMINGS)
def test_any_bytes_are_an_error_or_wait_for_more(content: bytes, framing: str) -> None:
    for recording in recordings():
        assert peak_of_reading(recording, [content, MAGIC], framing, 7) < MEMORY


@given(seed=st.integers(0, 1 << 40))
def test_a_case_of_the_soak_is_told_by_its_seed(seed: int) -> None:
    case = Case.of(seed)
    assert case == Case.of(seed)
    assert case.changed
    case.read()


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
@pytest.mark.parametrize("packing", ["plain", "inside"])
def test_without_damage_each_rows_event_is_read(recording: Recording, packing: str) -> None:
    rows = [number for number, event in enumerate(recording.events) if event[4] in (23, 24, 25, 30, 31, 32, 39)]
    assert rows
    for number in rows:
        for framing in ("file", "packets"):
            assert read(recording, recording.damaged(number, [], packing, checksum=True), framing, 61)
