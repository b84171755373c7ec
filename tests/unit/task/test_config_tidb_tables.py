"""`tidb-tables` in a task file."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.task import SubtaskConfig
from pkg.task.load import load_task
from pkg.task.problems import BAD_TIDB_TABLE, NO_TIDB_TABLE
from pkg.task.source import SourceConfig
from pkg.task.subtask import split_task

TASK = """
name: t
task-mode: all
target-database: {{host: h, port: 4000, user: root}}
mysql-instances: [{{source-id: a, tidb-table-rules: [{named}]}}]
tidb-tables:
  x: {rule}
"""
SOURCE = SourceConfig.model_validate({"source-id": "a", "from": {"host": "u", "port": 3306, "user": "r"}})


def problem(rule: str, named: str = "x") -> tuple[int, str]:
    with pytest.raises(DMError) as caught:
        load_task(TASK.format(rule=rule, named=named))
    return caught.value.code, caught.value.message


def test_a_subtask_has_the_rules_of_its_instance() -> None:
    task = load_task(TASK.format(rule="{schema-pattern: s, table-pattern: 't_*', auto-random: 5}", named="x"))
    (one,) = split_task(task, {"a": SOURCE})
    arrived = SubtaskConfig.from_wire(one.to_wire())
    rule = arrived.tidb_layouts().of("S", "t_1")
    assert rule is not None
    assert (rule.name, rule.auto_random) == ("x", 5)
    assert arrived.tidb_layouts().of("s", "other") is None


def test_an_instance_names_a_rule_that_is_not_there() -> None:
    code, text = problem("{schema-pattern: s, auto-random: 5}", "y")
    assert code == NO_TIDB_TABLE.code
    assert "there is no 'y' in `tidb-tables`" in text


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("{schema-pattern: s}", "schema-pattern`: the rule sets nothing"),
        ("{schema-pattern: s, auto-random: 16}", "auto-random`: must be less than or equal to 15"),
        ("{schema-pattern: s, auto-random: 5, shard-row-id-bits: 3}", "for tables without a clustered key"),
        ("{schema-pattern: s, auto-random: 5, primary-key: nonclustered}", "`auto-random` needs a clustered key"),
        ("{schema-pattern: s, shard-row-id-bits: 3, pre-split-regions: 4}", "more than the 3 bits"),
        ("{schema-pattern: s, pre-split-regions: 4}", "needs `shard-row-id-bits` or `auto-random`"),
        ("{table-pattern: s, auto-random: 5}", "schema-pattern"),
    ],
)
def test_rules_that_no_table_could_fit(rule: str, words: str) -> None:
    code, text = problem(rule)
    assert code == BAD_TIDB_TABLE.code
    assert words in text


def test_two_rules_with_the_same_patterns() -> None:
    rule = "{schema-pattern: s, auto-random: 5}"
    code, text = problem(f"{rule}\n  y: {rule}", "x, y")
    assert code == BAD_TIDB_TABLE.code
    assert "'x' and 'y' have the same patterns" in text
