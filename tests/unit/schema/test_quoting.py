"""Names get quotes by the grammar; words of other kinds stay as they are."""

from __future__ import annotations

import pytest

from pkg.schema.quoting import with_quoted_columns, with_quoted_names

COLUMNS = ["id", "rank", "Groups", "lead", "day", "date", "comment", "v", "g"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "CREATE TABLE `d`.`t` (id INT PRIMARY KEY, rank INT COMMENT 'rank', UNIQUE KEY groups USING BTREE (rank DESC))",
            "CREATE TABLE `d`.`t` (`id` INT PRIMARY KEY, `rank` INT COMMENT 'rank', "
            "UNIQUE KEY `groups` USING BTREE (`rank` DESC))",
        ),
        (
            "CREATE TABLE `d`.`t` (rank INT CONSTRAINT lead CHECK (rank > 0), g INT AS (rank + abs(GROUPS)) STORED, "
            "date DATE DEFAULT (DATE'2024-01-01' + INTERVAL 1 day))",
            "CREATE TABLE `d`.`t` (`rank` INT CONSTRAINT `lead` CHECK (`rank` > 0), "
            "`g` INT AS (`rank` + abs(`GROUPS`)) STORED, `date` DATE DEFAULT (DATE'2024-01-01' + INTERVAL 1 day))",
        ),
        (
            "CREATE TABLE `d`.`t` (id INT, comment INT) PARTITION BY RANGE (id) SUBPARTITION BY HASH (rank) "
            "(PARTITION lag VALUES LESS THAN (10) COMMENT = 'x' (SUBPARTITION groups, SUBPARTITION s2))",
            "CREATE TABLE `d`.`t` (`id` INT, `comment` INT) PARTITION BY RANGE (`id`) SUBPARTITION BY HASH (`rank`) "
            "(PARTITION `lag` VALUES LESS THAN (10) COMMENT = 'x' (SUBPARTITION `groups`, SUBPARTITION `s2`))",
        ),
        (
            "ALTER TABLE `d`.`t` CHANGE id rank INT AFTER lead, DROP INDEX groups, DROP CHECK lead, ALTER rank DROP DEFAULT",
            "ALTER TABLE `d`.`t` CHANGE `id` `rank` INT AFTER `lead`, DROP INDEX `groups`, DROP CHECK `lead`, "
            "ALTER `rank` DROP DEFAULT",
        ),
        (
            "ALTER TABLE `d`.`t` ADD FOREIGN KEY groups (rank) REFERENCES `d`.`p` (lead), ADD INDEX lag ((rank + 1))",
            "ALTER TABLE `d`.`t` ADD FOREIGN KEY `groups` (`rank`) REFERENCES `d`.`p` (`lead`), "
            "ADD INDEX `lag` ((`rank` + 1))",
        ),
        ("ALTER TABLE `d`.`t` DROP PARTITION rank, groups", "ALTER TABLE `d`.`t` DROP PARTITION `rank`, `groups`"),
        (
            "ALTER TABLE `d`.`t` REORGANIZE PARTITION rank INTO (PARTITION groups VALUES IN (1))",
            "ALTER TABLE `d`.`t` REORGANIZE PARTITION `rank` INTO (PARTITION `groups` VALUES IN (1))",
        ),
        ("ALTER TABLE `d`.`t` ADD PARTITION PARTITIONS 4", "ALTER TABLE `d`.`t` ADD PARTITION PARTITIONS 4"),
        ("ALTER TABLE `d`.`t` COALESCE PARTITION 4", "ALTER TABLE `d`.`t` COALESCE PARTITION 4"),
        ("ALTER TABLE `d`.`t` TRUNCATE PARTITION ALL", "ALTER TABLE `d`.`t` TRUNCATE PARTITION ALL"),
        ("ALTER TABLE `d`.`t` ORDER BY rank DESC, v", "ALTER TABLE `d`.`t` ORDER BY `rank` DESC, `v`"),
        ("ALTER TABLE `d`.`t` ADD rank INT, ENGINE=InnoDB", "ALTER TABLE `d`.`t` ADD `rank` INT, ENGINE=InnoDB"),
        ("CREATE UNIQUE INDEX lead ON `d`.`t` (rank(3))", "CREATE UNIQUE INDEX `lead` ON `d`.`t` (`rank`(3))"),
        ("DROP INDEX lead ON `d`.`t`", "DROP INDEX `lead` ON `d`.`t`"),
        ("DROP TABLE `d`.`t`", "DROP TABLE `d`.`t`"),
    ],
)
def test_names_of_a_statement_are_quoted(sql: str, expected: str) -> None:
    assert with_quoted_names(sql, COLUMNS, flavor="mariadb") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(rank + `lead` - 'rank')", "(`rank` + `lead` - 'rank')"),
        ("date_add(date, INTERVAL v day)", "date_add(date, INTERVAL `v` day)"),
        ("cast(v AS date)", "cast(`v` AS date)"),
        ("DATE'2024-01-01'", "DATE'2024-01-01'"),
        ("rank(v)", "rank(`v`)"),
        ("v COLLATE g", "`v` COLLATE g"),
    ],
)
def test_columns_of_an_expression_are_quoted(expression: str, expected: str) -> None:
    assert with_quoted_columns(expression, COLUMNS) == expected


def test_a_statement_of_another_grammar_stays_as_it_is() -> None:
    assert with_quoted_names("ALTER SOMETHING rank", COLUMNS, flavor="mysql") == "ALTER SOMETHING rank"
