"""Names that only the target's language reserves are quoted, and its words are not."""

from __future__ import annotations

import pytest

from pkg.schema.reserved import with_quoted_names


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("CREATE TABLE t (row INT, rank INT, KEY of (rank, row))", ["row", "rank", "of", "rank", "row"]),
        ("ALTER TABLE t ADD COLUMN system INT AFTER `a`, CHANGE COLUMN IF EXISTS a groups INT", ["system", "groups"]),
        (
            "ALTER TABLE t CHANGE b lag INT, DROP lead, RENAME COLUMN window TO option",
            ["lag", "lead", "window", "option"],
        ),
        ("ALTER TABLE t ADD a INT GENERATED ALWAYS AS (empty + 1) STORED", ["empty"]),
        ("CREATE TABLE t (stored INT AS (1) STORED, virtual INT AS (2) VIRTUAL)", ["stored", "virtual"]),
        ("CREATE TABLE t (a INT CHECK (rank > 0 AND NOT row))", ["rank", "row"]),
        ("CREATE TABLE t (a VARCHAR(9) DEFAULT (DATABASE()), schema INT)", ["schema"]),
        ("CREATE TABLE t (a INT AS (JSON_VALUE(j, '$.a' NULL ON EMPTY)))", []),
        ("ALTER TABLE t ADD INDEX i ((CAST(j AS UNSIGNED ARRAY)))", []),
        ("CREATE TABLE t (a INT) WITH SYSTEM VERSIONING", []),
        ("ALTER TABLE t ADD SYSTEM VERSIONING", []),
        ("CREATE TABLE t (a INT COMMENT 'row', `rank` INT, t.row INT)", []),
        ("CREATE INDEX rank ON `d`.`t` (row)", ["rank", "row"]),
    ],
)
def test_for_tidb(sql: str, names: list[str]) -> None:
    quoted = with_quoted_names(sql, "tidb")
    assert [name for name in quoted.split("`")[1::2] if f"`{name}`" not in sql] == names
    assert quoted.replace("`", "") == sql.replace("`", "")


def test_each_target_has_words_of_its_own() -> None:
    assert (
        with_quoted_names("ALTER TABLE t ADD offset INT, ADD row INT", "mariadb")
        == "ALTER TABLE t ADD `offset` INT, ADD row INT"
    )
    assert with_quoted_names("ALTER TABLE t ADD offset INT", "mysql") == "ALTER TABLE t ADD offset INT"
    assert with_quoted_names("ALTER TABLE t ADD row INT", "") == "ALTER TABLE t ADD row INT"
