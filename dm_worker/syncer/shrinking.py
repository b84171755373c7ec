"""DROP COLUMN in TiDB where a key has the column and others: the key goes before, and comes again behind it."""

from __future__ import annotations

from dataclasses import dataclass

from dm_worker.syncer.servers import Downstream
from pkg.schema.key_collation import added_key
from pkg.schema.lexer import quote_name
from pkg.schema.shrunk_keys import drops_columns, lost_keys, shrunk_keys
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table

NO_SUCH_KEY = 1091
KEY_IS_THERE = 1061


@dataclass(frozen=True, slots=True)
class Around:
    """Statements that run before and behind a DROP COLUMN; each may be repeated."""

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


def to_shrink(
    downstream: Downstream, piece: Ddl, known: tuple[Table | None, Table | None], target: TableName, *, repeated: bool
) -> Around:
    """``known``: the upstream's table before and after the whole statement; ``repeated``: an earlier run began it."""
    if downstream.server.flavor != "tidb" or not drops_columns(piece):
        return Around()
    present = downstream.table(target.schema, target.table)
    if present is None:
        return Around()
    before, after = known
    keys = list(shrunk_keys(piece, present, after))
    lost = lost_keys(piece, before, present, after) if repeated and before is not None else ()
    table = target.quoted()
    return Around(
        tuple(f"ALTER TABLE {table} DROP KEY {quote_name(index.name)}" for index, _ in keys),
        tuple(added_key(table, index) for index in (*(index for index, stays in keys if stays), *lost)),
    )
