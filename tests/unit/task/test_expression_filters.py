"""Expression filters in a task file and on their way to a worker."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.task import Problem, check_config, load_source, load_task
from pkg.task.subtask import SubtaskConfig, split_task

HEAD = """\
name: t
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
  expression-filters: [old]
expression-filter:
"""
GOOD = "  old: {schema: shop, table: orders, delete-value-expr: \"created < '2020-01-01'\"}\n"
SOURCE = "source-id: one\nfrom: {host: u, port: 3306, user: root}\n"


def problem(block: str) -> Problem:
    with pytest.raises(DMError) as caught:
        check_config(HEAD + block, "task.yaml")
    [found] = caught.value.fields["problems"]
    assert isinstance(found, Problem)
    return found


def test_the_filters_reach_the_worker() -> None:
    task, source = load_task(HEAD + GOOD, "task.yaml"), load_source(SOURCE, "source.yaml")
    [subtask] = split_task(task, {"one": source})
    filters = SubtaskConfig.from_wire(subtask.to_wire()).row_filters("mysql")
    found = filters.of(parse_create_table("CREATE TABLE Orders (created DATE)", "shop"))
    assert found is not None
    assert found.leaves_out("delete", [(b"'2019-12-31'",)])
    assert not found.leaves_out("delete", [(b"'2020-01-01'",)])


@pytest.mark.parametrize(
    ("block", "code", "text"),
    [
        ("  old: {table: b, insert-value-expr: a}\n", 20041, "is required"),
        ("  old: {schema: '', table: b, insert-value-expr: a}\n", 20041, "must not be empty"),
        ("  old: {schema: a, table: b}\n", 20041, "it has no expression"),
        ("  old: {schema: a, table: b, insert-value-expr: 'c > '}\n", 20041, "no expression of MySQL"),
        ("  old: {schema: a, table: b, insert-value-expr: 'c = (SELECT 1)'}\n", 20041, "an expression sees one row"),
        (
            "  old: {schema: a, table: b, insert-value-expr: c, delete-value-expr: c}\n",
            20039,
            "different kinds of changes",
        ),
        ("  old: {schema: a, table: b, insert-value-exp: c}\n", 0, "did you mean `insert-value-expr`"),
        ("  odl: {schema: a, table: b, insert-value-expr: c}\n", 20040, "did you mean `odl`"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(block: str, code: int, text: str) -> None:
    found = problem(block)
    assert text in str(found)
    assert (found.kind.code if found.kind else 0) == code
    assert found.line in (6, 8)


def test_old_and_new_values_of_updates_go_together() -> None:
    check_config(
        HEAD + "  old: {schema: a, table: b, update-old-value-expr: c, update-new-value-expr: d}\n", "task.yaml"
    )
