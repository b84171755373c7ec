"""Statements made fewer, and the table of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.soak.corpus.ledger import Ledger, Line, report
from tests.soak.corpus.passes import PASSES
from tests.soak.corpus.reduce import reduced
from tests.soak.corpus.sessions import Step

STEPS = [Step("default", "sql", f"s{number}") for number in range(40)]


def test_only_what_the_verdict_needs_is_left() -> None:
    def holds(steps: Sequence[Step]) -> bool:
        return {"s3", "s17", "s18"} <= {step.text for step in steps}

    assert [step.text for step in reduced(STEPS, holds, 20)] == ["s3", "s17", "s18"]


def test_without_time_the_steps_stay() -> None:
    assert reduced(STEPS, lambda steps: True, 0) == STEPS


def test_the_latest_verdict_of_a_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "ledger" / "corpus.tsv"
    for verdict in ("paused 36108", "equal"):
        Ledger(path).add(Line("main/a.test", "mariadb-row", "abc", verdict))
    Ledger(path).add(Line("main/b.test", "mariadb-row", "abc", "different rows"))
    again = Ledger(path)
    assert [line.verdict for line in again.lines("mariadb-row")] == ["equal", "different rows"]
    assert again.verdict("mariadb-row", "main/a.test") == "equal"
    assert not again.has("tidb-row", "main/a.test")


def test_campaigns_that_run_beside_each_other_keep_each_others_lines(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    one, other = Ledger(path), Ledger(path)
    one.add(Line("main/a.test", "mariadb-row", "abc", "equal"))
    other.add(Line("main/a.test", "tidb-row", "abc", "equal"))
    assert Ledger(path).has("mariadb-row", "main/a.test")
    assert Ledger(path).has("tidb-row", "main/a.test")


def test_what_says_nothing_and_what_the_target_cannot_hold_is_out_of_the_share(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "corpus.tsv")
    for number, verdict in enumerate(
        ("equal", "equal", "different rows", "nothing", "native stopped", "paused 36108 8200")
    ):
        ledger.add(Line(f"main/{number}.test", "tidb-row", "abc", verdict))
    assert report(ledger, PASSES["tidb-row"]).endswith("2 of 3 that can be judged and held are equal: 66.7 %")


def test_the_passes_hold_each_pair_of_values() -> None:
    def values(place: int, other: int) -> set[tuple[object, object]]:
        return {(facts[place], facts[other]) for facts in rows}

    rows = [(one.target, one.format, one.engine, one.charset, one.gtid) for one in PASSES.values()]
    sizes = [len({facts[place] for facts in rows}) for place in range(5)]
    pairs = [(place, other) for place in range(5) for other in range(place)]
    assert all(len(values(place, other)) == sizes[place] * sizes[other] for place, other in pairs)
