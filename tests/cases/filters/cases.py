"""Tasks with binlog event filters: what is written upstream, and what the target answers then.

``$DB`` stands for the case's own schema, in rules, statements and queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Rule = dict[str, Any]
Rows = list[tuple[Any, ...]]
COLUMNS = "SELECT column_name FROM information_schema.columns WHERE table_schema='$DB' AND table_name='{}' ORDER BY 1"
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema='$DB' ORDER BY 1"
INDEXES = "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema='$DB' AND table_name='{}' ORDER BY 1"


@dataclass(frozen=True)
class Case:
    title: str
    rules: tuple[Rule, ...]  # without a schema-pattern: the case's schema
    upstream: tuple[str, ...]
    expect: tuple[tuple[str, Rows], ...]


@dataclass(frozen=True)
class Pause:
    """A case that pauses; then an operator passes over the statement, or the rules ignore what they refused."""

    title: str
    rules: tuple[Rule, ...]
    upstream: tuple[str, ...]
    words: tuple[str, ...]
    skipped: bool
    expect: tuple[tuple[str, Rows], ...]


def ignore(*events: str, **more: Any) -> Rule:
    return {"events": list(events), "action": "Ignore", **more}


def only(*events: str, **more: Any) -> Rule:
    return {"events": list(events), "action": "Do", **more}


def error(*events: str, **more: Any) -> Rule:
    return {"events": list(events), "action": "Error", **more}


T = "CREATE TABLE $DB.t (id INT PRIMARY KEY, a INT, b VARCHAR(20))"
ROWS = "INSERT INTO $DB.t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')"
RANGES = (
    "CREATE TABLE $DB.p (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), "
    "PARTITION p1 VALUES LESS THAN (20), PARTITION pm VALUES LESS THAN MAXVALUE)"
)
ALL = "SELECT id, a, b FROM $DB.t ORDER BY id"
CREATING = ("create database", "create table")

CASES = (
    Case(
        "deletes are left out, inserts and updates are not",
        (ignore("delete"),),
        (T, ROWS, "DELETE FROM $DB.t WHERE id = 1", "UPDATE $DB.t SET a = 20 WHERE id = 2", "DELETE FROM $DB.t WHERE id = 2"),
        ((ALL, [(1, 1, "one"), (2, 20, "two"), (3, 3, "three")]),),
    ),
    Case(
        "updates are left out",
        (ignore("Update"),),
        (T, ROWS, "UPDATE $DB.t SET a = 9", "DELETE FROM $DB.t WHERE id = 3"),
        ((ALL, [(1, 1, "one"), (2, 2, "two")]),),
    ),
    Case(
        "a table whose statements and rows are all left out is not needed downstream",
        (ignore("create table", "all dml", **{"table-pattern": "log_*"}),),
        (T, "CREATE TABLE $DB.log_1 (id INT PRIMARY KEY)", "INSERT INTO $DB.log_1 VALUES (1), (2)", ROWS,
         "UPDATE $DB.log_1 SET id = 3 WHERE id = 1", "DELETE FROM $DB.log_1", "UPDATE $DB.t SET a = 9"),
        ((TABLES, [("t",)]), (ALL, [(1, 9, "one"), (2, 9, "two"), (3, 9, "three")])),
    ),
    Case(
        "a truncated and a dropped table keep their rows",
        (ignore("truncate table", "drop table"),),
        (T, "CREATE TABLE $DB.u LIKE $DB.t", ROWS, "INSERT INTO $DB.u SELECT * FROM $DB.t", "TRUNCATE $DB.t",
         "INSERT INTO $DB.t VALUES (4, 4, 'four')", "DROP TABLE $DB.u"),
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three"), (4, 4, "four")]), ("SELECT COUNT(*) FROM $DB.u", [(3,)])),
    ),
    Case(
        "of several dropped tables one stays",
        (ignore("drop table", **{"table-pattern": "keep_*"}),),
        ("CREATE TABLE $DB.keep_1 (id INT PRIMARY KEY)", "CREATE TABLE $DB.gone (id INT PRIMARY KEY)",
         "INSERT INTO $DB.keep_1 VALUES (1)", "DROP TABLE $DB.keep_1, $DB.gone"),
        ((TABLES, [("keep_1",)]), ("SELECT id FROM $DB.keep_1", [(1,)])),
    ),
    Case(
        "rows follow a dropped column that stays downstream",
        (ignore("drop column"),),
        (T, ROWS, "ALTER TABLE $DB.t DROP COLUMN a", "INSERT INTO $DB.t VALUES (4, 'four')",
         "UPDATE $DB.t SET b = 'TWO' WHERE id = 2"),
        ((ALL, [(1, 1, "one"), (2, 2, "TWO"), (3, 3, "three"), (4, None, "four")]),),
    ),
    Case(
        "one clause of an ALTER TABLE is left out",
        (ignore("drop column", "modify columns order"),),
        (T, ROWS, "ALTER TABLE $DB.t ADD COLUMN c INT NOT NULL DEFAULT 7 AFTER id, DROP COLUMN a, ADD INDEX ib (b)",
         "INSERT INTO $DB.t VALUES (4, 8, 'four')"),
        (("SELECT id, a, b, c FROM $DB.t ORDER BY id",
          [(1, 1, "one", 7), (2, 2, "two", 7), (3, 3, "three", 7), (4, None, "four", 8)]),
         (INDEXES.format("t"), [("PRIMARY",), ("ib",)])),
    ),
    Case(
        "changes that lose data are left out as a group",
        (ignore("incompatible ddl changes"),),
        (T, ROWS, "ALTER TABLE $DB.t ADD COLUMN c BIGINT", "ALTER TABLE $DB.t MODIFY c INT", "ALTER TABLE $DB.t DROP COLUMN b",
         "CREATE INDEX ia ON $DB.t (a)", "DROP INDEX ia ON $DB.t", "TRUNCATE TABLE $DB.t",
         "INSERT INTO $DB.t VALUES (9, 9, 9)"),
        (("SELECT id, a, b, c FROM $DB.t ORDER BY id",
          [(1, 1, "one", None), (2, 2, "two", None), (3, 3, "three", None), (9, 9, None, 9)]),
         ("SELECT data_type FROM information_schema.columns WHERE table_schema='$DB' AND column_name='c'", [("bigint",)]),
         (INDEXES.format("t"), [("PRIMARY",), ("ia",)])),
    ),
    Case(
        "a narrower type is left out, a wider one is not",
        (ignore("value range decrease", "precision decrease"),),
        ("CREATE TABLE $DB.t (id INT PRIMARY KEY, n INT, v VARCHAR(20), d DECIMAL(10,4))",
         "ALTER TABLE $DB.t MODIFY n SMALLINT", "ALTER TABLE $DB.t MODIFY v VARCHAR(10)", "ALTER TABLE $DB.t MODIFY d DECIMAL(8,2)",
         "ALTER TABLE $DB.t MODIFY id BIGINT"),
        (("SELECT data_type, character_maximum_length, numeric_scale FROM information_schema.columns "
          "WHERE table_schema='$DB' AND column_name<>'d' ORDER BY column_name",
          [("bigint", None, 0), ("int", None, 0), ("varchar", 20, None)]),
         ("SELECT numeric_precision, numeric_scale FROM information_schema.columns WHERE table_schema='$DB' AND column_name='d'",
          [(10, 4)])),
    ),
    Case(
        "text of a DDL",
        (ignore(**{"sql-pattern": [r"^alter\s+table\s+\S+\s+add\s+index", r"\bnot_there\b"]}),),
        (T, "ALTER TABLE $DB.t ADD INDEX ia (a)", "ALTER TABLE $DB.t  ADD UNIQUE INDEX ub (b)", "ALTER TABLE $DB.t ADD COLUMN not_there INT",
         "ALTER TABLE $DB.t DROP COLUMN not_there", "INSERT INTO $DB.t VALUES (1, 1, 'not_there')"),
        ((INDEXES.format("t"), [("PRIMARY",), ("ub",)]), (ALL, [(1, 1, "not_there")])),
    ),
    Case(
        "only what is named",
        (only(*CREATING, "insert"),),
        (T, ROWS, "UPDATE $DB.t SET a = 5", "DELETE FROM $DB.t", "ALTER TABLE $DB.t ADD INDEX ia (a)"),
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three")]), (INDEXES.format("t"), [("PRIMARY",)])),
    ),
    Case(
        "only DDL",
        (only("none dml", "all"),),
        (T, ROWS, "ALTER TABLE $DB.t ADD INDEX ia (a)"),
        ((ALL, []), (INDEXES.format("t"), [("PRIMARY",), ("ia",)])),
    ),
    Case(
        "only rows, of tables that are there before",
        (only("all ddl", **{"table-pattern": "shape*"}), ignore("all dml", **{"table-pattern": "~^quiet_[0-9]+$"})),
        ("CREATE TABLE $DB.shape (id INT PRIMARY KEY)", "CREATE TABLE $DB.quiet_1 (id INT PRIMARY KEY)",
         "CREATE TABLE $DB.quiet_x (id INT PRIMARY KEY)", "INSERT INTO $DB.shape VALUES (1)", "INSERT INTO $DB.quiet_1 VALUES (1)",
         "INSERT INTO $DB.quiet_x VALUES (1)"),
        (("SELECT COUNT(*) FROM $DB.shape", [(0,)]), ("SELECT COUNT(*) FROM $DB.quiet_1", [(0,)]),
         ("SELECT COUNT(*) FROM $DB.quiet_x", [(1,)])),
    ),
    Case(
        "a rule that decides nothing leaves it to the next",
        (only("all", **{"table-pattern": "t"}), ignore("delete", **{"table-pattern": "T"})),
        (T, ROWS, "DELETE FROM $DB.t WHERE id = 1", "UPDATE $DB.t SET a = 0 WHERE id = 2"),
        ((ALL, [(1, 1, "one"), (2, 0, "two"), (3, 3, "three")]),),
    ),
    Case(
        "a renamed table keeps its name downstream",
        (ignore("rename table"),),
        (T, ROWS, "RENAME TABLE $DB.t TO $DB.other", "ALTER TABLE $DB.other RENAME TO $DB.t", "DELETE FROM $DB.t WHERE id > 1"),
        ((TABLES, [("t",)]), (ALL, [(1, 1, "one")])),
    ),
    Case(
        "indexes stay as they are",
        (ignore("create index", "drop index"),),
        (T, "ALTER TABLE $DB.t ADD INDEX ia (a)", "CREATE INDEX ib ON $DB.t (b)", "DROP INDEX ia ON $DB.t",
         "ALTER TABLE $DB.t DROP INDEX ib, ADD COLUMN c INT"),
        ((INDEXES.format("t"), [("PRIMARY",), ("ia",)]), (COLUMNS.format("t"), [("a",), ("b",), ("c",), ("id",)])),
    ),
    Case(
        "a dropped database stays",
        (ignore("drop schema"),),
        (T, ROWS, "DROP DATABASE $DB"),
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three")]),),
    ),
    Case(
        "a default that changes and one that is new",
        (ignore("modify default value"),),
        (T, "ALTER TABLE $DB.t ALTER COLUMN a SET DEFAULT 5", "ALTER TABLE $DB.t MODIFY b VARCHAR(20) DEFAULT 'x'",
         "ALTER TABLE $DB.t ADD COLUMN c INT DEFAULT 6", "INSERT INTO $DB.t (id) VALUES (1)"),
        (("SELECT column_default FROM information_schema.columns WHERE table_schema='$DB' AND column_name IN ('a','b','c') "
          "ORDER BY column_name", [(None,), (None,), ("6",)]),
         ("SELECT id, a, b, c FROM $DB.t", [(1, 5, "x", 6)])),
    ),
)  # fmt: skip

PAUSES = (
    Pause(
        "a DDL",
        (error("truncate table"), ignore("drop table")),
        (T, ROWS, "TRUNCATE TABLE $DB.t", "INSERT INTO $DB.t VALUES (4, 4, 'four')"),
        ("code=36150", "the binlog event filter rule_0 has the action Error", "truncate table of $DB.t"),
        True,
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three"), (4, 4, "four")]),),
    ),
    Pause(
        "a unique key comes over rows that were kept",
        (ignore("delete"),),
        (T, ROWS, "DELETE FROM $DB.t WHERE id = 1", "INSERT INTO $DB.t VALUES (4, 1, 'four')", "ALTER TABLE $DB.t ADD UNIQUE KEY ua (a)"),
        ("code=36108", "Duplicate entry '1' for key"),
        True,
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three"), (4, 1, "four")]),),
    ),
    Pause(
        "the text of a DDL",
        (error(**{"sql-pattern": ["add (unique )?index"]}),),
        (T, "ALTER TABLE $DB.t ADD UNIQUE INDEX ua (a)", ROWS),
        ("code=36150", "rule_0", "ADD UNIQUE INDEX ua (a)"),
        True,
        ((INDEXES.format("t"), [("PRIMARY",)]), ("SELECT COUNT(*) FROM $DB.t", [(3,)])),
    ),
    Pause(
        "rows",
        (ignore("update"), error("delete", **{"table-pattern": "t"})),
        (T, ROWS, "UPDATE $DB.t SET a = 7", "DELETE FROM $DB.t WHERE id = 1"),
        ("code=36150", "the binlog event filter rule_1 has the action Error", "delete of $DB.t"),
        False,
        ((ALL, [(1, 1, "one"), (2, 2, "two"), (3, 3, "three")]),),
    ),
    Pause(
        "a partition is dropped that was reorganized in the upstream alone",
        (ignore("reorganize table partition"),),
        (RANGES, "INSERT INTO $DB.p VALUES (1), (15), (25), (35)",
         "ALTER TABLE $DB.p REORGANIZE PARTITION pm INTO (PARTITION p2 VALUES LESS THAN (30), PARTITION pm VALUES LESS THAN MAXVALUE)",
         "ALTER TABLE $DB.p DROP PARTITION pm"),
        ("code=36195", "pm is from 30 below MAXVALUE upstream and from 20 below MAXVALUE there"),
        True,
        (("SELECT id FROM $DB.p ORDER BY id", [(1,), (15,), (25,), (35,)]),),
    ),
    Pause(
        "a partition is emptied whose table was partitioned anew in the upstream alone",
        (ignore("alter table partitioning"),),
        (RANGES, "INSERT INTO $DB.p VALUES (1), (15), (35)",
         "ALTER TABLE $DB.p PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (30), PARTITION pm VALUES LESS THAN MAXVALUE)",
         "ALTER TABLE $DB.p TRUNCATE PARTITION p0"),
        ("code=36195", "p0 is below 30 upstream and below 10 there"),
        True,
        (("SELECT id FROM $DB.p ORDER BY id", [(1,), (15,), (35,)]),),
    ),
)  # fmt: skip
