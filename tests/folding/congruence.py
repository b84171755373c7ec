"""The coarsest way to write strings that joins all that several servers join (pure).

A collation turns each character into a word of weights, and calls strings equal whose words are.  Servers that
disagree, and pairs of characters that weigh something else together (contractions), are relations between words.
Each is made true by joining weights, or by leaving weights out: strings only become more equal by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Weight = tuple[Any, ...]
Word = tuple[Weight, ...]
_FIRST_INVENTED = 0xD800  # surrogates: no text has them


class Congruence:
    """Weights, some joined and some left out."""

    def __init__(self) -> None:
        self._parents: dict[Weight, Weight] = {}
        self._dropped: set[Weight] = set()

    def root(self, weight: Weight) -> Weight:
        while (parent := self._parents.get(weight, weight)) != weight:
            self._parents[weight] = self._parents.get(parent, parent)
            weight = parent
        return weight

    def reduced(self, word: Iterable[Weight]) -> Word:
        roots = (self.root(weight) for weight in word)
        return tuple(root for root in roots if root not in self._dropped)

    def relate(self, one: Iterable[Weight], other: Iterable[Weight]) -> None:
        """Make two words equal."""
        left, right = _without_ends(self.reduced(one), self.reduced(other))
        if len(left) == len(right) == 1:
            self._parents[left[0]] = right[0]
        elif sorted(left) == sorted(right):
            self._dropped.update(left[:1])  # two that change places: the first is a vowel written before its consonant
            if len(left) > 2:
                self._dropped.update(left[1:])
        else:
            self._dropped.update(left, right)


def _without_ends(left: Word, right: Word) -> tuple[Word, Word]:
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return left, right


def replacements(words: Mapping[int, Word], joined: Congruence) -> dict[str, str]:
    """What to write for each character so that strings are equal where their words are."""
    reduced = {point: joined.reduced(word) for point, word in words.items()}
    letters = dict(_letters(reduced))
    written = {chr(point): "".join(letters[weight] for weight in word) for point, word in sorted(reduced.items())}
    return {character: new for character, new in written.items() if new != character}


def _letters(words: Mapping[int, Word]) -> Iterator[tuple[Weight, str]]:
    """One character for each weight: the first that weighs just that, small letters of ASCII before all."""
    found: dict[Weight, str] = {}
    for point in sorted(words, key=_preference):
        if len(words[point]) == 1:
            found.setdefault(words[point][0], chr(point))
    yield from found.items()
    others = sorted({weight for word in words.values() for weight in word} - set(found))
    assert len(others) < 0x800, "more weights without a character than there are surrogates"
    yield from ((weight, chr(_FIRST_INVENTED + number)) for number, weight in enumerate(others))


def _preference(point: int) -> tuple[bool, bool, int]:
    return point >= 0x80, 0x41 <= point <= 0x5A, point


def cut(weights: bytes, unit: int) -> Sequence[bytes]:
    """A weight string as weights of ``unit`` bytes (0: all are one); UCA's implicit weights are pairs."""
    if unit == 0:
        return [weights] if weights else []
    found, at = [], 0
    while at < len(weights):
        size = 4 if unit == 2 and weights[at] >= 0xFB else unit
        found.append(weights[at : at + size])
        at += size
    return found
