"""Reading a file elsewhere by pieces, against the same bytes in memory."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.adapters.piecewise import PiecewiseFile

_STEPS = st.lists(
    st.one_of(st.tuples(st.just("read"), st.integers(-1, 50)), st.tuples(st.just("seek"), st.integers(0, 60)))
)


@given(st.binary(max_size=50), st.integers(1, 60), _STEPS)
def test_it_reads_what_a_file_in_memory_does(content: bytes, piece: int, steps: list[tuple[str, int]]) -> None:
    expected = io.BytesIO(content)
    with io.BufferedReader(
        PiecewiseFile(len(content), lambda offset, count: content[offset : offset + count], piece), 16
    ) as file:
        for what, number in steps:
            if what == "seek":
                assert file.seek(number) == expected.seek(number)
            else:
                assert file.read(number) == expected.read(number)
            assert file.tell() == expected.tell()


def test_a_file_that_has_become_shorter_is_an_error() -> None:
    with PiecewiseFile(10, lambda offset, count: b"abc"[offset : offset + count]) as file:
        assert file.read(5) == b"abc"
        with pytest.raises(OSError, match="ends at byte 3"):
            file.read(5)


def test_each_piece_is_fetched_once() -> None:
    asked: list[tuple[int, int]] = []

    def fetch(offset: int, count: int) -> bytes:
        asked.append((offset, count))
        return bytes(count)

    with PiecewiseFile(25, fetch, 10) as file:
        while file.read(3):
            pass
    assert asked == [(0, 10), (10, 10), (20, 5)]
