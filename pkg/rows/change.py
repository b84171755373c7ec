"""A row change, and the target table that it is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import itemgetter

from pkg.rows.folding import Folding, folding_of
from pkg.schema.local_times import fills_local_times
from pkg.schema.table import Column, Table

RowImage = tuple[bytes, ...]
"""SQL literals in the upstream's column order; NULL is ``b"NULL"``."""


class Kind(IntEnum):
    INSERT = 1
    UPDATE = 2
    DELETE = 3


def picker(ordinals: Sequence[int]) -> Callable[[RowImage], RowImage]:
    """A fast function that takes the given columns out of a row image, always as a tuple."""
    if len(ordinals) == 1:
        only = ordinals[0]
        return lambda image: (image[only],)
    if not ordinals:
        return lambda image: ()
    return itemgetter(*ordinals)


def quote(name: str) -> bytes:
    return b"`" + name.replace("`", "``").encode() + b"`"


@dataclass(frozen=True, slots=True)
class UniqueKeyPlan:
    """One downstream unique key, as ordinals into the upstream's row image."""

    ordinals: tuple[int, ...]
    folds: tuple[Folding | None, ...]  # how each column's collation compares; None: byte by byte
    prefixes: tuple[int | None, ...]  # characters of the column that the key sees


@dataclass(frozen=True, slots=True)
class TargetTable:
    """What applying a row image of one upstream table to its downstream table needs to know.

    ``columns`` are the downstream's, in the order of the row image.  ``written`` are the ordinals that
    statements name (generated columns are left to the target).  ``identity`` is the downstream's
    identity key in ordinals of the row image, () for a keyless table.
    """

    schema: str
    name: str
    columns: tuple[Column, ...]
    written: tuple[int, ...]
    set_by_updates: tuple[int, ...]  # of those written: ON UPDATE CURRENT_TIMESTAMP, so every UPDATE names them
    identity: tuple[int, ...]
    identity_folds: tuple[Folding | None, ...]
    unique_keys: tuple[UniqueKeyPlan, ...]  # those other than the identity
    qualified: bytes
    names: tuple[bytes, ...]  # quoted column names, by ordinal
    take_identity: Callable[[RowImage], RowImage]
    take_written: Callable[[RowImage], RowImage] | None  # None: every column is written
    group: bytes = b""  # the tables that foreign keys tie to this one, which share a channel; b"": none
    checks_keys: bool = True  # whether statements are to check the foreign keys
    unchecked: TargetTable | None = None  # the same, for changes that were made without checks
    seconds_ahead: Callable[[], int] | None = None  # of UTC, where the target fills columns with local times

    @property
    def keyless(self) -> bool:
        return not self.identity


def plan_target(
    upstream: Table, downstream: Table, group: bytes = b"", seconds_ahead: Callable[[], int] | None = None
) -> TargetTable:
    """How rows of ``upstream`` are written to ``downstream``.

    Keys are the downstream's, since its constraints are those that statements meet.  A downstream
    identity key over a column that the upstream lacks leaves the table keyless.  ``group`` names the
    tables that foreign keys, which are checked, tie to it; ``seconds_ahead`` is the clock of local times.
    Raises KeyError with the first upstream column that the downstream lacks.
    """
    ordinals = {column.name.lower(): i for i, column in enumerate(upstream.columns)}
    below = {column.name.lower(): column for column in downstream.columns}
    missing = [column.name for column in upstream.columns if column.name.lower() not in below]
    if missing:
        raise KeyError(missing[0])
    written = tuple(i for i, column in enumerate(upstream.columns) if not below[column.name.lower()].generated)
    identity = _ordinals([downstream.columns[i].name for i in downstream.identity_key], ordinals) or ()
    unique_keys = []
    for key in downstream.unique_keys:
        names = [downstream.columns[i].name for i in key.columns]
        key_ordinals = _ordinals(names, ordinals)
        if key_ordinals is None or key_ordinals == identity:
            continue  # a key over a column that rows do not carry cannot be compared here
        folds = tuple(folding_of(below[name.lower()].collation) for name in names)
        unique_keys.append(UniqueKeyPlan(key_ordinals, folds, key.prefixes))
    identity_folds = tuple(folding_of(below[upstream.columns[i].name.lower()].collation) for i in identity)
    planned = TargetTable(
        schema=downstream.schema,
        name=downstream.name,
        columns=tuple(below[column.name.lower()] for column in upstream.columns),
        written=written,
        set_by_updates=tuple(i for i in written if below[upstream.columns[i].name.lower()].on_update),
        identity=identity,
        identity_folds=identity_folds,
        unique_keys=tuple(unique_keys),
        qualified=quote(downstream.schema) + b"." + quote(downstream.name),
        names=tuple(quote(below[column.name.lower()].name) for column in upstream.columns),
        take_identity=picker(identity),
        take_written=None if len(written) == len(upstream.columns) else picker(written),
        group=group,
        seconds_ahead=seconds_ahead if fills_local_times(downstream, ordinals) else None,
    )
    return replace(planned, unchecked=replace(planned, checks_keys=False)) if group else planned


def _ordinals(names: Sequence[str], ordinals: dict[str, int]) -> tuple[int, ...] | None:
    found = [ordinals.get(name.lower()) for name in names]
    return None if None in found else tuple(i for i in found if i is not None)
