"""The settings that a shard's DDL depended on, as text: names and values, of which the two of one DDL say nothing else.

The text is what shard groups, reports and locks hold.  Which settings a statement depends on is the syncer's to say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

UNKNOWN = ""
"""Of what an operator gave, and of what an older version has stored: it counts as the same as any."""
_NONE: Mapping[str, str] = {}


def settings_text(settings: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(settings.items())), ensure_ascii=False)


@lru_cache(maxsize=1024)
def settings_of(text: str) -> Mapping[str, str]:
    found: Mapping[str, str] = json.loads(text) if text else _NONE
    return found


def apart(one: str, other: str) -> tuple[str, str]:
    """What of two texts is not the same, as a server names it; "" and "" where nothing is."""
    ours, theirs = settings_of(one), settings_of(other)
    names = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    return _said(ours, names), _said(theirs, names)


def both(one: str, other: str) -> str:
    """What is known by either."""
    return settings_text({**settings_of(one), **settings_of(other)}) if one or other else UNKNOWN


def weight(text: str) -> tuple[bool, int]:
    """How much is known: by the greatest the DDL runs."""
    known = settings_of(text)
    return "time_zone" in known, len(known)


def _said(settings: Mapping[str, str], names: list[str]) -> str:
    return ", ".join(f"{name} {settings[name] or 'as it is by default'}" for name in names)
