"""A sample of the campaign over the SQL of MariaDB's regression suite (tests/soak/corpus), a native replica as judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import LACKS
from tests.servers.running import is_strict
from tests.soak.corpus.campaign import Campaign, files_of, suite
from tests.soak.corpus.ledger import Ledger
from tests.soak.corpus.passes import PASSES
from tests.soak.corpus.play import Run
from tests.soak.corpus.sessions import FIRST, Step
from tests.soak.corpus.stage import Stage

FILES = ("delete_returning", "insert_select", "auto_increment_ranges_innodb", "count_distinct2", "truncate")


@pytest.fixture(scope="module", params=["mariadb-row", "tidb-row"])
def campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    one = PASSES[request.param]
    if lacking := LACKS[one.target]():
        (pytest.fail if is_strict() else pytest.skip)(lacking)
    folder = tmp_path_factory.mktemp("corpus")
    with Stage(one, suite(), folder / "files") as stage:
        yield Campaign(stage, one, folder, Ledger(folder / "ledger.tsv"))


def steps(*statements: str) -> list[Step]:
    return [Step(FIRST, "sql", sql) for sql in statements]


@pytest.mark.timeout(300)
def test_files_of_the_suite(campaign: Campaign) -> None:
    outcomes = [campaign.play(file) for name in FILES for file in files_of(name)]
    assert {one.file: (one.words, one.detail) for one in outcomes if one.verdict != "equal"} == {}
    assert sum(one.checks for one in outcomes) > len(FILES)


def test_a_row_that_the_target_lacks_is_a_difference(campaign: Campaign) -> None:
    made = Run(campaign.stage, "made").steps(
        steps("CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)")
    )
    assert made.words == "equal"
    campaign.stage.judge.target.query("DELETE FROM test.t WHERE a = 2")
    (found,), wrong = campaign.stage.judge.differences([("test", "t")])
    assert (found.kind, wrong) == ("rows", [])
    assert "(2,)" in found.native


def test_where_the_judge_itself_is_wrong_nothing_is_said(campaign: Campaign) -> None:
    run = Run(campaign.stage, "made")
    campaign.stage.judge.native.query("CREATE TABLE test.extra (a INT)")
    made = run.steps(steps("CREATE TABLE u (a INT PRIMARY KEY)"))
    campaign.stage.judge.native.query("DROP TABLE test.extra")
    assert (made.words, made.detail[:25]) == ("equal", "")


def test_what_is_dropped_was_compared_before(campaign: Campaign) -> None:
    script = steps("CREATE TABLE w (a INT PRIMARY KEY)", "INSERT INTO w VALUES (1)", "DROP TABLE w")
    outcome = Run(campaign.stage, "made").steps(script)
    assert (outcome.words, outcome.checks) == ("equal", 2)


def test_a_pause_has_its_code_and_the_next_file_runs(campaign: Campaign, tmp_path: Path) -> None:
    script = steps("CREATE TABLE x (a INT)", "CREATE TABLE y AS SELECT 1 AS one")
    paused = campaign._run(lambda run: run.steps(script), "made")
    assert paused.words == "paused 36107"
    again = campaign._run(lambda run: run.steps(steps("CREATE TABLE z (a INT PRIMARY KEY)")), "made")
    assert again.words == "equal"
