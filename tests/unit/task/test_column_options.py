"""Column mappings and columns that routes fill, in a task file and on their way to a worker."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.column_mapping import PartitionId
from pkg.task import Problem, check_config, load_source, load_task
from pkg.task.subtask import SubtaskConfig, split_task

TASK = """\
name: t
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
  column-mapping-rules: [ids]
  route-rules: [orders]
routes:
  orders:
    schema-pattern: shop_*
    table-pattern: orders_*
    target-schema: shop
    target-table: orders
    extract-table: {table-regexp: "orders_(.*)", target-column: part}
    extract-schema: {schema-regexp: "shop_(.*)", target-column: shop}
    extract-source: {source-regexp: "(.*)", target-column: source}
column-mappings:
  ids:
    schema-pattern: shop_*
    table-pattern: orders_*
    expression: partition id
    source-column: id
    target-column: id
    arguments: ["1", shop_, orders_]
"""
SOURCE = "source-id: one\nfrom: {host: u, port: 3306, user: root}\n"


def problems(text: str) -> list[Problem]:
    with pytest.raises(DMError) as caught:
        check_config(text, "task.yaml")
    return list(caught.value.fields["problems"])


def test_the_rules_reach_the_worker() -> None:
    task, source = load_task(TASK, "task.yaml"), load_source(SOURCE, "source.yaml")
    [subtask] = split_task(task, {"one": source})
    rules = SubtaskConfig.from_wire(subtask.to_wire()).column_rules().of("shop_3", "orders_7")
    assert [one.change for one in rules.mapped] == [PartitionId(1 << 59 | 3 << 52 | 7 << 44)]
    assert [(one.name, one.value) for one in rules.extracted] == [("part", "7"), ("shop", "3"), ("source", "one")]


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("[ids]", "[id]", 20025, "did you mean `ids`"),
        ("  column-mapping-rules: [ids]\n", "", 20038, "used by no instance"),
        ("partition id", "partition-id", 20064, "did you mean `partition id`"),
        ('["1", shop_, orders_]', '["1"]', 20064, "3 or 4 arguments"),
        ('["1", shop_, orders_]', '["16", shop_, orders_]', 20064, "a number from 0 to 15"),
        ("    source-column: id\n", "", 20064, "required"),
        ("source-column: id", "source-colum: id", 20064, "source-column"),
        ('"orders_(.*)"', '"orders_.*"', 20045, "has no group"),
        ('"orders_(.*)"', '"orders_("', 20045, "not a regular expression"),
        ("target-column: part", "target-column: ''", 20045, "target-column"),
        ("target-column: part", "target-column: SHOP", 20045, "fills the same column"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, code: int, words: str) -> None:
    found = problems(TASK.replace(old, new, 1))
    assert any(words in str(problem) for problem in found), found
    assert code in [problem.kind.code for problem in found if problem.kind]


def test_two_rules_for_one_column() -> None:
    other = TASK[TASK.index("  ids:\n") :].replace("ids:", "more:")
    found = problems(TASK.replace("[ids]", "[ids, more]") + other)
    assert "'ids' and 'more' have the same patterns and target-column" in str(found[0])
