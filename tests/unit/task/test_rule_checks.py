"""Rules of a task file that cannot work are refused by the place where they stand."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.task import read_task

TASK = """\
name: t
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
"""
ROUTE = "  route-rules: [r]\nroutes: {r: {%s}}\n"
LISTS = "  block-allow-list: l\nblock-allow-list: {l: {%s}}\n"
FILTER = "  expression-filters: [e]\nexpression-filter: {e: {schema: s, table: t, %s}}\n"


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (
            ROUTE % "schema-pattern: s, target-schema: x, target-table: t",
            "`routes.r.target-table`: needs a `table-pattern`: without one the route is for whole schemas",
        ),
        (
            ROUTE % "schema-pattern: s, target-schema: Mysql",
            "`routes.r.target-schema`: is a schema of the server's own",
        ),
        (ROUTE % f"schema-pattern: s, target-schema: {'x' * 65}", "target-schema`: is longer than 64 characters"),
        (ROUTE % "schema-pattern: '~', target-schema: x", "there is no regular expression behind `~`"),
        (ROUTE % "schema-pattern: 's[z-a]', target-schema: x", "not a pattern: bad character range z-a (found"),
        (LISTS % "do-dbs: ['~(s']", "`block-allow-list.l.do-dbs[0]`: not a regular expression: missing )"),
        (LISTS % "do-tables: [{db-name: '[', tbl-name: t}]", "do-tables[0].db-name`: the character class that starts"),
        (LISTS % "do-tables: [{db-name: s}]", "`block-allow-list.l.do-tables[0].tbl-name`: is required"),
        (FILTER % "insert-value-expr: 'a >'", "no expression of MySQL: something is missing, at '>'"),
    ],
)
def test_a_rule_that_cannot_work_is_refused(rules: str, problem: str) -> None:
    with pytest.raises(DMError) as refused:
        read_task(TASK + rules, "task.yaml")
    assert problem in refused.value.message
    assert "task.yaml:7: " in refused.value.message


@pytest.mark.parametrize(
    ("rules", "warning"),
    [
        (ROUTE % "schema-pattern: 's*', target-schema: 'x*'", "is taken as a name: a target has no `*`, `?` and `~`"),
        (ROUTE % "schema-pattern: mysql, target-schema: x", "schemas of the server's own are never migrated"),
        (LISTS % "do-dbs: [a], ignore-dbs: [b]", "has no effect: `do-dbs` says which schemas are migrated"),
        (LISTS % "do-dbs: [a], ignore-tables: [{db-name: a, tbl-name: t}]", ""),
    ],
)
def test_a_rule_that_is_hardly_what_was_meant_is_warned_of(rules: str, warning: str) -> None:
    texts = [str(one) for one in read_task(TASK + rules, "task.yaml").warnings]
    assert len(texts) == bool(warning), texts
    assert all(warning in text for text in texts)
