"""Replicates the cases of this folder between real servers and compares what is there afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.cases.replicate.arena import Pair, Upstream, replicate_all, replicate_pausing, schema_of
from tests.cases.replicate.both import both_differ
from tests.cases.replicate.cases import BATCHES, Case, load_cases
from tests.cases.replicate.comparing import (
    Column,
    Server,
    TableName,
    alike,
    connected,
    contents,
    finer_keys,
    foreign_keys,
    indexes,
    keep_their_set,
    partitions,
    references,
    structures,
)
from tests.cases.replicate.replication import Pause, Replication
from tests.crossing import parameters
from tests.servers import RunningServer

CASES = load_cases()
PAIRS = (("mariadb", "tidb"), ("mysql", "tidb"), ("mysql", "mariadb"))
ASKED_FOR = (("mariadb", "mariadb"), ("mariadb", "mysql"), ("mysql", "mysql"))  # by cases that name both ends


@dataclass(frozen=True)
class Side:
    """One server, with the structures of all cases' tables."""

    server: Server
    schemas: str

    @cached_property
    def tables(self) -> dict[TableName, list[Column]]:
        return structures(self.server, self.schemas)

    @cached_property
    def indexes(self) -> dict[TableName, list[tuple[Any, ...]]]:
        return indexes(self.server, self.schemas)

    @cached_property
    def foreign_keys(self) -> dict[TableName, list[tuple[Any, ...]]]:
        return foreign_keys(self.server, self.schemas)

    @cached_property
    def partitions(self) -> dict[TableName, list[tuple[Any, ...]]]:
        return partitions(self.server, self.schemas)

    @cached_property
    def references(self) -> dict[TableName, set[str]]:
        return references(self.server, self.schemas)

    def of(self, schema: str) -> dict[TableName, list[Column]]:
        return {name: columns for name, columns in self.tables.items() if name[0].startswith(schema)}


@dataclass(frozen=True)
class Outcome:
    """All cases of one pair, replicated."""

    upstream: Upstream
    paused: dict[int, Pause]
    status: dict[str, Any]
    here: Side
    there: Side


@pytest.fixture(scope="module")
def servers(
    mariadb: RunningServer,
    mariadb2: RunningServer,
    mysql: RunningServer,
    mysql2: RunningServer,
    tidb: RunningServer,
) -> dict[str, RunningServer]:
    """Those that the stream is read from by their kinds, and the targets."""
    return {"mariadb": mariadb, "mysql": mysql, "tidb": tidb, "target mariadb": mariadb2, "target mysql": mysql2}


def _pair(servers: dict[str, RunningServer], upstream: str, target: str) -> Pair:
    return Pair(servers[upstream], servers.get(f"target {target}") or servers[target])


class Outcomes:
    """Of each pair and batch of cases, made when a test first asks."""

    def __init__(
        self, servers: dict[str, RunningServer], folder: Path, open_links: ExitStack, chosen: set[tuple[int, str, str]]
    ) -> None:
        """``chosen``: (number of a case, upstream, target) of all that are going to be asked for."""
        self._servers = servers
        self._chosen = chosen
        self._open_links = open_links
        self._folder = folder
        self._written: dict[tuple[str, int], Upstream] = {}
        self._outcomes: dict[tuple[str, str, int], Outcome | Exception] = {}

    def of(self, upstream: str, target: str, batch: int) -> Outcome:
        key = upstream, target, batch
        if key not in self._outcomes:
            try:
                self._outcomes[key] = self._replicated(*key)
            except Exception as exc:  # of one batch, which fails its tests and is not tried for each again
                self._outcomes[key] = exc
        outcome = self._outcomes[key]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _replicated(self, upstream: str, target: str, batch: int) -> Outcome:
        written = self._write(upstream, batch)
        server = _pair(self._servers, upstream, target).target
        paused, status = replicate_all(written, server, self._folder / f"{upstream}_{target}_{batch}.log")
        pattern = rf"c\_{upstream[:2]}\_%"
        here, there = (self._open_links.enter_context(connected(end)) for end in (written.server, server))
        return Outcome(written, paused, status, Side(here, pattern), Side(there, pattern))

    def _write(self, upstream: str, batch: int) -> Upstream:
        if (upstream, batch) not in self._written:
            pairs = [pair for pair in (*PAIRS, *ASKED_FOR) if pair[0] == upstream]
            chosen = {target: {number for number, *pair in self._chosen if pair == [_, target]} for _, target in pairs}
            asked_for = set[int]().union(*chosen.values())
            cases = [case for case in CASES if case.number in asked_for and case.batch == batch]
            written = self._written[upstream, batch] = Upstream(self._servers[upstream], cases, chosen, f"b{batch}")
            targets = [_pair(self._servers, *pair).target for pair in pairs]
            written.write(targets, self._folder / f"{upstream}_{batch}.log")
        return self._written[upstream, batch]


@pytest.fixture(scope="module")
def outcomes(
    servers: dict[str, RunningServer], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Outcomes]:
    values = map(parameters, request.session.items)
    chosen = {
        (case.number, one["upstream"], one["target"])
        for one in values
        if isinstance(case := one.get("case"), Case) and not case.pauses
    }
    with ExitStack() as open_links:
        yield Outcomes(servers, tmp_path_factory.mktemp("replicate"), open_links, chosen)


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    running = Replication(tmp_path_factory.mktemp("pausing") / "log")
    yield running
    running.close()


def _parameters(pausing: bool) -> list[Any]:
    return [
        pytest.param(case, *pair, id=f"{'-'.join(pair)}-{case.id}")
        for pair in (*PAIRS, *ASKED_FOR)
        for case in CASES
        if case.pauses == pausing and pair in _pairs_of(case)
    ]


def _pairs_of(case: Case) -> list[tuple[str, str]]:
    return [pair for pair in PAIRS if case.runs(*pair)] + [pair for pair in ASKED_FOR if case.asks_for(*pair)]


@pytest.mark.crossed("upstream", "target")
@pytest.mark.timeout(1200)  # the first one of each batch replicates all its cases
@pytest.mark.parametrize(("case", "upstream", "target"), _parameters(pausing=False))
def test_replicated(case: Case, upstream: str, target: str, outcomes: Outcomes) -> None:
    outcome = outcomes.of(upstream, target, case.batch)
    assert case.number not in outcome.upstream.refused, outcome.upstream.refused[case.number]
    assert case.number not in outcome.paused, outcome.paused[case.number].text
    _assert_same(case, outcome.here, outcome.there, schema_of(case, outcome.upstream.server))


@pytest.mark.parametrize(("upstream", "target"), PAIRS)
def test_every_row_was_found(upstream: str, target: str, outcomes: Outcomes) -> None:
    for batch in range(BATCHES):
        assert outcomes.of(upstream, target, batch).status["missingRows"] == 0


@pytest.mark.crossed("upstream", "target")
@pytest.mark.parametrize(("case", "upstream", "target"), _parameters(pausing=True))
def test_pauses(
    case: Case, upstream: str, target: str, servers: dict[str, RunningServer], replication: Replication
) -> None:
    pair = _pair(servers, upstream, target)
    replicate_pausing(case, pair, replication)
    if case.steps[-1].place != "pauses":
        schema = schema_of(case, pair.upstream, pair.target)
        with connected(pair.upstream) as here, connected(pair.target) as there:
            _assert_same(case, Side(here, f"{schema}%"), Side(there, f"{schema}%"), schema)


def _assert_same(case: Case, here: Side, there: Side, schema: str) -> None:
    ours, theirs = here.of(schema), there.of(schema)
    both_differs = both_differ(case, here, there, schema, ours, theirs)
    kinds = here.server.kind, there.server.kind
    assert set(ours) == set(theirs)
    for table, columns in ours.items():
        if not (case.values_only or case.target_differs):
            finer = finer_keys(columns, theirs[table], there.indexes[table], there.references[table])
            assert alike(finer, *kinds) == alike(theirs[table], *kinds)
            assert here.indexes[table] == there.indexes[table]
            assert here.foreign_keys.get(table) == there.foreign_keys.get(table)
            assert here.partitions.get(table) == there.partitions.get(table)
        kept = keep_their_set(columns, theirs[table]) if there.server.kind != "tidb" else frozenset()
        found, expected = contents(there.server, table, columns, kept), contents(here.server, table, columns, kept)
        assert found == expected, table
    assert not both_differs, both_differs
