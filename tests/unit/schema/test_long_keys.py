"""Keys of columns that grow beyond what a key has room for in MySQL and TiDB."""

from __future__ import annotations

import pytest

from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.ddl import parse_ddl
from pkg.schema.long_keys import with_cut_keys
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

BEFORE = """CREATE TABLE t (
  id INT PRIMARY KEY, c VARCHAR(10), d VARCHAR(1000), e TEXT, n INT, KEY kc (c), KEY kn (n), UNIQUE KEY ud (d),
  FULLTEXT KEY fc (c), KEY pc (c(5)), KEY ke (e)
) CHARSET latin1"""


def cut(sql: str, before: Table, target: str = "mysql") -> str:
    ddl = parse_ddl(sql, default_schema="s", flavor="mariadb")
    after = alter_table(before, ddl.alterations, UTF8MB4, DEFAULT_CONTEXT)
    return with_cut_keys(ddl, before, after, ("mariadb", target)).text


@pytest.mark.parametrize(
    ("clauses", "wanted"),
    [
        ("MODIFY c TEXT", "MODIFY c TEXT, DROP KEY `kc`, ADD KEY `kc` (`c`)"),
        ("CHANGE c x BLOB, LOCK=NONE", "CHANGE c x BLOB, DROP KEY `kc`, ADD KEY `kc` (`x`), LOCK=NONE"),
        ("MODIFY d VARCHAR(4000)", "MODIFY d VARCHAR(4000), DROP KEY `ud`, ADD UNIQUE KEY `ud` (`d`)"),
        ("MODIFY c VARCHAR(500)", "MODIFY c VARCHAR(500)"),
        ("MODIFY d TINYTEXT CHARACTER SET utf8mb4, DROP KEY ud, ADD KEY z (d(80))",
         "MODIFY d TINYTEXT CHARACTER SET utf8mb4, DROP KEY ud, ADD KEY z (d(80))"),
        ("MODIFY c TEXT, DROP KEY kc", "MODIFY c TEXT, DROP KEY kc"),
        ("MODIFY c TEXT, RENAME KEY kc TO k2", "MODIFY c TEXT, RENAME KEY kc TO k2"),
        ("MODIFY e VARCHAR(50)", "MODIFY e VARCHAR(50), DROP KEY `ke`, ADD KEY `ke` (`e`)"),
        ("CHANGE e x VARCHAR(50), DROP KEY ke", "CHANGE e x VARCHAR(50), DROP KEY ke"),
        ("MODIFY e LONGTEXT, MODIFY n BIGINT", "MODIFY e LONGTEXT, MODIFY n BIGINT"),
        ("CONVERT TO CHARACTER SET utf8mb4",
         "CONVERT TO CHARACTER SET utf8mb4, DROP KEY `ud`, ADD UNIQUE KEY `ud` (`d`)"),
    ],
)  # fmt: skip
def test_keys_that_are_made_again(clauses: str, wanted: str) -> None:
    assert cut(f"ALTER TABLE t {clauses}", parse_create_table(BEFORE, "s")) == f"ALTER TABLE t {wanted}"


def test_in_tidb_each_character_has_four_bytes() -> None:
    sql = "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4"
    assert cut(sql, parse_create_table(BEFORE, "s"), "tidb") == sql  # it was too long there before


def test_an_index_that_is_created() -> None:
    before = parse_create_table(BEFORE, "s")
    assert cut("CREATE UNIQUE INDEX x ON t (e, n)", before) == "ALTER TABLE `s`.`t` ADD UNIQUE KEY `x` (`e`, `n`)"
    for sql in ("CREATE INDEX x ON t (c, n)", "CREATE FULLTEXT INDEX x ON t (e)", "CREATE INDEX x ON t (e(10))"):
        assert cut(sql, before) == sql


def test_other_servers_say_lengths() -> None:
    before, ddl = parse_create_table(BEFORE, "s"), parse_ddl("ALTER TABLE t MODIFY c TEXT", default_schema="s")
    assert with_cut_keys(ddl, before, before, ("mysql", "tidb")) is ddl
    assert with_cut_keys(ddl, before, before, ("mariadb", "mariadb")) is ddl
