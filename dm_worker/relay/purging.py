"""An order to purge, or the time for it: carried out, and told in words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dm_worker.desired import PurgeOrder
from dm_worker.relay.purge import Purged, purge
from pkg.binlog.position import Location
from pkg.task.source import PurgeConfig

_MB = 1_000_000


def carry_out(
    folder: Path,
    config: PurgeConfig,
    readers: Iterable[tuple[str, str]],
    needed: Iterable[Location],
    now: float,
    order: PurgeOrder | None,
) -> str:
    """What was deleted, or "" when the time for it has brought nothing.  Raises DMError."""
    if order is None:
        purged = purge(folder, config, readers, needed, now)
        return told(purged) if purged.files else ""
    return told(purge(folder, config, readers, needed, now, file=order.filename, sub_dir=order.sub_dir))


def told(purged: Purged) -> str:
    """For a user.

    >>> told(Purged(()))
    'nothing to delete'
    """
    text = "nothing to delete"
    if purged.files:
        last = purged.files[-1]
        text = f"{len(purged.files)} files deleted, {purged.size / _MB:.1f} MB, up to {last.sub_dir}/{last.name}"
    if purged.kept is not None:
        text += f"; {purged.kept.sub_dir}/{purged.kept.name} and what follows is still needed"
    return text
