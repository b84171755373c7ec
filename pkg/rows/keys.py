"""Causality keys: literals as the target's column compares them.

Two values that the target calls equal must give one key; two that it tells apart may share one,
which only costs waiting (DESIGN.md §4.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.rows.change import RowImage, TargetTable, UniqueKeyPlan
from pkg.rows.folding import folding_of

NULL = b"NULL"


def fold(literal: bytes, prefix: int | None = None, *, collation: str | None) -> bytes:
    """A literal, or its first ``prefix`` characters, as ``collation`` compares it."""
    folding = folding_of(collation)
    return literal[:prefix] if folding is None else folding.fold(literal, prefix)


def fold_identity(table: TargetTable, key: RowImage) -> RowImage:
    """The identity ``key`` as the target compares it; the same object where nothing is folded."""
    if not any(table.identity_folds):
        return key
    pairs = zip(key, table.identity_folds, strict=True)
    return tuple([value if folding is None else folding.fold(value) for value, folding in pairs])


def unique_values(table: TargetTable, image: RowImage) -> Iterator[tuple[object, ...]]:
    """The values of ``image`` in the target's other unique keys; a value with NULL constrains nothing."""
    for plan in table.unique_keys:
        values = [image[ordinal] for ordinal in plan.ordinals]
        if NULL not in values:
            yield (table.qualified, plan.number, *_folded_values(plan, values))


def _folded_values(plan: UniqueKeyPlan, values: list[bytes]) -> Iterator[bytes]:
    for value, folding, prefix in zip(values, plan.folds, plan.prefixes, strict=True):
        # Cutting a literal to `prefix` bytes sees at most the key's `prefix` characters: it may only join more values.
        yield value[:prefix] if folding is None else folding.fold(value, prefix)
