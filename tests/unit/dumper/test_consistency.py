"""Which ways lead to one moment, and what they say to the server."""

from __future__ import annotations

import pytest

from dm_worker.dumper.consistency import Way, ways_of
from dm_worker.dumper.upstream_lock import lock_statements
from pkg.adapters.mysql.dialect import Server
from pkg.errors import DMError
from pkg.task.blocks import DumpConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig

MARIADB = Server.from_version_text("10.11.6-MariaDB-log")
OLD_MARIADB = Server.from_version_text("10.3.39-MariaDB")
MYSQL = Server.from_version_text("9.1.0")


@pytest.mark.parametrize(
    ("consistency", "server", "ways"),
    [
        ("auto", MARIADB, (Way.BACKUP_STAGE, Way.LOCK)),
        ("auto", OLD_MARIADB, (Way.FLUSH, Way.LOCK)),
        ("auto", MYSQL, (Way.FLUSH, Way.LOCK)),
        ("flush", MARIADB, (Way.FLUSH,)),
        ("lock", MYSQL, (Way.LOCK,)),
        ("snapshot", MARIADB, (Way.SNAPSHOT,)),
        ("none", MYSQL, ()),
    ],
)
def test_ways_by_server(consistency: str, server: Server, ways: tuple[Way, ...]) -> None:
    assert ways_of(consistency, server, "db:3306") == ways


def test_mysql_cannot_prove_a_snapshot_without_a_lock() -> None:
    with pytest.raises(DMError) as failed:
        ways_of("snapshot", MYSQL, "db:3306")
    assert failed.value.code == 32010
    assert "`consistency: lock`" in failed.value.workaround


def test_full_is_consistent_unless_it_is_told_otherwise() -> None:
    def consistency(mode: TaskMode, asked: str = "") -> str:
        ends = {"upstream": {"host": "a", "port": 1, "user": "u"}, "target": {"host": "b", "port": 2, "user": "u"}}
        subtask = {"task-name": "t", "source-id": "s", "task-mode": mode, "dump": {"consistency": asked}, **ends}
        return SubtaskConfig.model_validate(subtask).consistency

    assert [consistency(mode) for mode in (TaskMode.FULL, TaskMode.ALL)] == ["auto", "none"]
    assert consistency(TaskMode.FULL, "none") == "none"
    assert consistency(TaskMode.ALL, "flush") == "flush"


@pytest.mark.parametrize(
    ("block", "asked"),
    [
        ({}, ""),
        ({"consistency": "Flush"}, "flush"),
        ({"extra-args": "--consistency none"}, "none"),
        ({"extra-args": "--loglevel debug --consistency=LOCK"}, "lock"),
        ({"extra-args": "--no-locks"}, "none"),
        ({"extra-args": "--statement-size 100"}, ""),
        ({"extra-args": "--params '--consistency lock'"}, ""),
        ({"extra-args": "it's"}, ""),
    ],
)
def test_what_a_task_asks_for(block: dict[str, str], asked: str) -> None:
    assert DumpConfig.model_validate(block).asked_consistency == asked


def test_statements_of_the_ways() -> None:
    tables = [("a`b", "t"), ("c", "u")]
    assert lock_statements(Way.LOCK, tables) == ["LOCK TABLES `a``b`.`t` READ, `c`.`u` READ"]
    assert lock_statements(Way.LOCK, []) == []
    assert lock_statements(Way.FLUSH, tables) == ["FLUSH TABLES WITH READ LOCK"]
    assert lock_statements(Way.BACKUP_STAGE, tables)[-1] == "BACKUP STAGE BLOCK_COMMIT"
    assert lock_statements(Way.SNAPSHOT, tables) == []
