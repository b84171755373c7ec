"""The views of the upstream that a task takes, in the server's own words."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dm_worker.dumper.source_tables import Skipped
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import UNKNOWN_TABLE
from pkg.errors import DMError
from pkg.schema.view_text import Name

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A view as the upstream or a dump has it."""

    schema: str
    name: str
    sql: str
    collation: str = ""  # of the connection that made it: literals in it have this one
    schema_collation: str = ""

    @property
    def full_name(self) -> Name:
        return self.schema, self.name


@dataclass(slots=True)
class FoundViews:
    """Views, and why the text of others cannot be had."""

    views: list[SourceView] = field(default_factory=list)
    left_out: dict[Name, str] = field(default_factory=dict)


def read_views(connection: Connection, listed: Iterable[Skipped], schemas: Mapping[str, str]) -> FoundViews:
    """The views among ``listed``; ``schemas`` are the schemas' collations.

    The connection has no current database: so every name comes with its schema.
    """
    found = FoundViews()
    for one in listed:
        if one.kind != "VIEW":
            continue
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SHOW CREATE VIEW {quoted(one.schema)}.{quoted(one.name)}")
                row = cursor.fetchone()
        except DMError as exc:
            if exc.resumable:
                raise
            if UNKNOWN_TABLE.matches(exc):
                log.info("view is gone: schema=%s view=%s", one.schema, one.name)
            else:
                found.left_out[one.schema, one.name] = f"the upstream does not show it: {exc.message}"
            continue
        assert row is not None, "SHOW CREATE gives one row"
        sql, collation = str(row[1]), str(row[3] or "")
        found.views.append(SourceView(one.schema, one.name, sql, collation, schemas.get(one.schema, "")))
    return found
