"""Views, made in the target when all tables have their rows.

1. With the plan, the text of every view is noted in the meta tables (``Views.note``).
2. At the end they are made one after the other, each behind those that it names (``Views.create``).

A view is never the reason why a migration stops: one that cannot be made is left out, and the log and the
summary say why.  One that is there already is kept.  A crash costs nothing: before a view is made its row
says so, and the next run knows it for its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from dm_worker.dumper.source_tables import Skipped
from dm_worker.dumper.source_views import SourceView, read_views
from dm_worker.loader.later_meta import LaterMeta
from dm_worker.loader.meta import LoadMeta
from dm_worker.loader.schema import TABLE_EXISTS
from dm_worker.loader.stoppable import CUT_SHORT, Stoppable
from dm_worker.loader.summary import Journal
from dm_worker.loader.view_meta import ViewMeta
from dm_worker.loader.view_plan import PlannedView, Surroundings, named_left_out, plan_views
from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.owned_connections import OwnedConnections
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.rules.router import Target
from pkg.schema.collation import nearest
from pkg.schema.translate import translate_create_database
from pkg.schema.view_text import Account, Name
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

CREATING_VIEWS: Final = "creating views"
VIEW: Final = "VIEW"
_NONE: Final[Mapping[Name, Target]] = {}
_UNFIT_DEFINERS: Final = frozenset({1227, 1449, 1045})  # only a privileged user may name another one


class Views:
    """Those of one run of one subtask; ``tell`` hears the phase."""

    def __init__(
        self, config: SubtaskConfig, target: Server, meta: MetaTables, epoch: int, journal: Journal,
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._config = config
        self._options = replace(ConnectionOptions.from_config(config.target, side="downstream"), read_timeout=None)
        self._target = target
        self._meta_tables = meta
        self._run = config.source_id, epoch
        self._register = partial(OwnedConnections(meta, config.source_id, target.flavor).register, epoch=epoch)
        self._journal = journal
        self._tell = tell

    def note(
        self, upstream: Connection, downstream: Connection, listed: Iterable[Skipped], schemas: Mapping[str, str]
    ) -> None:
        """The views of the upstream; ``schemas`` are its schemas' collations."""
        found = read_views(upstream, (one for one in listed if one.schema != self._config.meta_schema), schemas)
        for name, reason in found.left_out.items():
            self._leave_out(name, reason)
        self.note_all(downstream, found.views)

    def note_all(self, downstream: Connection, views: list[SourceView]) -> None:
        ViewMeta(downstream, self._meta_tables, *self._run).note(views)

    def create(self, stop: StopSignal, sequences: Mapping[Name, Target] = _NONE) -> None:
        """All of them, or what a stop leaves time for; views may name ``sequences``, too."""
        try:
            with Stoppable(self._connect, stop, self._register) as link:
                noted = ViewMeta(link.connection, self._meta_tables, *self._run).all()
                if noted:
                    self._tell(CREATING_VIEWS)
                    self._create(link, noted, sequences)
        except DMError as exc:
            if not exc.is_a(CUT_SHORT):
                raise

    def _connect(self) -> Connection:
        return connect(self._options, side="downstream", session=self._target.downstream_session(self._options.session))

    def _create(self, link: Stoppable, noted: Mapping[SourceView, bool], sequences: Mapping[Name, Target]) -> None:
        router = self._config.router()
        structures = LoadMeta(link.connection, self._meta_tables, *self._run).structures()
        targets = {(table.schema, table.name): router.route(table.schema, table.name) for table in structures}
        later = LaterMeta(link.connection, self._meta_tables, *self._run)
        others = later.other_feeders(targets.values())
        around = Surroundings({**targets, **sequences}, router.route, self._config.allow_list().allows, others)
        plan = plan_views(list(noted), around)
        left_out = dict(plan.left_out)
        for name, reason in left_out.items():
            self._leave_out(name, reason)
        creation = _Creation(link, self._target, ViewMeta(link.connection, self._meta_tables, *self._run))
        for view in plan.views:
            if link.is_stopped:
                return
            if reason := named_left_out(view, left_out) or creation.create(view, is_begun=noted[view.source]):
                left_out[view.source.full_name] = reason
                self._leave_out(view.source.full_name, reason)

    def _leave_out(self, name: Name, reason: str) -> None:
        log.warning("view %s.%s is left out: %s", *name, reason)
        self._journal.left_out.append(f"{name[0]}.{name[1]} is a {VIEW}: {reason}")


class _Creation:
    """Makes one view after the other."""

    def __init__(self, link: Stoppable, target: Server, meta: ViewMeta) -> None:
        self._link = link
        self._target = target
        self._meta = meta
        self._collations = target.known_collations(link.connection)
        self._accounts: dict[Account, str] = {}
        self._schemas: set[str] = set()

    def create(self, view: PlannedView, *, is_begun: bool) -> str:
        """Why it is left out; '' when it is there."""
        if there := self._kind_of(view.target):
            return self._taken(view, there, is_begun=is_begun)
        definer, note = self._definer(view.text.definer)
        self._meta.begin(view.source)
        crashpoint("views.begun")
        try:
            self._prepare(view)
            note = self._make(view, definer) or note
        except DMError as exc:
            if exc.resumable or exc.is_a(CUT_SHORT):
                raise
            if errno_of(exc) == TABLE_EXISTS and (there := self._kind_of(view.target)):
                return self._taken(view, there, is_begun=is_begun)  # another source of the task was quicker
            return f"the target refuses it: {_text(exc)}"
        crashpoint("views.created")
        log.info("view is made: view=%s", view.target)
        if note:
            log.warning("view %s has the task's own user as its definer: %s", view.target, note)
        return ""

    def _taken(self, view: PlannedView, kind: str, *, is_begun: bool) -> str:
        if kind != VIEW:
            return f"there is a table {view.target} in the target"
        if is_begun:
            log.info("view was made by an earlier run: view=%s", view.target)
        else:
            log.warning("view %s is kept as it is: it was in the target already", view.target)
        return ""

    def _kind_of(self, target: Target) -> str:
        rows = self._link.rows(
            "SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            target.schema, target.table,
        )  # fmt: skip
        return str(rows[0][0]) if rows else ""

    def _prepare(self, view: PlannedView) -> None:
        """The schema, which may hold nothing but views, and the session's collation."""
        schema, source = view.target.schema, view.source
        if schema not in self._schemas:
            collation = source.schema_collation or "utf8mb4_bin"
            translated = translate_create_database(
                schema, collation, flavor=self._target.flavor, collations=self._collations
            )
            self._link.run(translated.sql)
            self._schemas.add(schema)
        self._link.run(f"USE {quoted(schema)}")  # functions in a view's text have no schema
        if source.collation:
            self._link.run(f"SET collation_connection = {nearest(source.collation, self._collations).collation}")

    def _make(self, view: PlannedView, definer: Account | None) -> str:
        """Why it has lost its definer, if so."""
        try:
            self._link.run(view.statement(definer))
        except DMError as exc:
            if definer is None or errno_of(exc) not in _UNFIT_DEFINERS:
                raise
            self._link.run(view.statement(None))
            return f"the target refuses the definer {definer}: {_text(exc)}"
        return ""

    def _definer(self, wanted: Account | None) -> tuple[Account | None, str]:
        """The definer to write, and why there is none."""
        if wanted is None:
            return None, ""
        if wanted not in self._accounts:
            self._accounts[wanted] = self._why_not(wanted)
        return (None if self._accounts[wanted] else wanted), self._accounts[wanted]

    def _why_not(self, account: Account) -> str:
        try:
            rows = self._link.rows("SELECT 1 FROM mysql.user WHERE User = %s AND Host = %s", account.user, account.host)
        except DMError as exc:
            if exc.resumable or exc.is_a(CUT_SHORT):
                raise
            return f"whether the target has its definer {account} cannot be seen: {_text(exc)}"
        return "" if rows else f"the target has no account {account}, its definer"


def _text(error: DMError) -> str:
    return str(error.fields.get("text", error.message))
