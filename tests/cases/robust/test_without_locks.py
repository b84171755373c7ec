"""Batches that TiDB applies without locks: what others do between BEGIN and COMMIT is met by the COMMIT, and lost nowhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from pkg.adapters.meta_tables import FENCED
from pkg.task.subtask import SubtaskConfig
from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import Pair, made, until
from tests.servers import RunningServer
from tests.servers.cutting import UP, Cut, CuttingProxy, How

FIRST_TRY = b"BEGIN /*T! OPTIMISTIC */"


@dataclass
class Scene:
    pair: Pair
    proxy: CuttingProxy
    config: SubtaskConfig
    task: Supervised

    @contextmanager
    def at_commit(self, *statements: str, how: How = How.HOLD) -> Iterator[Cut]:
        """Write upstream; the block runs while the COMMIT of the first channel that has one is on its way."""
        held = Cut(b"COMMIT", UP, 1, how, on=FIRST_TRY)
        self.proxy.cuts = [held]
        self.pair.on(statements, self.pair.upstream)
        assert held.struck.wait(90)
        try:
            yield held
        finally:
            held.release.set()

    def on_target(self, *statements: str) -> None:
        self.pair.on(statements, self.pair.target)

    def retries(self) -> int:
        assert self.task.unit is not None
        return int(self.task.unit.status()["retries"])


@pytest.fixture
def scene(request: pytest.FixtureRequest, mariadb: RunningServer, tidb: RunningServer) -> Iterator[Scene]:
    pair = made("without_locks", mariadb, tidb)
    with CuttingProxy(tidb.port) as proxy:
        config = config_of(pair, target_port=proxy.port, sync={"worker-count": 1})
        with Supervised(config) as task:
            write(pair)
            task.in_step(pair)
            yield Scene(pair, proxy, config, task)


def test_a_row_that_another_writer_changed(scene: Scene) -> None:
    before = scene.retries()
    with scene.at_commit(COUNT, LOG):
        scene.on_target("UPDATE counter SET n = n + 100")
    scene.task.in_step(scene.pair)
    assert scene.retries() > before
    assert not scene.task.errors


def test_a_table_that_is_altered(scene: Scene) -> None:
    with scene.at_commit(COUNT, LOG):
        scene.on_target("ALTER TABLE counter ADD INDEX by_n (n)", "ALTER TABLE log ADD INDEX by_b (b)")
    scene.task.in_step(scene.pair)
    assert not scene.task.errors


def test_a_unique_value_that_another_writer_takes(scene: Scene) -> None:
    """It is the COMMIT that fails; the statement is shown all the same."""
    with scene.at_commit("INSERT INTO counter VALUES (50, 0, 'wanted')"):
        scene.on_target("INSERT INTO counter VALUES (60, 0, 'wanted')")
    error = scene.task.paused()
    assert "has a unique value" in error.message, error
    assert "'wanted'" in error.message
    assert "counter" in error.message
    scene.on_target("DELETE FROM counter WHERE id = 60")
    scene.task.resume()
    scene.task.in_step(scene.pair)


@pytest.mark.parametrize("how", [How.HOLD, How.LATE])
@pytest.mark.parametrize("statement", [COUNT, LOG], ids=["counter", "keyless"])
def test_a_run_that_was_replaced_commits_nothing(scene: Scene, statement: str, how: How) -> None:
    """Its COMMIT arrives when the next run has applied the same rows."""
    with scene.at_commit(statement, how=how):
        binding = config_of(scene.pair)  # straight to the target
        with Supervised(binding.model_copy(update={"meta": scene.config.meta}), binding=2) as following:
            following.in_step(scene.pair)
            scene.proxy.cuts[0].release.set()
            write(scene.pair)
            until(lambda: not scene.task.is_running, f"the former run ends: {scene.task.errors}")
            assert scene.task.errors[-1].is_a(FENCED), scene.task.errors
            following.in_step(scene.pair)
            assert not following.errors


def test_rows_and_unique_values_that_move_at_random(scene: Scene) -> None:
    """Duplicates are looked for when all of a batch is written: values that moved on meanwhile are none."""
    chance = random.Random(5)
    for _ in range(30):
        scene.pair.on(("BEGIN", *moves(chance), "COMMIT"), scene.pair.upstream)
    scene.task.in_step(scene.pair)
    assert not scene.task.errors


def moves(chance: random.Random) -> list[str]:
    made: list[str] = []
    for _ in range(chance.randrange(1, 8)):
        row, value = chance.randrange(1, 8), chance.choice("abcdef")
        free = f"UPDATE counter SET code = NULL WHERE code = '{value}'"
        made += chance.choice([
            [free, f"UPDATE counter SET code = '{value}' WHERE id = {row}"],
            [f"DELETE FROM counter WHERE id = {row}"],
            [free, f"REPLACE INTO counter VALUES ({row}, {chance.randrange(9)}, '{value}')"],
            [f"DELETE FROM counter WHERE id = {row}", f"INSERT INTO counter VALUES ({row}, 1, NULL)"],
            [f"UPDATE IGNORE counter SET id = {row} WHERE id = {chance.randrange(1, 8)}"],
        ])  # fmt: skip
    return made
