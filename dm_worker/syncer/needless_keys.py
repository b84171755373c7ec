"""Keys that TiDB makes for foreign keys which an ALTER TABLE adds, and that the upstream has not: dropped behind it."""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.syncer.servers import Downstream
from pkg.schema.alter import AddForeignKey
from pkg.schema.lexer import quote_name
from pkg.schema.references import needless_keys
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table


def to_drop(downstream: Downstream, piece: Ddl, after: Table | None, target: TableName) -> Iterator[str]:
    """Statements, which may be repeated; ``after``: the upstream's table behind the whole statement."""
    adds = any(isinstance(one, AddForeignKey) for one in piece.alterations)
    there = downstream.table(target.schema, target.table) if adds and downstream.server.flavor == "tidb" else None
    for name in needless_keys(there) if there is not None and after is not None else ():
        if after is not None and after.index(name) is None:
            yield f"ALTER TABLE {target.quoted()} DROP KEY {quote_name(name)}"
