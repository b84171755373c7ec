"""Which keys a DROP COLUMN leaves with fewer columns, and which of them come again."""

from __future__ import annotations

import pytest

from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl, split_alter
from pkg.schema.parse import parse_create_table
from pkg.schema.shrunk_keys import added_columns, by_old_names, drops_columns, lost_keys, shrunk_keys, with_unique_keys

_TABLE = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, UNIQUE k (a, b), KEY l (b, c), KEY m (b))"


@pytest.mark.parametrize(
    ("statement", "keys"),
    [
        ("ALTER TABLE t DROP COLUMN b", {"k": (("a",), True), "l": (("c",), True)}),
        ("ALTER TABLE t DROP COLUMN b, DROP KEY k", {"k": (("a",), False), "l": (("c",), True)}),
        ("ALTER TABLE t DROP COLUMN b, ADD COLUMN b BIGINT", {}),
        ("ALTER TABLE t DROP COLUMN b, CHANGE a b INT", {"k": (("a",), True), "l": (("c",), True)}),
        ("ALTER TABLE t DROP COLUMN b, RENAME KEY l TO n", {"k": (("a",), True), "l": (("c",), True)}),
        ("ALTER TABLE t DROP COLUMN b, RENAME KEY l TO m", {"k": (("a",), True), "l": (("c",), True)}),
        ("ALTER TABLE t ADD d INT", {}),
    ],
)
def test_keys_that_a_statement_shrinks(statement: str, keys: dict[str, tuple[tuple[str, ...], bool]]) -> None:
    table, ddl = parse_create_table(_TABLE, "db"), parse_ddl(statement, default_schema="db", flavor="mysql")
    after = alter_table(table, ddl.alterations, UTF8MB4, DdlContext("mysql"))
    piece = next((one for one in split_alter(ddl) if drops_columns(one)), ddl)
    assert {
        index.name: (index.columns, stays)
        for index, stays in shrunk_keys(piece, added_columns(ddl), table, by_old_names(ddl, after))
    } == keys


def test_keys_that_an_earlier_run_has_dropped() -> None:
    table, ddl = parse_create_table(_TABLE, "db"), parse_ddl("ALTER TABLE t DROP COLUMN b", default_schema="db")
    after = alter_table(table, ddl.alterations, UTF8MB4, DdlContext("mysql"))
    present = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT, KEY l (c))", "db")
    assert [(index.name, index.columns) for index in lost_keys(ddl, (), table, present, after)] == [("k", ("a",))]


def test_a_key_that_has_its_new_name_is_not_lost() -> None:
    table = parse_create_table(_TABLE, "db")
    ddl = parse_ddl("ALTER TABLE t DROP COLUMN b, RENAME KEY l TO n", default_schema="db")
    after = by_old_names(ddl, alter_table(table, ddl.alterations, UTF8MB4, DdlContext("mysql")))
    for key, lost in (("KEY n (c)", []), ("KEY o (c)", ["l"])):
        present = parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT, KEY k (a), {key})", "db")
        found = lost_keys(ddl, (), table, by_old_names(ddl, present), after)
        assert [index.name for index in found] == lost


@pytest.mark.parametrize(
    ("statement", "added"),
    [
        ("ALTER TABLE t DROP COLUMN b", ", DROP KEY `k`, ADD UNIQUE KEY `k` (`a`)"),
        ("ALTER TABLE t DROP COLUMN b, DROP KEY k", ""),
        ("ALTER TABLE t DROP COLUMN b, DROP COLUMN a", ""),
        ("ALTER TABLE t DROP COLUMN b, CHANGE a b INT", ", DROP KEY `k`, ADD UNIQUE KEY `k` (`b`)"),
        ("ALTER TABLE t DROP COLUMN c", ", DROP PRIMARY KEY, ADD PRIMARY KEY (`id`)"),
        ("ALTER TABLE t DROP COLUMN c, DROP PRIMARY KEY", ""),
    ],
)
def test_unique_keys_that_mariadb_makes_again(statement: str, added: str) -> None:
    table = parse_create_table(
        _TABLE.replace("id INT PRIMARY KEY", "id INT").replace("KEY m", "PRIMARY KEY (id, c), KEY m"), "db"
    )
    ddl = with_unique_keys(parse_ddl(statement, default_schema="db", flavor="mysql"), table)
    assert [text for _, _, text in ddl.edits] == ([added] if added else [])
