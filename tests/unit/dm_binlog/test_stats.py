"""--stats, against an independent count of the same bytes."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path
from typing import Any

from dm_binlog.time_counts import TimeCounts
from tests.golden.made_events import ONE_ROW, format_event, rows, table_map
from tests.unit.dm_binlog.runs import BINLOGS, MYSQL, begin, commit, events, gtid, recorded, run, write


def stats_of(*paths: Path) -> dict[str, Any]:
    (found,) = run(*paths, "--stats", "--json").objects
    return found


def test_rows_of_each_kind_are_the_recorded_ones() -> None:
    for flavor, path in BINLOGS.items():
        counted: Counter[str] = Counter()
        for kind, images in recorded(flavor)["rows"]:
            counted[kind] += len(images) // (2 if kind == "update" else 1)
        table = stats_of(path)["tables"]["golden.types"]
        assert {kind: table[kind] for kind in counted} == counted


def test_bytes_events_and_transactions_are_those_of_the_file() -> None:
    for path in BINLOGS.values():
        listed = events(path)
        stats = stats_of(path)
        assert (stats["events"], stats["size"]) == (len(listed), path.stat().st_size - 4)
        assert stats["transactions"] == sum(code == 16 for _, code, _ in listed)
        sizes = [size for _, code, size in listed if code in (23, 24, 25, 30, 31, 32)]
        table = stats["tables"]["golden.types"]
        assert (table["events"], table["size"]) == (len(sizes), sum(sizes))


def test_the_biggest_transactions_have_place_gtid_and_size() -> None:
    listed = events(MYSQL)
    starts = [at for at, code, _ in listed if code == 33]
    ends = [at + size for at, code, size in listed if code == 16]
    sizes = {max(start for start in starts if start < end): 0 for end in ends}
    for start, end in zip(sizes, ends, strict=True):
        sizes[start] = end - start
    biggest = stats_of(MYSQL)["biggest"]
    expected = sorted(sizes.items(), key=lambda entry: -entry[1])[:5]
    assert [(group["position"], group["size"]) for group in biggest] == expected
    assert [group["gtid"].rpartition(":")[2] for group in biggest] == ["7", "8", "6", "3", "4"]


def at(second: int, event: bytes) -> bytes:
    """The event at another time; its checksum is wrong then."""
    return struct.pack("<I", second) + event[4:]


def test_time_range_longest_and_rate(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    parts = []
    for number, (start, end) in enumerate([(1000, 1000), (1060, 1150), (1300, 1301)]):
        parts += [at(start, gtid(number + 1)), at(start, begin()), at(start, table_map())]
        parts += [at(start, rows(ONE_ROW)), at(end, rows(ONE_ROW * 2)), at(end, commit())]
    stats = stats_of(write(path, [without_checksum(part) for part in parts], format_event(checksum=False)))
    assert (stats["first_time"], stats["last_time"]) == ("1970-01-01T00:16:40Z", "1970-01-01T00:21:41Z")
    assert stats["longest"]["seconds"] == 90
    assert stats["longest"]["gtid"].endswith(":2")
    assert sum(stats["rows_over_time"]["rows"].values()) == 9
    out = run(path, "--stats").out
    assert "1970-01-01 00:16:40 to 1970-01-01 00:21:41 UTC (5 min 1 s)" in out
    assert "longest      1 min 30 s  bin.000001:" in out
    assert "rows changed over time  each line is 15 s" in out


def without_checksum(event: bytes) -> bytes:
    return event[:9] + struct.pack("<I", len(event) - 4) + event[13:-4]


def test_counts_for_people_show_the_same_numbers() -> None:
    out = run(MYSQL, "--stats").out
    line = next(line for line in out.splitlines() if line.startswith("golden.types"))
    assert line.split()[1:4] == ["4", "3", "2"]
    assert "transactions 6" in out
    assert "mysql.binlog:3862" in out


def test_stats_of_several_files_are_sums() -> None:
    one, two = (stats_of(path) for path in BINLOGS.values())
    both = stats_of(*BINLOGS.values())
    assert both["events"] == one["events"] + two["events"]
    assert both["tables"]["golden.types"]["insert"] == 8


def test_stats_of_a_cut_file_show_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut.000001"
    path.write_bytes(MYSQL.read_bytes()[:3900])
    shown = run(path, "--stats")
    assert shown.code == 1
    assert "transactions 4" in shown.out
    assert "ends inside the GTID event at 3862" in shown.err


def test_counts_over_time_stay_small_and_exact() -> None:
    counts = TimeCounts()
    for second in range(0, 400_000, 7):
        counts.add(1_700_000_000 + second, 2)
    bucket, chart = counts.chart(24)
    assert len(chart) <= 24
    assert sum(amount for _, amount in chart) == 2 * len(range(0, 400_000, 7))
    assert [at for at, _ in chart] == list(range(chart[0][0], chart[-1][0] + 1, bucket))
    assert len(counts._counts) <= 4096
