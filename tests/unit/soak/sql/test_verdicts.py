"""What a round's end is taken for, and the ledger's totals."""

from __future__ import annotations

from pathlib import Path

from tests.soak.corpus.ledger import Ledger, Line
from tests.soak.sql.report import report
from tests.soak.sql.verdicts import Outcome, is_right, pause_of, progress, reasons

REFUSED = {"ErrCode": 36108, "Message": "DDL", "RawCause": "(error 8200) unsupported"}


def test_a_pause_has_its_code_and_the_targets() -> None:
    waits = {"s1": {"stage": "Paused", "result": {"errors": [REFUSED]}}}
    pause = pause_of(waits)
    assert pause is not None
    assert pause[0] == "36108 8200"
    assert is_right("36108 8200", "tidb")
    assert not is_right("36108 8200", "mariadb")
    assert not is_right("99999", "tidb")


def test_an_error_that_is_tried_again_is_no_pause() -> None:
    status = {"stage": "Paused", "result": {"errors": [REFUSED]}, "nextTry": "soon"}
    assert pause_of({"s1": status}) is None
    assert pause_of({"s1": status}, ["36108 8200"]) is not None
    assert reasons({"s1": status}) == "36108"


def test_one_who_was_paused_by_hand_waits_for_nobody() -> None:
    assert pause_of({"s1": {"stage": "Paused", "result": {"errors": []}}}) is None


def test_what_gets_on_shows() -> None:
    there = [{"s1": {"stage": "Running", "sync": {"syncerBinlog": f"(f.1, {place})"}}} for place in (4, 5)]
    assert progress(there[0]) != progress(there[1])


def test_the_ledger_adds_up(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "sql.tsv")
    for seed, verdict in ((1, "equal"), (2, "equal"), (3, "paused")):
        outcome = Outcome(verdict, statements=100, seconds=2.0)
        outcome.faults.update(["kill-subtask"])
        outcome.pauses.update(["36108 8200"])
        outcome.met.update([f"syncer.ddl_marked/add-column{seed}"])
        ledger.add(Line(str(seed), "mariadb-tidb", "abc", outcome.words, outcome.notes))
    said = report(Ledger(tmp_path / "sql.tsv"), ["mariadb-tidb", "mysql-tidb"])
    assert "mariadb-tidb: 2 equal, 1 paused" in said
    assert "3 rounds, 300 statements" in said
    assert "3 kill-subtask" in said
    assert "pauses: 3 36108 8200" in said
    assert "met syncer.ddl_marked: add-column1, add-column2, add-column3" in said
