"""Labels of ENUM and SET that servers may show otherwise than they are.

SHOW CREATE TABLE and INFORMATION_SCHEMA of MySQL 9.7 and MariaDB 10.11 have `?` for a character of four bytes in a
label, whose rows have the character.
"""

from __future__ import annotations

from pkg.schema.charset import MAX_BYTES
from pkg.schema.column_types import LABEL_TYPES
from pkg.schema.table import Column

_BYTES = 4  # of a character that is shown as ?


def has_doubtful_labels(column: Column) -> bool:
    """Whether a `?` in one of its labels may stand for another character."""
    return (
        column.base_type in LABEL_TYPES
        and MAX_BYTES.get(column.charset or "") == _BYTES
        and any("?" in label for label in column.labels)
    )
