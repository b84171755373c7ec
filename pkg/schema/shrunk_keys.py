"""Keys that lose a column with DROP COLUMN: TiDB drops no column of a key that has several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pkg.schema.alter import DropColumn
from pkg.schema.column_types import is_bulky
from pkg.schema.statement import Ddl
from pkg.schema.table import Index, Table


def drops_columns(ddl: Ddl) -> bool:
    return any(isinstance(one, DropColumn) for one in ddl.alterations)


def shrunk_keys(ddl: Ddl, present: Table, after: Table | None) -> Iterator[tuple[Index, bool]]:
    """The keys of the target's table ``present`` that have fewer columns behind the statement, as they are then.

    With each whether it stays: ``after`` is the table upstream behind the whole statement, None where it is not known.
    """
    dropped = {one.name.lower() for one in ddl.alterations if isinstance(one, DropColumn)}
    for index in present.indexes:
        parts = list(zip(index.columns, index.prefixes, strict=True))
        left = [(name, prefix) for name, prefix in parts if name.lower() not in dropped]
        last = after.index(index.name) if after is not None else None
        is_made_again = last is not None and not dropped.isdisjoint(name.lower() for name in last.columns)
        if left and len(left) < len(parts) and not index.primary and not is_made_again:
            columns, prefixes = zip(*left, strict=True)
            yield replace(index, columns=columns, prefixes=prefixes), after is None or last is not None


def lost_keys(ddl: Ddl, before: Table, present: Table, after: Table | None) -> Iterator[Index]:
    """Those of the upstream's table ``before`` that the target lacks, since an earlier run dropped them."""
    for index, stays in shrunk_keys(ddl, before, after):
        columns = [before.column(name) for name in index.columns]
        is_plain = not any(one is None or is_bulky(one.base_type) for one in columns)
        if stays and is_plain and present.index(index.name) is None:
            yield index
