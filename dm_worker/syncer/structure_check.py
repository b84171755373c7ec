"""After a DDL has run, the target's tables are compared with the upstream's as they are tracked.

The statement that runs downstream is made from the upstream's by rules, and what the target makes of it is its own
matter.  Whatever goes wrong there is seen here: a table that is then otherwise than upstream, was not so before, and
is not said to be so in the log, pauses the task before a row is written to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from dm_worker.syncer.ddl_journal import DdlJournal
from dm_worker.syncer.downstream import Downstream
from pkg.compare.structure import Differed, differences, explained, followed, may_differ, of_copies
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table

UNLIKE_STRUCTURE = ErrorKind(
    36250,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the DDL from {place} has run, and {target} is not what it made of {source} upstream: {found}; {sql}",
    workaround="alter {target} so that it is as upstream, then resume-task; or, where the target's table is right as "
    "it is, `dmctl binlog skip <task>` goes on behind the statement",
)
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class StructureCheck:
    downstream: Downstream
    routed: Callable[[TableName], TableName]
    tracked: Callable[[TableName], Table | None]
    is_merged: Callable[[TableName], bool]

    def differed(self, pieces: Iterable[Ddl], before: Mapping[TableName, Table | None]) -> Differed:
        """What is otherwise before a DDL of these ``pieces`` runs; ``before``: its tables upstream until then."""
        pieces = list(pieces)
        names = {name for piece in pieces for name in _names(piece)}
        found = {name: self._differing(name, before.get(name)) for name in sorted(names, key=TableName.quoted)}
        dropped = {piece.subject for piece in pieces if piece.kind is DdlKind.DROP_TABLE}
        for piece in pieces:
            known = found.get(piece.subject)
            is_new = known == () or (known is not None and piece.subject in dropped)
            if piece.kind is DdlKind.CREATE_TABLE_LIKE and is_new:
                found[piece.subject] = self._of_copy(piece.tables[1], before.get(piece.tables[1]))
        return found

    def _of_copy(self, like: TableName, above: Table | None) -> Collection[str] | None:
        """What a new table LIKE another one may have otherwise."""
        below = self._present(like)
        return None if above is None or below is None else of_copies(above, below, self.routed)

    def _differing(self, name: TableName, above: Table | None) -> Collection[str] | None:
        if self.is_merged(name):
            return None
        below = self._present(name)
        if above is None or below is None:
            return () if above is below else None
        return tuple(differences(above, below, self.routed))

    def _present(self, name: TableName) -> Table | None:
        target = self.routed(name)
        is_view = self.downstream.kind_of(target.schema, target.table) in ("VIEW", "SEQUENCE")
        return None if is_view else self.downstream.table(target.schema, target.table)

    def check(self, pieces: Iterable[Ddl], journal: DdlJournal, place: str, sql: str) -> None:
        """Raise UNLIKE_STRUCTURE where a table is otherwise than upstream after the DDL that the journal is of."""
        if journal.differed is None:
            return
        known = followed(journal.differed, pieces)
        taken = {_folded(self.routed(name)) for name in known if self.tracked(name) is not None}
        for name, differed in known.items():
            if differed is None or self.is_merged(name):  # also by the statement, under another name
                continue
            is_gone = self.downstream.folds_names and self.tracked(name) is None
            if is_gone and _folded(self.routed(name)) in taken:  # by a table whose name has other letters now
                continue
            found = self._found(name, differed, journal.notes)
            if found:
                raise UNLIKE_STRUCTURE.error(
                    place=place,
                    target=self.routed(name).quoted(),
                    source=name.quoted(),
                    found="; ".join(found[:_SHOWN]),
                    sql=shortened(sql),
                )

    def _found(self, name: TableName, differed: Collection[str], notes: Collection[str]) -> list[str]:
        above, below = self.tracked(name), self._present(name)
        if above is not None and above.kind != "table":
            return []
        if above is None or below is None:
            return [] if above is below else ["it is there" if above is None else "it is not there"]
        found = differences(above, below, self.routed)
        return [
            words for about, words in found.items() if not may_differ(about, differed) and not explained(about, notes)
        ]


def _folded(name: TableName) -> tuple[str, str]:
    return small(name.schema).lower(), small(name.table).lower()


def _names(piece: Ddl) -> list[TableName]:
    """The tables that a piece changes."""
    if not piece.subject.table or piece.kind is DdlKind.TRUNCATE_TABLE:
        return []
    return [piece.subject, *(new for _, new in piece.renames)]
