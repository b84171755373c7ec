"""``operate-source``: source files checked against their servers, then made known, changed or forgotten."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from typing import Any

from dm_master.cluster import Cluster
from dm_master.coordinator import Coordinator
from dm_master.members import show_sources
from dm_master.observed import Picture
from dm_master.refusals import SOURCE_EXISTS
from dm_master.scheduler import CreateSources, StopSources, UpdateSource
from pkg.adapters.files import read_text
from pkg.adapters.log import fields
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.errors import ErrorKind, Level, Scope
from pkg.facts import SourceFact
from pkg.task import SourceConfig, SubtaskConfig, load_source
from pkg.task.secret import REVEAL

Body = dict[str, Any]
WAIT_SECONDS = 10.0

GTID_OFF = ErrorKind(
    26007,
    "task-check",
    Scope.UPSTREAM,
    Level.HIGH,
    "source {source} says enable-gtid, but GTID_MODE of {address} is {mode}, not ON",
    workaround="turn gtid_mode=ON and enforce_gtid_consistency=ON on the upstream, or set enable-gtid: false",
)
WRONG_FLAVOR = ErrorKind(
    26008,
    "task-check",
    Scope.UPSTREAM,
    Level.HIGH,
    "source {source} says flavor {wanted}, but {address} is {found} ({version})",
    workaround="correct `flavor` in the source file, or leave it out",
)

log = logging.getLogger(__name__)


class SourceVerbs:
    """The verbs about sources; every answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator, key: bytes | None) -> None:
        self._coordinator, self._key = coordinator, key

    def create(self, texts: Sequence[str], worker: str) -> Body:
        loaded = [(text, load_source(text)) for text in texts]
        cluster = self._coordinator.picture().cluster
        for _, config in loaded:
            _refuse_known(cluster, config.source_id)
        facts = tuple(self._fact(text, config) for text, config in loaded)
        relays = frozenset(config.source_id for _, config in loaded if config.enable_relay)
        after = self._coordinator.give(CreateSources(facts, worker, relays)).cluster
        self._await_workers([fact.source for fact in facts])
        return {"result": True, "msg": "", "sources": [_created(after, fact.source) for fact in facts]}

    def update(self, texts: Sequence[str]) -> Body:
        answers = []
        for text, config in [(text, load_source(text)) for text in texts]:
            fact = self._fact(text, config)
            cluster = self._coordinator.picture().cluster
            wires = {one.task: _with_source(one.wire, fact.wire) for one in cluster.subtasks_of_source(fact.source)}
            relay = _relay_wanted(cluster.sources.get(fact.source), config)
            after = self._coordinator.give(UpdateSource(fact, wires, relay)).cluster
            answers.append(_answer(fact.source, after.worker_of(fact.source)))
        return {"result": True, "msg": "", "sources": answers}

    def stop(self, names: Sequence[str]) -> Body:
        before = self._coordinator.picture().cluster
        self._coordinator.give(StopSources(tuple(names)))
        answers = []
        for name in names:
            worker = before.worker_of(name)
            message = "" if worker else "source is stopped and hasn't bound to worker before being stopped"
            answers.append(_answer(name, worker, message))
        return {"result": True, "msg": "", "sources": answers}

    def show(self, names: Sequence[str]) -> Body:
        return show_sources(self._coordinator.picture().cluster, names)

    def _fact(self, text: str, config: SourceConfig) -> SourceFact:
        """The source as it is stored: checked, with its flavour, a server id and certificates inside."""
        ready = adjusted(config.decrypted(self._key).embedded(read_text))
        return SourceFact(config.source_id, text, ready.model_dump_json(context=REVEAL, by_alias=True))

    def _await_workers(self, sources: Sequence[str]) -> None:
        """Give workers a moment to take what was bound to them; being late is no failure."""

        def taken(picture: Picture) -> bool | None:
            bounds = [picture.cluster.bounds.get(source) for source in sources]
            held = [bound for bound in bounds if bound and bound.worker]
            seen = [picture.observed.get(bound.worker) for bound in held]
            is_taken = all(one and one.bind_epoch == bound.bind_epoch for one, bound in zip(seen, held, strict=True))
            return True if is_taken else None

        if self._coordinator.wait(taken, WAIT_SECONDS) is None:
            log.warning("workers have not taken their sources yet", extra=fields(sources=",".join(sources)))


def adjusted(config: SourceConfig, chance: Callable[[int, int], int] = random.randint) -> SourceConfig:
    """``config`` checked against its server: flavour, GTID mode, a server id of its own."""
    options = ConnectionOptions.from_config(config.from_, side="upstream")
    connection = connect(options, side="upstream")
    try:
        server = Server.probe(connection)
        if config.flavor and config.flavor != server.gtid_flavor:
            raise WRONG_FLAVOR.error(
                source=config.source_id, wanted=config.flavor, address=options.address, found=server.flavor,
                version=server.version_text,
            )  # fmt: skip
        if config.enable_gtid and server.flavor == "mysql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT @@GLOBAL.gtid_mode")
                mode = str((cursor.fetchone() or ("?",))[0])
            if mode.upper() != "ON":
                raise GTID_OFF.error(source=config.source_id, address=options.address, mode=mode)
    finally:
        connection.close()
    # As in DM: an id that no replica is likely to have.
    server_id = config.server_id or chance(429_000_000, 4_294_967_295)
    return config.model_copy(update={"flavor": server.gtid_flavor, "server_id": server_id})


def _refuse_known(cluster: Cluster, source: str) -> None:
    """Say so before any server is asked; the scheduler has the last word."""
    if source in cluster.sources:
        holder = cluster.worker_of(source)
        raise SOURCE_EXISTS.error(source=source, bound=f" and is bound to dm-worker {holder}" if holder else "")


def _relay_wanted(before: SourceFact | None, config: SourceConfig) -> bool | None:
    """What `enable-relay` says where it has changed; else start-relay and stop-relay have the last word."""
    if before is None or SourceConfig.model_validate_json(before.wire).enable_relay == config.enable_relay:
        return None
    return config.enable_relay


def _with_source(subtask_wire: str, source_wire: str) -> str:
    source = SourceConfig.model_validate_json(source_wire)
    subtask = SubtaskConfig.from_wire(subtask_wire).model_copy(
        update={
            "upstream": source.from_,
            "flavor": source.flavor,
            "server_id": source.server_id,
            "enable_gtid": source.enable_gtid,
            "checker": source.checker,
        }
    )
    return subtask.to_wire().decode()


def _created(cluster: Cluster, source: str) -> Body:
    worker = cluster.worker_of(source)
    return _answer(source, worker, "" if worker else "source is added but there is no free worker to bound")


def _answer(source: str, worker: str, message: str = "") -> Body:
    return {"result": True, "msg": message, "source": source, "worker": worker}
