"""Which sources have a relay log, and what is ordered of it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("charset", "utf8mb4"), ("collate", "utf8mb4_bin"), ("engine", "InnoDB"))
}


def upgrade() -> None:
    op.create_table(
        "sparkdm_relays",
        sa.Column("source", sa.String(191), primary_key=True, nullable=False),
        sa.Column("stage", sa.String(191), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("purge_number", sa.BigInteger(), nullable=False),
        sa.Column("purge_file", sa.String(512), nullable=False),
        sa.Column("purge_sub_dir", sa.String(512), nullable=False),
        **_OPTIONS,
    )


def downgrade() -> None:
    op.drop_table("sparkdm_relays")
