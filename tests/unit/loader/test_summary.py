"""What a migration says of itself at its end."""

from __future__ import annotations

import logging

from dm_worker.loader.summary import Journal, RunEnd, summary_of
from dm_worker.loader.table_progress import Amount, TableProgress


def ended(tables: dict[str, TableProgress], outcome: str = "finished") -> RunEnd:
    return RunEnd(
        "s1",
        outcome,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:01:00Z",
        60.0,
        {"planning": 10.0, "copying": 50.0},
        {("shop", name): table for name, table in tables.items()},
    )


def test_the_document_of_one_run() -> None:
    journal = Journal(seconds={("shop", "a"): 5.0, ("shop", "b"): 40.0}, left_out=["shop.v is a VIEW"])
    tables = {"a": TableProgress(1, 1, Amount(10, 100)), "b": TableProgress(4, 4, Amount(990, 9900))}
    document = summary_of(ended(tables), journal, None)
    assert (document["rows"], document["bytes"], document["chunks"], document["completedTables"]) == (1000, 10000, 5, 2)
    assert (document["rowsPerSecond"], document["bytesPerSecond"], document["runs"]) == (20, 200, 1)
    assert [one["table"] for one in document["slowestTables"]] == ["b", "a"]
    assert document["phases"] == {"planning": 10.0, "copying": 50.0}
    assert document["leftOut"] == ["shop.v is a VIEW"]


def test_runs_of_one_migration_add_up() -> None:
    half = TableProgress(2, 1, Amount(10, 100))
    first = summary_of(ended({"a": half}, "stopped"), Journal(["w1"], seconds={("shop", "a"): 5.0}), None)
    whole = TableProgress(2, 2, Amount(20, 200))
    second = summary_of(ended({"a": whole}), Journal(["w1", "w2"], seconds={("shop", "a"): 6.0}), first)
    assert (second["runs"], second["seconds"], second["phases"]["copying"]) == (2, 120.0, 100.0)
    assert (second["rows"], second["outcome"], second["warnings"]) == (20, "finished", ["w1", "w2"])
    assert second["slowestTables"][0]["seconds"] == 11.0
    assert summary_of(ended({"a": whole}), Journal(), second) == second  # nothing was left to do
    third = summary_of(ended({"a": whole}), Journal(seconds={("shop", "a"): 1.0}), second)  # begun anew
    assert (third["runs"], third["warnings"]) == (1, [])


def test_warnings_of_the_log_are_noted_once_and_not_without_end() -> None:
    journal = Journal()
    with journal.hearing():
        for number in range(250):
            logging.getLogger("dm_worker.loader.unit").warning("table %d is odd", number)
            logging.getLogger("dm_worker.loader.unit").warning("table %d is odd", 0)
        logging.getLogger("dm_worker.loader.unit").info("fine")
    logging.getLogger("dm_worker.loader.unit").warning("later")
    assert (len(journal.warnings), journal.warnings[0], journal.more_warnings) == (200, "table 0 is odd", 50)
