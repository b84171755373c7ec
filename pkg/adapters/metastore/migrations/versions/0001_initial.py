"""The first tables.

They are written out here and not taken from models.py, which goes on changing.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_LONG = sa.Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")
_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("charset", "utf8mb4"), ("collate", "utf8mb4_bin"), ("engine", "InnoDB"))
}
_TABLES = {
    "sources": (("source",), {"text": "text", "wire": "text"}),
    "tasks": (("task",), {"text": "text"}),
    "subtasks": (("task", "source"), {"stage": "name", "revision": "number", "wire": "text"}),
    "workers": (("worker",), {"address": "name", "config": "text"}),
    "bounds": (("source",), {"worker": "name", "bind_epoch": "number", "last_worker": "name"}),
}


def _column(name: str, kind: str) -> sa.Column[Any]:
    types: dict[str, Any] = {"name": sa.String(191), "text": _LONG, "number": sa.BigInteger(), "float": sa.Float(53)}
    return sa.Column(name, types[kind], nullable=False)


def upgrade() -> None:
    for table, (keys, columns) in _TABLES.items():
        parts = [sa.Column(key, sa.String(191), primary_key=True, nullable=False) for key in keys]
        op.create_table(
            f"sparkdm_{table}", *parts, *(_column(name, kind) for name, kind in columns.items()), **_OPTIONS
        )
    single = sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False)
    op.create_table("sparkdm_revision", single, _column("revision", "number"), **_OPTIONS)
    leader = {"name": "name", "address": "name", "epoch": "number", "expires_at": "float", "writes": "number"}
    op.create_table(
        "sparkdm_leader",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        *(_column(name, kind) for name, kind in leader.items()),
        **_OPTIONS,
    )


def downgrade() -> None:
    for table in (*_TABLES, "revision", "leader"):
        op.drop_table(f"sparkdm_{table}")
