"""Where pulling begins: at the end of what is there, or with the first file of a sub-directory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dm_worker.relay.errors import PURGED_UPSTREAM, RESTORED, SWITCHED_BY_POSITION
from dm_worker.relay.folder import sub_dirs, unreadable
from dm_worker.relay.recovery import Tail, recover
from dm_worker.relay.upstream import Open, Upstream, gtids_before, head_of, is_same_head
from pkg.adapters.log import fields
from pkg.binlog.gtid import parse_gtid_set, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.binlog.relay_layout import INDEX_NAME, SubDir, following, next_sub_dir
from pkg.task import SourceConfig

_ADDRESSED = 1 << 32  # a request by position has 32 bits
Start = Callable[[], "Location | None"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begin:
    """What the upstream is asked for, and what of it is there already."""

    sub_dir: SubDir
    known: tuple[SubDir, ...]
    request: Position
    tail: Tail | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """The last sub-directory that has a file."""

    sub_dir: SubDir
    tail: Tail


def find_begin(config: SourceConfig, folder: Path, upstream: Upstream, open_at: Open, start: Start) -> Begin:
    """Cuts the last file's tail on the way.  Raises DMError where it cannot go on."""
    known = _known(folder)
    held = _held(config, folder, known, upstream)
    if held is None:
        request = Position(_first_file(config, upstream, open_at, start), 4)
        return Begin(_sub_dir(known, upstream), known, request)
    if held.sub_dir == known[-1] and held.sub_dir.server == upstream.identity:
        return _same_server(config, folder, known, held, upstream, open_at, start)
    _check_switch(config, folder, held, upstream)
    name = upstream.file_for(held.tail.gtid_set, open_at)
    log.info("upstream switched", extra=fields(before=held.sub_dir, now=upstream.identity, file=name))
    return Begin(_sub_dir(known, upstream), known, Position(name, 4))


def _known(folder: Path) -> tuple[SubDir, ...]:
    try:
        return tuple(map(SubDir.parse, sub_dirs(folder)))
    except ValueError as exc:
        raise unreadable(folder / INDEX_NAME, exc) from exc


def _sub_dir(known: tuple[SubDir, ...], upstream: Upstream) -> SubDir:
    """A new one; or the last, when it is this server's and has nothing yet."""
    if known and known[-1].server == upstream.identity:
        return known[-1]
    return next_sub_dir(upstream.identity, known)


def _held(config: SourceConfig, folder: Path, known: tuple[SubDir, ...], upstream: Upstream) -> _Held | None:
    for sub_dir in reversed(known):
        # Of a server that does not answer, the rest of a transaction never comes: readers may have read its begin.
        whole = config.enable_gtid and sub_dir.server == upstream.identity
        tail = recover(folder, str(sub_dir), upstream.flavor, whole_transactions=whole)
        if tail is not None:
            return _Held(sub_dir, tail)
    return None


def _same_server(
    config: SourceConfig,
    folder: Path,
    known: tuple[SubDir, ...],
    held: _Held,
    upstream: Upstream,
    open_at: Open,
    start: Start,
) -> Begin:
    tail, sizes = held.tail, upstream.sizes
    refuse_another_file(tail.file, tail.size, tail.head, folder, upstream, open_at)
    if tail.file in sizes:
        offset = tail.size if tail.size < _ADDRESSED else 4  # what comes again is compared
        return Begin(held.sub_dir, known, Position(tail.file, offset), tail)
    if tail.is_closed and following(tail.file) in sizes:
        _refuse_another_binlog(tail, folder, upstream, open_at)
        return Begin(held.sub_dir, known, Position(following(tail.file), 4), tail)
    end = Position(tail.file, tail.size)
    needed = start()
    if needed is None or needed.position <= end or needed.position.name not in sizes:
        raise PURGED_UPSTREAM.error(needed=f"what follows {end}", first=upstream.files[0], folder=folder)
    log.warning("relay log begins anew behind a gap that no task needs", extra=fields(end=end, needed=needed.position))
    return Begin(next_sub_dir(upstream.identity, known), known, Position(needed.position.name, 4))


def refuse_another_file(name: str, size: int, head: bytes, folder: Path, upstream: Upstream, open_at: Open) -> None:
    """``size`` bytes of a file were received, which began with ``head``.  Raises RESTORED where it is another now."""
    reason = ""
    if name not in upstream.sizes:
        if Position(upstream.files[-1], 0) < Position(name, 0):
            reason = "it is not there, and no later one is"
    elif upstream.sizes[name] < size:
        reason = f"it has {upstream.sizes[name]} bytes there, and {size} were received"
    elif not is_same_head(head_of(name, open_at, upstream.flavor), head):
        reason = "it begins in another way"
    if reason:
        raise RESTORED.error(file=name, folder=folder, reason=reason)


def _refuse_another_binlog(tail: Tail, folder: Path, upstream: Upstream, open_at: Open) -> None:
    """Our last file is gone there: a binlog that was reset to the next number knows of no transaction before it."""
    name = following(tail.file)
    is_reset = gtids_before(name, open_at, upstream.flavor) == parse_transactions("", upstream.flavor)
    if is_reset and not tail.gtid_set.is_empty:
        reason = f"it is to follow {tail.file}, and begins without the transactions of that file"
        raise RESTORED.error(file=name, folder=folder, reason=reason)


def _check_switch(config: SourceConfig, folder: Path, held: _Held, upstream: Upstream) -> None:
    reason = ""
    if not config.enable_gtid:
        reason = "its binlog positions are others, and the source file does not say enable-gtid"
    elif held.tail.gtid_set.is_empty:
        reason = "its binlog positions are others, and the binlog received has no GTIDs"
    if reason:
        server = held.sub_dir.server
        raise SWITCHED_BY_POSITION.error(
            folder=folder, known=server, found=upstream.identity, address=upstream.address, reason=reason
        )


def _first_file(config: SourceConfig, upstream: Upstream, open_at: Open, start: Start) -> str:
    """Of a relay log that has nothing yet: what the tasks need, else what the source file says, else today's."""
    needed = start()
    if needed is None and config.relay_binlog_gtid and config.enable_gtid:
        needed = Location(Position("", 0), parse_gtid_set(config.relay_binlog_gtid, upstream.flavor))
    if needed is None and config.relay_binlog_name:
        needed = Location(Position(config.relay_binlog_name, 4))
    if needed is None:
        return upstream.files[-1]
    if config.enable_gtid and needed.gtid_set is not None and not needed.gtid_set.is_empty:
        return upstream.file_for(needed.gtid_set, open_at)
    if needed.position.name not in upstream.sizes:
        raise PURGED_UPSTREAM.error(needed=needed.position, first=upstream.files[0], folder="the relay log's folder")
    return needed.position.name
