from __future__ import annotations

from typing import Any

import pytest

from dm_worker.syncer.other_sources import leads
from pkg.schema.statement import TableName
from pkg.task.subtask import OtherSource

ROUTED = {"routes": [{"schema-pattern": "b*", "table-pattern": "t*", "target-schema": "a", "target-table": "t"}]}
SCHEMA = {"routes": [{"schema-pattern": "b", "target-schema": "a"}]}
ONLY_X = {"block-allow-list": {"do-dbs": ["x"]}}


@pytest.mark.parametrize(
    ("rules", "tables", "target", "led"),
    [
        ({}, None, "a.t", True),
        (ONLY_X, None, "a.t", False),
        (ROUTED | ONLY_X, None, "a.t", True),
        (ROUTED | ONLY_X, None, "a.u", False),
        (SCHEMA | ONLY_X, None, "a.u", True),
        (SCHEMA, [], "a.t", False),
        (SCHEMA, [("b", "u")], "a.t", False),
        (SCHEMA, [("b", "u"), ("b", "T")], "a.t", True),
        (SCHEMA | ONLY_X, [("b", "t")], "a.t", False),
        (ROUTED, [("b1", "t7")], "a.t", True),
        (ROUTED, [("b1", "t7")], "a.", True),
        (ROUTED, [("b1", "u")], "a.", False),
    ],
)
def test_another_source_leads_to_a_table(
    rules: dict[str, Any], tables: list[tuple[str, str]] | None, target: str, led: bool
) -> None:
    source = OtherSource.model_validate({"source-id": "other"} | rules)
    schema, _, table = target.partition(".")
    assert leads(source, tables, TableName(schema, table)) is led
