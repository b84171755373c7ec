"""Alembic environment of the metastore."""
