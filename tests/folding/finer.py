"""Whether one collation tells apart all strings that another one does, by the weights that servers give (pure)."""

from __future__ import annotations

from collections.abc import Mapping

from tests.folding.congruence import Weight, Word


def joined_by(finer: Mapping[int, Word], collation: Mapping[int, Word]) -> list[str]:
    """Characters that make strings equal in ``finer`` which ``collation`` holds different; none: it is as fine.

    Both map code points to words of weights.  ``finer`` is as fine where ``collation``'s words follow from its own:
    each weight of ``finer`` stands for one word of ``collation``, and that of a word is the one of its weights in order.
    """
    stands_for: dict[Weight, Word] = {}
    found = []
    for point, word in finer.items():
        if point in collation and len(word) < 2:
            wanted = stands_for.setdefault(word[0], collation[point]) if word else ()
            found += [chr(point)] if wanted != collation[point] else []
    unknown: dict[Word, Word] = {}
    for point, word in finer.items():
        if point in collation and len(word) > 1:
            parts = [stands_for.get(weight) for weight in word]
            known = tuple(weight for part in parts for weight in part or ())
            wanted = unknown.setdefault(word, collation[point]) if None in parts else known
            found += [chr(point)] if wanted != collation[point] else []
    return found
