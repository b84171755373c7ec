"""Level 2 of shard DDL: the sources of a task that have tables for one target.  No I/O, no clock.

1. A source whose group is synced reports its DDLs.  The first one to report is the lock's owner.
2. When every source that has a table for the target has reported the same DDLs, the lock is synced:
   the owner is ordered to execute.
3. When the owner has done that, the others are ordered to skip, each when it comes to wait here.
4. When all have it behind them, the lock is resolved and forgotten.

A source that has not met the DDL of a lock that an operator has resolved skips it when it comes there, unless another
DDL has run since that may have undone it: what then looks like the late one may be a new one, and waits.

A source that had no table for the target when the DDL ran may get one without it, and have the DDL later: it skips it,
too, where its rows need no change, and no DDL of the same columns or keys has come since.  So does a source that had
left the task then, and comes back.

Reports are a source's whole state and may come any number of times; orders follow from the lock alone.
So any message may be lost or repeated, and a master that comes back goes on from the stored locks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from pkg.errors import ErrorKind, Level, Scope
from pkg.shardddl.circles import in_circles
from pkg.shardddl.overlap import may_undo, overlap
from pkg.shardddl.sameness import same_ddl
from pkg.shardddl.settings import UNKNOWN, both

MOST_KEPT = 100  # locks of a task that nobody waits for but sources that have left it
MOST_PAST = 100  # locks of a task that are over, for sources whose tables may come late

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
    "the DDL lock {lock} is being resolved: {owner} is ordered to {action} the DDL, or has done so",
    workaround="see what {owner} is at by `dmctl query-status`; where the target has refused the DDL: `dmctl binlog "
    "skip|replace|inject -s {owner}`, or unlock with --action skip or another --owner once {owner} has paused",
)


Numbers = Mapping[str, int]
"""Targets for which a source has tables, with the number of its next DDL of each; 0: not known."""
Run = tuple[int, int]
"""The revision of the order by which a subtask runs, and the fence of its run: later ones are greater."""
T = TypeVar("T")


class Action(StrEnum):
    """What a source that waits is ordered to do with its DDLs."""

    EXEC = "exec"
    SKIP = "skip"
    READ = "read"  # on, with the tables held back: others cannot come here before


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
    settings: str = UNKNOWN  # that the ddls depended on, see `pkg.shardddl.settings`
    may_be_late: bool = False  # the target has what they do, and the source's rows there are as behind them


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
    unsure: frozenset[str] = frozenset()  # of the parties: another DDL has run since, and its next one may be a new one
    meaning: str = ""  # of `ddls` for the table of the source that made the lock; "" of an older version's lock
    settings: str = UNKNOWN  # what any of the sources said of those that it depended on
    late: frozenset[str] = frozenset()  # had no table, or were away, when it left WAITING, and may come with it later

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

    @property
    def has_run(self) -> bool:
        """Whether all its parties have it behind them, and one of them ran it."""
        return self.stage is Stage.SKIPPING and self.is_over and self.action is Action.EXEC

    def with_waiting(self, source: str, waiting: Waiting) -> Lock:
        came = replace(self, waiting=MappingProxyType({**self.waiting, source: waiting}))
        if self.stage is Stage.WAITING:
            return came
        return replace(came, parties=self.parties | {source}, late=self.late - {source})

    def again_for(self, source: str, ordinal: int) -> Lock:
        """A lock that is over, for one who comes late."""
        waiting = MappingProxyType({source: self.waiting[source]})
        return replace(self, ordinal=ordinal, waiting=waiting, done=frozenset(), parties=frozenset({source}))

    def without(self, source: str) -> Lock:
        """It is not the source's any more."""
        waiting = {name: one for name, one in self.waiting.items() if name != source}
        return replace(
            self,
            waiting=MappingProxyType(waiting),
            done=self.done - {source},
            parties=self.parties - {source},
            unsure=self.unsure - {source},
        )

    def forgotten(self, source: str) -> Lock:
        """The source begins anew: nothing of what it has met holds any more."""
        left = self.without(source)
        return replace(left, late=left.late - {source})

    def passed(self, source: str) -> Lock:
        """The source has the DDL behind it."""
        done = self.done | {source}
        if source == self.owner and self.stage is Stage.EXECUTING:
            return replace(self, stage=Stage.SKIPPING, done=done)
        return replace(self, done=done)

    def owned_by(self, present: frozenset[str]) -> Lock:
        """While the DDL was not run, the owner is one who waits, and is there: the first who came."""
        left = (self.waiting.keys() - self.done) & present
        if self.stage is Stage.SKIPPING or self.owner in left or not left:
            return self
        return replace(self, owner=min(left, key=lambda name: (self.waiting[name].since, name)))

    def opened_for(self, parties: frozenset[str] = frozenset(), **changes: Any) -> Lock:
        """It waits for nobody any more; it is for those who wait in it, and for these."""
        return replace(self, stage=Stage.EXECUTING, parties=parties | frozenset(self.waiting), **changes)

    def followed_by(self, other: Lock, present: frozenset[str]) -> Lock:
        """Another DDL of the target runs: who has not met this one may come with a new one that is the same."""
        if other is self or other.target != self.target or self.stage is Stage.WAITING or not overlap(self, other):
            return self
        unmet = (self.parties - self.waiting.keys()) & present
        if other.action is Action.SKIP:
            unmet -= other.waiting.keys()  # that was decided for what they have now, not for what is to come
        return replace(self, unsure=self.unsure | unmet, late=self.late - present)

    def came_before(self, other: Lock, present: frozenset[str]) -> Lock:
        """Another lock is made: where it may undo this one, who comes late may come with a new one that is the same.

        Who is away comes with those of that time, in their order.
        """
        if not self.late or other.target != self.target or not may_undo(self, other):
            return self
        return replace(self, late=self.late - present)

    def is_only_of(self, source: str) -> bool:
        """Whether nobody else waits in it."""
        return self.stage is Stage.WAITING and self.waiting.keys() == {source}

    def is_open_to(self, source: str) -> bool:
        """Whether a source that comes with the DDL may join."""
        if source in self.waiting:
            return False
        return self.stage is Stage.WAITING or source in self.parties - self.unsure


@dataclass(frozen=True)
class TaskLocks:
    """The locks of one task, oldest first, and which of its sources has tables for which targets."""

    task: str
    sources: frozenset[str] = frozenset()
    targets: Mapping[str, Numbers] = field(default_factory=lambda: MappingProxyType({}))  # by source
    locks: tuple[Lock, ...] = ()
    away: Mapping[str, Numbers] = field(default_factory=lambda: MappingProxyType({}))  # `targets` of those that left
    runs: Mapping[str, Run] = field(default_factory=lambda: MappingProxyType({}))  # that were heard last, by source
    past: tuple[Lock, ...] = ()  # that are over, oldest first, for those that may come late

    @property
    def current(self) -> tuple[Lock, ...]:
        """Without those that are kept for sources that have left the task."""
        return tuple(lock for lock in self.locks if not self._is_kept(lock))

    def members(self, target: str) -> frozenset[str]:
        """The sources with tables for the target, and those that have not said yet what they have."""
        unheard = self.sources - self.targets.keys()
        return unheard | {source for source, targets in self.targets.items() if target in targets}

    def hear(self, source: str, reports: Iterable[Report], now: int, run: Run = (0, 0)) -> TaskLocks:
        """A source's whole state; what was heard before changes nothing, nor does what an earlier run says."""
        if run < self.runs.get(source, run):
            return self
        said = {report.target: report for report in reports}
        known = self.targets.get(source) or self.away.get(source) or {}
        numbers = MappingProxyType({target: report.next_number for target, report in said.items()})
        after = replace(
            self,
            targets=MappingProxyType({**self.targets, source: numbers}),
            away=_without(self.away, {source}),
            runs=MappingProxyType({**self.runs, source: run}),
            locks=_heard_by_all(self.locks, source, said, known),
            past=tuple(lock.forgotten(source) if _is_anew(lock, said, known) else lock for lock in self.past),
        )
        for report in said.values():
            after = after._as_given(source, report)._as_late(source, report)
            if report.ddls and not after._has(source, report):
                after = after._wait(source, report, now)
        return after._settled()

    def with_sources(self, sources: frozenset[str]) -> TaskLocks:
        """The sources of the task are these: nobody waits for those that left, all wait for a new one."""
        gone = self.sources - sources
        locks = self.locks
        for source in gone:
            locks = tuple(lock.without(source) if lock.stage is Stage.WAITING else lock for lock in locks)
        left = {source: numbers for source, numbers in self.targets.items() if source in gone}
        return replace(
            self,
            sources=sources,
            targets=_without(self.targets, gone),
            away=MappingProxyType({**self.away, **left}),
            runs=_without(self.runs, gone),
            locks=locks,
        )._settled()

    def forget(self, sources: frozenset[str]) -> TaskLocks:
        """These begin anew: what was known of them says nothing any more."""
        locks, past = self.locks, self.past
        for source in sources:
            locks, past = (tuple(lock.forgotten(source) for lock in group) for group in (locks, past))
        targets, away = _without(self.targets, sources), _without(self.away, sources)
        runs = _without(self.runs, sources)
        return replace(self, targets=targets, away=away, runs=runs, locks=locks, past=past)._settled()

    def orders_for(self, source: str) -> tuple[Order, ...]:
        """What the source is to do now."""
        orders = (lock.order_for(source) for lock in self.locks)
        reads = (Order(lock.target, lock.waiting[source].number, Action.READ) for lock in self.circle_of(source))
        return tuple(order for order in (*orders, *reads) if order is not None)

    def circle_of(self, source: str) -> list[Lock]:
        """Locks in which the source waits for others that wait, each in another target's lock, for it."""
        return self._circles.get(source, [])

    @cached_property
    def _circles(self) -> Mapping[str, list[Lock]]:
        """Who waits with another DDL of the same target would not come by reading on."""
        locks = [lock for lock in self.locks if lock.stage is Stage.WAITING]
        if len({lock.target for lock in locks}) < 2:
            return {}
        there = {number: frozenset(lock.waiting.keys() - lock.done) for number, lock in enumerate(locks)}
        awaited = {
            number: self.members(lock.target) - lock.waiting.keys() - self._stopped_at(lock.target)
            for number, lock in enumerate(locks)
        }
        return in_circles(locks, there, awaited)

    def waits_elsewhere(self, source: str, lock: Lock) -> Lock | None:
        """The lock of another target in which a source waits that is awaited here."""
        there = (one for one in self.locks if one.stage is Stage.WAITING and one.target != lock.target)
        return next((one for one in there if source in one.waiting.keys() - one.done), None)

    def _stopped_at(self, target: str) -> frozenset[str]:
        there = (lock for lock in self.locks if lock.target == target)
        return frozenset(source for lock in there for source in lock.waiting.keys() - lock.done)

    def id_of(self, lock: Lock) -> str:
        """As DM names it; with a number when an older lock of the target was there when it was made."""
        return f"{self.task}-{lock.target}" + (f"#{lock.ordinal}" if lock.ordinal > 1 else "")

    def unlock(
        self, lock_id: str, *, owner: str = "", action: Action = Action.EXEC, has_failed: bool = False
    ) -> TaskLocks:
        """An operator resolves a lock that waits; sources that come later skip.  Raises DMError.

        ``has_failed``: the owner has paused, so that another order may be given in place of the one it has.
        """
        lock = self.find(lock_id)
        is_new = (owner or lock.owner, action) != (lock.owner, lock.action)
        if lock.stage is not Stage.WAITING and not (lock.stage is Stage.EXECUTING and has_failed and is_new):
            raise ALREADY_SYNCED.error(lock=lock_id, owner=lock.owner, action=lock.action)
        left = lock.waiting.keys() - lock.done
        if owner and owner not in left:
            raise OWNER_DOES_NOT_WAIT.error(source=owner, lock=lock_id, waiting=", ".join(sorted(left)))
        parties, late = self.members(lock.target), self._late_for(lock.target)
        if action is Action.SKIP:  # nobody has it, so all pass it
            parties, late = parties | self._away_from(lock.target), frozenset()
        return self._opened(lock, lock.opened_for(parties, owner=owner or lock.owner, action=action, late=late))

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

    def _as_given(self, source: str, report: Report) -> TaskLocks:
        """What an operator gave has no settings: who waits alone goes to another lock of such a DDL."""
        alone = next((one for one in self.locks if one.target == report.target and one.is_only_of(source)), None)
        if alone is None or not report.ddls or report.settings or not alone.settings:
            return self
        locks = tuple(lock for lock in self.locks if lock is not alone)
        if any(one.target == report.target and same_ddl(one, report) and one.is_open_to(source) for one in locks):
            return replace(self, locks=locks)
        unsettled = replace(alone, settings=UNKNOWN)
        return replace(self, locks=tuple(unsettled if lock is alone else lock for lock in self.locks))

    def _as_late(self, source: str, report: Report) -> TaskLocks:
        """Who waits with what others have had before leaves that lock for theirs."""
        if not report.ddls or not report.may_be_late or not any(self._had_by_others(source, report)):
            return self
        left = [
            lock.without(source) if lock.target == report.target and lock.stage is Stage.WAITING else lock
            for lock in self.locks
        ]
        return replace(self, locks=tuple(lock for lock in left if lock.waiting))

    def _had_by_others(self, source: str, report: Report) -> Iterator[Lock]:
        """Locks with whose DDL the source comes late."""
        for lock in (*self.locks, *self.past):
            if lock.target == report.target and source in lock.late and same_ddl(lock, report):
                yield lock

    def _wait(self, source: str, report: Report, now: int) -> TaskLocks:
        """The source comes to the oldest lock of its DDL that is open to it, or makes a new one."""
        waiting = Waiting(report.next_number, report.location, now)
        others = [lock for lock in self.locks if lock.target == report.target]
        ordinal = 1 + max((lock.ordinal for lock in others), default=0)
        found = list(self._had_by_others(source, report)) if report.may_be_late else []
        found += [lock for lock in others if same_ddl(lock, report) and lock.is_open_to(source)]
        for lock in found[:1]:
            joined = replace(lock.with_waiting(source, waiting), settings=both(lock.settings, report.settings))
            if lock in others:
                return replace(self, locks=tuple(joined if one is lock else one for one in self.locks))
            again = joined.again_for(source, ordinal)
            return replace(self, locks=(*self.locks, again), past=tuple(one for one in self.past if one is not lock))
        made = Lock(
            report.target,
            ordinal,
            report.ddls,
            source,
            MappingProxyType({source: waiting}),
            meaning=report.meaning,
            settings=report.settings,
        )
        had_it = [lock for lock in others if same_ddl(lock, report) and source in lock.done]
        locks = tuple(lock.followed_by(made, self.sources) if lock in had_it else lock for lock in self.locks)
        if any(self._had_by_others(source, report)):  # it is old, and nothing that stands behind it is undone
            return replace(self, locks=(*locks, made))
        locks, past = (tuple(lock.came_before(made, self.sources) for lock in group) for group in (locks, self.past))
        return replace(self, locks=(*locks, made), past=past)

    def _settled(self) -> TaskLocks:
        """Locks whose members have all come go on; those that are over are forgotten."""
        past = (lock for lock in (*self.past, *self.locks) if lock.has_run and lock.late)
        locks = tuple(lock.owned_by(self.sources) for lock in self.locks if not lock.is_over)
        after = replace(self, locks=locks, past=tuple(past)[-MOST_PAST:])
        for lock in after.locks:
            members = after.members(lock.target)
            if lock.stage is Stage.WAITING and members <= lock.waiting.keys():
                after = after._opened(lock, lock.opened_for(late=after._late_for(lock.target)))
        kept = [lock for lock in after.locks if after._is_kept(lock)]
        dropped = kept[: max(0, len(kept) - MOST_KEPT)]
        return replace(after, locks=tuple(lock for lock in after.locks if lock not in dropped))

    def _opened(self, lock: Lock, opened: Lock) -> TaskLocks:
        locks = (opened if one is lock else one.followed_by(opened, self.sources) for one in self.locks)
        past = (one.followed_by(opened, self.sources) for one in self.past)
        return replace(self, locks=tuple(locks), past=tuple(past))

    def _late_for(self, target: str) -> frozenset[str]:
        return (self.sources - self.members(target)) | self._away_from(target)

    def _away_from(self, target: str) -> frozenset[str]:
        return frozenset(source for source, numbers in self.away.items() if target in numbers) - self.sources

    def _is_kept(self, lock: Lock) -> bool:
        """Whether none of the task's sources of now has to pass it."""
        return lock.stage is not Stage.WAITING and (lock.parties - lock.done).isdisjoint(self.sources)


def _without(by_source: Mapping[str, T], sources: Collection[str]) -> Mapping[str, T]:
    return MappingProxyType({source: one for source, one in by_source.items() if source not in sources})


def _heard_by_all(locks: Sequence[Lock], source: str, said: Mapping[str, Report], known: Numbers) -> tuple[Lock, ...]:
    """A lock that the source may have meant, too, when it passed another one of the same DDL, is not its any more."""
    after = [_heard(lock, source, said, known) for lock in locks]
    passed = [one for before, one in zip(locks, after, strict=True) if source in one.done - before.done]
    return tuple(lock.without(source) if _was_meant(lock, source, passed) else lock for lock in after)


def _was_meant(lock: Lock, source: str, passed: Iterable[Lock]) -> bool:
    return source in lock.unsure and any(one.target == lock.target and same_ddl(one, lock) for one in passed)


def _heard(lock: Lock, source: str, said: Mapping[str, Report], known: Numbers) -> Lock:
    """The lock after the source said where it is; ``known``: what was known of it."""
    report, waiting = said.get(lock.target), lock.waiting.get(source)
    if _is_anew(lock, said, known):
        return lock.forgotten(source)
    if report is None:
        return lock.without(source)  # it has no table for the target (any more)
    if waiting is None or source in lock.done:
        return lock
    if report.next_number > waiting.number:
        return lock.passed(source)
    runs_another = lock.stage is Stage.EXECUTING and source == lock.owner  # which an operator has put in its place
    is_another = bool(report.ddls) and not same_ddl(report, lock)
    if report.next_number < waiting.number or (is_another and not runs_another):
        return lock.without(source)
    return replace(lock, late=frozenset()) if is_another and lock.late else lock


def _is_anew(lock: Lock, said: Mapping[str, Report], known: Numbers) -> bool:
    """Whether the source has begun anew with the lock's target."""
    report = said.get(lock.target)
    return report is not None and report.next_number < known.get(lock.target, 0)
