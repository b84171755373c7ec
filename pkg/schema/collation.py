"""The collation of a target that comes nearest to one of the upstream.

What a collation tells apart matters in this order: whether case counts, then how trailing spaces and
accents are compared, then the order of letters.  A set that the target lacks becomes utf8mb4.
"""

from __future__ import annotations

from collections.abc import Collection

from pkg.schema.charset import Charset, charset_of_collation, collation_name

_UNICODE_SETS = ("utf8mb4", "utf8mb3", "ucs2", "utf16", "utf16le", "utf32")
_UCA1400 = "uca1400_"
_CASELESS = {
    "0900": ("utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci", "utf8mb4_unicode_520_ci", "utf8mb4_unicode_ci"),
    "unicode": ("utf8mb4_unicode_520_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_0900_ai_ci"),
    "general": ("utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci"),
}
_EXACT_NO_PAD = ("utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_bin")
_EXACT = ("utf8mb4_bin", "utf8mb4_0900_bin")


def nearest(collation: str, available: Collection[str]) -> Charset:
    """What to write for ``collation`` on a server that has the ``available`` ones, in that server's names.

    A server that lists nothing that would do gets utf8mb4_bin, which all have.
    """
    name = collation_name(collation)
    own = _known_as(name, available)
    if own is not None:
        return own
    for candidate in _candidates(name):
        found = _known_as(candidate, available)
        if found is not None:
            return found
    return Charset("utf8mb4", "utf8mb4_bin")


def _known_as(collation: str, available: Collection[str]) -> Charset | None:
    """The server's own name of a collation, if it has it."""
    charset = charset_of_collation(collation) or "utf8mb4"
    if collation in available:
        return Charset(charset, collation)
    if charset == "utf8mb3":
        old = collation.replace("utf8mb3_", "utf8_", 1)
        return Charset("utf8", old) if old in available else None
    # MariaDB lists the collations that all Unicode sets share under their short names.
    short = collation.removeprefix(f"{charset}_")
    shared = charset in _UNICODE_SETS and short.startswith(_UCA1400) and short in available
    return Charset(charset, collation) if shared else None


def is_exact(collation: str) -> bool:
    """Whether case counts."""
    return collation == "binary" or collation.endswith(("_bin", "_cs"))


def _candidates(collation: str) -> tuple[str, ...]:
    charset = charset_of_collation(collation) or "utf8mb4"
    no_pad = "_0900_" in collation or "nopad" in collation
    if is_exact(collation):
        own = () if charset == "utf8mb4" else (f"{charset}_bin",)
        return own + (_EXACT_NO_PAD if no_pad else _EXACT)
    if no_pad or _UCA1400 in collation:
        return _CASELESS["0900"]
    return _CASELESS["unicode" if "_unicode" in collation else "general"]


def note_on(what: str, collation: str, chosen: Charset) -> str:
    """The sentence for a log about a collation that became another one; '' when it did not."""
    if collation_name(chosen.collation) == collation_name(collation):
        return ""
    lost = "" if is_exact(collation) == is_exact(chosen.collation) else "; whether case counts is another matter there"
    return f"{what}: the target lacks {collation}, {chosen.collation} is used instead{lost}"
