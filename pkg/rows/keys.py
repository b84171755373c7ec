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
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a"}
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "ı": "i", "ŋ": "n", "ŧ": "t"}
)
_KATAKANA = {katakana: katakana - 0x60 for katakana in range(0x30A1, 0x30F7)}
_COMBINING_LETTER = re.compile(r"COMBINING ((?:LATIN SMALL|CYRILLIC) LETTER \S+)(?: WITH .*)?")
_IGNORABLE = frozenset({"Mn", "Me", "Cc", "Cf"})


def fold(literal: bytes, prefix: int | None = None) -> bytes:
    """A text literal without what collations disregard: case, accents, width, ignorable and trailing characters.

    With ``prefix``, of its first characters.
    """
    if _PLAIN.fullmatch(literal):
        folded = literal[1:-1][:prefix].rstrip().lower()
        return folded if b"ss" not in folded else re.sub(rb"s+", b"s", folded)
    return _fold_text(literal, prefix)


@lru_cache(maxsize=4096)
def _fold_text(literal: bytes, prefix: int | None) -> bytes:
    if not literal.startswith(b"'"):
        return literal  # hexadecimal: no text of the column's character set
    text = _ESCAPE.sub(lambda escape: _CONTROLS.get(escape[1], escape[1]), literal.decode("utf-8", "replace")[1:-1])
    folded = _without_marks(_without_case(_without_marks(text[:prefix])))
    return folded.rstrip().encode("utf-8", "replace")


def _without_marks(text: str) -> str:
    """Before case is folded, which makes letters of some marks."""
    return "".join(_weight(character) for character in unicodedata.normalize("NFKD", text))


def _without_case(text: str) -> str:
    """`ß` is one s to utf8mb4_general_ci and two to the others: runs of s are one."""
    return re.sub("s+", "s", text.casefold().translate(_LETTERS).translate(_KATAKANA))


def _weight(character: str) -> str:
    if ord(character) > 0xFFFF:
        return "\ufffd"  # the older collations give all supplementary characters one weight
    if unicodedata.category(character) in _IGNORABLE:
        return _letter_of_mark(character)
    return str(unicodedata.digit(character, character))


@lru_cache(maxsize=4096)
def _letter_of_mark(character: str) -> str:
    """The letter that is written as a mark above others, which weighs what the letter does; "" of other marks."""
    found = _COMBINING_LETTER.fullmatch(unicodedata.name(character, ""))
    try:
        return unicodedata.lookup(found[1]) if found is not None else ""
    except KeyError:
        return ""


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
        # Cutting a literal to `prefix` bytes sees at most the key's `prefix` characters: it may only join more values.
        yield fold(value, prefix) if folded else value[:prefix]
