"""Dates and times that are written in other forms, as MySQL 9 and MariaDB 10.11 read them."""

from __future__ import annotations

import pytest

from pkg.schema.plain_moments import Unlike, plain_moment
from pkg.task.start_time import seconds_ahead


@pytest.mark.parametrize(
    ("text", "datetime", "date", "time"),
    [
        ("20240101T101010", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("20240101T101010.5", "2024-01-01 10:10:10.5", "2024-01-01 10:10:10.5", "10:10:10.5"),
        ("240101T101010", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("2024-01-01T10:10:10", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("2024-01-01T1:1:1", "2024-01-01 01:01:01", "2024-01-01", "01:01:01"),
        ("2024-01-01T", "2024-01-01", "2024-01-01", "00:00:00"),
        ("2024-01-01 10:", "2024-01-01 10:00:00", "2024-01-01", "10:00:00"),
        ("2024-01-01 10:10:", "2024-01-01 10:10:00", "2024-01-01", "10:10:00"),
        ("2024-01-01 10:10:10.", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        (" 2024-1-1 1:2:3 ", "2024-01-01 01:02:03", "2024-01-01", "01:02:03"),
        ("2024.01.01 10:10:10", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("2024-01-01\t10:10:10", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("24-1-1 10:10:10", "2024-01-01 10:10:10", "2024-01-01", "10:10:10"),
        ("70-1-1 10:10:10", "1970-01-01 10:10:10", "1970-01-01", "10:10:10"),
        ("00-00-00 00:00:01", "2000-00-00 00:00:01", "2000-00-00", "00:00:01"),
        ("00-00-00 00:00:00", "0000-00-00 00:00:00", "0000-00-00", "00:00:00"),
        ("1-1-1 10:10:10", "0001-01-01 10:10:10", "0001-01-01", "10:10:10"),
        ("1/1/1 10:10:10", "0001-01-01 10:10:10", "0001-01-01", "10:10:10"),
        ("124-1-1 10:10:10", "0124-01-01 10:10:10", "0124-01-01", "10:10:10"),
        ("2024-01-01 10:10:10", "", "", ""),
    ],
)
def test_moments(text: str, datetime: str, date: str, time: str) -> None:
    assert [plain_moment(text, base) for base in ("datetime", "timestamp", "date", "time")] == [
        datetime, datetime, date, time if text != "2024-01-01 10:10:10" else "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "base", "wanted"),
    [
        ("1-1-1", "datetime", "0001-01-01"),
        ("1:1:1", "datetime", "0001-01-01"),
        ("0-1-1", "date", "0000-01-01"),
        ("2024-1-1", "date", "2024-01-01"),
        ("1:1:1", "time", ""),
        ("10:10", "time", ""),
        ("1 10:10:10", "time", ""),
        ("-1:1:1", "time", ""),
        ("20240101101010", "datetime", ""),
        ("2024-01-01 10-10-10", "datetime", ""),
        ("what", "datetime", ""),
    ],
)
def test_days_and_times(text: str, base: str, wanted: str) -> None:
    assert plain_moment(text, base) == wanted


@pytest.mark.parametrize(
    ("text", "base", "digits", "zone", "wanted"),
    [
        ("2024-01-01 01:00:00+10:00", "datetime", 0, "+05:00", "2023-12-31 20:00:00"),
        ("2024-01-01T01:00:00-14:00", "timestamp", 0, "+05:00", "2024-01-01 20:00:00"),
        ("2024-01-01 01:00:00+10:00", "date", 0, "+05:00", "2023-12-31"),
        ("2024-01-01 01:00:00+10:00", "time", 0, "+05:00", "20:00:00"),
        ("2024-01-01 23:00:00.5-10:00", "datetime", 3, "+05:00", "2024-01-02 14:00:00.5"),
        ("2024-07-01 01:00:00+10:00", "datetime", 0, "Europe/Berlin", "2024-06-30 17:00:00"),
        ("2024-07-01 01:00:00+10:00", "timestamp", 0, "Europe/Berlin", "2024-06-30 17:00:00"),
        ("2024-10-27 01:30:00+00:00", "datetime", 0, "Europe/Berlin", "2024-10-27 02:30:00"),
    ],
)
def test_offsets(text: str, base: str, digits: int, zone: str, wanted: str) -> None:
    assert plain_moment(text, base, digits, lambda at: seconds_ahead(zone, at)) == wanted


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("2024-01-01 10:00:00.5+05:00", "datetime"),
        ("2024-01-01 10:00:00.0+05:00", "date"),
        ("1850-01-01 10:00:00+05:00", "datetime"),
        ("24-01-01 10:00:00+05:00", "datetime"),
        ("2024-02-31 10:00:00+05:00", "datetime"),
        ("2024-10-27 01:30:00+00:00", "timestamp"),
        ("1-1-1 10-10-10", "datetime"),
        ("1.1.1", "date"),
    ],
)
def test_what_is_not_known(text: str, base: str) -> None:
    with pytest.raises(Unlike):
        plain_moment(text, base, 0, lambda at: seconds_ahead("Europe/Berlin", at))


def test_an_offset_without_a_zone() -> None:
    with pytest.raises(Unlike):
        plain_moment("2024-01-01 10:00:00+05:00", "datetime")
