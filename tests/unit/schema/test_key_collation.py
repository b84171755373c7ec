"""Which columns get the collation for keys, and the statements that give it to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.schema.charset import Charset
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.ddl import parse_ddl
from pkg.schema.key_collation import (
    changed_columns,
    for_key,
    for_reference,
    lost_keys,
    new_references,
    obstacle,
    recollation,
    unique_columns,
    with_old_names,
)
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.tracker import SchemaTracker

TIDB = frozenset(
    {"utf8mb4_bin", "utf8mb4_0900_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "latin1_bin", "gbk_bin"}
)
BIN = Charset("utf8mb4", "utf8mb4_bin")
CREATE = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b TEXT, c INT, KEY ka (a), KEY kab (a(5), b(3)))"


def ddl(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="d")


def tables(create: str, sql: str) -> tuple[Table, Table]:
    """Before and after."""
    tracker = SchemaTracker({"d": "latin1_swedish_ci"})
    tracker.apply(ddl(create), DEFAULT_CONTEXT)
    before = tracker.table("d", "t")
    tracker.apply(ddl(sql), DEFAULT_CONTEXT)
    after = tracker.table("d", "t")
    assert before is not None
    assert after is not None
    return before, after


def there(create: str, collation: str = "utf8mb4_general_ci") -> Table:
    """The same table in the target."""
    table, _ = tables(create, "ALTER TABLE t COMMENT 'x'")
    columns = [replace(one, charset="utf8mb4", collation=collation) if one.collation else one for one in table.columns]
    return replace(table, columns=tuple(columns))


def column(collation: str, charset: str = "utf8mb4") -> Column:
    found = there(CREATE).column("a")
    assert found is not None
    return replace(found, charset=charset, collation=collation)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE UNIQUE INDEX u ON t (a, c)", {"a": "a", "c": "c"}),
        ("CREATE INDEX u ON t (a)", {}),
        ("ALTER TABLE t ADD UNIQUE (b(4)), ADD KEY (a)", {"b": "b"}),
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)", {"a": "a"}),
        ("ALTER TABLE t RENAME COLUMN a TO z, ADD UNIQUE (z)", {"a": "z"}),
        ("ALTER TABLE t ADD n VARCHAR(9) UNIQUE", {}),
        ("ALTER TABLE t MODIFY a VARCHAR(30) UNIQUE", {}),
        ("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4, ADD UNIQUE (a)", {}),
    ],
)
def test_columns_of_new_keys(sql: str, expected: dict[str, str]) -> None:
    assert unique_columns(ddl(sql), *tables(CREATE, sql)) == expected


def test_a_column_that_is_defined_for_its_key_counts_where_keys_have_it() -> None:
    sql = "ALTER TABLE t CHANGE a z VARCHAR(30) UNIQUE, MODIFY b TEXT"
    before, after = tables(CREATE, sql)
    assert changed_columns(ddl(sql), before, after, there(CREATE)) == {"a": "z"}
    bare = there("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))")
    assert changed_columns(ddl(sql), before, after, bare) == {}
    named = with_old_names(ddl(sql), after).index("ka")
    assert named is not None
    assert named.columns == ("a",)


def test_engines_without_foreign_keys_make_none() -> None:
    sql = "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES p (x)"
    assert len(new_references(ddl(sql), *tables(CREATE, sql))) == 1
    assert new_references(ddl(sql), *tables(CREATE + " ENGINE=MyISAM", sql)) == []


@pytest.mark.parametrize(
    ("upstream", "below", "expected"),
    [
        ("latin1_swedish_ci", column("utf8mb4_general_ci"), BIN),
        ("utf8mb4_0900_as_cs", column("utf8mb4_general_ci"), Charset("utf8mb4", "utf8mb4_0900_bin")),
        ("gbk_chinese_ci", column("gbk_chinese_ci", "gbk"), None),
    ],
)
def test_the_character_set_stays(upstream: str, below: Column, expected: Charset | None) -> None:
    assert for_key(column(upstream), below, TIDB, "tidb") == expected


@pytest.mark.parametrize(
    ("child", "parent", "expected"),
    [
        ("utf8mb4_general_ci", "utf8mb4_bin", (BIN, None)),
        ("utf8mb4_bin", "utf8mb4_general_ci", (None, BIN)),
        ("utf8mb4_general_ci", "utf8mb4_general_ci", (BIN, BIN)),
        ("utf8mb4_bin", "utf8mb4_bin", (None, None)),
        (None, "utf8mb4_general_ci", (None, BIN)),
        (None, "utf8mb4_bin", (None, None)),
    ],
)
def test_both_sides_of_a_foreign_key_agree(
    child: str | None, parent: str, expected: tuple[Charset | None, Charset | None]
) -> None:
    own = column(child) if child is not None else None
    assert for_reference(column("latin1_swedish_ci"), own, column(parent), TIDB, "tidb") == expected


@pytest.mark.parametrize(
    ("create", "flavor", "expected"),
    [
        (CREATE, "tidb", ""),
        ("CREATE TABLE t (a VARCHAR(9), g INT AS (LENGTH(a)))", "mysql", "the generated column g"),
        ("CREATE TABLE t (a VARCHAR(9), KEY e ((UPPER(a))))", "tidb", "the key e"),
        (
            "CREATE TABLE t (a VARCHAR(9), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (x))",
            "mariadb",
            "the foreign key f",
        ),
        ("CREATE TABLE t (a VARCHAR(9)) PARTITION BY KEY (`a`) PARTITIONS 2", "mariadb", "partitioned"),
        ("CREATE TABLE t (a VARCHAR(9), UNIQUE KEY u (a))", "tidb", "the key u"),
        ("CREATE TABLE t (a VARCHAR(9), UNIQUE KEY u (a))", "mariadb", ""),
    ],
)
def test_what_a_column_is_bound_by(create: str, flavor: str, expected: str) -> None:
    table = there(create)
    found = obstacle(table, "A", table, flavor)
    assert found.startswith(expected) if expected != "partitioned" else expected in found
    assert bool(found) == bool(expected)


def test_a_key_that_the_upstream_lacks_is_not_dropped() -> None:
    assert obstacle(there(CREATE), "a", there("CREATE TABLE t (a VARCHAR(20))"), "tidb").startswith("the key ka")


SHOWN = r"""CREATE TABLE `t` (
  `id` int(11) NOT NULL,
  `a` varchar(20) COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'x\\y' COMMENT 'the COLLATE of',
  `b` text CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci /*!80023 INVISIBLE */,
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */,
  KEY `ka` (`a`) COMMENT 'first',
  KEY `ki` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"""


def test_all_else_of_a_definition_stays() -> None:
    found = recollation("`d`.`t`", SHOWN, {"a": BIN, "b": BIN}, [], "tidb")
    assert " ".join(found.modify.split()) == (
        "ALTER TABLE `d`.`t` MODIFY COLUMN `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL "
        r"DEFAULT 'x\\y' COMMENT 'the COLLATE of', "
        "MODIFY COLUMN `b` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin INVISIBLE"
    )
    assert found.drops == ("ALTER TABLE `d`.`t` DROP KEY `ka`",)
    assert found.adds == ("ALTER TABLE `d`.`t` ADD KEY `ka` (`a`) COMMENT 'first'",)
    assert recollation("`d`.`t`", SHOWN, {"a": BIN}, [], "mariadb").drops == ()


def test_keys_that_an_earlier_run_dropped() -> None:
    sql = "ALTER TABLE t ADD UNIQUE KEY u (a)"
    _, after = tables(CREATE + " CHARACTER SET latin1", sql)
    present = there("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b TEXT, c INT, KEY ka (a))")
    assert [index.name for index in lost_keys(after, present, {"a"}, ddl(sql))] == ["kab"]
    assert lost_keys(after, there(CREATE), {"a"}, ddl(sql)) == []
