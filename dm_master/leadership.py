"""Leading by a lease in the metastore: one dm-master decides, others stand by."""

from __future__ import annotations

import logging

from pkg.adapters.clock import Clock
from pkg.adapters.log import fields
from pkg.adapters.metastore.store import LEADERSHIP_LOST, MetaStore
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import Leader

LEASE_SECONDS = 10.0
_RENEW_SECONDS = LEASE_SECONDS / 3
_CAMPAIGN_SECONDS = 1.0

NOT_LEADER = ErrorKind(
    38043,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "dm-master {name} does not lead{leader}",
    workaround="send the request to the leader; `list-member --leader` names it",
    resumable=True,
)

log = logging.getLogger(__name__)


class Leadership:
    """This dm-master's part in the election; used by the coordinator's thread alone."""

    def __init__(self, store: MetaStore, clock: Clock, name: str, address: str) -> None:
        self._store, self._clock = store, clock
        self.name, self.address = name, address
        self.epoch: int | None = None
        self.leader: Leader | None = None
        self._next_try = 0.0

    def seconds_to_next_try(self) -> float:
        return max(0.0, self._next_try - self._clock.monotonic())

    def tend(self) -> bool:
        """Renew or campaign when it is time; whether this dm-master leads."""
        if self._clock.monotonic() >= self._next_try:
            try:
                self._renew() if self.epoch is not None else self._campaign()
            except DMError as exc:
                self._next_try = self._clock.monotonic() + _CAMPAIGN_SECONDS
                log.warning("the lease of the leader was not renewed", exc_info=exc)
                if exc.is_a(LEADERSHIP_LOST):
                    self.lose()
        return self.epoch is not None

    def lose(self) -> None:
        log.warning("leadership lost", extra=fields(name=self.name, epoch=self.epoch))
        self.epoch = None
        self._next_try = 0.0

    def resign(self) -> None:
        if self.epoch is not None:
            self._store.resign(self.epoch)
            self.epoch = None

    def refusal(self) -> DMError:
        """The answer to who asks a dm-master that does not lead."""
        other = f"; {self.leader.name} at {self.leader.address} does" if self.leader else ", and nobody does yet"
        return NOT_LEADER.error(name=self.name, leader=other)

    def _renew(self) -> None:
        assert self.epoch is not None
        self._store.renew(self.epoch, self._clock.unix(), LEASE_SECONDS)
        self._next_try = self._clock.monotonic() + _RENEW_SECONDS

    def _campaign(self) -> None:
        self.epoch = self._store.campaign(self.name, self.address, self._clock.unix(), LEASE_SECONDS)
        leader = self._store.leader()
        if self.epoch is not None:
            log.info("this dm-master leads", extra=fields(name=self.name, epoch=self.epoch))
        elif leader != self.leader:
            log.info("another dm-master leads; standing by", extra=fields(leader=leader.name if leader else ""))
        self.leader = leader
        self._next_try = self._clock.monotonic() + (_CAMPAIGN_SECONDS if self.epoch is None else _RENEW_SECONDS)
