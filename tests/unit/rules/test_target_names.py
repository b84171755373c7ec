"""Names that a target takes for one."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.target_names import TargetNames
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import TableName


def names(*known: str, later: tuple[str, ...] = ()) -> TargetNames:
    of = [TableName(*name.split(".")) for name in known]
    return TargetNames(
        lambda name: TableName("all", "t") if name.table.startswith("shard") else name,
        of,
        [*of, *(TableName(*name.split(".")) for name in later)],
        lambda name: name in of,
    )


def left(there: TargetNames, sql: str) -> list[str]:
    return [piece.text for piece in there.passing(parse_ddl(sql, default_schema="d").pieces())]


@pytest.mark.parametrize(
    ("sql", "passes"),
    [
        ("DROP TABLE IF EXISTS T", []),
        ("DROP TABLE t", ["DROP TABLE t"]),
        ("DROP TABLE IF EXISTS T, u", ["DROP TABLE IF EXISTS `d`.`u`"]),
        ("DROP DATABASE IF EXISTS D", []),
        ("RENAME TABLE t TO T", []),
        ("ALTER TABLE t RENAME T", []),
        ("ALTER TABLE t RENAME T, ADD a INT", ["ALTER TABLE t RENAME T, ADD a INT"]),
        ("RENAME TABLE t TO x, u TO T", ["RENAME TABLE `d`.`t` TO `d`.`x`", "RENAME TABLE `d`.`u` TO `d`.`T`"]),
        ("RENAME TABLE IF EXISTS T TO x", []),
        ("RENAME TABLE IF EXISTS T TO x, u TO v", ["RENAME TABLE IF EXISTS `d`.`u` TO `d`.`v`"]),
        ("RENAME TABLE IF EXISTS w TO x", ["RENAME TABLE IF EXISTS w TO x"]),
        ("CREATE TABLE v (a INT)", ["CREATE TABLE v (a INT)"]),
    ],
)
def test_what_means_the_same_in_the_target_passes(sql: str, passes: list[str]) -> None:
    assert left(names("d.", "d.t", "d.u"), sql) == passes


@pytest.mark.parametrize(
    "sql",
    ["CREATE TABLE T (a INT)", "CREATE TABLE IF NOT EXISTS T (a INT)", "RENAME TABLE u TO T", "TRUNCATE TABLE T",
     "CREATE DATABASE D", "DROP TABLE IF EXISTS L"],
)  # fmt: skip
def test_what_would_touch_another_table_is_refused(sql: str) -> None:
    with pytest.raises(DMError, match="does not tell names by upper and lower case"):
        left(names("d.", "d.t", "d.u", later=("d.l",)), sql)


def test_a_table_that_has_a_name_in_other_letters_by_now_stands_for_itself() -> None:
    def of(*known: str, now: tuple[str, ...]) -> TargetNames:
        tables, present = ([TableName("d", name) for name in some] for some in (known, now))
        return TargetNames(lambda name: name, tables, present, lambda name: name in tables)

    assert left(of("t", now=("T",)), "RENAME TABLE t TO x, x TO T") == [
        "RENAME TABLE `d`.`t` TO `d`.`x`", "RENAME TABLE `d`.`x` TO `d`.`T`",
    ]  # fmt: skip
    with pytest.raises(DMError):
        of("t", now=("t", "T"))
    with pytest.raises(DMError):
        of(now=("t", "T"))


def test_shards_that_are_merged_may_have_one_name() -> None:
    assert left(names("d.shard1", "d.shard2"), "ALTER TABLE shard1 ADD b INT") == ["ALTER TABLE shard1 ADD b INT"]
    with pytest.raises(DMError, match=r"`d`\.`a` and `d`\.`A`"):
        names("d.a", "d.A")


@pytest.mark.parametrize(("one", "other"), [("ä", "Ä"), ("i", "İ"), ("ა", "Ა"), ("σ", "Σ")])
def test_letters_are_small_by_the_servers_tables(one: str, other: str) -> None:
    with pytest.raises(DMError, match="lead to"):
        names(f"d.{one}", f"d.{other}")


def test_a_rename_of_a_shard_is_for_the_shards_to_judge() -> None:
    assert left(names("d.shard1"), "RENAME TABLE shard1 TO shard9") == ["RENAME TABLE shard1 TO shard9"]


def test_a_name_is_free_again_when_its_table_is_gone() -> None:
    there = names("d.t")
    assert left(there, "DROP TABLE t") == ["DROP TABLE t"]
    assert left(there, "CREATE TABLE T (a INT)") == ["CREATE TABLE T (a INT)"]
