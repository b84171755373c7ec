"""Foreign keys that leave out the columns of their parent, which TiDB does not take, and other servers read otherwise.

MySQL from 9.0 on takes the parent's primary key, MariaDB the parent's columns of the same names (measured on 9.7 and
10.11: `up INT REFERENCES t` in the table t refers to its primary key in MySQL, and to `up` in MariaDB).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pkg.schema.alter import AddForeignKey
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import ForeignKeySpec
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, TableName, edited
from pkg.schema.table import PRIMARY, Table


def with_parent_columns(ddl: Ddl, flavor: str, parent: Callable[[TableName], Table | None]) -> Ddl:
    """The statement with these columns; ``parent``: a table upstream, as it is before the statement."""
    edits = []
    for spec in _foreign_keys(ddl):
        if spec.ref_columns:
            continue
        columns = spec.columns if flavor == "mariadb" else _primary_key(ddl, spec, parent)
        if columns:
            edits.append((spec.names_end, spec.names_end, f" ({', '.join(map(quote_name, columns))})"))
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def _foreign_keys(ddl: Ddl) -> Iterator[ForeignKeySpec]:
    yield from ddl.create.foreign_keys if ddl.create is not None else ()
    yield from (one.key for one in ddl.alterations if isinstance(one, AddForeignKey))


def _primary_key(ddl: Ddl, spec: ForeignKeySpec, parent: Callable[[TableName], Table | None]) -> Sequence[str]:
    name = TableName(spec.ref_schema or ddl.subject.schema, spec.ref_table)
    if ddl.create is not None and name == ddl.subject:
        return [column for key in ddl.create.keys if key.primary for column, _ in key.parts]
    table = parent(name)
    index = table.index(PRIMARY) if table is not None else None
    return index.columns if index is not None else ()
