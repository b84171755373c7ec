"""The verbs about relay logs (start, stop, pause, resume, purge): order, wait for what follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dm_master.cluster import Cluster
from dm_master.coordinator import Coordinator
from dm_master.observed import ObservedRelay, Outcome, Picture, outcome_of_relay
from dm_master.relay_orders import OperateRelay, PurgeRelays, RelayOrder
from dm_master.status import observation_of
from dm_master.tasks import WAIT_SECONDS, source_answer
from pkg.errors import ErrorKind, Level, Scope
from pkg.facts import RelayFact

Body = dict[str, Any]
T = TypeVar("T")

BAD_FILE_NAME = ErrorKind(
    38072,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "{name} is no name of a {what}",
    workaround="give the name alone, as `query-status` shows it: -f mysql-bin.000006 --sub-dir <server-uuid>.000001",
)
_FILE = re.compile(r"[^/\\\0]*\.\d+")


class RelayVerbs:
    """The verbs about relay logs; every answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def operate(self, order: RelayOrder, sources: Sequence[str], workers: Sequence[str] = ()) -> Body:
        before = self._coordinator.picture().cluster
        names = list(dict.fromkeys(sources))
        after = self._coordinator.give(OperateRelay(order, tuple(names), tuple(workers))).cluster
        if order is RelayOrder.STOP:
            answers = self._departures([name for name in names if name in before.relays], before)
            off = [name for name in names if name not in before.relays]
            answers += [
                source_answer(after, name, Outcome(True, "relay is disabled for this source already")) for name in off
            ]
        else:
            facts = [after.relays[name] for name in names]
            answers = self._outcomes(facts, _outcome, _late)
        return {"result": True, "msg": "", "sources": answers}

    def purge(self, sources: Sequence[str], filename: str, sub_dir: str) -> Body:
        for name, what in ((filename, "binlog file"), (sub_dir or "x.1", "sub-directory of a relay log")):
            if not _FILE.fullmatch(name):
                raise BAD_FILE_NAME.error(name=repr(name), what=what)
        after = self._coordinator.give(PurgeRelays(tuple(dict.fromkeys(sources)), filename, sub_dir)).cluster
        facts = [after.relays[name] for name in dict.fromkeys(sources)]
        return {"result": True, "msg": "", "sources": self._outcomes(facts, _purged, _purge_late)}

    def _outcomes(
        self,
        ordered: Sequence[RelayFact],
        outcome: Callable[[Picture, RelayFact], Outcome | None],
        late: Callable[[Picture, RelayFact], Outcome],
    ) -> list[Body]:
        """What became of each order, as far as it shows within the waiting time."""

        def look(picture: Picture) -> list[Outcome] | None:
            found = [outcome(picture, fact) for fact in ordered]
            return [one for one in found if one is not None] if all(found) else None

        outcomes = self._coordinator.wait(look, WAIT_SECONDS)
        picture = self._coordinator.picture()
        if outcomes is None:
            outcomes = [outcome(picture, fact) or late(picture, fact) for fact in ordered]
        return [source_answer(picture.cluster, fact.source, one) for fact, one in zip(ordered, outcomes, strict=True)]

    def _departures(self, sources: Sequence[str], before: Cluster) -> list[Body]:
        def look(picture: Picture) -> bool | None:
            return True if all(_observed(picture, source) is None for source in sources) else None

        self._coordinator.wait(look, WAIT_SECONDS)
        picture = self._coordinator.picture()
        late = Outcome(
            False, f"the relay log is still stopping after {WAIT_SECONDS:g} s; the order stands", is_late=True
        )
        gone = {source: _observed(picture, source) is None for source in sources}
        return [source_answer(before, source, Outcome(True) if gone[source] else late) for source in sources]


def _observed(picture: Picture, source: str) -> ObservedRelay | None:
    observation = observation_of(picture, source)
    return observation.relay if observation else None


def _outcome(picture: Picture, fact: RelayFact) -> Outcome | None:
    current = picture.cluster.relays.get(fact.source)
    if current is None or current.revision != fact.revision:
        return Outcome(False, "another order has come in between")
    if not picture.cluster.worker_of(fact.source):
        return Outcome(True, f"source {fact.source} is not bound to a dm-worker; the order is carried out when it is")
    return outcome_of_relay(fact, _observed(picture, fact.source))


def _late(picture: Picture, fact: RelayFact) -> Outcome:
    observed = _observed(picture, fact.source)
    now = f"it is {observed.stage}" if observed else "its dm-worker has not reported"
    return Outcome(
        False,
        f"fail to get expected result {fact.stage} within {WAIT_SECONDS:g} s, {now}; the order stands, "
        f"please check status: `query-status -s {fact.source}`",
        is_late=True,
    )


def _purged(picture: Picture, fact: RelayFact) -> Outcome | None:
    observed = _observed(picture, fact.source)
    answer = observed.purge if observed else None
    if answer is not None and fact.purge is not None and answer.number == fact.purge.number:
        return Outcome(answer.done, answer.message)
    if fact.source not in picture.cluster.relays:
        return Outcome(False, "the relay log was switched off in between")
    return None


def _purge_late(picture: Picture, fact: RelayFact) -> Outcome:
    where = "" if picture.cluster.worker_of(fact.source) else f"source {fact.source} is not bound to a dm-worker; "
    return Outcome(False, f"{where}no answer within {WAIT_SECONDS:g} s; the order stands", is_late=True)
