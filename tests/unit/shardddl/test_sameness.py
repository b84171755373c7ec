"""Which statements of two shards are one DDL, which are not, and which change nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pkg.schema.alter import RenameTo
from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.key_names import leaves_names, with_key_names
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.document import from_text, to_text
from pkg.shardddl.lock import Report, TaskLocks
from pkg.shardddl.meaning import NOTHING, UNKNOWN, meaning
from pkg.shardddl.sameness import same_ddl

COLUMNS = """id INT PRIMARY KEY, a INT DEFAULT 1, v VARCHAR(20), y YEAR, e ENUM('1', '0'), current_user_id INT,
    KEY ka (a), CONSTRAINT fk_{t}_a FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT own_{n} FOREIGN KEY (y) REFERENCES q (y),
    CONSTRAINT self_{n} FOREIGN KEY (current_user_id) REFERENCES {t} (id), UNIQUE KEY u_{t}_v (v)"""
TABLE = "CREATE TABLE {t} (%s) ENGINE=InnoDB COMMENT='shop' DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"


@dataclass(frozen=True)
class Told:
    ddls: tuple[str, ...]
    meaning: str
    settings: str = ""


def structure(table: str, columns: str = COLUMNS) -> Table:
    sql = (TABLE % columns).replace("{t}", table).replace("{n}", table[1:])
    return parse_create_table(sql, schema="db")


def told(statement: str, table: str, columns: str = COLUMNS, flavor: str = "mariadb", settings: str = "") -> Told:
    """What a shard is known to have had, as the syncer says it."""
    before = structure(table, columns)
    sql = statement if " ON {t}" in statement else f"ALTER TABLE {{t}} {statement}"
    sql = sql.replace("{t}", table).replace("{n}", table[1:])
    ddl = parse_ddl(sql, default_schema="db", flavor=flavor)
    if leaves_names(ddl):
        ddl = with_key_names(ddl, before, flavor)
    assert not any(isinstance(one, RenameTo) for one in ddl.alterations)
    after = alter_table(before, ddl.alterations, Charset("utf8mb4", "utf8mb4_general_ci"), DdlContext(flavor=flavor))
    routed = ddl.rename(lambda name: TableName("all", "t") if name.table in ("t1", "t2") else name)
    return Told((routed,), meaning((routed,), before, after), settings)


SAME = [
    ("ADD b INT", "add column `b` integer"),
    ("ADD b INT", "ADD COLUMN b INT(11) NULL DEFAULT NULL"),
    ("ADD b INT UNSIGNED", "ADD b INT(10) UNSIGNED"),
    ("ADD b DEC(10)", "ADD b DECIMAL(10, 0)"),
    ("ADD b BOOL", "ADD b TINYINT(1)"),
    ("ADD b INT DEFAULT 1", "ADD b INT DEFAULT '1'"),
    ("ADD b VARCHAR(5) DEFAULT 1", 'ADD b VARCHAR(5) DEFAULT "1"'),
    ("ADD b VARCHAR(5)", "ADD b VARCHAR(5) CHARACTER SET utf8mb4"),
    ("ADD b VARCHAR(5)", "ADD b VARCHAR(5) COLLATE utf8mb4_general_ci"),
    ("ADD b CHARACTER VARYING(5) NOT NULL", "ADD b VARCHAR(5) NOT NULL"),
    ("ADD b TIMESTAMP NULL DEFAULT NOW()", "ADD b TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP"),
    ("ADD b INT NOT NULL COMMENT 'x'", 'ADD b INT COMMENT "x" NOT NULL'),
    ("ADD b INT AS (a + 1) STORED", "ADD b INT GENERATED ALWAYS AS (`a`+1) PERSISTENT"),
    ("ADD b INT AS (A + 1)", "ADD b INT AS (a + 1) VIRTUAL"),
    ("ADD b INT CHECK (b > 0)", "ADD b INT CHECK (`b` > 0)"),
    ("ADD b INT", "ADD b INT AFTER current_user_id"),
    ("ADD b INT FIRST, ADD c INT AFTER b", "ADD c INT FIRST, ADD b INT FIRST"),
    ("ADD b INT, ADD c INT", "ADD COLUMN (b INT, c INT)"),
    ("ADD b INT, ADD c INT", "ADD c INT AFTER current_user_id, ADD b INT AFTER current_user_id"),
    ("ADD b INT, DROP v", "DROP COLUMN v, ADD COLUMN b INT"),
    ("ADD b INT, ADD KEY kb (b)", "ADD INDEX kb (b), ADD b INT"),
    ("ADD b INT, ALGORITHM=INPLACE, LOCK=NONE", "ADD b INT"),
    ("ADD b INT, ENGINE=InnoDB", "ADD b INT"),
    ("ADD b INT, AUTO_INCREMENT=5", "ADD b INT, AUTO_INCREMENT=7"),
    ("ADD COLUMN IF NOT EXISTS b INT", "ADD b INT"),
    ("DROP COLUMN IF EXISTS v", "DROP v"),
    ("MODIFY a BIGINT", "CHANGE COLUMN a a BIGINT"),
    ("MODIFY a BIGINT AFTER id", "MODIFY a BIGINT"),
    ("MODIFY a BIGINT FIRST", "MODIFY COLUMN a BIGINT(20) FIRST"),
    ("ALTER a SET DEFAULT 2", "ALTER COLUMN a SET DEFAULT '2'"),
    ("ADD KEY kv (v)", "ADD INDEX kv (v)"),
    ("ADD KEY kv (v)", "CREATE INDEX kv ON {t} (v)"),
    ("ADD KEY kv (v)", "ADD KEY kv (`v` ASC) USING BTREE"),
    ("ADD KEY kv (v(3))", "ADD KEY kv (`v`(3))"),
    ("ADD UNIQUE kv (v, a)", "CREATE UNIQUE INDEX kv ON {t} (v, a) ALGORITHM=INPLACE LOCK=NONE"),
    ("ADD KEY (v)", "ADD KEY v (v)"),
    ("DROP KEY ka", "DROP INDEX ka ON {t}"),
    ("COMMENT='x'", "COMMENT 'x'"),
    ("ROW_FORMAT=DYNAMIC", "row_format dynamic"),
    ("CONVERT TO CHARACTER SET latin1", "CONVERT TO CHARSET latin1 COLLATE latin1_swedish_ci"),
    # names that the shards cannot share
    ("ADD CONSTRAINT fk_{t}_v FOREIGN KEY (v) REFERENCES p (v)",) * 2,
    ("ADD CONSTRAINT f{n} FOREIGN KEY (v) REFERENCES p (v)",) * 2,
    ("ADD CONSTRAINT f{n} FOREIGN KEY (v) REFERENCES p (v)", "ADD FOREIGN KEY (v) REFERENCES db.p (v)"),
    ("ADD CONSTRAINT f{n} FOREIGN KEY (a) REFERENCES {t} (id)",) * 2,
    ("DROP FOREIGN KEY fk_{t}_a",) * 2,
    ("DROP CONSTRAINT own_{n}", "DROP FOREIGN KEY own_{n}"),
    ("DROP FOREIGN KEY self_{n}",) * 2,
    ("ADD CONSTRAINT ck_{t} CHECK (a > 0)", "ADD CONSTRAINT ck_{t} CHECK (`a` > 0)"),
    ("ADD CONSTRAINT c{n} CHECK (a > 0)", "ADD CHECK (a > 0)"),
    ("DROP CONSTRAINT ck_{t}",) * 2,
    ("DROP CHECK {t}_chk_1",) * 2,
    ("DROP KEY u_{t}_v",) * 2,
    ("RENAME INDEX u_{t}_v TO u_{t}_w",) * 2,
    ("ADD KEY ix_{t} (v)",) * 2,
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_ddl(one: str, other: str) -> None:
    first, second = told(one, "t1"), told(other, "t2")
    assert first.meaning not in (UNKNOWN, NOTHING)
    assert same_ddl(first, second)


OTHER = [
    ("ADD b INT", "ADD b BIGINT"),
    ("ADD b INT", "ADD b INT UNSIGNED"),
    ("ADD b INT", "ADD b INT(5)"),
    ("ADD b TINYINT", "ADD b BOOL"),
    ("ADD b INT", "ADD b INT ZEROFILL"),
    ("ADD b INT", "ADD b INT NOT NULL"),
    ("ADD b INT", "ADD b INT DEFAULT 0"),
    ("ADD b INT NOT NULL", "ADD b INT NOT NULL DEFAULT 0"),
    ("ADD b INT", "ADD b INT INVISIBLE"),
    ("ADD b INT", "ADD b INT COMMENT 'x'"),
    ("ADD b INT COMMENT 'x'", "ADD b INT COMMENT 'X'"),
    ("ADD b INT", "ADD b INT FIRST"),
    ("ADD b INT", "ADD b INT AFTER a"),
    ("ADD b INT, ADD c INT", "ADD c INT, ADD b INT"),
    ("ADD b INT", "ADD b INT, ADD c INT"),
    ("ADD b INT", "ADD b INT UNIQUE"),
    ("ADD b INT", "ADD b INT CHECK (b > 0)"),
    ("ADD b INT CHECK (b > 0)", "ADD b INT CHECK (b > 1)"),
    ("ADD (b INT, CHECK (b > 0))", "ADD (b INT, CHECK (b > 1))"),
    ("ADD b INT AS (a + 1)", "ADD b INT AS (a + 2)"),
    ("ADD b INT AS (a + 1)", "ADD b INT AS (a + 1) STORED"),
    ("ADD b VARCHAR(99) DEFAULT (current_user)", "ADD b VARCHAR(99) DEFAULT (`current_user`)"),
    ("ADD b INT REFERENCES p (id)", "ADD b INT REFERENCES P (id)"),
    # a number and a text are other values there
    ("ADD b YEAR DEFAULT 0", "ADD b YEAR DEFAULT '0'"),
    ("ADD b BIT(8) DEFAULT 1", "ADD b BIT(8) DEFAULT '1'"),
    ("ADD b ENUM('1', '0') DEFAULT 1", "ADD b ENUM('1', '0') DEFAULT '1'"),
    ("ADD b VARCHAR(5) DEFAULT 01", "ADD b VARCHAR(5) DEFAULT '01'"),
    ("ALTER y SET DEFAULT 0", "ALTER y SET DEFAULT '0'"),
    ("ADD b VARCHAR(5)", "ADD b VARCHAR(5) CHARACTER SET latin1"),
    ("ADD b VARCHAR(5)", "ADD b VARCHAR(5) COLLATE utf8mb4_bin"),
    ("ADD b VARCHAR(5)", "ADD b VARCHAR(5) BINARY"),
    ("ADD b ENUM('a', 'b')", "ADD b ENUM('A', 'b')"),
    ("ADD b DATETIME", "ADD b DATETIME ON UPDATE CURRENT_TIMESTAMP"),
    ("ADD b DATETIME", "ADD b DATETIME(3)"),
    ("ADD b JSON", "ADD b LONGTEXT COLLATE utf8mb4_bin"),
    ("ADD b YEAR", "ADD b YEAR(2)"),
    ("ADD COLUMN IF NOT EXISTS a INT", "ADD b INT"),
    ("DROP a", "DROP v"),
    ("ALTER a SET DEFAULT 2", "ALTER a DROP DEFAULT"),
    ("ALTER v SET DEFAULT NULL", "ALTER v DROP DEFAULT"),
    ("ALTER a SET DEFAULT 2, ALTER a SET DEFAULT 3", "ALTER a SET DEFAULT 3, ALTER a SET DEFAULT 2"),
    ("MODIFY a BIGINT", "MODIFY a BIGINT FIRST"),
    ("MODIFY a BIGINT", "MODIFY a BIGINT COMMENT 'x'"),
    ("CHANGE a b INT", "RENAME COLUMN a TO c"),
    ("ADD KEY kv (v)", "ADD UNIQUE KEY kv (v)"),
    ("ADD KEY kv (v)", "ADD FULLTEXT KEY kv (v)"),
    ("ADD KEY kv (v)", "ADD KEY kv (v(3))"),
    ("ADD KEY kv (v)", "ADD KEY kv (v DESC)"),
    ("ADD KEY kv (v)", "ADD KEY kw (v)"),
    ("ADD KEY kv (v)", "ADD KEY kv (v) INVISIBLE"),
    ("ADD KEY kv (v, a)", "ADD KEY kv (a, v)"),
    ("ADD algorithm INT, ADD KEY kv (algorithm, a)", "ADD algorithm INT, ADD KEY kv (algorithm, y)"),
    ("RENAME KEY ka TO kb", "RENAME KEY u_{t}_v TO kb"),
    ("DROP KEY ka", "DROP KEY u_{t}_v"),
    ("COMMENT='x'", "COMMENT='X'"),
    ("COMMENT='x', COMMENT='y'", "COMMENT='y', COMMENT='x'"),
    ("ENGINE=MyISAM", "ENGINE=Aria"),
    ("DEFAULT CHARSET=latin1", "CONVERT TO CHARACTER SET latin1"),
    ("ADD FOREIGN KEY (v) REFERENCES p (v)", "ADD FOREIGN KEY (v) REFERENCES p (w)"),
    ("ADD FOREIGN KEY (v) REFERENCES p (v)", "ADD FOREIGN KEY (v) REFERENCES q (v)"),
    ("ADD FOREIGN KEY (v) REFERENCES p (v)", "ADD FOREIGN KEY (v) REFERENCES p (v) ON DELETE CASCADE"),
    ("DROP FOREIGN KEY fk_{t}_a", "DROP FOREIGN KEY own_{n}"),
    ("ADD CONSTRAINT c{n} CHECK (a > 0)", "ADD CONSTRAINT c{n} CHECK (a > 1)"),
    ("ADD CONSTRAINT c CHECK (a > 0)", "ADD CONSTRAINT c CHECK (a > 0) NOT ENFORCED"),
    ("ADD CHECK (v = 'a')", "ADD CHECK (v = 'A')"),
    ("DROP CONSTRAINT ck_{t}_a", "DROP CONSTRAINT ck_{t}_b"),
    ("ORDER BY a", "ORDER BY v"),
]


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_ddls(one: str, other: str) -> None:
    assert not same_ddl(told(one, "t1"), told(other, "t2"))
    assert not same_ddl(told(other, "t1"), told(one, "t2"))


WITHOUT_EFFECT = [
    "ENGINE=InnoDB",
    "FORCE",
    "COMMENT='shop'",
    "AUTO_INCREMENT=100",
    "ADD COLUMN IF NOT EXISTS a BIGINT, DROP COLUMN IF EXISTS zz",
    "DROP INDEX IF EXISTS ix ON {t}",
    "CREATE INDEX IF NOT EXISTS ka ON {t} (v)",
    "DROP FOREIGN KEY IF EXISTS nobody",
    "ADD CONSTRAINT fk_{t}_a FOREIGN KEY IF NOT EXISTS (a) REFERENCES p (id), ALGORITHM=COPY",
    "ALTER a SET DEFAULT '1'",
    "DISABLE KEYS",
    "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
    "CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    "REBUILD PARTITION ALL",
]


@pytest.mark.parametrize("statement", WITHOUT_EFFECT)
def test_nothing_is_changed(statement: str) -> None:
    assert told(statement, "t1").meaning == NOTHING


WITH_EFFECT = [
    "ENGINE=MyISAM",
    "COMMENT='Shop'",
    "MODIFY a INT DEFAULT 1",  # MariaDB takes a CHECK from the column
    "DROP CONSTRAINT IF EXISTS ck",  # the tracker knows no CHECK
    "ALTER v DROP DEFAULT",
    "ALTER y SET DEFAULT NULL",
    "ADD COLUMN IF NOT EXISTS a INT UNIQUE",
    "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
    "ROW_FORMAT=DYNAMIC",
    "DISCARD TABLESPACE",
    "ADD PARTITION IF NOT EXISTS (PARTITION p9 VALUES LESS THAN (9))",
    "TRUNCATE PARTITION p1",
]


@pytest.mark.parametrize("statement", WITH_EFFECT)
def test_something_may_be_changed(statement: str) -> None:
    assert told(statement, "t1").meaning != NOTHING


def test_the_place_is_that_in_the_shards_own_table() -> None:
    """AFTER the last column is at the end, AFTER another one is not."""
    shuffled = "id INT PRIMARY KEY, v VARCHAR(20), a INT"
    assert same_ddl(told("ADD b INT AFTER a", "t1", shuffled), told("ADD b INTEGER", "t2", shuffled))
    assert not same_ddl(told("ADD b INT AFTER v", "t1", shuffled), told("ADD b INTEGER", "t2", shuffled))


def test_what_is_implied_counts_where_the_texts_differ() -> None:
    """Of shards with other character sets only statements that were written alike are the same."""
    latin = structure("t2", "id INT PRIMARY KEY")
    latin = Table(latin.schema, latin.name, latin.columns, latin.indexes, "latin1", "latin1_swedish_ci")
    sql = "ALTER TABLE `all`.`t` ADD COLUMN b VARCHAR(5)"
    ddl = parse_ddl(sql, default_schema="db")
    after = alter_table(latin, ddl.alterations, Charset("latin1", "latin1_swedish_ci"), DdlContext())
    other = Told((sql,), meaning((sql,), latin, after))
    assert same_ddl(told("ADD COLUMN b VARCHAR(5)", "t1", "id INT PRIMARY KEY"), other)
    assert not same_ddl(told("ADD b VARCHAR(5)", "t1", "id INT PRIMARY KEY"), other)


def test_a_shard_that_is_called_as_a_column_is() -> None:
    """The word in a name may be the column's."""
    columns = "id INT PRIMARY KEY, t1 INT, t2 INT"
    assert not same_ddl(told("DROP CONSTRAINT ck_t1", "t1", columns), told("DROP CONSTRAINT ck_t2", "t2", columns))


@pytest.mark.parametrize("statement", ["ALTER IGNORE TABLE t1 ADD UNIQUE (a)", "DROP TABLE t1", "no SQL"])
def test_what_only_its_text_says(statement: str) -> None:
    table = structure("t1")
    assert meaning((statement,), table, table) == UNKNOWN


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ("ADD COLUMN b INT", "ADD COLUMN b BIGINT"),
        ("ADD COLUMN b INT DEFAULT 7", "ADD COLUMN b INT DEFAULT 8"),
        ("ENGINE=InnoDB", "ADD COLUMN b INT"),
        ("COMMENT='x'", "COMMENT='y'"),
        ("ADD COLUMN b INT", "ADD COLUMN b INT, DROP COLUMN v"),
        ("ADD KEY kv (v)", "ADD UNIQUE KEY kv (v)"),
    ],
)
def test_what_was_given_in_place_of_a_statement_has_only_its_text(given: str, own: str) -> None:
    """The structure behind it is what the shard's own statement has made."""
    before, sql = structure("t1"), f"ALTER TABLE `all`.`t` {given}"
    ddl = parse_ddl(f"ALTER TABLE t1 {own}", default_schema="db")
    after = alter_table(before, ddl.alterations, Charset("utf8mb4", "utf8mb4_general_ci"), DdlContext())
    assert meaning((sql,), before, after) == UNKNOWN


def test_settings_that_both_depended_on_are_the_same() -> None:
    one, other = ('{"time_zone": "+00:00"}', '{"time_zone": "+01:00"}')
    assert not same_ddl(told("ADD b INT", "t1", settings=one), told("ADD b INT", "t2", settings=other))
    for known in ("", "{}", '{"cut": ""}', one):
        assert same_ddl(told("ADD b INT", "t1", settings=one), told("ADD b INT", "t2", settings=known))


def test_a_lock_knows_what_any_of_its_sources_depended_on() -> None:
    """Who says less joins; who says otherwise does not, also where the first one had said nothing."""
    ddls = ("ALTER TABLE `all`.`t` MODIFY a TIMESTAMP",)
    locks = TaskLocks("task").with_sources(frozenset({"s1", "s2", "s3"}))
    for source, settings in (("s1", "{}"), ("s2", '{"time_zone": "+00:00"}'), ("s3", '{"time_zone": "+01:00"}')):
        locks = locks.hear(source, [Report("t", 1, ddls, settings=settings)], 0)
    assert [sorted(lock.waiting) for lock in locks.locks] == [["s1", "s2"], ["s3"]]
    assert from_text("task", to_text(locks)) == locks
    replaced = locks.hear("s3", [Report("t", 1, ddls)], 0)
    assert [sorted(lock.waiting) for lock in replaced.locks] == [["s1", "s2", "s3"]]
    assert replaced.hear("s3", [Report("t", 1, ddls)], 7) == replaced


@pytest.mark.parametrize("given", ["s1", "s2"])
def test_what_an_operator_gave_joins_the_other_lock(given: str) -> None:
    ddls = ("ALTER TABLE `all`.`t` MODIFY a TIMESTAMP",)
    locks = TaskLocks("task").with_sources(frozenset({"s1", "s2", "s3"}))
    for source, zone in (("s1", "+00:00"), ("s2", "+01:00")):
        locks = locks.hear(source, [Report("t", 1, ddls, settings=f'{{"time_zone": "{zone}"}}')], 0)
    assert len(locks.locks) == 2
    (lock,) = locks.hear(given, [Report("t", 1, ddls)], 0).locks
    assert sorted(lock.waiting) == ["s1", "s2"]
