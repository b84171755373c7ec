"""Rows of the meta tables about tables that start again: ``made``, ``again`` and the table's chunks.

A table of the target is ours to make anew where this task has created it, nobody has changed it since, and one
upstream table alone feeds it.  Its new chunks are stored before it is touched: from there on no lane can commit
what it has read of the table before.  Every write checks the epoch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from dm_worker.dumper.chunks import Range
from dm_worker.loader.meta import CHUNK_COLUMNS, LoadMeta, PlannedChunk
from pkg.adapters.meta_tables import hold_all_epochs, hold_epoch, location_values
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.position import Location
from pkg.rules.router import Target
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

Route: TypeAlias = Callable[[str, str], Target]
_MADE_COLUMNS: Final = "source_id, target_schema, target_table, structure"
_INTENDED: Final = "intended"  # the key of what stands in place of a structure until the table is there


@dataclass(frozen=True, slots=True)
class Again:
    """An upstream table as it was when its copy started again; ``create_sql`` is the server's own text."""

    schema: str
    name: str
    create_sql: str
    target: Target

    @property
    def structure(self) -> Table:
        return parse_create_table(self.create_sql, self.schema)


@dataclass(frozen=True, slots=True)
class Intended:
    """A table that was not there, and that a run was about to create with these columns."""

    columns: tuple[str, ...]


class AgainMeta(LoadMeta):
    """One source's rows, through one connection of the caller."""

    def intend(self, tables: Mapping[Target, Intended]) -> None:
        """Note what is created from here on: a run that dies has not noted what it made."""
        made = self._tables.made

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            rows = [(self._source_id, *_made_row(target, {_INTENDED: one.columns})) for target, one in tables.items()]
            self._insert(cursor, f"REPLACE INTO {made} ({_MADE_COLUMNS}) VALUES", rows)

        in_transaction(self._connection, work)

    def store_made(self, made: Mapping[Target, Table]) -> None:
        """What this task has created."""
        tables = self._tables

        def work(cursor: Any) -> None:
            hold_epoch(cursor, tables, self._source_id, self._epoch)
            cursor.execute(f"DELETE FROM {tables.made} WHERE source_id = %s", (self._source_id,))
            rows = [(self._source_id, *_made_row(target, table.to_json())) for target, table in made.items()]
            self._insert(cursor, f"INSERT INTO {tables.made} ({_MADE_COLUMNS}) VALUES", rows)

        in_transaction(self._connection, work)

    def take_back(self, take: Callable[[Target, Table | Intended], bool], route: Route) -> list[Target]:
        """Have ``take`` drop, through another connection, what an earlier run created.  What was dropped.

        That run had stored no plan, or its snapshot is lost: no rows of this source are there.  A table that other
        sources feed stays.
        """
        tables = self._tables

        def work(cursor: Any) -> list[Target]:
            hold_all_epochs(cursor, tables, self._source_id, self._epoch)
            found = self.all_made().items()
            return [one for one, table in found if not self._feeds_other(cursor, one, route) and take(one, table)]

        return in_transaction(self._connection, work)

    def made(self, target: Target) -> Table | None:
        """The table as this task has created it; None where it has not."""
        rows = self._rows(
            f"SELECT structure FROM {self._tables.made} "
            "WHERE source_id = %s AND target_schema = %s AND target_table = %s", target.schema, target.table,
        )  # fmt: skip
        found = _of_row(rows[0][0]) if rows else None
        return found if isinstance(found, Table) else None

    def all_made(self) -> dict[Target, Table | Intended]:
        """All that this task has created, or was about to create."""
        columns = "target_schema, target_table, structure"
        rows = self._rows(f"SELECT {columns} FROM {self._tables.made} WHERE source_id = %s")
        return {Target(str(schema), str(table)): _of_row(text) for schema, table, text in rows}

    def target_of(self, schema: str, name: str) -> Target | None:
        rows = self._rows(
            f"SELECT target_schema, target_table FROM {self._tables.chunk} "
            "WHERE source_id = %s AND schema_name = %s AND table_name = %s LIMIT 1", schema, name,
        )  # fmt: skip
        return Target(str(rows[0][0]), str(rows[0][1])) if rows else None

    def half_made(self) -> list[Again]:
        """Tables whose copy has its new chunks, and maybe not its new table yet."""
        rows = self._rows(
            f"SELECT schema_name, table_name, create_sql FROM {self._tables.again} WHERE source_id = %s AND is_made = 0"
        )
        found = [(str(schema), str(name), str(sql), self.target_of(schema, name)) for schema, name, sql in rows]
        return [Again(schema, name, sql, target) for schema, name, sql, target in found if target is not None]

    def begin(self, table: Again, location: Location, ranges: Sequence[Range], route: Route) -> str:
        """Forget what was copied of the table; its new chunks are for rows from ``location`` on.

        Another table that feeds its target, too, is named where there is one: then nothing has changed.
        """
        tables, name = self._tables, (self._source_id, table.schema, table.name)

        def work(cursor: Any) -> str:
            hold_all_epochs(cursor, tables, self._source_id, self._epoch)
            other = self._other_feeder(cursor, table, route)
            if other:
                return other
            cursor.execute(f"SELECT MAX(chunk_id) + 1 FROM {tables.chunk} WHERE source_id = %s", (self._source_id,))
            first = int(cursor.fetchone()[0])
            for one in (tables.chunk, tables.pinned, tables.again, tables.copied):
                cursor.execute(f"DELETE FROM {one} WHERE source_id = %s AND schema_name = %s AND table_name = %s", name)
            to = table.target
            chunks = (
                PlannedChunk(first + number, table.schema, table.name, to.schema, to.table, one)
                for number, one in enumerate(ranges)
            )
            columns = f"source_id, {CHUNK_COLUMNS}, epoch"
            self._insert(cursor, f"INSERT INTO {tables.chunk} ({columns}) VALUES", map(self._chunk_row, chunks))
            columns = "source_id, schema_name, table_name, create_sql, binlog_name, binlog_pos, gtid"
            row = *name, table.create_sql, *location_values(location)
            self._insert(cursor, f"INSERT INTO {tables.again} ({columns}) VALUES", [row])
            return ""

        return in_transaction(self._connection, work)

    def make(self, table: Again, work: Callable[[], Table | None], route: Route) -> str:
        """Let ``work`` make the target's table, through another connection; None of it: the table is not ours.

        Meanwhile no run can claim this source, and none of another source can store a plan that feeds the table;
        one that has done so is named, and nothing is made.
        """
        tables, to = self._tables, table.target

        def in_time(cursor: Any) -> str:
            hold_all_epochs(cursor, tables, self._source_id, self._epoch)
            other = self._other_feeder(cursor, table, route)
            if other:
                return other
            made = work()
            where = "source_id = %s AND target_schema = %s AND target_table = %s"
            cursor.execute(f"DELETE FROM {tables.made} WHERE {where}", (self._source_id, to.schema, to.table))
            rows = [] if made is None else [(self._source_id, *_made_row(to, made.to_json()))]
            self._insert(cursor, f"INSERT INTO {tables.made} ({_MADE_COLUMNS}) VALUES", rows)
            cursor.execute(
                f"UPDATE {tables.again} SET is_made = 1 WHERE source_id = %s AND schema_name = %s AND table_name = %s",
                (self._source_id, table.schema, table.name),
            )
            return ""

        return in_transaction(self._connection, in_time)

    def _other_feeder(self, cursor: Any, table: Again, route: Route) -> str:
        me = self._source_id, table.schema, table.name
        others = (one for one in sorted(self._feeders(cursor, table.target, route)) if one != me)
        return next((f"{schema}.{name} of source {source}" for source, schema, name in others), "")

    def _feeds_other(self, cursor: Any, target: Target, route: Route) -> bool:
        return any(source != self._source_id for source, _, _ in self._feeders(cursor, target, route))

    def _feeders(self, cursor: Any, target: Target, route: Route) -> set[tuple[str, str, str]]:
        """Source, schema and name of the upstream tables that go to a table of the target."""
        cursor.execute(
            f"SELECT DISTINCT source_id, schema_name, table_name FROM {self._tables.chunk} "
            "WHERE target_schema = %s AND target_table = %s", (target.schema, target.table),
        )  # fmt: skip
        planned = {(str(a), str(b), str(c)) for a, b, c in cursor.fetchall()}
        # Of tables that were created since, the other sources may have replicated rows already.
        sql = f"SELECT source_id, schema_name, table_name FROM {self._tables.structure} WHERE source_id <> %s"
        cursor.execute(sql, (self._source_id,))
        tracked = {(str(a), str(b), str(c)) for a, b, c in cursor.fetchall()}
        return planned | {one for one in tracked if route(one[1], one[2]) == target}


def _of_row(text: str) -> Table | Intended:
    document = json.loads(text)
    return Intended(tuple(document[_INTENDED])) if _INTENDED in document else Table.from_json(document)


def _made_row(target: Target, document: Mapping[str, Any]) -> tuple[str, str, str]:
    return target.schema, target.table, json.dumps(document, ensure_ascii=False)
