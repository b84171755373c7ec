"""A row change, and the target table that it is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import itemgetter

from pkg.rows.conditions import compares_apart, has_own_forms, has_several_kinds, key_writer, row_texts
from pkg.rows.folding import Folding, column_folding
from pkg.rows.held_values import literal_class
from pkg.rows.tolerance import NO_TOLERANCE, Tolerance, tolerance
from pkg.schema.letter_case import small
from pkg.schema.local_times import fills_local_times
from pkg.schema.mapping import stores_unicode
from pkg.schema.table import Column, Table

_DISTINCT = re.compile(r"\b(uuid\w*|sys_guid|nextval)\(", re.ASCII | re.IGNORECASE)  # whose values are all different

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

    number: int  # among the target's unique keys, the same for all tables that are merged there; -1: the identity
    ordinals: tuple[int, ...]
    folds: tuple[Folding | None, ...]  # how the target compares each column; None: byte by byte
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
    unique_keys: tuple[UniqueKeyPlan, ...]  # those other than the identity, and it, too, where UPDATEs change it
    qualified: bytes
    names: tuple[bytes, ...]  # quoted column names, by ordinal
    take_identity: Callable[[RowImage], RowImage]
    take_written: Callable[[RowImage], RowImage] | None  # None: every column is written
    several_kinds: tuple[int, ...] = ()  # of those written: columns whose literals do not mix in one expression
    write_key: Callable[[RowImage], RowImage] | None = None  # an identity as it is compared; None: as it is
    has_own_forms: bool = False  # some values of the identity are compared in a form of their own
    compares_apart: bool = False  # keys of several columns are compared column by column
    may_miss: bool = False  # a change that finds no row is no difference: rules keep rows from this table
    group: bytes = b""  # the tables that foreign keys tie to this one, which share a channel; b"": none
    never_null: tuple[int, ...] = ()  # columns that may be NULL upstream, and for whose NULL the target has a value
    calculated: tuple[int, ...] = ()  # STORED columns upstream that the target calculates: it must have the same values
    row_text: bytes = b""  # what makes a text of these and the identity (see conditions.row_texts); b"": there is none
    tolerance: Tolerance = NO_TOLERANCE  # what a strict session refuses of it, and is the upstream's all the same
    checks_keys: bool = True  # whether statements are to check the foreign keys
    unchecked: TargetTable | None = None  # the same, for changes that were made without checks
    own_columns: tuple[str, ...] = ()  # of the target alone: what they hold goes with the row, so an UPDATE stays one
    seconds_ahead: Callable[[], int] | None = None  # of UTC, where the target fills columns with local times
    is_reassigned: bool = False  # an earlier run may have given its rows to other channels

    @property
    def keyless(self) -> bool:
        return not self.identity


def plan_target(
    upstream: Table,
    downstream: Table,
    group: bytes = b"",
    seconds_ahead: Callable[[], int] | None = None,
    *,
    flavor: str = "",
    may_miss: bool = False,
    keeps_own: bool = True,
    compares_stored: bool = True,
) -> TargetTable:
    """How rows of ``upstream`` are written to ``downstream``, a table of a server of this ``flavor``.

    Keys are the downstream's, since its constraints are those that statements meet.  A downstream
    identity key over a column that the upstream lacks leaves the table keyless.  ``group`` names the
    tables that foreign keys, which are checked, tie to it; ``seconds_ahead`` is the clock of local times.
    ``keeps_own``: an UPDATE that changes a key keeps what columns hold that only ``downstream`` has.
    ``compares_stored``: rows are as upstream, so what the target calculates of them has to be, too.
    Raises KeyError with the first upstream column that the downstream lacks.
    """
    ordinals = {small(column.name): i for i, column in enumerate(upstream.columns)}
    below = {small(column.name): column for column in downstream.columns}
    missing = [column.name for column in upstream.columns if small(column.name) not in below]
    if missing:
        raise KeyError(missing[0])
    written = tuple(i for i, column in enumerate(upstream.columns) if not below[small(column.name)].generated)
    identity = _ordinals([downstream.columns[i].name for i in downstream.identity_key], ordinals) or ()
    held = ((column, _as_held(below[small(column.name)], flavor)) for column in upstream.columns)
    columns = tuple(_with_digits(above, there) for above, there in held)
    of_identity = [columns[i] for i in identity]
    own = own_columns(upstream, downstream) if keeps_own else ()
    folds = tuple(map(column_folding, upstream.columns, columns))
    identity_folds = tuple(folds[i] for i in identity)
    unique_keys = tuple(_unique_keys(upstream, downstream, identity, folds))
    if own and identity:  # a key's change crosses channels as that of another unique value does
        unique_keys += (UniqueKeyPlan(-1, identity, identity_folds, (None,) * len(identity)),)
    names = tuple(quote(below[small(column.name)].name) for column in upstream.columns)
    calculated = tuple(
        i
        for i, one in enumerate(upstream.columns)
        if compares_stored and i not in written and _is_comparable(one, below[small(one.name)])
    )
    planned = TargetTable(
        schema=downstream.schema,
        name=downstream.name,
        columns=columns,
        written=written,
        set_by_updates=tuple(i for i in written if below[small(upstream.columns[i].name)].on_update),
        identity=identity,
        identity_folds=identity_folds,
        unique_keys=unique_keys,
        qualified=quote(downstream.schema) + b"." + quote(downstream.name),
        names=names,
        take_identity=picker(identity),
        take_written=None if len(written) == len(upstream.columns) else picker(written),
        several_kinds=tuple(i for i in written if has_several_kinds(columns[i])),
        write_key=key_writer([upstream.columns[i] for i in identity], of_identity, flavor),
        has_own_forms=any(map(has_own_forms, of_identity)),
        compares_apart=compares_apart(of_identity, flavor),
        may_miss=may_miss,
        group=group,
        calculated=calculated,
        row_text=_row_text(upstream.columns, columns, names, identity, calculated),
        tolerance=tolerance(upstream.columns, downstream),
        never_null=tuple(
            i for i in written if _makes_value(upstream.columns[i], below[small(upstream.columns[i].name)])
        ),
        own_columns=own,
        seconds_ahead=seconds_ahead if fills_local_times(downstream, ordinals) else None,
    )
    return replace(planned, unchecked=replace(planned, checks_keys=False)) if group else planned


def _row_text(
    above: Sequence[Column],
    below: Sequence[Column],
    names: Sequence[bytes],
    key: tuple[int, ...],
    others: tuple[int, ...],
) -> bytes:
    """Of rows that are found by their key, which is none of the values in doubt."""
    if not key or not others or not set(key).isdisjoint(others):
        return b""
    take = itemgetter(*key, *others)
    return row_texts(take(above), take(below), take(names))


def _is_comparable(above: Column, below: Column) -> bool:
    """Whether a generated column's values are in the rows, and written in one way: texts of documents are not."""
    return above.generated == "STORED" and "json" not in (above.base_type, below.base_type)


def own_columns(upstream: Table, downstream: Table) -> tuple[str, ...]:
    """Columns that only ``downstream`` has, and that hold what rows of the stream do not say."""
    return tuple(one.name for one in downstream.columns if not one.generated and upstream.column(one.name) is None)


def _as_held(column: Column, flavor: str) -> Column:
    """With the set that the target holds its text in: UTF-8 in TiDB, which refuses to compare what it has converted to
    GBK ("Data Too Long").
    """
    if column.charset in (None, "binary") or not stores_unicode(flavor):
        return column
    return replace(column, charset="utf8mb4")


def _with_digits(above: Column, below: Column) -> Column:
    """TiDB shows a FLOAT(M,0) as a FLOAT."""
    is_shortened = below.type == "float" and above.base_type == "float" and "," in above.type
    return replace(below, type=above.type) if is_shortened else below


def _unique_keys(
    upstream: Table, downstream: Table, identity: tuple[int, ...], folds: tuple[Folding | None, ...]
) -> Iterator[UniqueKeyPlan]:
    """How the target's unique keys, other than the identity, are compared.

    What rows do not carry is left out of a key, so that more rows than those that are equal wait for each other.
    """
    carried = {
        small(above.name): ordinal
        for ordinal, above in enumerate(upstream.columns)
        if above.generated or not _is_generated(downstream, above.name)
    }
    for number, key in enumerate(downstream.unique_keys):
        parts = list(zip([downstream.columns[i] for i in key.columns], key.prefixes, strict=True))
        known = [(column, prefix) for column, prefix in parts if small(column.name) in carried]
        if any(small(column.name) not in carried and _never_collides(column) for column, _ in parts):
            continue
        ordinals = tuple(carried[small(column.name)] for column, _ in known)
        prefixes = tuple(prefix for _, prefix in known)
        if len(known) == len(parts) and ordinals == identity and not any(prefixes):
            continue
        yield UniqueKeyPlan(number, ordinals, tuple(folds[ordinal] for ordinal in ordinals), prefixes)


def _is_generated(table: Table, name: str) -> bool:
    column = table.column(name)
    return column is not None and bool(column.generated)


def _never_collides(column: Column) -> bool:
    """Whether a column that only the target has keeps all rows apart: NULL, or numbered, or never the same twice."""
    if column.generated:
        return False
    return column.auto_increment or column.default == "NULL" or _DISTINCT.search(column.default or "") is not None


def planned_by(column: Column) -> str:
    """What of an upstream column, besides its name, makes the plan another one."""
    shown = column.type if column.labels or "," in column.type else literal_class(column)
    return f"{shown} {column.nullable} {column.generated}"


def _makes_value(above: Column, below: Column) -> bool:
    """Whether the target writes a value of its own where the upstream has NULL."""
    return above.nullable and not below.nullable and (below.auto_increment or below.base_type == "timestamp")


def _ordinals(names: Sequence[str], ordinals: dict[str, int]) -> tuple[int, ...] | None:
    found = [ordinals.get(small(name)) for name in names]
    return None if None in found else tuple(i for i in found if i is not None)
