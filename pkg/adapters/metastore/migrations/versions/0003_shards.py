"""The locks by which shard DDL is coordinated, per task."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("charset", "utf8mb4"), ("collate", "utf8mb4_bin"), ("engine", "InnoDB"))
}


def upgrade() -> None:
    op.create_table(
        "sparkdm_shards",
        sa.Column("task", sa.String(191), primary_key=True, nullable=False),
        sa.Column("document", sa.Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb"), nullable=False),
        **_OPTIONS,
    )


def downgrade() -> None:
    op.drop_table("sparkdm_shards")
