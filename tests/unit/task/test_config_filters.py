"""Binlog event filters: what is worth a warning, and what reaches a subtask."""

from __future__ import annotations

import pytest

from pkg.task import SubtaskConfig, load_source, load_task, read_source, read_task, split_task

TASK = """
name: t
task-mode: incremental
target-database: {{host: h, port: 4000, user: root}}
mysql-instances:
- source-id: one
  filter-rules: [second, first]
filters:
  first: {{schema-pattern: "shop_*", events: [delete], action: Ignore}}
  second: {{schema-pattern: "shop_*", {second}}}
"""
SOURCE = """
source-id: one
from: {{host: h, port: 3306, user: root}}
filters: [{{schema-pattern: "*", table-pattern: "tmp_*", {rule}}}]
"""
PLAIN = "events: [Drop Table], action: Error"


@pytest.mark.parametrize(
    ("rule", "warning"),
    [
        (PLAIN, ""),
        ("events: [all], action: Do", ""),
        ("action: Do", "it leaves out every change of its tables"),
        ("action: Ignore", "it has no effect"),
        ("events: [], sql-pattern: [x], action: Ignore", ""),
        ("events: [Alter Table], action: Ignore", "`incompatible ddl changes` has the others"),
        ("events: [alter table, incompatible ddl changes], action: Ignore", ""),
        ("events: [alter table, all ddl], action: Do", ""),
        ("events: [create view], action: Ignore", "no statement that is replicated"),
    ],
)
def test_rules_that_are_hardly_what_was_meant(rule: str, warning: str) -> None:
    for warnings in (
        read_task(TASK.format(second=rule), "task.yaml").warnings,
        read_source(SOURCE.format(rule=rule), "source.yaml").warnings,
    ):
        texts = [str(one) for one in warnings]
        assert len(texts) == bool(warning), texts
        assert all(warning in text for text in texts)


def test_a_subtask_has_the_filters_of_its_source_and_then_its_own_in_their_order() -> None:
    source = load_source(SOURCE.format(rule=PLAIN))
    [subtask] = split_task(load_task(TASK.format(second=PLAIN)), {"one": source})
    assert list(subtask.filters) == ["filters[0] of the source", "second", "first"]
    sent = SubtaskConfig.from_wire(subtask.to_wire())
    assert sent.filters == subtask.filters
    assert list(sent.filters) == list(subtask.filters)
    assert sent.filters["second"].events == ["drop table"]
    assert sent.event_filter().ignored_rows("Shop_1", "orders") == {"delete"}
    assert (
        load_source(SOURCE.format(rule=PLAIN)).model_validate_json(source.model_dump_json()).filters == source.filters
    )


def test_rules_are_compiled_once_for_all_who_ask() -> None:
    source = load_source(SOURCE.format(rule=PLAIN))
    [subtask] = split_task(load_task(TASK.format(second=PLAIN)), {"one": source})
    again = SubtaskConfig.from_wire(subtask.to_wire())
    assert subtask.event_filter() is again.event_filter()
    assert subtask.allow_list() is again.allow_list()
    assert subtask.router() is subtask.column_rules().router
    other = subtask.model_copy(update={"online_ddl": False})
    assert other.allow_list() is not subtask.allow_list()
    assert other.allow_list().allows("shop_1", "_orders_gho")
    assert not subtask.allow_list().allows("shop_1", "_orders_gho")
