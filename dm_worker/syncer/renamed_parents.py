"""Tables that go to another database under the same name, which TiDB's foreign keys do not follow.

TiDB renews the foreign keys that refer to a table only where RENAME changes the table's own name: with the database
alone they stay, and refer to what is not there, or to another table.  Nothing cascades from there on.
"""

from __future__ import annotations

from collections.abc import Callable

from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope, listed
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, TableName

LEFT_KEYS = ErrorKind(
    36302,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{old} goes to another database at {place}, and TiDB would leave the foreign keys of {children} at the old one: "
    "{sql}",
    workaround="run `{first}` and `{last}` there, in these two steps, which foreign keys follow; then `dmctl binlog "
    "skip <task>`",
)


def refuse_left_keys(downstream: Downstream, piece: Ddl, routed: Callable[[TableName], TableName], place: str) -> None:
    """Raise LEFT_KEYS where the target is a TiDB that has foreign keys to a table which changes its database alone."""
    if downstream.server.flavor != "tidb":
        return
    for name, new_name in piece.renames:
        old, new = routed(name), routed(new_name)
        if old.schema == new.schema or small(old.table) != small(new.table):
            continue
        found = (child for child, parent in downstream.references() if _is(old, TableName(*parent)))
        children = sorted({TableName(*child).quoted() for child in found})
        if children:
            middle = TableName(new.schema, f"{new.table[:58]}_moved")
            raise LEFT_KEYS.error(
                old=old.quoted(), place=place, children=listed(children), sql=shortened(piece.text),
                first=f"RENAME TABLE {old.quoted()} TO {middle.quoted()}",
                last=f"RENAME TABLE {middle.quoted()} TO {new.quoted()}",
            )  # fmt: skip


def _is(one: TableName, other: TableName) -> bool:
    return (small(one.schema), small(one.table)) == (small(other.schema), small(other.table))
