"""Keys of a target whose collation may hold two rows equal that are different upstream.

Tables that are created here have none (collation.py); one that was there may, or a column that gets its key later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pkg.schema.collation import may_join
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.table import Table


@dataclass(frozen=True, slots=True)
class JoiningColumn:
    """A column of a unique key of the target, and both collations."""

    name: str
    upstream: str
    target: str


def joining_columns(upstream: Table, downstream: Table, flavor: str) -> Iterator[JoiningColumn]:
    """Of the target's unique keys; ``flavor`` is the target's."""
    wanted = {ordinal for key in downstream.unique_keys for ordinal in key.columns}
    for below in (downstream.columns[ordinal] for ordinal in sorted(wanted)):
        above = upstream.column(below.name)
        if above is None or not above.collation or not below.collation:
            continue
        is_text = {above.base_type, below.base_type} <= TEXT_TYPES - {"enum", "set"}
        if is_text and may_join(above.collation, below.collation, flavor):
            yield JoiningColumn(below.name, above.collation, below.collation)
