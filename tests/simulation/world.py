"""A seed's whole life: an upstream, a target, and runs that die, go on behind each other's back, and start again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from dm_worker.syncer import replicator as replicator_module
from dm_worker.syncer.ahead import AheadByGtid, AheadByPosition
from dm_worker.syncer.checkpoint import Checkpoint, LoadMeta
from dm_worker.syncer.switch import channels_ahead, first_checkpoint, lacking, needed_of, refusal, without_server
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.rows.job import Place
from tests.simulation.model import Broken
from tests.simulation.process import Habits, Mode, Process, Start
from tests.simulation.server import Server, name_transactions, reordered, written
from tests.simulation.target import Fenced, Target
from tests.simulation.workload import Copy, Workload

MOST_STEPS = 40_000
FORGET_ABOVE = replicator_module.FORGET_ABOVE


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed is about."""

    flavor: str
    with_gtids: bool
    by_gtid: bool  # enable-gtid
    domains: int
    copied: bool
    switches: bool
    swaps: float  # of neighbours, that another server commits the other way round
    channels: int
    crash: float  # per step
    crashes: int
    stale: float  # of the crashes after which the run goes on


def random_plan(rng: random.Random) -> Plan:
    with_gtids = rng.random() < 0.7
    switches = with_gtids and rng.random() < 0.5
    domains = 2 if rng.random() < 0.4 else 1
    return Plan(
        flavor=rng.choice(("mysql", "mariadb")),
        with_gtids=with_gtids,
        by_gtid=switches or (with_gtids and rng.random() < 0.5),
        domains=domains,
        copied=rng.random() < 0.3,
        switches=switches,
        swaps=rng.choice((0.0, 0.3)),
        channels=rng.choice((1, 2, 3, 5)),
        crash=rng.choice((0.0, 0.005, 0.02, 0.05)),
        crashes=1 + int(rng.random() * 12),
        stale=rng.choice((0.0, 0.5)),
    )


def random_habits(rng: random.Random) -> Habits:
    return Habits(
        batch=rng.choice((1, 2, 5, 100)),
        queue_rows=rng.choice((2, 10, 1000)),
        flush_rows=rng.choice((1, 5, 500)),
        reader=rng.choice((0.2, 0.5, 0.8)),
        flush=rng.choice((0.0, 0.1, 0.5)),
        save=rng.choice((0.0, 0.02, 0.2)),
        failure=rng.choice((0.0, 0.05, 0.3)),
        slow_ack=rng.choice((0.0, 0.5, 0.9)),
    )


class World:
    """Everything comes from the seed, so a seed's life is the same each time."""

    def __init__(self, seed: int, say: Callable[[str], None] | None = None) -> None:
        self.rng = rng = random.Random(seed)
        self._tell = say
        self.plan = random_plan(rng)
        self.habits = random_habits(rng)
        self.steps = 0
        self.crashes = 0
        self.workload = Workload(rng)
        transactions = 1 + int(rng.random() * rng.choice((6, 25, 40)))
        copied = int(rng.random() * transactions * rng.choice((0.3, 1))) if self.plan.copied else None
        copy = self.workload.run(transactions, ddls=rng.choice((0.0, 0.08, 0.3)), copied=copied)
        self.servers = self._servers()
        self.server = self.servers[0]
        self.target = Target(self.workload, rng, compact=rng.random() < 0.8, any_order=rng.random() < 0.5)
        self.channels = self.plan.channels
        self._fill(copy)
        replicator_module.FORGET_ABOVE = rng.choice((0, 3, FORGET_ABOVE))

    def _servers(self) -> list[Server]:
        plan, rng, transactions = self.plan, self.rng, self.workload.transactions
        name_transactions(rng, transactions, plan.flavor, plan.domains)
        servers = [written(rng, "bin", plan.flavor, transactions, with_gtids=plan.with_gtids)]
        if plan.switches:
            order = reordered(rng, transactions, plan.swaps, one_order=plan.flavor == "mariadb")
            name = rng.choice(("bin", "another"))
            servers.append(written(rng, name, plan.flavor, order, with_gtids=True))
            servers[1].name = "second"
        servers[0].name = "first"
        return servers

    def _fill(self, copy: Copy | None) -> None:
        """The target as the full migration leaves it."""
        if copy is None:
            self.target.start_with(self.workload.initial)
            return
        for images in copy.rows:
            self.rng.shuffle(images)
        self.target.start_with(copy.rows)
        first, places = self.server, [self.server.start, *self.server.ends]
        self.target.load = LoadMeta(self._location(first.start), self._location(places[copy.until]), True)
        for table, done in copy.pins.items():
            self.target.pin(table, places[done], self.workload.transactions[:done])

    def _location(self, position: Position) -> Location:
        return Location(position, parse_gtid_set("", self.plan.flavor) if self.plan.with_gtids else None)

    def say(self, text: str) -> None:
        if self._tell is not None:
            self._tell(f"{self.steps:6} {text}")

    def live(self) -> None:
        """Until all is applied.  Raises Broken."""
        stale: list[Process] = []
        current = self._begin()
        while True:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Broken("no progress")
            if stale and self.rng.random() < 0.3:
                self._step_stale(stale)
                continue
            if self.crashes < self.plan.crashes and self.rng.random() < self.plan.crash * (10 if current.in_ddl else 1):
                self._end(current, stale)
                current = self._begin()
                continue
            self._step(current)
            if current.mode is Mode.ENDED:
                if self.rng.random() < 0.1 and self.crashes < self.plan.crashes:
                    self._end(current, stale)
                    current = self._begin()
                else:
                    current.begin_anew(self.channels)
                    current = self._begin(current.epoch)
            elif current.is_idle and current.mode is Mode.READING and not current.start.switched:
                if self.crashes >= self.plan.crashes or self.rng.random() < 0.5:
                    break
                self._end(current, stale)
                current = self._begin()
        current.save()
        while stale:
            self._step_stale(stale)
        self.check()

    def _step(self, current: Process) -> None:
        try:
            current.step()
        except Fenced as fenced:
            raise Broken("the newest run is fenced") from fenced

    def _step_stale(self, stale: list[Process]) -> None:
        """A run that was replaced and does not know; it ends when it meets the fence."""
        number = int(self.rng.random() * len(stale))
        try:
            self.say(f"(epoch {stale[number].epoch})")
            stale[number].step()
            if stale[number].mode is Mode.ENDED:
                stale[number].begin_anew(self.channels)
        except Fenced:
            del stale[number]
            return
        if stale[number].is_idle or self.rng.random() < 0.02:
            del stale[number]

    def _end(self, current: Process, stale: list[Process]) -> None:
        """The newest run ends: it dies, is stopped, or is only thought to be dead."""
        self.crashes += 1
        roll = self.rng.random()
        if roll < self.plan.stale:
            self.say("a run is given up, and goes on")
            stale.append(current)
        elif roll > 0.8:
            self.say("the run is stopped")
            current.stop()
        else:
            self.say("the run dies")
        if self.rng.random() < 0.3:
            self.channels = self.rng.choice((1, 2, 3, 5))
            self.say(f"worker-count is {self.channels}")
        if len(self.servers) > 1 and self.rng.random() < 0.3:
            self.server = self.servers[1 - self.servers.index(self.server)]
            self.say(f"the upstream is the {self.server.name} server")

    def _begin(self, epoch: int = 0) -> Process:
        """As Syncer.run and Syncer._start: claim the epoch, and go on from what is stored."""
        while True:
            if not epoch:
                epoch = self.target.claim()
            start = self._start(epoch)
            location = start.checkpoint.location
            if start.until is not None and location.position >= start.until:
                checkpoint = Checkpoint(location, self.channels, self.server.name, start.checkpoint.ddl_location)
                self.target.save(epoch, checkpoint, self.server, new_channels=True)
                continue
            self.say(
                f"epoch {epoch} starts at {location.position} {location.gtid_set or ''} with "
                f"{start.checkpoint.channels} channels{', switched' if start.switched else ''}"
                f"{f', safe until {start.safe_until}' if start.safe_until else ''}"
                f"{f', until {start.until}' if start.until else ''}"
            )
            return Process(
                start,
                epoch,
                self.target,
                self.server,
                self.workload,
                self.habits,
                self.plan.by_gtid,
                self.rng,
                self.say,
            )

    def _start(self, epoch: int) -> Start:
        target, known = self.target, self.target.checkpoint
        if known is None:
            location = self._location(self.server.start) if target.load.start is None else target.load.start
            known = Checkpoint(location, self.channels, self.server.name)
            target.save(epoch, known, self.server, new_channels=True)
        if known.server != self.server.name:
            return self._switched(known)
        places = {channel: row.place for channel, row in target.channels.items()}
        until = None
        if known.channels != self.channels:
            ends = [Position(place.file_name, place.end) for place in places.values() if place.file_name]
            until = max(ends, default=known.location.position)
        safe_until = None if target.load.end is None else target.load.end.position
        if safe_until is not None and safe_until <= known.location.position:
            safe_until = None
        return Start(known, AheadByPosition(places), safe_until, until, False, False)

    def _switched(self, known: Checkpoint) -> Start:
        assert known.location.gtid_set is not None
        if refusal(known, self.target.load, enable_gtid=True):
            self.server = self.servers[1 - self.servers.index(self.server)]
            self.say("the new upstream is refused")
            return self._start(self.target.epoch)
        rows = self.target.channels
        places = channels_ahead({channel: row.place for channel, row in rows.items()}, known)
        ahead = AheadByGtid(places, known.location.gtid_set)
        if lacking(self.server.transactions(), needed_of(known, ahead)):
            raise Broken("the new upstream lacks what it has")
        self.target.checkpoint = without_server(known)
        for channel in rows.keys() - places.keys():
            rows[channel].place = Place("", 0, 0)
        return Start(first_checkpoint(known), ahead, None, None, True, False)

    def check(self) -> None:
        """The target is what serial execution leaves, and every row came to it in the serial order."""
        for upstream, table in zip(self.workload.tables, self.target.statements.tables, strict=True):
            wanted, found = Counter(upstream.all_rows()), Counter([row.image for row in table.rows.values()])
            if wanted != found:
                raise Broken(f"{table.shape.name}: lacks {wanted - found}, has {found - wanted} beyond")
            if table.width != upstream.width:
                raise Broken(f"{table.shape.name} has {table.width} columns and not {upstream.width}")
        for transaction in self.workload.transactions:
            missing = self.target.missing(transaction)
            if missing:
                raise Broken(f"{missing} was not applied")
        if not (self.target.load.end or len(self.servers) > 1):
            self._check_histories()

    def _check_histories(self) -> None:
        for table in self.target.statements.tables:
            for key, history in table.history.items():
                if any(one >= other for one, other in pairwise(history)):
                    raise Broken(f"{table.shape.name}: row {key} went through {history}")


def play(seed: int, say: Callable[[str], None] | None = None) -> World:
    """One seed's life.  Raises Broken; anything else that is raised is a failure, too."""
    world = World(seed, say)
    try:
        world.live()
    finally:
        replicator_module.FORGET_ABOVE = FORGET_ABOVE
    return world
