"""DM's ways of writing a command line."""

from __future__ import annotations

import pytest

from dmctl.arguments import names_a_file, normalise, parse_duration, split_sources

LONG = {"master-addr", "source", "output", "more", "wait"}
ANYWHERE = ("master-addr", "output")


def words(line: str) -> list[str]:
    return normalise(line.split(), LONG, ANYWHERE)


def test_long_name_with_one_dash_is_understood() -> None:
    assert words("-master-addr h:1 query-status") == ["--master-addr", "h:1", "query-status"]


def test_one_dash_with_equals_sign() -> None:
    assert words("-master-addr=h:1 query-status") == ["--master-addr=h:1", "query-status"]


def test_short_options_stay_as_they_are() -> None:
    assert words("list-member -wm -n w1") == ["list-member", "-wm", "-n", "w1"]


def test_option_of_dmctl_after_the_verb_moves_to_the_front() -> None:
    assert words("query-status shop --output json --more") == ["--output", "json", "query-status", "shop", "--more"]


def test_option_of_the_verb_is_not_moved() -> None:
    assert words("stop-task -source a") == ["stop-task", "--source", "a"]


def test_words_after_two_dashes_are_left_alone() -> None:
    assert words("encrypt -- --output") == ["encrypt", "--", "--output"]


def test_option_that_lacks_its_value() -> None:
    with pytest.raises(ValueError, match="'--output' requires an argument"):
        words("query-status --output")


def test_sources_by_repetition_and_by_commas() -> None:
    assert split_sources(["a,b", "c", "a", " d ,"]) == ("a", "b", "c", "d")


@pytest.mark.parametrize(("text", "is_file"), [("task.yaml", True), ("t.yml", True), ("task", False), ("yaml", False)])
def test_what_counts_as_a_file(text: str, is_file: bool) -> None:
    assert names_a_file(text) is is_file


@pytest.mark.parametrize(("text", "seconds"), [("10m", 600), ("1h30m", 5400), ("500ms", 0.5), ("1.5s", 1.5)])
def test_duration(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "10 m", "10x", "0s", "-1s", "1h30"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be more than zero|is not a duration"):
        parse_duration(text)
