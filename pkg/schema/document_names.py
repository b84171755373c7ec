"""Names of members of JSON as they are written, in documents and in paths."""

from __future__ import annotations

import json
import re

BY_PATH = frozenset({"JSON_EXTRACT", "->", "->>", "JSON_VALUE", "JSON_LENGTH"})  # calls of a document and paths
_QUOTED = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)


def characters(written: str) -> str:
    """The name that is written so between quotes.  Raises ValueError."""
    return str(json.loads(f'"{written}"', strict=False)) if "\\" in written else written


def needs_its_escapes(written: str) -> bool:
    """Whether nobody writes the name otherwise: MariaDB compares what is written, others the characters."""
    return "\\" not in written or written == json.dumps(characters(written), ensure_ascii=False)[1:-1]


def is_plain_path(path: str) -> bool:
    """Whether a path has no name with an escape that it needs not."""
    try:
        return all(map(needs_its_escapes, _QUOTED.findall(path)))
    except ValueError:
        return False
