"""What is tried after LOAD DATA has met something, and that it ends."""

from __future__ import annotations

import pytest

from dm_worker.loader.ways import Met, Way, first_way, next_way

STREAM, STATEMENTS = Way(True), Way(False)


def test_rows_go_by_load_data_where_the_target_takes_it() -> None:
    assert str(first_way("replace", streams=True)) == "LOAD DATA"
    assert str(first_way("error", streams=False)) == "INSERT"
    assert str(first_way("ignore", streams=False)) == "INSERT IGNORE"


@pytest.mark.parametrize("way", [STREAM, STATEMENTS])
def test_rows_that_are_there_are_replaced_by_the_same_means(way: Way) -> None:
    following = next_way(way, Met.DUPLICATES, "replace")
    assert following == Way(way.is_stream, "REPLACE")
    assert following.duplicates == "REPLACE"


def test_rows_of_merged_tables_give_way_and_those_of_one_table_are_looked_into() -> None:
    assert next_way(STREAM, Met.OF_OTHERS, "") == Way(True, "REPLACE")
    assert next_way(STREAM, Met.DUPLICATES, "") == Way(False, "INSERT", names_rows=True)


def test_collisions_and_misfits_are_looked_into_by_statements() -> None:
    assert next_way(STREAM, Met.DUPLICATES, "error") == Way(False, "INSERT", names_rows=True)
    assert next_way(STREAM, Met.MISFITS, "ignore") == Way(False, "INSERT IGNORE", names_rows=True)
    assert next_way(STREAM, Met.NO_STREAM, "replace") == STATEMENTS


def test_a_chunk_that_differs_goes_once_more_by_statements() -> None:
    again = next_way(STREAM, Met.DIFFERENCES, "replace")
    assert again == next_way(STATEMENTS, Met.DIFFERENCES, "replace") == Way(False, "INSERT", names_rows=True)
    assert next_way(again, Met.DIFFERENCES, "replace") is None


@pytest.mark.parametrize("on_duplicate", ["", "replace", "error", "ignore"])
@pytest.mark.parametrize("streams", [True, False])
def test_every_sequence_ends(on_duplicate: str, streams: bool) -> None:
    ways = {first_way(on_duplicate, streams=streams)}
    for _ in range(7):
        reached = {
            next_way(way, met, on_duplicate)
            for way in ways
            for met in Met
            if way.is_stream or met in (Met.DUPLICATES, Met.DIFFERENCES)
        }
        ways = {way for way in reached if way is not None}
    assert not ways
