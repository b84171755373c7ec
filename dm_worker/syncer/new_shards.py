"""A table that is created upstream and joins a merged target, whose keys may hold its rows equal.

Outside of safe mode the second of two such rows pauses (36120); safe mode's REPLACE would take the first one away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.letter_case import small
from pkg.schema.merged_keys import CoarserKey, coarser_keys, unique_parts
from pkg.schema.table import Table

COARSER_KEY = ErrorKind(
    36209,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the statement at {place} creates {source}, which is merged into {target}; the key {key} there may hold rows of it "
    "equal, whose {keys}: one of two such rows would be lost",
    workaround="give {target} a key that tells apart what all merged tables do (ALTER TABLE … MODIFY … COLLATE "
    "utf8mb4_bin there, or a longer prefix), or route {source} elsewhere; then resume-task. on-duplicate: replace or "
    "ignore in `syncers` says which row stays",
)


def refuse_coarser_key(created: Table, others: Iterable[Table], present: Table, flavor: str, place: str) -> None:
    """Raise COARSER_KEY, but where one of the ``others`` that are merged has gone into such a key so far."""
    found = next(_coarser(created, present, flavor), None)
    if found is None or any(next(_coarser(one, present, flavor), None) is not None for one in others):
        return
    source, target = (f"{one.schema}.{one.name}" for one in (created, present))
    raise COARSER_KEY.error(place=place, source=source, target=target, key=found.key, keys=found.whose)


def _coarser(table: Table, present: Table, flavor: str) -> Iterator[CoarserKey]:
    carried = [small(column.name) for column in table.columns]
    found = coarser_keys(unique_parts(table), present, flavor, carried)
    return (one for one in found if one.is_alike and not one.is_calculated)
