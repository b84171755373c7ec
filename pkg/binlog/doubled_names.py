"""Documents that are texts, as MariaDB's are: whether a name stands twice in one object."""

from __future__ import annotations

import json
from typing import Any, Final

TWICE: Final = "the name {name} twice in one object, of which MariaDB reads the first and the target keeps the last"
_FEWEST: Final = 2  # members of an object with a name twice


class _Doubled(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def doubled_name(text: str) -> str | None:
    """The first name that stands twice in one object, at any depth; None for a text without, or that is no JSON.

    Names are the same whose characters are, however these are written.
    """
    if text.count(":") < _FEWEST:
        return None
    try:
        _DECODER.decode(text)
    except _Doubled as found:
        return found.name
    except (ValueError, RecursionError):  # no target takes it as a document
        return None
    return None


def _once(members: list[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in members:
        if name in names:
            raise _Doubled(name)
        names.add(name)


# Numbers stay texts: Python makes none of very many digits.
_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str, strict=False)
