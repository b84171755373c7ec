"""What becomes of a DDL of the time in which tables were copied: it runs, it is only tracked, or it is passed over."""

from __future__ import annotations

import logging
from enum import Enum, auto

from dm_worker.syncer.copied import CopyWindow
from dm_worker.syncer.ddl import DdlRunner, Structures
from dm_worker.syncer.ddl_tables import Understood
from pkg.binlog.position import Position

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
