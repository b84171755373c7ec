"""Clauses that a target knows otherwise or not at all: IF [NOT] EXISTS, CHECKs, visibility."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.checks_there import (
    with_checks,
    with_named_checks,
    with_names_of_like,
    with_names_there,
    with_numbers_kept,
    with_numbers_of_like,
    with_own_names_of_like,
)
from pkg.schema.columns_there import with_definitions
from pkg.schema.conditions import without_conditions
from pkg.schema.ddl import parse_ddl, split_alter
from pkg.schema.documents_there import without_arrows
from pkg.schema.statement import TableName
from pkg.schema.table import Check
from pkg.schema.tracker import SchemaTracker

_SHOWN = "CREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  CONSTRAINT `c` CHECK (`id` > 0)\n)"


@pytest.mark.parametrize(
    ("sql", "tidb", "mysql"),
    [
        ("RENAME TABLE IF EXISTS t TO u", "RENAME TABLE  t TO u", "RENAME TABLE  t TO u"),
        ("ALTER TABLE t DROP CONSTRAINT IF EXISTS nothing", None, None),
        ("ALTER TABLE t DROP CONSTRAINT IF EXISTS c", *["ALTER TABLE t DROP CONSTRAINT  c"] * 2),
        ("ALTER TABLE t DROP FOREIGN KEY IF EXISTS f", None, None),
        ("ALTER TABLE t RENAME COLUMN IF EXISTS n TO m, DROP KEY k", *["ALTER TABLE t DROP KEY k"] * 2),
        (
            "ALTER TABLE t ADD KEY IF NOT EXISTS j (x)",
            "ALTER TABLE t ADD KEY IF NOT EXISTS j (x)",
            "ALTER TABLE t ADD KEY  j (x)",
        ),
        ("ALTER TABLE t ADD UNIQUE KEY IF NOT EXISTS j (x)", *["ALTER TABLE t ADD UNIQUE KEY  j (x)"] * 2),
        ("ALTER TABLE t ADD UNIQUE KEY IF NOT EXISTS k (x)", None, None),
        ("DROP INDEX IF EXISTS n ON t", "DROP INDEX IF EXISTS n ON t", None),
        ("CREATE INDEX `if exists` ON t (x)", *["CREATE INDEX `if exists` ON t (x)"] * 2),
        ("ALTER TABLE t ADD y INT DEFAULT (IF (1, 2, 3))", *["ALTER TABLE t ADD y INT DEFAULT (IF (1, 2, 3))"] * 2),
    ],
)
def test_conditions_come_to_what_is_known(sql: str, tidb: str | None, mysql: str | None) -> None:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl("CREATE TABLE t (id INT PRIMARY KEY, x INT, KEY k (x))", default_schema="s"))
    ddl = parse_ddl(sql, default_schema="s", flavor="mariadb")
    found = [without_conditions(ddl, tracker.table("s", "t"), _SHOWN, flavor) for flavor in ("tidb", "mysql")]
    assert [one.text if one else None for one in found] == [tidb, mysql]


def test_a_condition_on_a_table_that_is_nowhere_has_no_effect() -> None:
    for sql in ("RENAME TABLE IF EXISTS t TO u", "ALTER TABLE IF EXISTS t ADD a INT"):
        assert without_conditions(parse_ddl(sql, default_schema="s", flavor="mariadb"), None, "", "tidb") is None


def test_checks_of_a_new_table_have_mysqls_names() -> None:
    checks = "CHECK (a < 9), CONSTRAINT k CHECK (a <> 5) NOT ENFORCED, CONSTRAINT CHECK (a <> 6)"
    sql = f"CREATE TABLE t (a INT CHECK (a > 0) NOT NULL, {checks})"
    assert with_checks(parse_ddl(sql, default_schema="s"), "").text == (
        "CREATE TABLE t (a INT  NOT NULL, CONSTRAINT `t_chk_1` CHECK (a > 0), CONSTRAINT `t_chk_2` CHECK (a < 9), "
        "CONSTRAINT k CHECK (TRUE OR (a <> 5) ), CONSTRAINT `t_chk_3` CHECK (a <> 6))"
    )


def test_checks_of_an_alter_go_on_counting_and_are_dropped_by_number() -> None:
    shown = "CREATE TABLE `u` (\n  CONSTRAINT `t_chk_1` CHECK (`a` > 0),\n  CONSTRAINT `t_chk_4` CHECK (`a` < 9)\n)"
    sql = "ALTER TABLE u DROP CHECK u_chk_1, ADD b INT CHECK (b > 2), ADD CHECK (a > 2), DROP CONSTRAINT t_chk_4"
    assert with_checks(parse_ddl(sql, default_schema="s"), shown).text == (
        "ALTER TABLE u DROP CHECK `t_chk_1`, ADD b INT , ADD CONSTRAINT `u_chk_5` CHECK (b > 2), "
        "ADD CONSTRAINT `u_chk_6` CHECK (a > 2), DROP CONSTRAINT t_chk_4"
    )


def test_a_check_that_is_enforced_or_not_is_made_anew() -> None:
    checks = ("CONSTRAINT `on` CHECK (`a` > 0 and `a` < 5)", "CONSTRAINT `off` CHECK (1 or `a` > 0 or `a` < -5)")
    shown = "CREATE TABLE `t` (\n  `a` int(11) DEFAULT NULL,\n  {},\n  {}\n) ENGINE=InnoDB".format(*checks)
    sql = (
        "ALTER TABLE t ALTER CHECK `on` NOT ENFORCED, ALTER CONSTRAINT OFF ENFORCED, ADD b INT, ALTER INDEX k INVISIBLE"
    )
    assert with_checks(parse_ddl(sql, default_schema="s"), shown).text == (
        "ALTER TABLE t DROP CONSTRAINT `on`, ADD CONSTRAINT `on` CHECK (TRUE OR (`a` > 0 and `a` < 5)), "
        "DROP CONSTRAINT `off`, ADD CONSTRAINT `off` CHECK (`a` > 0 or `a` < -5), ADD b INT, ALTER INDEX k INVISIBLE"
    )
    for sql in ("ALTER TABLE t ALTER CHECK `on` ENFORCED, ALTER CHECK off NOT ENFORCED, ALTER CHECK c NOT ENFORCED",):
        assert with_checks(parse_ddl(sql, default_schema="s"), shown).text == sql
    with pytest.raises(DMError, match="36235"):
        with_checks(parse_ddl("ALTER TABLE t ALTER CHECK c ENFORCED", default_schema="s"), shown)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE TABLE t (j JSON, g INT AS (j->'$.a'))", "CREATE TABLE t (j JSON, g INT AS (JSON_EXTRACT(j, '$.a')))"),
        (
            "ALTER TABLE t ADD g INT AS (NOT `a`.`t`.`j j` ->> \"$.a\"), COMMENT 'a->b'",
            "ALTER TABLE t ADD g INT AS (NOT JSON_UNQUOTE(JSON_EXTRACT(`a`.`t`.`j j` ,  \"$.a\"))), COMMENT 'a->b'",
        ),
        ("ALTER TABLE t ADD g INT COMMENT 'a->b'", "ALTER TABLE t ADD g INT COMMENT 'a->b'"),
        (
            "ALTER TABLE t ADD CHECK (j->>'$.a' <> j->'$.b'), ADD d INT DEFAULT (length(j->>'$'))",
            "ALTER TABLE t ADD CHECK (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')) <> JSON_EXTRACT(j, '$.b')), "
            "ADD d INT DEFAULT (length(JSON_UNQUOTE(JSON_EXTRACT(j, '$'))))",
        ),
    ],
)
def test_arrows_are_functions(sql: str, expected: str) -> None:
    assert without_arrows(parse_ddl(sql, default_schema="s")).text == expected


def test_visibility_is_a_definition_and_a_check_is_said_again() -> None:
    shown = "CREATE TABLE `t` (`a` int(11) INVISIBLE DEFAULT 1 COMMENT 'x', `b` int(11) CHECK (`b` > 0), `c` int(11))"
    sql = "ALTER TABLE t ALTER COLUMN a SET VISIBLE, MODIFY b BIGINT, ALTER c SET INVISIBLE"
    ddl = with_definitions(parse_ddl(sql, default_schema="s"), shown)
    assert ddl.rename(lambda name: TableName("s", name.table)) == (
        "ALTER TABLE `s`.`t` MODIFY COLUMN `a` int(11)  DEFAULT 1 COMMENT 'x', MODIFY b BIGINT, ADD CHECK (`b` > 0), "
        "MODIFY COLUMN `c` int(11) INVISIBLE"
    )


@pytest.mark.parametrize(
    ("clause", "left"),
    [
        ("CHANGE a b BIGINT", "CHANGE a b BIGINT, ADD CHECK (`b` > `c`)"),
        ("CHANGE j k JSON", "CHANGE j k JSON"),
        ("MODIFY j LONGTEXT", "MODIFY j LONGTEXT"),
    ],
)
def test_a_check_takes_the_columns_new_name_and_that_of_documents_goes_with_the_type(clause: str, left: str) -> None:
    shown = "CREATE TABLE `t` (`a` int(11) CHECK (`a` > `c`), `c` int(11), `j` longtext CHECK (json_valid(`j`)))"
    ddl = with_definitions(parse_ddl(f"ALTER TABLE t {clause}", default_schema="s"), shown)
    assert ddl.rename(lambda name: TableName("s", name.table)) == f"ALTER TABLE `s`.`t` {left}"


def test_checks_of_a_table_like_another_one_are_named_anew() -> None:
    ddl = parse_ddl("CREATE TABLE t LIKE u", default_schema="s")
    shown = (
        "CREATE TABLE `u` (\n  `a` int,\n  CONSTRAINT `u_chk_1` CHECK (`a` > 0),\n  CONSTRAINT `N` CHECK (`a` < 9)\n)"
    )
    assert [one.text for one in with_names_of_like(ddl, shown)] == [
        "CREATE TABLE t LIKE u",
        "ALTER TABLE `s`.`t` DROP CONSTRAINT `u_chk_1`, DROP CONSTRAINT `N`, "
        "ADD CONSTRAINT `t_chk_1` CHECK (`a` < 9), ADD CONSTRAINT `t_chk_2` CHECK (`a` > 0)",
    ]
    assert with_names_of_like(ddl, "CREATE TABLE `u` (\n  `a` int CHECK (`a` > 0)\n)") == (ddl,)


def test_checks_of_a_routed_table_like_another_one_keep_their_numbers() -> None:
    """Upstream nm stands before old_chk_1, in the target behind new_chk_1."""
    ddl = parse_ddl("CREATE TABLE l LIKE old", default_schema="s")
    shown = "CREATE TABLE `{0}` (\n  `a` int,\n  CONSTRAINT `{0}_chk_1` CHECK ((`a` > 0)),\n  CONSTRAINT `nm` CHECK ((`a` < 9))\n)"
    checks = (Check("old_chk_1", ("a",)), Check("nm", ("a",)))
    assert [one.text for one in with_numbers_of_like(ddl, shown.format("old2"), checks, "lr")[1:]] == []
    assert [one.text for one in with_numbers_of_like(ddl, shown.format("new"), checks, "lr")] == [
        "CREATE TABLE l LIKE old",
        "ALTER TABLE `s`.`l` DROP CONSTRAINT `lr_chk_1`, DROP CONSTRAINT `lr_chk_2`, "
        "ADD CONSTRAINT `lr_chk_1` CHECK ((`a` < 9)), ADD CONSTRAINT `lr_chk_2` CHECK ((`a` > 0))",
    ]


def test_checks_of_mariadbs_copy_get_names_that_mysql_makes_for_no_table() -> None:
    ddl = parse_ddl("CREATE TABLE l LIKE t", default_schema="s", flavor="mariadb")
    shown = "CREATE TABLE `t` (\n  `a` int,\n  CONSTRAINT `t_chk_2` CHECK ((`a` > 0)),\n  CONSTRAINT `n` CHECK ((`a` < 9))\n)"
    assert [one.text for one in with_own_names_of_like(ddl, shown, "l")] == [
        "CREATE TABLE l LIKE t",
        "ALTER TABLE `s`.`l` DROP CONSTRAINT `l_chk_1`, DROP CONSTRAINT `l_chk_2`, "
        "ADD CONSTRAINT `n of l` CHECK ((`a` < 9)), ADD CONSTRAINT `t_chk_2 of l` CHECK ((`a` > 0))",
    ]
    assert with_own_names_of_like(ddl, "CREATE TABLE `t` (\n  `a` int\n)", "l") == (ddl,)


def test_tidb_gets_the_names_that_mysql_gives() -> None:
    ddl = parse_ddl(
        "CREATE TABLE t (a INT CHECK (a > 0), CHECK (b > a), b INT, CONSTRAINT k CHECK (b > 1))", default_schema="s"
    )
    assert with_named_checks(ddl, "", ddl, None).text == (
        "CREATE TABLE t (a INT CONSTRAINT `t_chk_1` CHECK (a > 0), CONSTRAINT `t_chk_2` CHECK (b > a), b INT, "
        "CONSTRAINT k CHECK (b > 1))"
    )
    checks = (Check("u_chk_2", ("a",)), Check("u_chk_4", ("b",)), Check("x_chk_9", ("b",)))
    shown = "\n  CONSTRAINT `t_chk_2` CHECK ((`a` > 0)),\n  CONSTRAINT `u_chk_4` CHECK ((`b` > 0)),\n  CONSTRAINT `x_chk_9` CHECK ((1))"
    whole = parse_ddl(
        "ALTER TABLE u DROP CHECK u_chk_4, ADD CHECK (a < 9), ALTER CHECK u_chk_2 NOT ENFORCED", default_schema="s"
    )
    parts = [with_named_checks(one, shown, whole, checks).text for one in split_alter(whole)]
    assert sorted(text.removeprefix("ALTER TABLE `s`.`u` ") for text in parts) == [
        "ADD CONSTRAINT `u_chk_3` CHECK (a < 9)",
        "ALTER CHECK `t_chk_2` NOT ENFORCED",
        "DROP CHECK u_chk_4",
    ]


def test_a_route_to_mysql_gives_checks_the_name_of_its_table() -> None:
    shown = "\n  CONSTRAINT `r_chk_1` CHECK ((`a` > 0)),\n  CONSTRAINT `own` CHECK ((`a` < 9))"
    checks = (Check("t_chk_1", ("a",)), Check("own", ("a",)))
    ddl = parse_ddl(
        "ALTER TABLE t DROP CHECK t_chk_1, ALTER CHECK own NOT ENFORCED, ADD CHECK (a > 1)", default_schema="s"
    )
    assert with_names_there(ddl, shown, checks).text == (
        "ALTER TABLE t DROP CHECK `r_chk_1`, ALTER CHECK own NOT ENFORCED, ADD CHECK (a > 1)"
    )


def test_checks_of_an_earlier_full_migration_are_found_by_their_names_alone() -> None:
    """It has left the upstream's names, and the target has numbered from 1 since."""
    shown = "\n  CONSTRAINT `t_chk_1` CHECK ((`a` > 0)),\n  CONSTRAINT `r_chk_1` CHECK ((`a` < 9)),\n  CONSTRAINT `r_chk_2` CHECK ((1))"
    checks = tuple(Check(f"t_chk_{number}", ("a",)) for number in (1, 2, 3))
    ddl = parse_ddl("ALTER TABLE t DROP CHECK t_chk_1, DROP CHECK t_chk_2", default_schema="s")
    assert with_names_there(ddl, shown, checks).text == "ALTER TABLE t DROP CHECK t_chk_1, DROP CHECK t_chk_2"


def test_a_full_migration_to_mysql_names_checks_as_a_rename_does() -> None:
    create = (
        "CREATE TABLE `t`` 1` (\n  `a` int,\n  CONSTRAINT `t`` 1_chk_2` CHECK ((`a` > 0)),\n"
        "  CONSTRAINT `own` CHECK ((`a` > 1)),\n  CONSTRAINT `u_chk_1` CHECK ((`a` > 2)) /*!80016 NOT ENFORCED */\n)"
    )
    assert with_numbers_kept(create, "t` 1", "z`") == create.replace("`t`` 1_chk_2`", "`z``_chk_2`")
