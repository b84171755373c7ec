"""``binlog-schema``: the structures by which a subtask decodes rows, shown, replaced or forgotten.

They stand in the task's target and go with its checkpoint, so they are changed only while the subtask does not
run; a run that dm-master cannot see any more is fenced off by the change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dm_master.coordinator import Coordinator
from dm_master.observed import Outcome, Picture
from dm_master.status import observation_of
from dm_master.steering import chosen_subtasks, meta_connection, refuse_several
from dm_master.tasks import source_answer
from pkg.adapters.log import fields
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import Side
from pkg.adapters.structures import load_structure, remove_structure, store_structure, structure_of
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import SubtaskFact
from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.context import DdlContext
from pkg.schema.parse import parse_create_table
from pkg.schema.show import create_statement
from pkg.schema.table import Table
from pkg.schema.tracker import charset_of
from pkg.task import SubtaskConfig
from pkg.task.stage import Stage
from pkg.unit import UnitName

Body = dict[str, Any]

NOT_PAUSED = ErrorKind(
    40082,
    "dm-worker",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the tracked structures of task {task} on source {source} cannot be changed now: {reason}",
    workaround="`pause-task {task} -s {source} --wait` first; {more}",
)
NO_SUCH_TABLE = ErrorKind(
    38085,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "there is no table {table} on the {side} of task {task} and source {source}",
    workaround="database and table are the upstream's names, also with --from-target, which follows the routes",
)
BAD_STRUCTURE = ErrorKind(
    38086,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the text is no CREATE TABLE that can be read: {reason}",
    workaround="give one CREATE TABLE statement, as SHOW CREATE TABLE or `binlog-schema list` prints it",
)
_NOT_TRACKED = "-- not tracked yet: this is the upstream's structure now, which is read when the next rows come\n"

log = logging.getLogger(__name__)


class StructureOrder(StrEnum):
    """What is asked of tracked structures."""

    LIST = "list"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class StructureRequest:
    """One `binlog-schema` command; for an update exactly one of the last three is set."""

    order: StructureOrder
    task: str
    schema: str
    table: str
    text: str = ""
    from_source: bool = False
    from_target: bool = False


class StructureVerbs:
    """The verb about tracked structures; every answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def operate(self, request: StructureRequest, sources: Sequence[str]) -> Body:
        picture = self._coordinator.picture()
        chosen = chosen_subtasks(picture.cluster, request.task, sources)
        if not sources:
            refuse_several(f"the structure of {request.schema}.{request.table}", request.task, chosen)
        outcomes = [_outcome(picture, request, fact) for fact in chosen]
        answers = [source_answer(picture.cluster, fact.source, one) for fact, one in zip(chosen, outcomes, strict=True)]
        return {"result": True, "msg": "", "sources": answers}


def _outcome(picture: Picture, request: StructureRequest, fact: SubtaskFact) -> Outcome:
    """What became of it for one subtask; a refusal is about this one alone."""
    config = SubtaskConfig.from_wire(fact.wire)
    try:
        if request.order is StructureOrder.LIST:
            return Outcome(True, _listed(request, config))
        refuse_running(picture, fact)
        work = _updated if request.order is StructureOrder.UPDATE else _deleted
        message = work(request, config)
    except DMError as exc:
        return Outcome(False, str(exc))
    table = f"{request.schema}.{request.table}"
    log.info("structure changed", extra=fields(task=fact.task, source=fact.source, op=request.order, table=table))
    return Outcome(True, message)


def refuse_running(picture: Picture, fact: SubtaskFact) -> None:
    """Raises NOT_PAUSED for a subtask that runs, or is about to."""
    observation = observation_of(picture, fact.source)
    observed = observation.subtasks.get(fact.task) if observation else None
    worker = picture.cluster.worker_of(fact.source)
    reason, more = "", f"`resume-task {fact.task}` goes on afterwards"
    if observation is None and worker:
        reason = f"dm-worker {worker} has not reported what it is doing"
    elif observed is None and observation is not None and fact.stage is Stage.RUNNING:
        reason = "the subtask is about to start"
    elif observed is not None and observed.stage not in (Stage.PAUSED, Stage.STOPPED, Stage.FINISHED):
        reason = f"the subtask is {observed.stage}"
    elif observed is not None and observed.status.get("nextTry"):
        reason = f"its error is tried again by itself at {observed.status['nextTry']}"
    elif observed is not None and observed.status.get("unit") == UnitName.LOAD:
        reason, more = "the full migration is not done yet", "it stores the structures itself: let it finish"
    if reason:
        raise NOT_PAUSED.error(task=fact.task, source=fact.source, reason=reason, more=more)


def _listed(request: StructureRequest, config: SubtaskConfig) -> str:
    with meta_connection(config) as (connection, tables):
        tracked = load_structure(connection, tables, config.source_id, request.schema, request.table)
    if tracked is not None:
        return create_statement(tracked)
    return _NOT_TRACKED + create_statement(_of_upstream(request, config))


def _updated(request: StructureRequest, config: SubtaskConfig) -> str:
    read_at = None
    if request.from_source:
        structure, read_at = _present(request, config)
    elif request.from_target:
        structure = _of_target(request, config)
    else:
        structure = _of_text(request, config)
    named = replace(structure, schema=request.schema, name=request.table)
    with meta_connection(config) as (connection, tables):
        store_structure(connection, tables, config.source_id, named, read_at)
    return f"tracked with {len(named.columns)} columns; `resume-task {request.task}` goes on with it"


def _deleted(request: StructureRequest, config: SubtaskConfig) -> str:
    with meta_connection(config) as (connection, tables):
        was_tracked = remove_structure(connection, tables, config.source_id, request.schema, request.table)
    if not was_tracked:
        return "it was not tracked"
    return f"no longer tracked; `resume-task {request.task}` reads it from the upstream when its next rows come"


def _of_upstream(request: StructureRequest, config: SubtaskConfig) -> Table:
    return _present(request, config)[0]


def _present(request: StructureRequest, config: SubtaskConfig) -> tuple[Table, Position]:
    """The table upstream as it is now, and a place of the binlog behind all DDL that has made it so."""
    with _reading(config, "upstream") as (connection, server):
        found = structure_of(connection, request.schema, request.table)
        place = server.fetch_location(connection).position
    return _there(found, request, config, "upstream", f"{request.schema}.{request.table}"), place


def _of_target(request: StructureRequest, config: SubtaskConfig) -> Table:
    target = config.router().route(request.schema, request.table)
    with _reading(config, "downstream") as (connection, _):
        found = structure_of(connection, target.schema, target.table)
    return _there(found, request, config, "target", f"{target.schema}.{target.table}")


@contextmanager
def _reading(config: SubtaskConfig, side: Side) -> Iterator[tuple[Connection, Server]]:
    """A connection that shows structures as they are, whatever the server's modes."""
    options = ConnectionOptions.from_config(config.upstream if side == "upstream" else config.target, side=side)
    connection = connect(options, side=side)
    try:
        server = Server.probe(connection)
        set_session(connection, server.upstream_session())
        yield connection, server
    finally:
        connection.close()


def _there(found: Table | None, request: StructureRequest, config: SubtaskConfig, side: str, name: str) -> Table:
    if found is None:
        raise NO_SUCH_TABLE.error(table=name, side=side, task=request.task, source=config.source_id)
    return found


def _of_text(request: StructureRequest, config: SubtaskConfig) -> Table:
    """As the upstream would make it: its flavour and the database's character set fill what the text leaves open."""
    with _reading(config, "upstream") as (connection, server), connection.cursor() as cursor:
        sql = "SELECT default_collation_name FROM information_schema.schemata WHERE schema_name = %s"
        cursor.execute(sql, (request.schema,))
        row = cursor.fetchone()
    return read_structure(request.text, request.schema, charset_of(str(row[0])) if row else UTF8MB4, server)


def read_structure(text: str, schema: str, database: Charset, server: Server) -> Table:
    """Raises BAD_STRUCTURE."""
    is_recent = server.flavor == "mysql" and server.version >= (8, 0, 0)
    collations = {"utf8mb4": "utf8mb4_0900_ai_ci"} if is_recent else {}
    context = DdlContext(flavor=server.gtid_flavor, default_collations=collations)
    try:
        return parse_create_table(text.strip().rstrip(";"), schema, database, context)
    except DMError as exc:
        raise BAD_STRUCTURE.error(reason=exc.fields.get("reason", exc.message)) from exc
