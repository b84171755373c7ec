"""Types of values: durations, sizes, patterns, time zones, addresses, stages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pkg.errors import DMError
from pkg.task import Stage, TaskMode, load_task
from pkg.task.values import (
    check_pattern,
    check_timezone,
    chunk_megabytes,
    format_duration,
    parse_duration,
    parse_size,
    split_address,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("5m0s", 300), ("1h30m", 5400), ("500ms", 0.5), ("1.5s", 1.5), ("0", 0), (".5s", 0.5), ("+2m", 120)],
)
def test_durations_as_go_writes_them(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "5 m", "m", "1x", "1h-5m", "-5m", "99999999999999h", "1m 30s", "٣s", 5])
def test_what_is_not_a_duration(text: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(300, "5m0s"), (0, "0s"), (5400, "1h30m0s"), (0.25, "250ms"), (1.5, "1.5s")]
)
def test_durations_are_written_as_dm_writes_them(seconds: float, text: str) -> None:
    assert format_duration(timedelta(seconds=seconds)) == text


def test_sizes() -> None:
    assert parse_size("500m") == 500 * 2**20
    assert parse_size("1GiB") == 2**30
    assert chunk_megabytes("64") == 64
    assert chunk_megabytes("1GB") == 1024
    with pytest.raises(ValueError, match="not a size"):
        parse_size("many")


@pytest.mark.parametrize("pattern", ["shop", "shop_*", "t?", "t_[0-9]", "[!a]x", "~^a(b|c)$", "*", ""])
def test_patterns(pattern: str) -> None:
    assert check_pattern(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "problem"), [("a*b", "last"), ("a[b", "has no"), ("[]", "empty"), ("~(", "regular")]
)
def test_bad_patterns(pattern: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_pattern(pattern)


@pytest.mark.parametrize("name", ["", "UTC", "Asia/Shanghai", "+08:00", "-12:59", "+14:00"])
def test_time_zones(name: str) -> None:
    assert check_timezone(name) == name


@pytest.mark.parametrize("name", ["SYSTEM", "local", "+14:01", "-13:00", "+08:60", "Mars/Base", "../etc/passwd", "8"])
def test_bad_time_zones(name: str) -> None:
    with pytest.raises(ValueError, match=r"time zone|offset"):
        check_timezone(name)


def test_addresses() -> None:
    assert split_address("http://h:1") == ("h", 1)
    assert split_address(":8261") == ("", 8261)
    assert split_address("[::1]:80") == ("::1", 80)
    for bad in ("h", "h:", "h:0", "h:x", "a b:1", "::1:80", "h/x:1"):
        with pytest.raises(ValueError, match=r"address|brackets"):
            split_address(bad)


def test_stages_and_modes() -> None:
    assert [stage for stage in Stage if stage.is_transient] == [Stage.PAUSING, Stage.RESUMING, Stage.STOPPING]
    assert [mode for mode in TaskMode if mode.has_full] == [TaskMode.FULL, TaskMode.ALL]
    assert [mode for mode in TaskMode if mode.has_sync] == [TaskMode.INCREMENTAL, TaskMode.ALL]


def test_bytes_are_written_with_a_unit_or_without() -> None:
    head = "name: t\ntask-mode: all\ntarget-database: {host: h, port: 1, user: u}\n"
    text = head + "mysql-instances: [{source-id: s, loader: {%s}}]\n"
    for written, size in (("20MB", 20 * 2**20), ("1024", 1024), ('"4k"', 4096)):
        task = load_task(text % f"max-bytes-per-second: {written}")
        loader = task.mysql_instances[0].loader
        assert loader is not None
        assert loader.max_bytes_per_second == size
    with pytest.raises(DMError, match="not a size: write a number and a unit, for example 64MB"):
        load_task(text % "max-bytes-per-second: fast")
