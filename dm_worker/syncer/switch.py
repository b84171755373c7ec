"""An upstream switch: behind the source's address is another server than the checkpoint's.

Its positions are its own, so only GTIDs lead on.  The first run on it ends as soon as no channel is ahead of
the checkpoint any more (see ahead.py); what follows is stored with the new server's positions.  Until then the
channels' rows have places of both servers, so the checkpoint belongs to neither: whichever server comes next,
also the former one, is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dm_worker.syncer.ahead import AheadByGtid, Beyond
from dm_worker.syncer.checkpoint import Checkpoint, LoadMeta
from dm_worker.syncer.ddl_journal import NEXT_DDL
from dm_worker.syncer.shard_rows import StoredShards
from pkg.binlog.gtid import GtidSet, MariaDBBinlogState, MariaDBGtidSet, Transactions, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.job import Place

SWITCHED_UPSTREAM = ErrorKind(
    36104,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the checkpoint of source {source} belongs to the server {known}, and {address} is the server {found}: {reason}",
    workaround="{way}point the source at the former server; or start the task with --remove-meta",
)
SWITCHED_BEHIND = ErrorKind(
    36110,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream {address} is another server than before, and it lacks transactions that were replicated: {missing}",
    workaround="wait until it has caught up, or point the source at a server that has them; if they are lost upstream, "
    "the target has rows that no upstream has: start the task with --remove-meta",
    resumable=True,
)

SWITCHED_UNLOGGED = ErrorKind(
    36264,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream {address} is another server than before, and its binlog lacks transactions that it has and that "
    "were not replicated: {missing}",
    workaround="it applied them as a replica without logging them (log_replica_updates, log_slave_updates), came "
    "from a copy that has them, or their files were purged: point the source at a server whose binlog has them, then "
    "resume-task; else start the task with --remove-meta",
)
ANOTHER_BINLOG = ErrorKind(
    36230,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the binlog of the upstream {address} is not the one that was replicated up to {location}: {reason}",
    workaround="it was reset (RESET MASTER), or the server was restored from a backup, so changes may be missing here "
    "or there: compare, and start the task with --remove-meta, which copies its tables anew",
)
RENAMED_BINLOG = ErrorKind(
    36301,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the binlog of the upstream {address} goes on in {opened} behind {former}: its files have another name (log-bin), "
    "which sorts before the former one, and places in a binlog are compared by the names of its files",
    workaround="give log-bin a name that sorts behind {former}, if nothing was written since; or begin there, all "
    "before it is applied: stop-task, name binlog-name {opened} and binlog-pos 4 as the source's meta in the task "
    "file, with task-mode incremental, and start-task with --remove-meta",
)

NONE = StoredShards()
BETWEEN_SERVERS = "between servers"  # as the identity of a checkpoint's server


def refusal(checkpoint: Checkpoint, load: LoadMeta, *, enable_gtid: bool, shards: StoredShards = NONE) -> str:
    """Why replication cannot go on at another server; "" when it can."""
    if shards.needed():
        return "tables wait for a DDL of other shards, at places of the former server's binlog"
    if not enable_gtid:
        return "its binlog positions are others, and the source file does not say enable-gtid"
    if checkpoint.location.gtid_set is None:
        return "its binlog positions are others, and the checkpoint has no GTID set"
    if load.end is not None and checkpoint.location.position < load.end.position:
        return "replication has not yet passed the end of the full migration, which is a place of the former server"
    return ""


def way_by_gtid(checkpoint: Checkpoint, load: LoadMeta, *, enable_gtid: bool, shards: StoredShards = NONE) -> str:
    """The way out by GTID of a task that a refusal of its positions stops, as the start of a sentence; "" for none."""
    if enable_gtid or refusal(checkpoint, load, enable_gtid=True, shards=shards):
        return ""
    return (
        "the checkpoint has a GTID set, and by it the task goes on: pause-task, set enable-gtid: true in the source "
        "file, operate-source update, resume-task (the servers must write GTIDs); or "
    )


def lacking(server: Transactions, needed: Transactions) -> str:
    """The transactions of ``needed`` that a server does not have, as text; "" when it has all."""
    return server.missing(needed)


def channels_ahead(applied: Mapping[int, Place], known: Checkpoint) -> dict[int, Place]:
    """The places of the channels that have applied more than the checkpoint says.

    Of those that a run between servers has moved all have, see ``forget_places``.
    """
    position, gtids = known.location.position, known.location.gtid_set
    assert gtids is not None

    def is_ahead(place: Place) -> bool:
        if known.server == BETWEEN_SERVERS and place.before is not None:
            return True
        beyond = Beyond.of(place, gtids.flavor)
        before = parse_transactions("", gtids.flavor) if beyond is None else beyond.whole
        is_later = known.server == BETWEEN_SERVERS or Position(place.file_name, place.end) > position
        return is_later and gtids.precedes(place.gtid, before)

    return {channel: place for channel, place in applied.items() if place.gtid and is_ahead(place)}


def without_server(known: Checkpoint) -> Checkpoint:
    """What is stored before the first run on the new server moves a channel."""
    return replace(known, server=BETWEEN_SERVERS)


def first_checkpoint(known: Checkpoint) -> Checkpoint:
    """Where the first run on the new server starts: by GTID, at no position."""
    location = Location(Position("", 0), known.location.gtid_set)
    return replace(known, location=location, ddl_location=NEXT_DDL if known.ddl_location else "", file_begun=0)


def needed_of(known: Checkpoint, ahead: AheadByGtid) -> Transactions:
    """All transactions that were replicated, or begun, as far as that must be known of the new server."""
    assert known.location.gtid_set is not None
    needed = known.location.gtid_set.transactions().union(ahead.news)
    return needed.add(known.ddl_gtid) if known.ddl_gtid else needed


def unlogged(server: GtidSet, known: GtidSet, needed: Transactions) -> str:
    """The transactions that a server's binlog lacks, ``server``, and that were not replicated either, as text.

    ``known`` is the checkpoint's set, and ``needed`` all that was replicated.
    """
    return needed.missing(server.missed_from(known).transactions())


def lost(server: Transactions, known: GtidSet) -> str:
    """The transactions of ``known``, of the same server, that it does not have any more, as text.

    A MariaDB may have been told to forget a domain (DELETE_DOMAIN_ID): that alone loses nothing.
    """
    missing = known.beyond(server)
    if isinstance(server, MariaDBBinlogState) and isinstance(missing, MariaDBGtidSet) and server.domains:
        missing = MariaDBGtidSet({domain: last for domain, last in missing.domains.items() if domain in server.domains})
    return str(missing)


def other_file(name: str, offset: int, size: int, begun: tuple[int, int]) -> str:
    """Why a file of the server is not the one that was read up to ``offset``; "" where nothing says so.

    ``begun``: when that one was begun, and the server's, in seconds since 1970; 0: not known.
    """
    before, now = begun
    if size < offset:
        return f"{name} has {size} bytes there, and {offset} were read"
    if before and now and before != now:
        return f"{name} was begun there at {_moment(now)}, and the one that was read at {_moment(before)}"
    return ""


def gone_file(name: str, files: Sequence[str]) -> str:
    """Why a server with these ``files`` (oldest first) has not purged the file that was read last; "" if it may have.

    It deletes the oldest ones only, and counts on.
    """
    newest = files[-1] if files else ""
    same_base = newest.rpartition(".")[0] == name.rpartition(".")[0]
    if same_base and Position(newest, 0) < Position(name, 0):
        return f"{name} is not there, and {newest} is the newest"
    return ""


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
