"""What an older version has stored of shard DDL, which had only texts: it goes on, and holds no table for nothing."""

from __future__ import annotations

import json

from dm_worker.syncer.shard_rows import ShardStatements, read_rows
from pkg.binlog.position import Location, Position
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.document import from_text, to_text
from pkg.shardddl.group import Group, group_of
from pkg.shardddl.lock import Report, TaskLocks
from pkg.shardddl.meaning import NOTHING, meaning

TARGET = TableName("all", "t")
T1, T2 = TableName("db", "t1"), TableName("db", "t2")
TABLE = parse_create_table("CREATE TABLE t1 (id INT PRIMARY KEY) ENGINE=InnoDB", schema="db")
SAME_ENGINE = ("ALTER TABLE `all`.`t` ENGINE=InnoDB",)
ADD = ("ALTER TABLE `all`.`t` ADD b INT",)


def with_b() -> Table:
    return parse_create_table("CREATE TABLE t1 (id INT PRIMARY KEY, b INT) ENGINE=InnoDB", schema="db")


def at(offset: int) -> Location:
    return Location(Position("mysql-bin.000001", offset))


def stored(group: Group) -> Group:
    """The group as it comes back from rows that say nothing of meanings."""
    rows = []
    for _, values in ShardStatements("m", "s").change(Group(TARGET), group):
        _, schema, table, kind, seq, text = values
        assert "meaning" not in json.loads(str(text))
        rows.append((str(schema), str(table), str(kind), int(seq), str(text)))
    return group_of(TARGET, group.members, read_rows(rows, "mysql").held[TARGET], 0)


def test_a_table_that_waits_with_what_changes_nothing_goes_on() -> None:
    group = stored(Group(TARGET, frozenset({T1, T2})).meet(T1, at(100), SAME_ENGINE, TABLE, TABLE, ""))
    assert group.head is not None
    assert group.head.meaning == NOTHING
    assert group.changes_nothing
    assert group.is_synced
    after, resyncs = group.resolve()
    assert not after.waits
    assert [(one.table, one.start, one.end) for one in resyncs] == [(T1, at(100), None)]


def test_a_table_that_waits_with_a_column_waits_on() -> None:
    group = stored(Group(TARGET, frozenset({T1, T2})).meet(T1, at(100), ADD, TABLE, with_b(), ""))
    assert not group.is_synced
    other = ("alter table `all`.`t` add column `b` integer",)
    met = group.meet(T2, at(200), other, TABLE, with_b(), "", meaning(other, TABLE, with_b()))
    assert met.is_synced


def test_the_statement_of_a_table_that_it_changes_is_run() -> None:
    """A table that has the column already waits with the others, and another one runs it, whoever came last."""
    text = ("ALTER TABLE `all`.`t` ADD COLUMN IF NOT EXISTS b INT",)
    group = Group(TARGET, frozenset({T1, T2})).meet(T1, at(100), text, TABLE, with_b(), "", "an addition")
    assert group.awaits(T2, text)
    group = group.meet(T2, at(200), text, with_b(), with_b(), "", NOTHING)
    assert group.is_synced
    assert not group.changes_nothing
    assert group.head is not None
    assert group.head.table == T1


def test_locks_without_meanings() -> None:
    sources = frozenset({"s1", "s2"})
    locks = TaskLocks("task", sources).hear("s2", [Report("t", 1)], 0).hear("s1", [Report("t", 1, ADD)], 0)
    document = json.loads(to_text(locks))
    for lock in document["locks"]:
        del lock["meaning"]
    old = from_text("task", json.dumps(document))
    assert [lock.meaning for lock in old.locks] == [""]
    # The worker is of the new version, and says more; the text is the same.
    again = old.hear("s1", [Report("t", 1, ADD, meaning="an addition")], 0)
    assert len(again.locks) == 1
    met = again.hear("s2", [Report("t", 1, ADD, meaning="an addition")], 0)
    assert [order.action for order in met.orders_for("s1")] == ["exec"]


def test_locks_of_a_dm_master_that_kept_no_numbers() -> None:
    locks = (
        TaskLocks("task", frozenset({"s1", "s2"})).hear("s2", [Report("t", 7)], 0).hear("s1", [Report("t", 3, ADD)], 0)
    )
    document = json.loads(to_text(locks))
    document["targets"] = {source: list(numbers) for source, numbers in document["targets"].items()}
    del document["away"], document["runs"], document["locks"][0]["unsure"]
    old = from_text("task", json.dumps(document))
    assert old.members("t") == frozenset({"s1", "s2"})
    met = old.hear("s2", [Report("t", 7, ADD)], 0, (4, 1))
    assert [order.action for order in met.orders_for("s1")] == ["exec"]
    assert met.targets == {"s1": {"t": 0}, "s2": {"t": 7}}


def test_a_source_that_passes_by_itself_leaves_its_lock() -> None:
    """What changes nothing is no longer reported: the number alone says that it is behind the source."""
    locks = TaskLocks("task", frozenset({"s1", "s2"})).hear("s2", [Report("t", 1)], 0)
    locks = locks.hear("s1", [Report("t", 1, SAME_ENGINE)], 0)
    assert locks.locks
    locks = locks.hear("s1", [Report("t", 1)], 0).hear("s1", [Report("t", 2)], 0)
    assert locks.locks == ()


def test_locks_know_meanings() -> None:
    locks = TaskLocks("task", frozenset({"s1", "s2"})).hear("s2", [Report("t", 1)], 0)
    locks = locks.hear("s1", [Report("t", 1, ADD, meaning="an addition")], 0)
    locks = from_text("task", to_text(locks))
    other = Report("t", 1, ("ALTER TABLE `all`.`t` ADD COLUMN b INTEGER",), meaning="an addition")
    locks = locks.hear("s2", [other], 0)
    assert [order.action for order in locks.orders_for("s1")] == ["exec"]
