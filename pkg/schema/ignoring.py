"""ALTER IGNORE TABLE of MariaDB: what does not fit is cut, of rows that a unique key holds equal only one stays.

Rows go, too, that a new CHECK refuses, and those whose text is no document where a column becomes JSON.
"""

from __future__ import annotations

import re

from pkg.schema.alter import AddColumn, AddIndex, ChangeColumn
from pkg.schema.column_types import is_bulky
from pkg.schema.columns import ColumnSpec
from pkg.schema.lexer import tokenize
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


def unseen_condition(ddl: Ddl, flavor: str) -> str:
    """What refuses rows upstream and not in a target of this flavour; "" for nothing of the kind.

    MySQL refuses a CHECK that rows do not meet; MariaDB looks at none in replication's sessions, TiDB may read none.
    """
    for one in ddl.alterations:
        if isinstance(one, AddColumn | ChangeColumn) and _is_document(ddl, one.column):
            return f"{one.column.name} is a document"
    return "CHECK" if flavor != "mysql" and any(token.key == "CHECK" for token in tokenize(ddl.text)) else ""


def _is_document(ddl: Ddl, spec: ColumnSpec) -> bool:
    return ddl.text[spec.type_clause.start : spec.type_clause.end].upper().startswith("JSON")
