"""Whether two DDLs of one table are about the same columns or keys, so that one may undo the other.  No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from pkg.schema.letter_case import small
from pkg.shardddl.meaning import UNKNOWN, Form
from pkg.shardddl.sameness import Told

_OF_COLUMN = frozenset({"drop column", "default", "visibility", "add column"})
_ADDITIONS = frozenset({"add column", "add index"})
_OF_COLUMNS = frozenset({"change column", "rename column"})


def overlap(one: Told, other: Told) -> bool:
    """True also where it is not known."""
    names, others = _names(one.meaning), _names(other.meaning)
    return names is None or others is None or not names.isdisjoint(others)


def may_undo(one: Told, other: Told) -> bool:
    """Whether the other DDL may take away what the first has brought; one that only adds does not."""
    return overlap(one, other) and not _only_adds(other.meaning)


@lru_cache(maxsize=1024)
def _only_adds(meaning: str) -> bool:
    return meaning != UNKNOWN and all(form[0] in _ADDITIONS for form in json.loads(meaning))


@lru_cache(maxsize=1024)
def _names(meaning: str) -> frozenset[str] | None:
    """The columns and keys that a DDL is about; None where that is not known, or all of the table."""
    if meaning == UNKNOWN:
        return None
    found: set[str] = set()
    for form in json.loads(meaning):
        names = list(_of_form(form))
        if not names:
            return None
        found.update(names)
    return frozenset(found)


def _of_form(form: Form) -> Iterator[str]:
    """Nothing where it is about the whole table."""
    match form:
        case [str(kind), str(name), *_] if kind in _OF_COLUMN:
            yield f"column {name}"
        case [str(kind), str(old), str(new), *_] if kind in _OF_COLUMNS:
            yield from (f"column {old}", f"column {new}")
        case ["add index", str(name), _, [*parts]]:
            yield f"key {small(name)}"
            yield from (f"column {small(part.strip('`'))}" for part in map(str, parts) if _is_name(part))
        case ["drop index", str(name), [*columns]] if name:
            yield f"key {small(name)}"
            yield from (f"column {column}" for column in columns)


def _is_name(word: str) -> bool:
    return word.startswith("`") or word.isidentifier()
