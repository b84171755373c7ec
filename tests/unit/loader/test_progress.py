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
