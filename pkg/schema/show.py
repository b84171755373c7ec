"""From a table's structure to a CREATE TABLE that means the same: ``parse_create_table`` reads it back equal.

A structure does not hold everything: generated columns may stand with NULL for their expression, comments of
columns, kinds of keys and partitions are left out.  None of it matters to rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.table import Column, ForeignKey, Index, Table


def create_statement(table: Table) -> str:
    """The statement, one element a line as servers print it; the schema is left to the reader."""
    elements = [_column(column, table) for column in table.columns]
    elements += [_index(index, table) for index in table.indexes]
    elements += [_foreign_key(key) for key in table.foreign_keys]
    body = ",\n".join(f"  {element}" for element in elements)
    return f"CREATE TABLE {quote_name(table.name)} (\n{body}\n) {' '.join(_options(table))}"


def _column(column: Column, table: Table) -> str:
    return " ".join([quote_name(column.name), column.type, *_attributes(column, table)])


def _attributes(column: Column, table: Table) -> Iterator[str]:
    inherits = (column.charset, column.collation) == (table.charset, table.collation)
    if column.base_type in TEXT_TYPES and not inherits:
        yield f"CHARACTER SET {column.charset} COLLATE {column.collation}"
    if column.generated:
        yield f"GENERATED ALWAYS AS ({column.expression or 'NULL'}) {column.generated}"
    if not column.nullable:
        yield "NOT NULL"
    elif column.base_type == "timestamp":
        yield "NULL"
    if column.default is not None:
        yield f"DEFAULT {column.default}"
    if column.on_update:
        yield f"ON UPDATE CURRENT_TIMESTAMP({column.fsp})" if column.fsp else "ON UPDATE CURRENT_TIMESTAMP"
    if column.auto_increment:
        yield "AUTO_INCREMENT NULL" if column.nullable else "AUTO_INCREMENT"
    if column.invisible:
        yield "INVISIBLE"


def _index(index: Index, table: Table) -> str:
    parts = ", ".join(_part(name, prefix, table) for name, prefix in zip(index.columns, index.prefixes, strict=True))
    if index.primary:
        return f"PRIMARY KEY ({parts})"
    return f"{'UNIQUE ' if index.unique else ''}KEY {quote_name(index.name)} ({parts})"


def _part(name: str, prefix: int | None, table: Table) -> str:
    if name.startswith("(") and table.column(name) is None:
        return name  # an expression
    return quote_name(name) if prefix is None else f"{quote_name(name)}({prefix})"


def _foreign_key(key: ForeignKey) -> str:
    referred = f"{quote_name(key.ref_schema)}.{quote_name(key.ref_table)}"
    text = f"CONSTRAINT {quote_name(key.name)} FOREIGN KEY ({_names(key.columns)}) REFERENCES {referred}"
    text += f" ({_names(key.ref_columns)})" if key.ref_columns else ""
    text += f" ON DELETE {key.on_delete}" if key.on_delete else ""
    return text + (f" ON UPDATE {key.on_update}" if key.on_update else "")


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(quote_name(column) for column in columns)


def _options(table: Table) -> Iterator[str]:
    yield f"DEFAULT CHARSET={table.charset} COLLATE={table.collation}"
    if table.kind == "sequence":
        yield "SEQUENCE=1"
    if table.comment:
        yield f"COMMENT={quote_string(table.comment)}"
    if table.system_versioned:
        yield "WITH SYSTEM VERSIONING"
