"""What is selected for mapped and added columns; tests/cases/full runs it on servers."""

from __future__ import annotations

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.dumper.copy_plan import plan_copy
from dm_worker.dumper.expressions import misfits, selected
from pkg.rules.column_mapping import Affix, MappedColumn, PartitionId
from pkg.rules.column_rules import TableColumnRules
from pkg.rules.extract import ExtractedColumn
from pkg.schema.parse import parse_create_table

TABLE = parse_create_table(
    "CREATE TABLE t (id int NOT NULL, code varchar(20), f float, PRIMARY KEY (id)) DEFAULT CHARSET=utf8mb4", "s"
)


def test_columns_without_a_rule_are_selected_as_they_are() -> None:
    assert selected(TABLE) == [("`id`", "`id`"), ("`code`", "`code`"), ("`f`", "`f` * 1e0")]
    assert list(misfits(TABLE, TableColumnRules())) == []


def test_added_columns_come_last_and_are_texts_whatever_the_sql_mode() -> None:
    rules = TableColumnRules(extracted=(ExtractedColumn("o`rigin", "it's"),))
    assert selected(TABLE, rules)[-1] == ("`o``rigin`", "CONVERT(X'69742773' USING utf8mb4)")


def test_an_id_is_calculated_upstream_and_one_that_does_not_fit_is_out_of_range() -> None:
    rules = TableColumnRules((MappedColumn("m", "id", "id", PartitionId(1 << 59)),))
    assert dict(selected(TABLE, rules))["`id`"] == (
        "CASE WHEN `id` IS NULL THEN NULL WHEN `id` BETWEEN 0 AND 17592186044415 "
        "THEN CAST(`id` AS UNSIGNED) + 576460752303423488 ELSE (CHAR_LENGTH(`id`) + 2) * 18446744073709551615 END"
    )
    [(rule, condition)] = misfits(TABLE, rules)
    assert rule.rule == "m"
    assert condition == "`id` IS NOT NULL AND NOT (`id` BETWEEN 0 AND 17592186044415)"


def test_a_text_id_stays_a_text() -> None:
    rules = TableColumnRules((MappedColumn("m", "code", "code", PartitionId(1 << 59)),))
    assert "THEN CAST(CAST(`code` AS UNSIGNED) + 576460752303423488 AS CHAR)" in dict(selected(TABLE, rules))["`code`"]


def test_text_before_and_behind() -> None:
    both = TableColumnRules((MappedColumn("m", "code", "code", Affix("a", "b")),))
    assert dict(selected(TABLE, both))["`code`"] == (
        "CONCAT(CONVERT(X'61' USING utf8mb4), `code`, CONVERT(X'62' USING utf8mb4))"
    )
    neither = TableColumnRules((MappedColumn("m", "code", "code", Affix("", "")),))
    assert dict(selected(TABLE, neither))["`code`"] == "CONCAT(`code`)"
    assert list(misfits(TABLE, both)) == []


def test_chunks_are_ranges_of_the_upstreams_own_values() -> None:
    rules = TableColumnRules((MappedColumn("m", "id", "id", PartitionId(1 << 59)),), (ExtractedColumn("o", "x"),))
    copy = plan_copy(TABLE, "target", "t2", rules)
    assert copy.select(Range(("1",), ("5",))).endswith("FORCE INDEX (`PRIMARY`) WHERE `id` > 1 AND `id` <= 5")
    assert copy.select(WHOLE).endswith("AS UNSIGNED) + 576460752303423488 ELSE (CHAR_LENGTH(`id`) + 2) * "
                                       "18446744073709551615 END, `code`, `f` * 1e0, CONVERT(X'78' USING utf8mb4) "
                                       "FROM `s`.`t`")  # fmt: skip
    assert copy.insert_prefix("INSERT") == "INSERT INTO `target`.`t2` (`id`, `code`, `f`, `o`) VALUES "
