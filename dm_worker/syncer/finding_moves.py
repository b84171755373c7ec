"""Which rows have gone from one table of a merge to another while one of these waited: found, stored, handed to runs.

They are looked for where it matters: when a change runs into a row that what waits may have given up (moved_rows.py),
and before what waits is read again.  What is found is stored before anything is done by it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore
from dm_worker.syncer.move_search import MOST_VALUES, PhasedRange, in_parts
from dm_worker.syncer.moved_rows import MovedRows
from dm_worker.syncer.shard_rows import ShardStatements, Statement
from dm_worker.syncer.shards import Shards
from pkg.adapters.mysql.errors import DUPLICATE
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.statement import TableName
from pkg.shardddl.group import Group
from pkg.shardddl.moves import Move, MoveFinder, Taker, added_keys, altered_columns

GONE_FROM_KEY = ErrorKind(
    36240,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses a DDL of {target}, since two rows have one value in a key that it adds. Rows have gone from "
    "table to table while it waited, and where they were they are deleted behind it: {rows}",
    workaround="where the value that the target names is that of such a row, delete the row in the target as it was in "
    "the table that it has gone from (or give it what the upstream has there now), then resume-task: what waits of it "
    "takes nothing from the other one any more. Else two tables share the value: change one of the two rows upstream "
    "and in the target",
)
_MOST_SHOWN = 10
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
        if len({one.member for _, one in ranges}) < 2:
            return []
        begin = known.moved_to(min((one.start for _, one in ranges), key=lambda start: start.position))
        log.info(
            "%s: looking for rows that went from table to table, from %s to %s",
            group.target.quoted(),
            begin.location,
            end,
        )
        forced = self._overwrites or (self.copied_until is not None and self.copied_until > begin.location.position)
        altered, keys = altered_columns(group), added_keys(group) if asked is None else ()
        stored = set(shards.moves.get(group.target, ()))
        # What was found by a question before is found again: else what was taken there seems to be free.
        takers = {move.taken for move in stored} | ({asked} if asked is not None else set())
        make = partial(MoveFinder, MOST_VALUES, forced=forced, asked=takers, altered=altered, keys=keys)
        finders = in_parts(lambda finder: read(begin, end, ranges, finder), make)
        if finders is None:
            return None
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


def told_of_moves(exc: DMError, target: TableName, moves: Sequence[Move]) -> DMError:
    """What a refused DDL is told as: rows that have moved may be why two have one value."""
    gone = dict.fromkeys(
        f"{move.table.schema}.{move.table.table} ({b', '.join(move.columns).decode()}) = "
        f"({b', '.join(move.key).decode('utf-8', 'replace')}), deleted or changed at {move.until[0]}"
        for move in moves
        if move.was_there
    )
    if not gone or exc.__cause__ is None or not DUPLICATE.matches(exc.__cause__):
        return exc
    more = f"; and {len(gone) - _MOST_SHOWN} more" if len(gone) > _MOST_SHOWN else ""
    return GONE_FROM_KEY.error(
        cause=exc.__cause__, target=f"{target.schema}.{target.table}", rows="; ".join([*gone][:_MOST_SHOWN]) + more
    )
