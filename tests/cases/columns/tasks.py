"""What the cases of mapped and added columns share: sources that go to one target, and their subtasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pkg.task.source import SourceConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig, split_task
from pkg.task.task import TaskConfig
from tests.servers import RunningServer


@dataclass(frozen=True)
class Rules:
    """The rules of a task; ``$DB`` stands for the beginning of the case's schema names."""

    routes: dict[str, Any] = field(default_factory=dict)
    mappings: dict[str, Any] = field(default_factory=dict)
    per_source: dict[str, list[str]] = field(default_factory=dict)  # source → its mappings; else all


def partition(*arguments: str, column: str = "id", table: str = "t*", schema: str = "$DB*") -> dict[str, Any]:
    return mapping("partition id", *arguments, column=column, table=table, schema=schema)


def mapping(
    expression: str, *arguments: str, column: str, table: str = "t*", schema: str = "$DB*", target: str = ""
) -> dict[str, Any]:
    return {
        "schema-pattern": schema,
        "table-pattern": table,
        "expression": expression,
        "source-column": column,
        "target-column": target or column,
        "arguments": list(arguments),
    }


def route(target: str = "t", pattern: str = "t*", **extracts: tuple[str, str]) -> dict[str, Any]:
    """All tables of the case that match go to ``target``; ``extracts``: what → (expression, column)."""
    to = {"target-table": target} if target else {}
    filled = {
        f"extract-{what}": {f"{what}-regexp": expression, "target-column": column}
        for what, (expression, column) in extracts.items()
    }
    return {"schema-pattern": "$DB*", "table-pattern": pattern, "target-schema": "$DB", **to, **filled}


def subtasks(
    sources: dict[str, RunningServer], target: RunningServer, schema: str, rules: Rules, mode: TaskMode
) -> list[SubtaskConfig]:
    """One for each source, as dm-master splits the task; schemas that begin with ``schema`` are migrated."""
    routes, mappings = (_named(blocks, schema) for blocks in (rules.routes, rules.mappings))
    task = TaskConfig.model_validate(
        {
            "name": schema,
            "task-mode": str(mode),
            "meta-schema": f"meta_{schema}",
            "target-database": {"host": target.host, "port": target.port, "user": "root"},
            "mysql-instances": [
                {
                    "source-id": source_id,
                    "route-rules": list(routes),
                    "block-allow-list": "own",
                    "column-mapping-rules": rules.per_source.get(source_id, list(mappings)),
                    "syncer": {"worker-count": 4, "checkpoint-flush-interval": 1},
                    "mydumper": {"rows": 100},
                }
                for source_id in sources
            ],
            "routes": routes,
            "column-mappings": mappings,
            "block-allow-list": {"own": {"do-dbs": [f"~^{schema}"]}},
        }
    )
    return split_task(
        task,
        {
            source_id: SourceConfig.model_validate(
                {"source-id": source_id, "from": {"host": server.host, "port": server.port, "user": "root"}}
            )
            for source_id, server in sources.items()
        },
    )


def _named(blocks: Any, schema: str) -> Any:
    """The blocks with the schema's name in its place."""
    if isinstance(blocks, dict):
        return {name: _named(block, schema) for name, block in blocks.items()}
    if isinstance(blocks, list):
        return [_named(block, schema) for block in blocks]
    return blocks.replace("$DB", schema)
