"""What is selected for each column that is written: the column itself, a mapped value, a text of the route's.

Pure.  The upstream calculates, so no value of a chunk is touched here.  An id that does not fit ends the
statement with the server's error "out of range": nothing of the chunk is written then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pkg.adapters.meta_tables import quoted
from pkg.rules.column_mapping import MAX_ID, Affix, MappedColumn
from pkg.rules.column_rules import TableColumnRules, is_text
from pkg.schema.table import Column, Table

_SHORTENED_AS_TEXT: Final = frozenset(("float",))
_NO_RULES: Final = TableColumnRules()


def selected(table: Table, rules: TableColumnRules = _NO_RULES) -> list[tuple[str, str]]:
    """(quoted column, expression) of all that is written; generated columns are left out, invisible ones are not."""
    mapped = {one.target.lower(): one for one in rules.mapped}
    pairs = []
    for column in table.columns:
        change = mapped.get(column.name.lower())
        if not column.generated:
            pairs.append((quoted(column.name), _as_it_is(column) if change is None else _mapped(table, change)))
    return pairs + [(quoted(one.name), _text(one.value)) for one in rules.extracted]


def misfits(table: Table, rules: TableColumnRules) -> Iterator[tuple[MappedColumn, str]]:
    """Each column mapping that not every value fits, and the condition that finds a row that does not."""
    for one in rules.mapped:
        if not isinstance(one.change, Affix):
            name = quoted(one.source)
            yield one, f"{name} IS NOT NULL AND NOT ({_is_id(table.columns[table.ordinal(one.source)])})"


def _as_it_is(column: Column) -> str:
    # As text a FLOAT has six digits; as DOUBLE it has all, and multiplying keeps the sign of -0.
    return f"{quoted(column.name)} * 1e0" if column.base_type in _SHORTENED_AS_TEXT else quoted(column.name)


def _mapped(table: Table, one: MappedColumn) -> str:
    name = quoted(one.source)
    if isinstance(one.change, Affix):
        parts = [_text(one.change.prefix)] if one.change.prefix else []
        parts += [name] + ([_text(one.change.suffix)] if one.change.suffix else [])
        return f"CONCAT({', '.join(parts)})"
    source, target = table.columns[table.ordinal(one.source)], table.columns[table.ordinal(one.target)]
    number = f"CAST({name} AS UNSIGNED) + {one.change.base}"
    value = f"CAST({number} AS CHAR)" if is_text(target) else number
    # More than 64 bits, whatever the value is: an error for rows that come so far, and for no others.
    overflow = f"(CHAR_LENGTH({name}) + 2) * 18446744073709551615"
    return f"CASE WHEN {name} IS NULL THEN NULL WHEN {_is_id(source)} THEN {value} ELSE {overflow} END"


def _is_id(column: Column) -> str:
    """A condition: the value is a number that a partition id has room for, and written as such."""
    name = quoted(column.name)
    if not is_text(column):
        return f"{name} BETWEEN 0 AND {MAX_ID}"
    number = f"CAST({name} AS UNSIGNED)"
    as_written = f"CAST(CONVERT({name} USING utf8mb4) AS BINARY)"
    return f"{number} <= {MAX_ID} AND {as_written} = CAST({number} AS BINARY)"


def _text(value: str) -> str:
    """A literal that means the same in every sql_mode."""
    return f"CONVERT(X'{value.encode().hex()}' USING utf8mb4)"
