"""Which letters two servers make large or small in other ways: they are asked, once for each pair of collations."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.cased_texts import asking, letters, pairs_of, rules_of, unlike_letters
from pkg.schema.table import Column

Ask = Callable[[str], list[Sequence[Any]]]
_VERSION = "SELECT VERSION()"
_NOT_KNOWN = frozenset({1115, 1253, 1273})  # a character set, a collation

log = logging.getLogger(__name__)


class LetterMaps:
    """Of one thread.  ``above`` and ``below`` are queries of the upstream and the target."""

    def __init__(self, above: Ask, below: Ask) -> None:
        self._above = above
        self._below = below
        self._known: dict[tuple[str, tuple[str, str], tuple[str, str]], str] = {}

    def unlike(self, function: str, above: Column, below: Column) -> str:
        """Letters of which ``function`` (UPPER, LOWER) makes other ones in the target's column.  Raises DMError."""
        key = function, rules_of(above), rules_of(below)
        if key not in self._known:
            self._known[key] = self._asked(*key)
        return self._known[key]

    def _asked(self, function: str, above: tuple[str, str], below: tuple[str, str]) -> str:
        if above == below and self._above(_VERSION) == self._below(_VERSION):
            return ""
        found = unlike_letters(_pairs(self._above, function, *above), _pairs(self._below, function, *below))
        log.info("%s makes other letters of %d ones in %s here than in %s upstream", function, len(found), below, above)
        return found


def _pairs(ask: Ask, function: str, charset: str, collation: str) -> dict[str, str]:
    try:
        (row,) = ask(asking(function, charset, collation))
    except DMError as exc:
        if errno_of(exc) not in _NOT_KNOWN:
            raise
        log.warning("the server does not know %s and %s, whose letters are not known then: %s", charset, collation, exc)
        return dict.fromkeys(letters(), "")
    return pairs_of(row)
