"""Schemas that belong to the server: never routed, never replicated."""

from __future__ import annotations

SYSTEM_SCHEMAS = frozenset(
    {
        "information_schema",
        "inspection_schema",
        "lightning_task_info",
        "metrics_schema",
        "mysql",
        "ndbinfo",
        "performance_schema",
        "sys",
        "tidb_cdc",
    }
)


def is_system_schema(schema: str) -> bool:
    return schema.lower() in SYSTEM_SCHEMAS
