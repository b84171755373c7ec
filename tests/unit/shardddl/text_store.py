"""What a source stores in the target, kept in dicts: the checkpoint, structures, and rows of shard groups.

Statements of the shard groups are interpreted as they stand, so a restart reads what they would have left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.ddl_journal import DdlJournal, Known, document_of
from dm_worker.syncer.shard_rows import StoredShards, read_rows
from pkg.binlog.position import Position
from pkg.schema.table import Table
from pkg.task.operators import Operator

RowKey = tuple[str, str, str, int]


@lru_cache(maxsize=1000)
def _text(table: Table) -> str:
    return json.dumps(table.to_json())


@lru_cache(maxsize=1000)
def _table(text: str) -> Table:
    return Table.from_json(json.loads(text))


@lru_cache(maxsize=1000)
def _shards(rows: tuple[tuple[RowKey, str], ...]) -> StoredShards:
    """A source reads the same rows at every turn."""
    return read_rows(((*key, text) for key, text in rows), "mysql")


class TextStore:
    """What a `CheckpointStore` is, with one channel.  ``stored`` is called after each transaction."""

    def __init__(self, checkpoint: Checkpoint, tables: Iterable[Table], stored: Callable[[str], None]) -> None:
        self.checkpoint = checkpoint
        self.channel: Position | None = None  # what the one channel has applied since its row was made
        self.decided: dict[Position, Operator] = {}
        self._structures = {(table.schema, table.name): _text(table) for table in tables}
        self._rows: dict[RowKey, str] = {}
        self._stored = stored
        self._journal = ""

    def operators(self) -> dict[Position, Operator]:
        return self.decided

    def forget_operator(self, position: Position) -> tuple[str, Sequence[Any]]:
        return "DELETE operator", (position,)

    def structures(self) -> list[Table]:
        return [_table(text) for text in self._structures.values()]

    def shards(self) -> StoredShards:
        return _shards(tuple(self._rows.items()))

    def journal(self, marked: Checkpoint, begun: str) -> DdlJournal:
        def save(known: Known, with_mark: bool) -> None:
            self._journal = known.to_json()
            if with_mark:
                self.save(marked)
            else:
                self._stored(f"stores {known}")

        rows = [[self._journal]] if self._journal else []
        return DdlJournal(marked.ddl_location, document_of(rows, begun), save)

    def save(
        self,
        checkpoint: Checkpoint,
        changed: Mapping[tuple[str, str], Table | None] | None = None,
        *,
        new_channels: bool = False,
        also: Iterable[tuple[str, Sequence[Any]]] = (),
    ) -> None:
        self.checkpoint = checkpoint
        for name, structure in (changed or {}).items():
            if structure is None:
                self._structures.pop(name, None)
            else:
                self._structures[name] = _text(structure)
        if new_channels:
            self.channel = None
        for sql, values in also:
            self._run(sql, values)
        self._stored(f"stores {checkpoint.location.position} {checkpoint.ddl_location} {new_channels}")

    def _run(self, sql: str, values: Sequence[Any]) -> None:
        if sql.startswith("REPLACE INTO"):
            _, schema, table, kind, seq, document = values
            self._rows[schema, table, kind, seq] = document
        elif sql.endswith("AND seq = %s"):
            _, schema, table, kind, seq = values
            del self._rows[schema, table, kind, seq]  # a statement that deletes nothing is a mistake
        elif sql.endswith("kind IN ('main', 'resync')"):
            self._rows = {key: text for key, text in self._rows.items() if key[2] not in ("main", "resync")}
        elif sql == "DELETE operator":
            self.decided.pop(values[0], None)
        else:
            raise AssertionError(sql)
