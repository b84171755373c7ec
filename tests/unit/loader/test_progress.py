"""What the status of a full migration says."""

from __future__ import annotations

from dm_worker.loader.progress import Progress
from pkg.binlog.position import Location, Position


def test_totals_are_extrapolated_from_the_chunks_that_are_done() -> None:
    progress = Progress()
    progress.estimated(7, 7)
    progress.known(("s", "a"), chunks=3, done=0, rows=0, size=0)
    progress.known(("s", "b"), chunks=1, done=1, rows=100, size=1000)
    progress.begin(10.0)
    progress.done(("s", "a"), 100, 1000, 12.0)
    status = progress.status(12.0)
    assert (status["totalTables"], status["completedTables"]) == (2, 1)
    assert (status["finishedRows"], status["estimateTotalRows"]) == (200, 400)
    assert (status["finishedBytes"], status["totalBytes"]) == (2000, 4000)
    assert (status["progress"], status["bps"], status["etaSeconds"]) == ("50.00 %", 500, 4)


def test_before_anything_is_done_the_statistics_speak() -> None:
    progress = Progress()
    progress.enter("planning")
    progress.estimated(500, 64_000)
    progress.starts_at(Location(Position("mysql-bin.000007", 1234)))
    status = progress.status(0.0)
    assert (status["estimateTotalRows"], status["totalBytes"], status["progress"]) == (500, 64_000, "0.00 %")
    assert (status["metaBinlog"], status["etaSeconds"], status["phase"]) == (
        "(mysql-bin.000007, 1234)",
        None,
        "planning",
    )


def test_a_rate_counts_the_last_seconds_only() -> None:
    progress = Progress()
    progress.known(("s", "a"), chunks=100, done=0, rows=0, size=0)
    progress.begin(0.0)
    for second in range(1, 41):
        progress.done(("s", "a"), 10 if second <= 20 else 1000, 1, float(second))
    assert progress.status(40.0)["bps"] == 1
    assert 900 <= progress.status(40.0)["rowsPerSecond"] <= 1000


def started(**statistics: tuple[int, int]) -> Progress:
    """Tables of one schema with four chunks each; statistics are (rows, bytes)."""
    progress = Progress()
    for name, (rows, size) in statistics.items():
        progress.known(("s", name), chunks=4, done=0, rows=0, size=0)
        progress.expect(("s", name), rows, size)
    progress.enter("copying")
    progress.begin(0.0)
    return progress


def test_a_chunk_under_way_counts_by_what_it_has_sent() -> None:
    progress = started(a=(1000, 4000))
    progress.moving(("s", "a"), 7, 100, 1000, 10.0)
    status = progress.status(10.0)
    assert (status["finishedBytes"], status["progress"], status["bps"]) == (1000, "25.00 %", 100)
    assert (status["etaSeconds"], status["completedChunks"]) == (30, 0)
    progress.done(("s", "a"), 110, 1100, 11.0, chunk=7)
    assert progress.status(11.0)["finishedBytes"] == 1100


def test_a_chunk_that_is_repeated_takes_back_what_it_sent() -> None:
    progress = started(a=(1000, 4000))
    progress.moving(("s", "a"), 7, 100, 1000, 10.0)
    progress.moving(("s", "a"), 7, 0, 0, 11.0)
    status = progress.status(11.0)
    assert (status["finishedBytes"], status["bps"], status["etaSeconds"]) == (0, 0, None)


def test_statistics_are_corrected_by_what_was_sent() -> None:
    progress = started(a=(1000, 4000), b=(1000, 4000))
    progress.done(("s", "a"), 250, 500, 1.0)  # half of what the statistics said
    status = progress.status(1.0)
    assert (status["totalBytes"], status["progress"]) == (4000, "12.50 %")


def test_it_is_below_a_hundred_percent_until_it_is_over() -> None:
    progress = started(a=(10, 10))
    progress.moving(("s", "a"), 1, 5000, 5000, 1.0)  # far more than was expected
    assert progress.status(1.0)["progress"] == "99.99 %"
    for chunk in range(4):
        progress.done(("s", "a"), 5000, 5000, 2.0, chunk)
    assert progress.status(2.0)["progress"] == "99.99 %"
    progress.enter("finished")
    assert progress.status(2.0)["progress"] == "100.00 %"


def test_nothing_is_said_of_what_is_unknown() -> None:
    progress = started(a=(0, 0))
    progress.moving(("s", "a"), 1, 10, 1000, 1.0)
    status = progress.status(1.0)
    assert (status["etaSeconds"], status["progress"], status["totalBytes"]) == (None, "0.00 %", 1000)
    assert status["tables"][0]["progress"] == "unknown"


def test_no_time_left_is_said_while_nothing_moves() -> None:
    progress = started(a=(10, 10))
    assert progress.status(50.0)["etaSeconds"] is None


def test_tables_under_way_come_first_then_the_largest() -> None:
    progress = started(a=(10, 10), b=(10, 5000), c=(10, 300))
    progress.moving(("s", "a"), 1, 1, 5, 5.0)
    lines = progress.status(5.0)["tables"]
    assert [line["table"] for line in lines] == ["a", "b", "c"]
    assert (lines[0]["progress"], lines[0]["etaSeconds"], lines[1]["etaSeconds"]) == ("50.00 %", 1, None)


def test_only_some_of_many_tables_are_listed() -> None:
    progress = started(**{f"t{number}": (1, number) for number in range(500)})
    assert len(progress.status(0.0)["tables"]) == 20
