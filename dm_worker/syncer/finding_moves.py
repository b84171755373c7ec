"""Which rows have gone from one table of a merge to another while one of these waited: found, stored, handed to runs.

They are looked for where it matters: when a change runs into a row that what waits may have given up (moved_rows.py),
and before what waits is read again.  What is found is stored before anything is done by it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore
from dm_worker.syncer.move_search import MOST_VALUES, PhasedRange, in_parts
from dm_worker.syncer.moved_rows import MovedRows
from dm_worker.syncer.shard_rows import ShardStatements, Statement
from dm_worker.syncer.shards import Shards
from pkg.binlog.position import Location, Position
from pkg.schema.statement import TableName
from pkg.shardddl.group import Group
from pkg.shardddl.moves import Move, MoveFinder, Taker, altered_columns

log = logging.getLogger(__name__)

Read = Callable[[Checkpoint, Location, Sequence[PhasedRange], MoveFinder], bool]
"""Reads the stream for a finder; False when stopped before the end."""


class FindingMoves:
    """Owned by the unit's thread."""

    def __init__(self, statements: ShardStatements, *, overwrites: bool) -> None:
        """``overwrites``: a change that meets a unique value of a row which still has it does not end the run."""
        self._statements = statements
        self._overwrites = overwrites
        self.copied_until: Position | None = None  # changes up to there overwrite, too
        # What was asked; asked again after a restart.
        self._searched: dict[TableName, Position] = {}  # by target: all that is taken up to there
        self._answered: set[tuple[TableName, Taker]] = set()

    def known(self, shards: Shards | None) -> MovedRows:
        """What the next run is to know."""
        if shards is None:
            return MovedRows()
        main = shards.main
        searched = self._searched if main is None else dict.fromkeys(shards.disordered(), main.position)
        return MovedRows(shards.disordered, shards.moves, searched, self._answered)

    def look(
        self, group: Group, shards: Shards, known: Checkpoint, end: Location, read: Read, asked: Taker | None = None
    ) -> list[Move] | None:
        """Moves up to ``end`` that are not stored yet; None when stopped."""
        ranges = [one for one in shards.ranges(group) if one[1].start.position < (one[1].end or end).position]
        if len({one.table for _, one in ranges}) < 2:
            return []
        begin = known.moved_to(min((one.start for _, one in ranges), key=lambda start: start.position))
        log.info(
            "%s: looking for rows that went from table to table, from %s to %s",
            group.target.quoted(),
            begin.location,
            end,
        )
        forced = self._overwrites or (self.copied_until is not None and self.copied_until > begin.location.position)
        altered = altered_columns(group)
        finders = in_parts(
            lambda finder: read(begin, end, ranges, finder),
            lambda part, parts: MoveFinder(MOST_VALUES, part, parts, forced=forced, asked=asked, altered=altered),
        )
        if finders is None:
            return None
        stored = set(shards.moves.get(group.target, ()))
        found = dict.fromkeys(move for finder in finders for move in finder.found if move not in stored)
        log.info("%s: %d rows went from table to table", group.target.quoted(), len(found))
        return list(found)

    def store(self, target: TableName, moves: Sequence[Move], shards: Shards) -> list[Statement]:
        """Statements that store them."""
        return list(self._statements.moved_rows(target, moves, len(shards.moves.get(target, ()))))

    def answer(
        self, moved: MovedRows, shards: Shards, read_up_to: Position, store: CheckpointStore, read: Read
    ) -> None:
        """A run has asked whether what waits has given up a value: look, and store what is found."""
        assert moved.asked is not None
        target, taker = moved.asked
        group, known = shards.waiting_for(target), store.load()
        assert group is not None
        assert known is not None
        end = Location(max(read_up_to, taker[0]), None)
        moves = self.look(group, shards, known, end, read, taker)
        if moves is None:
            return
        if moves:
            store.save(known, also=self.store(target, moves, shards))
        self._answered.add(moved.asked)
        if self._overwrites:  # what was taken before it was given up was found, too
            self._searched[target] = end.position
