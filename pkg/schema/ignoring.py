"""ALTER IGNORE TABLE of MariaDB: what does not fit is cut, and of rows that a unique key holds equal only one stays."""

from __future__ import annotations

import re

from pkg.schema.alter import AddIndex
from pkg.schema.column_types import is_bulky
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_IGNORE = re.compile(r"(\s*ALTER\s+(?:ONLINE\s+)?)IGNORE\s+", re.ASCII | re.IGNORECASE)


def ignores_errors(ddl: Ddl) -> bool:
    return _IGNORE.match(ddl.text) is not None


def without_ignore(sql: str) -> str:
    """The statement as one that a row which does not fit stops."""
    found = _IGNORE.match(sql)
    return sql if found is None else found[1] + sql[found.end() :]


def whole_unique(ddl: Ddl, after: Table) -> str:
    """The new unique key over a whole TEXT or BLOB, which no other server than MariaDB has; "" for none."""
    for one in ddl.alterations:
        if isinstance(one, AddIndex) and one.index.unique:
            columns = (after.column(name) for name, prefix in one.index.parts if prefix is None)
            if any(column is not None and is_bulky(column.base_type) for column in columns):
                return one.index.name or one.index.parts[0][0]
    return ""
