"""`verify: checksum`, on dm-worker's side: which tables' chunks are compared, and what came of it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from dm_worker.dumper.chunks import WHOLE
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask
from dm_worker.loader.compared_tables import MOST_NOTES, NO_SNAPSHOT, SHARED, Compared, plan_compared
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.structures import structure_of
from pkg.schema.table import Table
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)

CHECKSUM: Final = "checksum"

_SHOWN: Final = 20
TableName = tuple[str, str]


class Verifying:
    """Of one run; one thread writes, any reads its status."""

    def __init__(self, config: SubtaskConfig) -> None:
        self.is_wanted = config.verify == CHECKSUM
        self._config = config
        self._compared = 0
        self._seconds = 0.0
        self._notes: dict[TableName, list[str]] = {}

    def plan(
        self,
        copies: Sequence[TableCopy],
        structures: Mapping[TableName, Table],
        tasks: Iterable[ChunkTask],
        downstream: Connection,
        flavors: tuple[str, str],
        moving: Collection[TableName],
        feeders: Mapping[TableName, int],
    ) -> tuple[Compared | None, ...]:
        """How each of ``copies`` is compared.

        ``moving`` are tables without snapshots that may be written meanwhile; ``feeders`` says how many upstream
        tables go to each target table.
        """
        rules, cut = self._config.column_rules(), {task.table for task in tasks if task.range != WHOLE}
        keeps_collations = flavors[1] != "tidb" or _keeps_collations(downstream)
        found: list[Compared | None] = []
        for number, copy in enumerate(copies):
            name = copy.schema, copy.name
            target = structure_of(downstream, copy.target_schema, copy.target_table)
            one, notes = None, [NO_SNAPSHOT]
            if target is not None and (copy.is_pinned or name not in moving):  # who copies says that there is none
                own = rules.of(*name)
                one, notes = plan_compared(
                    copy, structures[name], target, own, flavors,
                    is_cut=number in cut, keeps_collations=keeps_collations,
                )  # fmt: skip
            for note in notes:
                self._note(name, note)
            found.append(one)
        planned = self._without_shared(copies, found, feeders)
        return planned if any(planned) else ()

    def _without_shared(
        self, copies: Sequence[TableCopy], found: Sequence[Compared | None], feeders: Mapping[TableName, int]
    ) -> tuple[Compared | None, ...]:
        """Merged tables' rows can be told apart only by what the route adds."""
        owns = [_owned(copy, one) for copy, one in zip(copies, found, strict=True)]
        alike = Counter(owns)
        kept: list[Compared | None] = []
        for copy, one, own in zip(copies, found, owns, strict=True):
            others = feeders.get((copy.target_schema, copy.target_table), 1) - 1
            is_shared = alike[own] > 1 if own[2] else others > 0
            if one is not None and is_shared:
                self._note((copy.schema, copy.name), SHARED)
            kept.append(None if is_shared else one)
        return tuple(kept)

    def _note(self, table: TableName, text: str) -> None:
        notes = self._notes.setdefault(table, [])
        if text not in notes:
            self._notes[table] = [*notes, text]
            log.info("checksums of %s.%s: %s", *table, text)

    # -- while it copies

    def known(self, chunks: int) -> None:
        """So many are compared by now."""
        self._compared = chunks

    def heard(self, table: TableName, done: ChunkDone) -> None:
        """Each time that a chunk is spoken of: of what it took, lanes of a snapshot tell at their ends."""
        self._seconds += done.comparing
        if done.note:
            self._note(table, f"chunks are not compared: {done.note}")

    def taken(self, done: ChunkDone) -> None:
        """Once for each chunk that is done."""
        self._compared += done.is_compared

    # -- what came of it

    def status(self) -> Mapping[str, Any]:
        if not self.is_wanted:
            return {}
        return {"verify": {"comparedChunks": self._compared, "notCompared": self._listed()[:_SHOWN]}}

    def summary(self) -> Mapping[str, Any]:
        if not self.is_wanted:
            return {}
        return {"comparedChunks": self._compared, "seconds": round(self._seconds, 3), "notCompared": self._listed()}

    def _listed(self) -> list[str]:
        lines = (f"{'.'.join(table)}: {note}" for table, notes in sorted(self._notes.copy().items()) for note in notes)
        return list(lines)[:MOST_NOTES]


def _keeps_collations(connection: Connection) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'a' < 'B' COLLATE utf8mb4_general_ci")
        row: Any = cursor.fetchone()
    return bool(row[0])


def _owned(copy: TableCopy, one: Compared | None) -> tuple[str, str, str]:
    return copy.target_schema, copy.target_table, one.own if one is not None else ""
