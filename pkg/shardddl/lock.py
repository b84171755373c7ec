"""Level 2 of shard DDL: the sources of a task that have tables for one target.  No I/O, no clock.

1. A source whose group is synced reports its DDLs.  The first one to report is the lock's owner.
2. When every source that has a table for the target has reported the same DDLs, the lock is synced:
   the owner is ordered to execute.
3. When the owner has done that, the others are ordered to skip, each when it comes to wait here.
4. When all have it behind them, the lock is resolved and forgotten.

Reports are a source's whole state and may come any number of times; orders follow from the lock alone.
So any message may be lost or repeated, and a master that comes back goes on from the stored locks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from pkg.errors import ErrorKind, Level, Scope
from pkg.shardddl.sameness import same_ddl

NO_SUCH_LOCK = ErrorKind(
    38101,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "there is no DDL lock {lock}",
    workaround="`dmctl shard-ddl-lock list` shows the locks",
)
OWNER_DOES_NOT_WAIT = ErrorKind(
    38102,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "{source} cannot own the DDL lock {lock}: it does not wait there",
    workaround="name one of the sources that do: {waiting}",
)
ALREADY_SYNCED = ErrorKind(
    38103,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the DDL lock {lock} is being resolved: {owner} is ordered to {action}",
    workaround="see what {owner} is at by `dmctl query-status`; to give the lock up, whatever then becomes of the DDL: "
    "--force-remove",
)


class Action(StrEnum):
    """What a source that waits is ordered to do with its DDLs."""

    EXEC = "exec"
    SKIP = "skip"


class Stage(StrEnum):
    """How far a lock is."""

    WAITING = "waiting"  # for sources
    EXECUTING = "executing"  # the owner runs the DDLs
    SKIPPING = "skipping"  # they were run; the others pass


@dataclass(frozen=True, slots=True)
class Waiting:
    """One source that has come to a lock: the DDL's number at that source, and where its stream stands."""

    number: int
    location: str = ""
    since: int = 0  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Report:
    """What a source says of one target for which it has tables.

    ``next_number`` is that of its next DDL on the target and grows by one with each that it has behind
    it; ``ddls`` are its texts once the source waits for the others with it.
    """

    target: str
    next_number: int
    ddls: tuple[str, ...] = ()
    location: str = ""
    meaning: str = ""  # of `ddls`, see `pkg.shardddl.meaning`


@dataclass(frozen=True, slots=True)
class Order:
    """For a source that waits."""

    target: str
    number: int
    action: Action


@dataclass(frozen=True, slots=True)
class Lock:
    """One DDL of one target.  invariant: done is a part of waiting."""

    target: str
    ordinal: int  # among the task's locks on the target that were there at one time
    ddls: tuple[str, ...]
    owner: str
    waiting: Mapping[str, Waiting]
    stage: Stage = Stage.WAITING
    done: frozenset[str] = frozenset()
    action: Action = Action.EXEC  # of the owner
    parties: frozenset[str] = frozenset()  # whom it is for, fixed when it left WAITING
    meaning: str = ""  # of `ddls` for the table of the source that made the lock; "" of an older version's lock

    def order_for(self, source: str) -> Order | None:
        waiting = self.waiting.get(source)
        if waiting is None or source in self.done or self.stage is Stage.WAITING:
            return None
        if self.stage is Stage.SKIPPING:
            return Order(self.target, waiting.number, Action.SKIP)
        return Order(self.target, waiting.number, self.action) if source == self.owner else None

    @property
    def is_over(self) -> bool:
        """Whether nobody is in it any more, or all have it behind them."""
        if self.stage is Stage.SKIPPING:
            return self.done >= self.parties
        return not self.waiting.keys() - self.done

    def with_waiting(self, source: str, waiting: Waiting) -> Lock:
        return replace(self, waiting=MappingProxyType({**self.waiting, source: waiting}))

    def without(self, source: str) -> Lock:
        """Nobody waits for the source any more; where it was the owner, the next one is."""
        waiting = {name: one for name, one in self.waiting.items() if name != source}
        left = replace(
            self, waiting=MappingProxyType(waiting), done=self.done - {source}, parties=self.parties - {source}
        )
        return left._with_owner()

    def passed(self, source: str) -> Lock:
        """The source has the DDL behind it."""
        done = self.done | {source}
        if source == self.owner and self.stage is Stage.EXECUTING:
            return replace(self, stage=Stage.SKIPPING, done=done)
        return replace(self, done=done)._with_owner()

    def synced(self, members: frozenset[str]) -> Lock:
        """The owner's turn, once all members have come."""
        if self.stage is not Stage.WAITING or members - self.waiting.keys():
            return self
        return replace(self, stage=Stage.EXECUTING, parties=frozenset(self.waiting))

    def _with_owner(self) -> Lock:
        """While the DDL was not run, the owner is one who still waits: the first who came."""
        left = self.waiting.keys() - self.done
        if self.stage is Stage.SKIPPING or self.owner in left or not left:
            return self
        return replace(self, owner=min(left, key=lambda name: (self.waiting[name].since, name)))


@dataclass(frozen=True, slots=True)
class TaskLocks:
    """The locks of one task, oldest first, and which of its sources has tables for which targets."""

    task: str
    sources: frozenset[str] = frozenset()
    targets: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))  # by source
    locks: tuple[Lock, ...] = ()

    def members(self, target: str) -> frozenset[str]:
        """The sources with tables for the target, and those that have not said yet what they have."""
        unheard = self.sources - self.targets.keys()
        return unheard | {source for source, targets in self.targets.items() if target in targets}

    def hear(self, source: str, reports: Iterable[Report], now: int) -> TaskLocks:
        """A source's whole state; what was heard before changes nothing."""
        said = {report.target: report for report in reports}
        targets = MappingProxyType({**self.targets, source: frozenset(said)})
        after = replace(self, targets=targets, locks=tuple(_heard(lock, source, said) for lock in self.locks))
        for report in said.values():
            if report.ddls and not after._has(source, report):
                after = after._wait(source, report, now)
        return after._settled()

    def with_sources(self, sources: frozenset[str]) -> TaskLocks:
        """The sources of the task are these: nobody waits for those that left, all wait for a new one."""
        gone = self.sources - sources
        locks = self.locks
        for source in gone:
            locks = tuple(lock.without(source) for lock in locks)
        targets = {source: targets for source, targets in self.targets.items() if source in sources}
        return replace(self, sources=sources, targets=MappingProxyType(targets), locks=locks)._settled()

    def orders_for(self, source: str) -> tuple[Order, ...]:
        """What the source is to do now."""
        orders = (lock.order_for(source) for lock in self.locks)
        return tuple(order for order in orders if order is not None)

    def id_of(self, lock: Lock) -> str:
        """As DM names it; with a number when an older lock of the target was there when it was made."""
        return f"{self.task}-{lock.target}" + (f"#{lock.ordinal}" if lock.ordinal > 1 else "")

    def unlock(self, lock_id: str, *, owner: str = "", action: Action = Action.EXEC) -> TaskLocks:
        """An operator resolves a lock that waits; sources that come later skip.  Raises DMError."""
        lock = self.find(lock_id)
        if lock.stage is not Stage.WAITING:
            raise ALREADY_SYNCED.error(lock=lock_id, owner=lock.owner, action=lock.action)
        left = lock.waiting.keys() - lock.done
        if owner and owner not in left:
            raise OWNER_DOES_NOT_WAIT.error(source=owner, lock=lock_id, waiting=", ".join(sorted(left)))
        parties = self.members(lock.target) | lock.waiting.keys()
        opened = replace(lock, owner=owner or lock.owner, action=action, stage=Stage.EXECUTING, parties=parties)
        return replace(self, locks=tuple(opened if one is lock else one for one in self.locks))

    def remove(self, lock_id: str) -> TaskLocks:
        """An operator gives a lock up; sources that still wait there make a new one.  Raises NO_SUCH_LOCK."""
        lock = self.find(lock_id)
        return replace(self, locks=tuple(one for one in self.locks if one is not lock))

    def find(self, lock_id: str) -> Lock:
        """Raises NO_SUCH_LOCK."""
        for lock in self.locks:
            if self.id_of(lock) == lock_id:
                return lock
        raise NO_SUCH_LOCK.error(lock=lock_id)

    def _has(self, source: str, report: Report) -> bool:
        """Whether the source waits in a lock with this very DDL already."""
        return any(
            lock.target == report.target
            and (there := lock.waiting.get(source)) is not None
            and there.number == report.next_number
            for lock in self.locks
        )

    def _wait(self, source: str, report: Report, now: int) -> TaskLocks:
        """The source comes to the oldest lock of its DDL that is open to it, or makes a new one."""
        waiting = Waiting(report.next_number, report.location, now)
        others = [lock for lock in self.locks if lock.target == report.target]
        for lock in others:
            is_open = lock.stage is Stage.WAITING or source in lock.parties
            if same_ddl(lock, report) and is_open and source not in lock.waiting:
                joined = lock.with_waiting(source, waiting)
                return replace(self, locks=tuple(joined if one is lock else one for one in self.locks))
        ordinal = 1 + max((lock.ordinal for lock in others), default=0)
        made = Lock(
            report.target, ordinal, report.ddls, source, MappingProxyType({source: waiting}), meaning=report.meaning
        )
        return replace(self, locks=(*self.locks, made))

    def _settled(self) -> TaskLocks:
        """Locks whose members have all come go on; those that are over are forgotten."""
        locks = (lock.synced(self.members(lock.target)) for lock in self.locks if not lock.is_over)
        return replace(self, locks=tuple(locks))


def _heard(lock: Lock, source: str, said: Mapping[str, Report]) -> Lock:
    """The lock after the source said where it is."""
    report, waiting = said.get(lock.target), lock.waiting.get(source)
    if report is None:
        return lock.without(source)  # it has no table for the target (any more)
    if waiting is None or source in lock.done:
        return lock
    if report.next_number > waiting.number:
        return lock.passed(source)
    began_anew = report.next_number < waiting.number
    has_another = bool(report.ddls) and not same_ddl(report, lock)
    return lock.without(source) if began_anew or has_another else lock
