"""Text as the collation of its column compares it: weights of characters, and what trailing spaces count."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pkg.rules.expression import collation_order as order
from pkg.rules.expression.problem import BadExpression, BadValue
from pkg.schema.charset import collation_name

_UNICODE_SETS = ("utf8mb4", "utf8mb3", "ucs2", "utf16", "utf16le", "utf32")
_CODE_POINT_SETS = (*_UNICODE_SETS, "ascii", "binary")
_SYMBOLS = 0x1000  # other punctuation and symbols than those of a table stand before currencies, by code point
_SYMBOLS_END = 0x21000
_OTHERS = 0x24000  # what no table has weighs more than what is in one, by code point
_MOST = 0x10FFFF
_LETTERS_END = 0x530  # of the scripts whose letters are all in the tables
_FOLDED_PAGES = frozenset({0x1E, 0x1F, 0x21, 0x24})  # of general_ci beyond the letters of its table
_NO_LETTERS = 0xA4D0  # behind ideographs


class Weights(dict[int, str]):
    """Code point → a character for each of its weights, for str.translate: "" for one that does not count."""

    def __init__(self, weigh: Callable[[str], str]) -> None:
        self._weigh = weigh

    def __missing__(self, code: int) -> str:
        found = self[code] = self._weigh(chr(code))
        return found


class OneToOne(Weights):
    """The same with exactly one character for each, for patterns: of several weights the first that had them."""

    def __init__(self, weights: Weights) -> None:
        several: dict[str, str] = {}

        def weigh(character: str) -> str:
            one = weights[ord(character)]
            return one if len(one) == 1 else several.setdefault(one, character) if one else character

        super().__init__(weigh)


@dataclass(frozen=True, slots=True)
class Collation:
    """``pads``: 'a' = 'a '.  ``ordered``: weights also say what is smaller."""

    name: str
    weights: Weights | None  # None: by code point
    pads: bool
    ordered: bool
    is_binary: bool = False  # equal is what has the same code points
    singles: Weights | None = None

    def key(self, text: str) -> str:
        """Equal for texts that are equal."""
        if self.is_binary or self.weights is None:
            return text.rstrip(" ") if self.pads else text
        weighed = text.translate(self.weights)
        return weighed.rstrip(self.weights[32]) if self.pads else weighed

    def compare(self, one: str, other: str) -> int:
        """-1, 0 or 1."""
        left, right = self._weighed(one), self._weighed(other)
        if self.pads and len(left) != len(right):
            longest, space = max(len(left), len(right)), self._weighed(" ")
            left, right = left.ljust(longest, space), right.ljust(longest, space)
        return (left > right) - (left < right)

    def _weighed(self, text: str) -> str:
        return text if self.weights is None else text.translate(self.weights)

    def folded(self, text: str) -> str:
        """Character by character, the same one for all that are equal."""
        return text if self.is_binary or self.singles is None else text.translate(self.singles)


@lru_cache(maxsize=64)
def collation(name: str) -> Collation:
    """Raises BadExpression for one whose rules are not known here."""
    folded = collation_name(name)
    charset, _, rest = folded.partition("_")
    if folded == "binary":
        return Collation(folded, None, pads=False, ordered=True, is_binary=True)
    pads = not ("0900" in rest or "nopad" in rest)
    rest = rest.replace("nopad_", "").replace("_nopad", "")
    if rest == "bin" or rest == "0900_bin":
        ordered = charset in _CODE_POINT_SETS or charset == "latin1"
        weights = Weights(_latin1) if charset == "latin1" else None
        return Collation(folded, weights, pads, ordered, is_binary=True)
    if charset == "ascii" and rest == "general_ci":
        return _weighing(folded, Weights(str.upper), pads)
    if charset == "latin1" and rest == "swedish_ci":
        return _weighing(folded, Weights(_table(order.LATIN1_SWEDISH, "").weigh), pads)
    if charset in _UNICODE_SETS and rest in _UNICODE:
        return _weighing(folded, Weights(_UNICODE[rest]()), pads)
    raise BadExpression(
        f"how text compares in the collation {name} is not known here; add `COLLATE {charset}_bin` to what is compared"
    )


def _weighing(name: str, weights: Weights, pads: bool) -> Collation:
    return Collation(name, weights, pads, ordered=True, singles=OneToOne(weights))


def _beyond(character: str) -> str:
    """Behind all that a table has."""
    return chr(min(_OTHERS + ord(character), _MOST))


def _latin1(character: str) -> str:
    try:
        return chr(character.encode("cp1252")[0])
    except UnicodeEncodeError:
        return _beyond(character)


def _general(character: str) -> str:
    """utf8mb4_general_ci: one code point for each letter without its accents."""
    found = _general_table().get(character)
    if found is not None:
        return found
    code = ord(character)
    if code > 0xFFFF:
        return "\ufffd"
    if code >> 8 == 0xFF:  # letters of full width
        return character.upper()
    if code >> 8 in _FOLDED_PAGES and (
        character.upper() != character
        or character.lower() != character
        or unicodedata.normalize("NFD", character) != character
    ):
        raise BadValue(f"what {character!r} equals in general_ci is not known here")
    return character


@lru_cache(maxsize=1)
def _general_table() -> dict[str, str]:
    return {character: word[0] for word in order.GENERAL.split() for character in word}


class _Table:
    """A collation by the order of its words."""

    def __init__(self, words: str, expansions: str, last_symbol: int) -> None:
        self._known: dict[str, str] = {}
        self._is_unicode = words is not order.LATIN1_SWEDISH
        self._one_for_rare = words is order.UNICODE
        self._last_symbol = last_symbol
        offset = 0
        for rank, word in enumerate(words.split(), 16):
            if unicodedata.category(word[0]) == "Sc":
                offset = _SYMBOLS_END
            self._known.update(dict.fromkeys(word, chr(rank + offset)))
        for expansion in expansions.split():
            self._known[expansion[0]] = "".join(self._known[part] for part in expansion[1:])
        for rank, character in enumerate("\t\n\v\f\r\x85", 1):
            self._known[character] = chr(rank)
        self._known[" "] = "\x08"

    def weigh(self, character: str) -> str:
        found = self._known.get(character)
        if found is not None:
            return found
        if self._is_unicode:
            return self._rare(character)
        if ord(character) < 32:
            raise BadValue(f"how {character!r} compares in latin1_swedish_ci is not known here")
        return _beyond(character)

    def _rare(self, character: str) -> str:
        category = unicodedata.category(character)
        if ord(character) > 0xFFFF and self._one_for_rare:
            return _beyond("\ufffd")
        if category == "Zs":
            return self._known[" "]
        if category in ("Mn", "Me", "Cf", "Cc"):
            return ""
        parts = unicodedata.normalize("NFKD", character)
        if parts != character and all(part in self._known for part in parts):
            return "".join(self._known[part] for part in parts)
        if ord(character) >= _LETTERS_END and character.upper() != character.lower():
            raise BadValue(f"what {character!r} equals in this collation is not known here")
        if category[0] in "SP" and ord(character) <= self._last_symbol:
            return chr(_SYMBOLS + ord(character))
        if ord(character) < _LETTERS_END:  # younger than the collation, for which it stands behind all scripts
            return chr(_OTHERS + _NO_LETTERS + ord(character))
        return _beyond(character)


@lru_cache(maxsize=8)
def _table(words: str, expansions: str, last_symbol: int = 0xFFFF) -> _Table:
    """``last_symbol``: symbols beyond are younger than the collation, which has no place for them."""
    return _Table(words, expansions, last_symbol)


_UNICODE: dict[str, Callable[[], Callable[[str], str]]] = {
    "general_ci": lambda: _general,
    "unicode_ci": lambda: _table(order.UNICODE, order.UNICODE_EXPANSIONS).weigh,
    "unicode_520_ci": lambda: _table(order.UNICODE_520, order.UNICODE_520_EXPANSIONS).weigh,
    "0900_ai_ci": lambda: _table(order.UNICODE_0900, order.UNICODE_0900_EXPANSIONS, 0x1FFFF).weigh,
    "uca1400_ai_ci": lambda: _table(order.UNICODE_0900, order.UNICODE_0900_EXPANSIONS, 0x1FFFF).weigh,
}
