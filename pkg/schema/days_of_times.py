"""A TIME that becomes a moment: it gets the present day, or none under MariaDB's old_mode ZERO_DATE_TIME_CAST.

No event of the binlog names old_mode, so the server's global value counts.  Only MariaDB can be told it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import ChangeColumn
from pkg.schema.ddl import defined_columns
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl
from pkg.schema.table import Table
from pkg.schema.targets import is_literal

ZERO_DATE_TIME_CAST = "ZERO_DATE_TIME_CAST"
_WITH_DAYS = frozenset({"date", "datetime", "timestamp"})


def days_of_times(ddl: Ddl, present: Table | None) -> Iterator[str]:
    """Columns that a statement may give days of a TIME; ``present``: its table before it."""
    times = {small(one.name) for one in present.columns if one.base_type == "time"} if present is not None else set()
    times |= {small(spec.name) for spec, _ in defined_columns(ddl) if spec.type.base == "time"}
    if not times:
        return
    for change in ddl.alterations:
        if isinstance(change, ChangeColumn) and small(change.old) in times and change.column.type.base in _WITH_DAYS:
            yield change.column.name
    for spec, is_new in defined_columns(ddl):
        fills = is_new and spec.default is not None and not is_literal(spec.default)
        if spec.generated or fills:  # which of the columns it reads is not looked at
            yield spec.name
