"""Labels of ENUM and SET that servers may show otherwise than they are.

SHOW CREATE TABLE and INFORMATION_SCHEMA of MySQL 9.7 and MariaDB 10.11 have `?` for a character of four bytes in a
label, whose rows have the character.
"""

from __future__ import annotations

from typing import Final

from pkg.schema.column_types import LABEL_TYPES
from pkg.schema.table import Column

_OF_FOUR_BYTES: Final = frozenset({"utf8mb4", "gb18030", "utf16", "utf16le", "utf32"})


def has_doubtful_labels(column: Column) -> bool:
    """Whether a `?` in one of its labels may stand for another character."""
    return (
        column.base_type in LABEL_TYPES
        and column.charset in _OF_FOUR_BYTES
        and any("?" in label for label in column.labels)
    )
