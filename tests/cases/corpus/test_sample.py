"""A sample of the campaign over the SQL of MariaDB's regression suite (tests/soak/corpus), a native replica as judge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers import LACKS
from tests.servers.running import is_strict
from tests.soak.corpus.campaign import Campaign, files_of, suite
from tests.soak.corpus.ledger import Ledger
from tests.soak.corpus.passes import PASSES
from tests.soak.corpus.sessions import FIRST, Step
from tests.soak.corpus.stage import Stage

FILES = {"mariadb": ("auto_increment_ranges_innodb", "count_distinct2", "truncate"), "tidb": ("truncate",)}


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
    outcomes = [campaign.play(file) for name in FILES[campaign.one.target] for file in files_of(name)]
    assert {one.file: (one.words, one.detail) for one in outcomes if one.verdict != "equal"} == {}
    assert sum(one.checks for one in outcomes) > len(outcomes)


def test_a_row_that_the_target_lacks_is_a_difference(campaign: Campaign) -> None:
    made = campaign.play_steps(steps("CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)"), "made")
    assert made.words == "equal"
    judge = campaign.stage.judge
    judge.target.query("DELETE FROM test.t WHERE a = 2")
    (found,), wrong = judge.differences([("test", "t")])
    judge.target.query("INSERT INTO test.t VALUES (2)")
    assert (found.kind, wrong) == ("rows", [])
    assert "(2,)" in found.native


def test_what_the_judge_alone_has_otherwise_is_no_difference(campaign: Campaign) -> None:
    made = campaign.play_steps(steps("CREATE TABLE u (a INT PRIMARY KEY)", "INSERT INTO u VALUES (1)"), "made")
    assert made.words == "equal"
    judge = campaign.stage.judge
    judge.native.query("INSERT INTO test.u VALUES (2)")
    assert judge.differences([("test", "u")]) == ([], [])
    judge.target.query("INSERT INTO test.u VALUES (3)")  # all three differ: the judge is no judge
    ours, natives = judge.differences([("test", "u")])
    judge.native.query("DELETE FROM test.u WHERE a = 2")
    judge.target.query("DELETE FROM test.u WHERE a = 3")
    assert (ours, [one.kind for one in natives]) == ([], ["rows"])


def test_what_is_dropped_was_compared_before(campaign: Campaign) -> None:
    script = steps("CREATE TABLE w (a INT PRIMARY KEY)", "INSERT INTO w VALUES (1)", "DROP TABLE w")
    outcome = campaign.play_steps(script, "made")
    assert (outcome.words, outcome.checks) == ("equal", 2)


def test_a_pause_has_its_code_and_the_next_file_runs(campaign: Campaign) -> None:
    script = steps("CREATE TABLE x (a INT)", "XA START 'a'", "INSERT INTO x VALUES (1)", "XA END 'a'", "XA PREPARE 'a'")
    paused = campaign.play_steps([*script, *steps("XA COMMIT 'a'")], "made")
    assert paused.words == "paused 22012", paused.detail
    again = campaign.play_steps(steps("CREATE TABLE z (a INT PRIMARY KEY)"), "made")
    assert again.words == "equal"
