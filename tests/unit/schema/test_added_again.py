"""A column that one ALTER TABLE adds and defines once more: what is left of its clauses."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.ddl import parse_ddl
from pkg.schema.errors import DDL_DOES_NOT_FIT
from pkg.schema.tracker import SchemaTracker


@pytest.mark.parametrize(
    ("clauses", "left"),
    [
        ("ADD c INT AFTER id, MODIFY c BIGINT", "ADD COLUMN `c` BIGINT"),
        (
            "ADD c INT, MODIFY COLUMN c BIGINT NOT NULL FIRST, ADD KEY (c)",
            "ADD COLUMN `c` BIGINT NOT NULL FIRST, ADD KEY (c)",
        ),
        ("ADD c INT, ADD d INT, CHANGE c C TEXT, MODIFY c BLOB AFTER id", "ADD d INT, ADD COLUMN `c` BLOB AFTER id"),
        ("ADD (c INT, d INT), MODIFY d BIGINT", "ADD COLUMN c INT, ADD COLUMN `d` BIGINT"),
        ("ADD c INT, MODIFY n BIGINT", "ADD c INT, MODIFY n BIGINT"),
        ("MODIFY n BIGINT, ADD c INT", "MODIFY n BIGINT, ADD c INT"),
        ("ADD c INT DEFAULT 1, ALTER c SET DEFAULT 2", "ADD c INT DEFAULT 2"),
        ("ALTER c SET DEFAULT 2, DROP n, ADD c INT FIRST", "DROP n, ADD c INT DEFAULT 2 FIRST"),
        ("ADD c INT NOT NULL DEFAULT 1 AFTER id, ALTER c DROP DEFAULT, DROP n", "ADD c INT NOT NULL  AFTER id, DROP n"),
        ("ADD c INT DEFAULT 1, ALTER c DROP DEFAULT", "ADD c INT , ALTER c DROP DEFAULT"),
        ("ADD c INT CHECK (c > 0), ALTER COLUMN c SET DEFAULT (1 + 2)", "ADD c INT DEFAULT (1 + 2) CHECK (c > 0)"),
        ("ADD c INT DEFAULT 1, ALTER IF EXISTS c SET DEFAULT 2", "ADD c INT DEFAULT 1"),
        (
            "ADD IF NOT EXISTS c INT DEFAULT 1, ALTER c SET DEFAULT 2",
            "ADD IF NOT EXISTS c INT DEFAULT 2, ALTER c SET DEFAULT 2",
        ),
        ("ADD c INT, MODIFY c INT DEFAULT 2, ALTER c SET DEFAULT 3, DROP n", "ADD COLUMN `c` INT DEFAULT 2, DROP n"),
        ("DROP n, ADD c INT, ALTER c SET DEFAULT 3, MODIFY c INT", "DROP n, ADD COLUMN `c` INT"),
        (
            "DROP n, ADD n INT, ALTER n SET DEFAULT 3, ALTER id DROP DEFAULT",
            "DROP n, ADD n INT DEFAULT 3, ALTER id DROP DEFAULT",
        ),
        ("ALTER n SET DEFAULT 3, ADD c INT", "ALTER n SET DEFAULT 3, ADD c INT"),
        ("ADD c INT DEFAULT 1 UNIQUE, ALTER c SET DEFAULT 2", "ADD c INT DEFAULT 2 UNIQUE"),
        ("ADD c INT NOT NULL AUTO_INCREMENT, ALTER c SET DEFAULT 2", "ADD c INT NOT NULL AUTO_INCREMENT"),
        ("ADD c DATETIME DEFAULT NOW(), ALTER c DROP DEFAULT", "ADD c DATETIME DEFAULT NOW()"),
        ("DROP n, ADD n INT DEFAULT 1, ALTER IF EXISTS n SET DEFAULT 2", "DROP n, ADD n INT DEFAULT 2"),
        ("MODIFY n INT DEFAULT 1 FIRST, ALTER n SET DEFAULT 2", "MODIFY n INT DEFAULT 2 FIRST"),
        ("ALTER n SET DEFAULT 2, MODIFY n INT AFTER id", "MODIFY n INT DEFAULT 2 AFTER id"),
        ("ALTER n DROP DEFAULT, MODIFY n INT DEFAULT 1 AFTER id", "MODIFY n INT  AFTER id, ALTER n DROP DEFAULT"),
        ("MODIFY n INT NOT NULL DEFAULT 1 FIRST, ALTER n DROP DEFAULT", "MODIFY n INT NOT NULL  FIRST"),
        ("CHANGE n m INT DEFAULT 1 FIRST, ALTER m SET DEFAULT 2, DROP o", "CHANGE n m INT DEFAULT 2 FIRST, DROP o"),
        ("CHANGE n m INT FIRST, ALTER IF EXISTS m SET DEFAULT 2", "CHANGE n m INT FIRST"),
        (
            "CHANGE n m INT FIRST, CHANGE m n INT, ALTER IF EXISTS m SET DEFAULT 2",
            "CHANGE n m INT DEFAULT 2 FIRST, CHANGE m n INT",
        ),
        (
            "CHANGE n m INT DEFAULT 1 FIRST, ADD n INT, ALTER n SET DEFAULT 2",
            "CHANGE n m INT DEFAULT 1 FIRST, ADD n INT DEFAULT 2",
        ),
        ("MODIFY n TIMESTAMP DEFAULT NOW(3) FIRST, ALTER n SET DEFAULT '2'", "MODIFY n TIMESTAMP DEFAULT NOW(3) FIRST"),
        ("MODIFY n DATE DEFAULT NOW() FIRST, ALTER n SET DEFAULT '2'", "MODIFY n DATE DEFAULT '2' FIRST"),
    ],
)
def test_the_last_clause_is_left(clauses: str, left: str) -> None:
    assert parse_ddl(f"ALTER TABLE t {clauses}", default_schema="a").text == f"ALTER TABLE t {left}"


def test_what_is_not_understood_so_is_refused() -> None:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl("CREATE TABLE t (id INT PRIMARY KEY, n INT)", default_schema="a"))
    with pytest.raises(DMError, match="there is no column d") as refused:
        tracker.apply(parse_ddl("ALTER TABLE t ADD d INT UNIQUE, MODIFY d BIGINT", default_schema="a"))
    assert refused.value.is_a(DDL_DOES_NOT_FIT)
