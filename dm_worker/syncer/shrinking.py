"""Keys that TiDB lets stand in the way: they go before the statement, and come again behind it.

So it is with DROP COLUMN where a key has the column and others, and with a new collation of a column that has a key.
"""

from __future__ import annotations

from dataclasses import dataclass

from dm_worker.syncer.downstream import Downstream
from pkg.schema.key_collation import added_key
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.shrunk_keys import (
    added_columns,
    by_old_names,
    changes_collations,
    drops_columns,
    lost_keys,
    lost_recollated,
    recollated_keys,
    shrunk_keys,
)
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Index, Table

NO_SUCH_KEY = 1091
KEY_IS_THERE = 1061


@dataclass(frozen=True, slots=True)
class Around:
    """Statements that run before and behind another one; each may be repeated.  ``undoing``: where that is refused."""

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    undoing: tuple[str, ...] = ()


def to_shrink(
    downstream: Downstream,
    piece: Ddl,
    whole: Ddl,
    known: tuple[Table | None, Table | None],
    target: TableName,
    *,
    repeated: bool,
) -> Around:
    """``known``: the upstream's table before and after the statement ``whole``, which ``repeated`` may have begun."""
    drops, recollates = drops_columns(piece), changes_collations(piece)
    if downstream.server.flavor != "tidb" or not (drops or recollates):
        return Around()
    present = downstream.table(target.schema, target.table)
    if present is None:
        return Around()
    return (
        _shrunk(piece, whole, known, present, target.quoted(), repeated)
        if drops
        else _recollated(piece, known, present, target.quoted(), repeated)
    )


def _recollated(
    piece: Ddl, known: tuple[Table | None, Table | None], present: Table, table: str, repeated: bool
) -> Around:
    before, after = known
    if before is None or after is None:
        return Around()
    keys = list(recollated_keys(piece, before, after, present))
    lost = list(lost_recollated(piece, before, after, present)) if repeated else []
    order = [small(index.name) for index in before.indexes]
    again = sorted(
        (*(behind for _, behind in keys), *lost),
        key=lambda one: order.index(small(one.name)) if small(one.name) in order else len(order),
    )
    return Around(
        tuple(_dropped(table, index) for index, _ in keys),
        tuple(added_key(table, index) for index in again),
        tuple(added_key(table, index) for index, _ in keys),
    )


def _dropped(table: str, index: Index) -> str:
    return f"ALTER TABLE {table} DROP KEY {quote_name(index.name)}"


def _shrunk(
    piece: Ddl,
    whole: Ddl,
    known: tuple[Table | None, Table | None],
    present: Table,
    table: str,
    repeated: bool,
) -> Around:
    (before, after), added = known, added_columns(whole)
    after = by_old_names(whole, after) if after is not None else None
    keys = list(shrunk_keys(piece, added, present, after))
    there = by_old_names(whole, present)
    lost = lost_keys(piece, added, before, there, after) if repeated and before is not None else ()
    old = [present.index(index.name) for index, _ in keys]
    return Around(
        tuple(_dropped(table, index) for index, _ in keys),
        tuple(added_key(table, index) for index in (*(index for index, stays in keys if stays), *lost)),
        tuple(added_key(table, index) for index in old if index is not None),
    )
