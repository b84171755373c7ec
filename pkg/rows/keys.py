"""Causality keys: literals as the collation of their column compares them.

Two values that the target calls equal must give one key; two that it tells apart may share one,
which only costs waiting (DESIGN.md §4.3).  The target's own collation is never asked: folding goes
by Unicode decomposition, which joins all that utf8mb4's general, unicode and 0900 collations join
among assigned letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from pkg.rows.change import RowImage, TargetTable, UniqueKeyPlan

NULL = b"NULL"

_PLAIN = re.compile(rb"'[ -&(-\[\]-~]*'")
_ESCAPED_CONTROL = re.compile(r"\\[0nrtbZ]")
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "ı": "i", "ŋ": "n", "ŧ": "t"}
)
_KATAKANA = {katakana: katakana - 0x60 for katakana in range(0x30A1, 0x30F7)}
_IGNORABLE = frozenset({"Mn", "Me", "Cc", "Cf"})


def fold(literal: bytes) -> bytes:
    """A text literal without what collations disregard: case, accents, width, ignorable and trailing characters."""
    if _PLAIN.fullmatch(literal):
        return literal[1:-1].rstrip().lower()
    return _fold_text(literal)


@lru_cache(maxsize=4096)
def _fold_text(literal: bytes) -> bytes:
    text = _ESCAPED_CONTROL.sub("", literal.decode("utf-8", "replace").strip("'"))
    folded = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS).translate(_KATAKANA)
    kept = "".join(_weight(character) for character in unicodedata.normalize("NFKD", folded))
    return kept.rstrip().encode("utf-8", "replace")


def _weight(character: str) -> str:
    if ord(character) > 0xFFFF:
        return "\ufffd"  # the older collations give all supplementary characters one weight
    return "" if unicodedata.category(character) in _IGNORABLE else character


def fold_identity(table: TargetTable, key: RowImage) -> RowImage:
    """The identity ``key`` as the target compares it; the same object where nothing is folded."""
    if True not in table.identity_folded:
        return key
    return tuple(fold(value) if folded else value for value, folded in zip(key, table.identity_folded, strict=True))


def unique_values(table: TargetTable, image: RowImage) -> Iterator[tuple[object, ...]]:
    """The values of ``image`` in the target's other unique keys; a value with NULL constrains nothing."""
    for number, plan in enumerate(table.unique_keys):
        values = [image[ordinal] for ordinal in plan.ordinals]
        if NULL not in values:
            yield (table.qualified, number, *_folded_values(plan, values))


def _folded_values(plan: UniqueKeyPlan, values: list[bytes]) -> Iterator[bytes]:
    for value, folded, prefix in zip(values, plan.folded, plan.prefixes, strict=True):
        seen = fold(value) if folded else value
        # Cutting to `prefix` bytes sees at most the key's `prefix` characters: it may only join more values.
        yield seen if prefix is None else seen[:prefix]
