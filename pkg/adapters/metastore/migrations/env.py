"""Runs the migrations on the connection that ``engine.migrate`` hands over."""

from __future__ import annotations

from alembic import context

from pkg.adapters.metastore.models import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="sparkdm_schema_version",
)
with context.begin_transaction():
    context.run_migrations()
