"""What is left of an ALTER TABLE of MariaDB without clauses that do nothing, as servers were seen to leave it."""

from __future__ import annotations

import pytest

from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.effective import with_effect
from pkg.schema.parse import parse_create_table

_TABLE = parse_create_table(
    "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY k (a), UNIQUE KEY u (b), KEY c (a),"
    " CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id))",
    "db",
)


@pytest.mark.parametrize(
    ("clauses", "left"),
    [
        ("RENAME COLUMN a TO d, ADD COLUMN IF NOT EXISTS A INT", "RENAME COLUMN a TO d"),
        ("ADD COLUMN IF NOT EXISTS b INT AFTER nothing, DROP b", "DROP b"),
        ("ADD z INT, ADD COLUMN IF NOT EXISTS z INT", "ADD z INT"),
        ("ADD IF NOT EXISTS z INT, ADD IF NOT EXISTS z INT", "ADD z INT"),
        ("ADD n INT, DROP COLUMN IF EXISTS n", "ADD n INT"),
        ("DROP b, DROP IF EXISTS b", "DROP b"),
        ("RENAME KEY u TO v, DROP COLUMN B", "DROP COLUMN B"),
        ("DROP b, RENAME KEY u TO k, RENAME KEY k TO u", "DROP b, RENAME KEY k TO u"),
        ("RENAME KEY u TO v, DROP b, ADD IF NOT EXISTS b INT", "DROP b"),
        ("RENAME KEY u TO v, DROP b, CHANGE c b INT", "DROP b, CHANGE c b INT"),
        ("ADD n INT, CHANGE IF EXISTS n m INT, RENAME COLUMN IF EXISTS n TO o", "ADD n INT"),
        ("MODIFY IF EXISTS n INT, ALTER COLUMN IF EXISTS n SET DEFAULT 1, ADD n INT", "ADD n INT"),
        ("ADD IF NOT EXISTS (a INT, n INT)", "ADD COLUMN n INT"),
        ("DROP KEY k, ADD UNIQUE IF NOT EXISTS k (c)", "DROP KEY k"),
        ("DROP a, ADD KEY IF NOT EXISTS k (c), DROP KEY IF EXISTS k", "DROP a, DROP KEY IF EXISTS k"),
        ("RENAME KEY k TO l, DROP KEY IF EXISTS l, RENAME KEY IF EXISTS l TO m", "RENAME KEY k TO l"),
        ("ADD KEY (id), ADD KEY IF NOT EXISTS id (a)", "ADD KEY (id)"),
        ("ADD KEY IF NOT EXISTS (c), ADD KEY IF NOT EXISTS (id)", "ADD KEY IF NOT EXISTS (id)"),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY IF NOT EXISTS (a)", "DROP PRIMARY KEY"),
        ("DROP CONSTRAINT u, ADD KEY IF NOT EXISTS u (a), DROP KEY IF EXISTS u", "DROP CONSTRAINT u"),
        ("DROP FOREIGN KEY f, ADD CONSTRAINT f FOREIGN KEY IF NOT EXISTS (b) REFERENCES p (id)", "DROP FOREIGN KEY f"),
        ("DROP CONSTRAINT IF EXISTS f, DROP FOREIGN KEY IF EXISTS f", "DROP CONSTRAINT IF EXISTS f"),
        (
            "ADD CONSTRAINT g FOREIGN KEY IF NOT EXISTS f (b) REFERENCES p (id), ADD FOREIGN KEY (c) REFERENCES p (id),"
            " ADD FOREIGN KEY IF NOT EXISTS (c) REFERENCES p (id)",
            "ADD FOREIGN KEY (c) REFERENCES p (id)",
        ),
        (
            "DROP CONSTRAINT IF EXISTS x, DROP CONSTRAINT IF EXISTS x, ADD CONSTRAINT IF NOT EXISTS x CHECK (a > 0)",
            "DROP CONSTRAINT IF EXISTS x, ADD CONSTRAINT IF NOT EXISTS x CHECK (a > 0)",
        ),
        ("ADD IF NOT EXISTS b INT UNIQUE, DROP a", "ADD UNIQUE KEY IF NOT EXISTS `b` (`b`), DROP a"),
        ("ADD IF NOT EXISTS c INT UNIQUE, DROP a", "DROP a"),
        ("MODIFY IF EXISTS c BIGINT UNIQUE COMMENT 'c'", "MODIFY IF EXISTS c BIGINT  COMMENT 'c'"),
        ("ADD IF NOT EXISTS n INT PRIMARY KEY", "ADD n INT NOT NULL"),
        ("ADD IF NOT EXISTS b INT REFERENCES p (id)", "ADD FOREIGN KEY (`b`) REFERENCES p (id)"),
        (
            "ADD IF NOT EXISTS n INT UNIQUE CONSTRAINT r REFERENCES p (id) ON DELETE CASCADE",
            "ADD n INT  , ADD UNIQUE KEY IF NOT EXISTS `n` (`n`),"
            " ADD CONSTRAINT r FOREIGN KEY (`n`) REFERENCES p (id) ON DELETE CASCADE",
        ),
    ],
)
def test_what_is_left_of_an_alter(clauses: str, left: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="db", flavor="mariadb")
    found = with_effect(ddl, _TABLE)
    assert found is not None
    assert found.text == f"ALTER TABLE t {left}"
    assert with_effect(found, _TABLE) is found
    context = DdlContext("mariadb")
    both = (alter_table(_TABLE, one.alterations, UTF8MB4, context) for one in (ddl, found))
    outlines = [
        ([one.name for one in table.columns], {(one.name, one.columns) for one in table.indexes}, table.foreign_keys)
        for table in both
    ]
    assert outlines[0] == outlines[1]


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT, DROP KEY IF EXISTS nothing",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT UNIQUE",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT, ALGORITHM=INPLACE, LOCK=NONE",
        "ALTER TABLE t ADD KEY IF NOT EXISTS (c)",
        "CREATE INDEX IF NOT EXISTS k ON t (b)",
        "DROP INDEX IF EXISTS nothing ON t",
    ],
)
def test_nothing_is_left(statement: str) -> None:
    assert with_effect(parse_ddl(statement, default_schema="db", flavor="mariadb"), _TABLE) is None


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t",
        "ALTER TABLE t RENAME KEY u TO v, DROP COLUMN c",
        "ALTER TABLE t RENAME KEY u TO v, DROP COLUMN b, ADD b INT",
        "ALTER TABLE t ADD n INT DEFAULT (IF(id, 1, 2))",
        "ALTER TABLE t DROP CONSTRAINT IF EXISTS nothing",
        "ALTER TABLE t ADD PARTITION IF NOT EXISTS (PARTITION p1 VALUES LESS THAN (30))",
        "ALTER TABLE IF EXISTS t ADD n INT",
        "ALTER TABLE t DROP PERIOD IF EXISTS FOR p",
        "ALTER TABLE t ADD PERIOD IF NOT EXISTS FOR p (a, b)",
        "CREATE OR REPLACE INDEX k ON t (b)",
    ],
)
def test_the_rest_stays(statement: str) -> None:
    ddl = parse_ddl(statement, default_schema="db", flavor="mariadb")
    assert with_effect(ddl, _TABLE) is ddl
