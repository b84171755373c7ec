"""What an upstream has beside tables, for one run of its full migration: sequences and views."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable

from dm_worker.dumper.source_tables import Skipped
from dm_worker.loader.sequences import SEQUENCE, Sequences
from dm_worker.loader.summary import Journal
from dm_worker.loader.views import VIEW, Views
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, Link
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import schema_collations
from pkg.rules.router import Target
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

log = logging.getLogger(__name__)


class OtherObjects:
    """Sequences come before the tables, views behind their rows."""

    def __init__(
        self, config: SubtaskConfig, target: Server, meta: MetaTables, epoch: int, journal: Journal,
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        """``tell`` hears the phase."""
        self._views = Views(config, target, meta, epoch, journal, tell)
        self._sequences = Sequences(config, target, journal)
        self._journal = journal
        self._listed: list[Skipped] = []

    def hear(self, listed: Iterable[Skipped]) -> None:
        """What is no table."""
        self._listed = list(listed)
        for one in self._listed:
            if one.kind not in (VIEW, SEQUENCE):
                log.warning("not migrated: %s.%s is a %s", one.schema, one.name, one.kind)
                self._journal.left_out.append(f"{one.schema}.{one.name} is a {one.kind}")

    def prepare(self, upstream: Connection, downstream: Connection, tables: Collection[Target]) -> None:
        """Before the ``tables`` are made."""
        schemas = schema_collations(upstream)
        if self._listed:
            self._sequences.make(upstream, downstream, schemas, tables)
        self._views.note(upstream, downstream, self._listed, schemas)

    def create(self, stop: StopSignal, connect_upstream: Link, connect_downstream: Link) -> None:
        """When all rows are there."""
        with connect_upstream() as upstream, connect_downstream() as downstream:
            sequences = self._sequences.targets(upstream)
            if sequences:
                self._sequences.let_go_on(upstream, downstream)
        self._views.create(stop, sequences)
