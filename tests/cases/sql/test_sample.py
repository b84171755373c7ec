"""A sample of the campaign of random SQL (tests/soak/sql): a short round of a seed that is known, and what the comparison sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.servers import LACKS
from tests.servers.running import is_strict
from tests.soak.corpus.documented import PAUSES as STATEMENTS
from tests.soak.sql.campaign import play, steps_of
from tests.soak.sql.settings import Settings
from tests.soak.sql.stage import Stage
from tests.soak.sql.steps import COMPARE, FAULT, SETTLE, SQL, START, Step

PAIR = "mariadb-tidb"
SEED = 106
SETTINGS = Settings(PAIR, 1, "plain", "incremental", relay=False, gtid=True, statements=0, workers=4)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if lacking := LACKS["tidb"]():
        (pytest.fail if is_strict() else pytest.skip)(lacking)
    with Stage(PAIR, tmp_path_factory.mktemp("sql")) as stage:
        yield stage


def sql(kind: str, text: str) -> Step:
    """A statement of the first connection."""
    return Step(SQL, "s1.1", kind, text)


MADE = [
    Step(START),
    sql("create-database", "CREATE DATABASE s1_a"),
    sql("create-table", "CREATE TABLE s1_a.t (id INT PRIMARY KEY, n INT)"),
    sql("insert", "INSERT INTO s1_a.t VALUES (1, 1), (2, 2)"),
]


def test_a_round_of_statements_and_faults_is_equal(stage: Stage) -> None:
    settings, steps = steps_of(SEED, PAIR, 150)
    outcome = play(stage, settings, steps)
    assert outcome.words == "equal", outcome.detail
    assert outcome.statements > 150
    assert outcome.refused.total() < outcome.statements / 4
    assert outcome.faults["kill-family"] == 1


def test_upstreams_come_back_from_a_backup_and_are_replaced(stage: Stage) -> None:
    """By GTID a replica's binlog is gone on with; what a backup lacks pauses the task, which then begins anew."""
    insert = [sql("insert", f"INSERT INTO s1_a.t VALUES ({number}, 3)") for number in range(3, 8)]
    faults = [Step(FAULT, "s1", kind) for kind in ("switch-upstream", "back-up-upstream", "restore-upstream")]
    switch, back_up, restore = faults
    steps = [
        *MADE[1:],
        MADE[0],
        Step(COMPARE),
        switch,
        insert[0],
        Step(COMPARE),
        back_up,
        insert[1],
        insert[2],
        Step(SETTLE),
        restore,
        *insert[3:],
    ]
    outcome = play(stage, replace(SETTINGS, mode="all"), [*steps, Step(COMPARE)])
    assert outcome.words == "equal", outcome.detail
    assert outcome.faults == {"switch-upstream": 1, "back-up-upstream": 1, "restore-upstream": 1}
    assert outcome.pauses == {"36230": 1}
    assert outcome.ways == {"anew": 1}


def test_a_row_that_the_binlog_lacks_is_a_difference(stage: Stage) -> None:
    lacking = [sql("set", "SET sql_log_bin = 0"), sql("insert", "INSERT INTO s1_a.t VALUES (3, 3)")]
    outcome = play(stage, SETTINGS, [*MADE, Step(COMPARE), *lacking, Step(COMPARE)])
    assert outcome.words == "different rows", outcome.detail
    assert "(3, 3)" in outcome.detail
    assert outcome.rows == 4


def test_a_round_goes_on_behind_a_documented_pause(stage: Stage) -> None:
    keyed = sql(
        "primary-key", "ALTER TABLE s1_a.t DROP PRIMARY KEY, ADD PRIMARY KEY (n)"
    )  # which TiDB has no way to do
    other = sql("create-table", "CREATE TABLE s1_a.u SELECT 1 AS id")
    lacking = [sql("set", "SET sql_log_bin = 0"), sql("insert", "INSERT INTO s1_a.t VALUES (3, 3)")]
    outcome = play(
        stage,
        SETTINGS,
        [*MADE, Step(COMPARE), keyed, other, Step(COMPARE), sql("flush", "FLUSH BINARY LOGS"), *lacking],
    )
    assert outcome.words == "different rows", outcome.detail  # the table given up is looked at again
    assert outcome.pauses == {"36108 8200": 1}
    assert outcome.ways == {"skip": 1, "anew": 1}


def test_a_pause_that_is_not_documented_ends_a_round_with_its_code(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(STATEMENTS, "22012")
    insert = "INSERT INTO s1_a.t VALUES (5, 5)"
    statements = ("XA START 'a'", insert, "XA END 'a'", "XA PREPARE 'a'", "XA COMMIT 'a'")
    outcome = play(stage, SETTINGS, [*MADE, *(sql("xa", text) for text in statements)])
    assert outcome.words == "paused 22012", outcome.detail
