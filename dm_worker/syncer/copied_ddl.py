"""What becomes of a DDL of the time in which tables were copied: it runs, it is only tracked, or it is passed over."""

from __future__ import annotations

import logging
from enum import Enum, auto
from typing import Final

from dm_worker.syncer.copied import CopyWindow
from dm_worker.syncer.ddl import DdlRunner, Structures
from dm_worker.syncer.ddl_errors import DDL_FAILED
from dm_worker.syncer.ddl_tables import Understood
from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.errors import shortened

OF_LATER_ROWS = ErrorKind(
    36285,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses a DDL from {place} for its rows, as {table} was being copied when it ran upstream, and they "
    "are of several moments here: {sql}",
    workaround="`dmctl binlog skip <task>` passes over it; when the task is synced, and the rows are as upstream, run "
    "the statement in the target by hand",
)
# Twice in a unique key; no parent; not as a CHECK wants; no value, or none of the new type; no partition.
_OF_ROWS: Final = frozenset((1062, 1586, 1216, 1452, 3819, 4025, 1048, 1138, 1263, 1264, 1265, 1292, 1366, 1406, 1526))
log = logging.getLogger(__name__)


class Fate(Enum):
    RUNS = auto()
    IS_TRACKED = auto()  # the target's table was made behind it; rows up to there are passed over, but must be read
    IS_COPIED = auto()  # its table, and what is tracked of it, were read behind it


def fate_of(window: CopyWindow | None, understood: Understood, position: Position) -> Fate:
    """``position`` is behind the statement.  Raises what ``CopyWindow`` raises."""
    ddl = understood.ddl
    if window is None or not (understood.kept or understood.exchanges):
        return Fate.RUNS
    fate = Fate.RUNS
    if understood.is_online:
        reals = [exchange.real for exchange in understood.exchanges]
        if window.is_behind(reals, ddl, position, also=bool(understood.kept)):
            fate = Fate.IS_TRACKED
    elif window.is_only_tracked(ddl, position):
        fate = Fate.IS_TRACKED
    elif window.is_copied(ddl, position):
        fate = Fate.IS_COPIED
    if fate is not Fate.RUNS:
        log.info("its table was copied afterwards: %s at %s", ddl.text, position)
    return fate


def track(runner: DdlRunner, understood: Understood) -> Structures:
    """Follow the statement without running anything."""
    ddl, event, place = understood.ddl, understood.event, understood.place
    changes = runner.follow(event, place) if understood.exchanges else runner.track(understood)
    if runner.online is not None:
        runner.online.follow(ddl, event, place, is_skipped=bool(understood.exchanges))
    return changes


def said_of(error: DMError, window: CopyWindow | None, understood: Understood, position: Position) -> DMError:
    """``error``, or what says that the statement is refused for rows of later moments only."""
    subject, cause = understood.ddl.subject, error.__cause__
    if window is None or not window.is_mixed(subject, position):
        return error
    if not error.is_a(DDL_FAILED) or cause is None or errno_of(cause) not in _OF_ROWS:
        return error
    sql = shortened(understood.ddl.text)
    return OF_LATER_ROWS.error(place=str(position), table=subject.quoted(), sql=sql, cause=cause)
