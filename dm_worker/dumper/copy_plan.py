"""How the rows of one table are read and written: columns, expressions, key, kind of snapshot.

Pure: everything follows from the table's structure, so a restarted run copies as the first one did.
"""

from __future__ import annotations

from dataclasses import dataclass

from dm_worker.dumper.chunks import Key, Range, best_key, condition
from pkg.adapters.meta_tables import quoted
from pkg.schema.table import Column, Table

_SHORTENED_AS_TEXT = frozenset(("float",))


@dataclass(frozen=True, slots=True)
class TableCopy:
    """One upstream table on its way to one downstream table."""

    schema: str
    name: str
    target_schema: str
    target_table: str
    columns: tuple[str, ...]  # quoted; generated columns are left out, invisible ones are not
    expressions: tuple[str, ...]
    key: Key | None
    is_pinned: bool  # no key: replication cannot repeat its rows harmlessly, so its snapshot has a location

    @property
    def upstream_name(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def downstream_name(self) -> str:
        return f"{quoted(self.target_schema)}.{quoted(self.target_table)}"

    def select(self, chunk: Range) -> str:
        sql = f"SELECT {', '.join(self.expressions)} FROM {self.upstream_name}"
        if self.key is None or chunk == Range():
            return sql
        where = condition(tuple(quoted(name) for name in self.key.columns), chunk)
        return f"{sql} FORCE INDEX ({quoted(self.key.index)}) WHERE {where}"

    def insert_prefix(self, verb: str) -> str:
        return f"{verb} INTO {self.downstream_name} ({', '.join(self.columns)}) VALUES "


def plan_copy(table: Table, target_schema: str, target_table: str) -> TableCopy:
    columns = [column for column in table.columns if not column.generated]
    return TableCopy(
        table.schema,
        table.name,
        target_schema,
        target_table,
        tuple(quoted(column.name) for column in columns),
        tuple(_expression(column) for column in columns),
        best_key(table),
        not table.identity_key,
    )


def _expression(column: Column) -> str:
    # As text a FLOAT has six digits; as DOUBLE it has all, and multiplying keeps the sign of -0.
    return f"{quoted(column.name)} * 1e0" if column.base_type in _SHORTENED_AS_TEXT else quoted(column.name)
