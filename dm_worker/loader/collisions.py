"""Which rows collide: rows of a chunk whose key is in the target already, and where those came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Final

from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.statement_rows import Row, rows_of, shown
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import DUPLICATE
from pkg.adapters.structures import structure_of
from pkg.errors import DMError
from pkg.schema.letter_case import small
from pkg.schema.table import Index

_SHOWN: Final = 3
_SHOWN_CHARACTERS: Final = 80  # of one value


@dataclass(frozen=True, slots=True)
class Collision:
    """One row of ours, and for each unique key it shares the condition that finds the target's row."""

    row: Row
    conditions: tuple[bytes, ...]
    theirs: tuple[str, ...]


class Collisions:
    """Looks for them in the transaction that is open on ``connection``, which must be rolled back afterwards."""

    def __init__(self, connection: Connection, job: CopyJob, table: TableCopy) -> None:
        self._connection = connection
        self._job = job
        self._table = table
        self._keys: list[Index] = []

    def described(self, statement: bytes, prefix: bytes, open_upstream: Callable[[], Connection]) -> str:
        """The first rows of ``statement`` that the target has already; "" when there is none any more."""
        target = structure_of(self._connection, self._table.target_schema, self._table.target_table)
        self._keys = [] if target is None else [index for index in target.indexes if index.unique]
        found = list(self._found(statement, prefix))
        origins = self._origins(found, open_upstream) if found else []
        return "; ".join(
            f"ours ({shown(self._table.columns, one.row)}), there ({') and ('.join(one.theirs) or 'not found'}){origin}"
            for one, origin in zip(found, origins, strict=True)
        )

    def _found(self, statement: bytes, prefix: bytes) -> Iterator[Collision]:
        number = 0
        for row in rows_of(statement, prefix):
            try:
                self._connection.query(prefix + b"(" + b",".join(row) + b")")
            except DMError as exc:
                if not DUPLICATE.matches(exc):
                    raise
                conditions = tuple(self._conditions(row))
                yield Collision(row, conditions, tuple(self._theirs(conditions)))
                number += 1
            if number == _SHOWN:
                return

    def _conditions(self, row: Row) -> Iterator[bytes]:
        """For each unique key of the target that rows carry whole: what is true of its one row with our value."""
        values = {small(name): (name.encode(), value) for name, value in zip(self._table.columns, row, strict=True)}
        for index in self._keys:
            parts = [values.get(small(quoted(column))) for column in index.columns]
            if all(part is not None and part[1] != b"NULL" for part in parts):
                yield b" AND ".join(_equal(index, parts))

    def _theirs(self, conditions: Sequence[bytes]) -> Iterator[str]:
        seen = set()
        for condition in conditions:
            cursor: Any  # its stubs know no statement in bytes
            with self._connection.cursor() as cursor:
                cursor.execute(b"SELECT * FROM " + self._table.downstream_name.encode() + b" WHERE " + condition)
                names = [quoted(column[0]) for column in cursor.description]
                for values in cursor.fetchall():
                    text = ", ".join(f"{name}={_cut(value)}" for name, value in zip(names, values, strict=True))
                    if text not in seen:
                        seen.add(text)
                        yield text

    def _origins(self, found: Sequence[Collision], open_upstream: Callable[[], Connection]) -> list[str]:
        """For each collision: the other upstream tables that go to this target and have the row, if it can be seen."""
        others = self.merged()
        mine = [name for source, name in others if source == self._job.source_id]
        rest = ", ".join(f"{name} of source {source}" for source, name in others if source != self._job.source_id)
        origins = []
        with closing(open_upstream()) as upstream:
            for one in found:
                having = [name for name in mine if any(_has(upstream, name, where) for where in one.conditions)]
                if having:
                    origins.append(f", which {', '.join(having)} has, too")
                else:
                    origins.append(f", perhaps from {rest}" if rest else "")
        return origins

    def merged(self) -> list[tuple[str, str]]:
        """(source, quoted table) of all others that go to the same target."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"SELECT DISTINCT source_id, schema_name, table_name FROM {self._job.meta.chunk} "
                "WHERE target_schema = %s AND target_table = %s ORDER BY 1, 2, 3",
                (self._table.target_schema, self._table.target_table),
            )
            rows: Any = cursor.fetchall()
        own = (self._job.source_id, self._table.upstream_name)
        return [one for source, schema, name in rows if (one := (source, f"{quoted(schema)}.{quoted(name)}")) != own]


def _equal(index: Index, parts: Sequence[tuple[bytes, bytes] | None]) -> Iterator[bytes]:
    for part, prefix in zip(parts, index.prefixes, strict=True):
        if part is not None:
            name, value = part
            yield name + b"=" + value if prefix is None else b"LEFT(%b,%d)=LEFT(%b,%d)" % (name, prefix, value, prefix)


def _has(upstream: Connection, name: str, condition: bytes) -> bool:
    cursor: Any
    with suppress(DMError), upstream.cursor() as cursor:  # it may lack a column that the target has
        return bool(cursor.execute(b"SELECT 1 FROM " + name.encode() + b" WHERE " + condition + b" LIMIT 1"))
    return False


def _cut(value: object) -> str:
    text = "NULL" if value is None else repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]} …"
