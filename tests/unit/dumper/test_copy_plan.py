"""How a table's rows are read and written, from its structure."""

from __future__ import annotations

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.dumper.copy_plan import plan_copy
from pkg.schema.parse import parse_create_table


def test_generated_columns_are_left_out_and_floats_are_read_in_full() -> None:
    table = parse_create_table(
        "CREATE TABLE `t` (`id` int NOT NULL, `f` float, `g` int GENERATED ALWAYS AS (`id` * 2) VIRTUAL, "
        "`a``b` varchar(9), PRIMARY KEY (`id`)) DEFAULT CHARSET=utf8mb4",
        "shop",
    )
    copy = plan_copy(table, "target", "t2")
    assert copy.select(WHOLE) == "SELECT HIGH_PRIORITY `id`, `f` * 1e0, `a``b` FROM `shop`.`t`"
    assert copy.select(Range(("1",), ("5",))).endswith(
        "FROM `shop`.`t` FORCE INDEX (`PRIMARY`) WHERE `id` > 1 AND `id` <= 5"
    )
    assert copy.insert_prefix("INSERT") == "INSERT INTO `target`.`t2` (`id`, `f`, `a``b`) VALUES "
    assert not copy.is_pinned


def test_only_a_table_without_an_identity_is_pinned() -> None:
    keyless = parse_create_table("CREATE TABLE t (a int, UNIQUE KEY (a)) DEFAULT CHARSET=utf8mb4", "s")
    unordered = parse_create_table("CREATE TABLE t (a float NOT NULL, PRIMARY KEY (a)) DEFAULT CHARSET=utf8mb4", "s")
    assert plan_copy(keyless, "s", "t").is_pinned
    assert not plan_copy(unordered, "s", "t").is_pinned
    assert plan_copy(unordered, "s", "t").key is None


def test_a_set_with_an_empty_label_is_read_as_the_target_takes_it() -> None:
    sql = "CREATE TABLE `t` (`id` int NOT NULL, `s` {} DEFAULT NULL, PRIMARY KEY (`id`))"
    copy = plan_copy(parse_create_table(sql.format("set('a','','0')"), "s"), "s", "t")

    def read(kind: str) -> str:
        there = {one.name: one for one in parse_create_table(sql.format(kind), "s").columns} if kind else None
        return copy.read_for({}, frozenset(), there=there).expressions[1]

    assert read("set('a','','0','z')") == "CAST(`s` AS UNSIGNED)"
    assert read("varchar(9)") == "`s`"
    for other in ("set('0','','a')", ""):
        assert "NOT (CAST(`s` AS UNSIGNED) & 3 = 2)" in read(other)
