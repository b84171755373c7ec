"""``binlog``: what an operator decides about single statements of the stream.

Decisions are stored in the task's target, beside its checkpoint, so that they outlive every process; a run
asks for them at each DDL.  After a change a paused subtask is resumed, and the answer says whether it came past.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dm_master.cluster import Cluster
from dm_master.coordinator import Coordinator
from dm_master.held_places import held_places, lock_place
from dm_master.observed import ObservedSubtask, Outcome, Picture
from dm_master.refusals import SUBTASK_UNKNOWN, TASK_UNKNOWN
from dm_master.scheduler import OperateTask, TaskOrder
from dm_master.status import observation_of
from dm_master.tasks import WAIT_SECONDS, late_outcome, source_answer, subtask_outcome
from pkg.adapters.log import fields
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.operators import (
    checkpoint_position,
    load_operators,
    remove_operator,
    remove_passed_operators,
    store_operator,
)
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import SubtaskFact
from pkg.schema.given import given_statements
from pkg.task import SubtaskConfig
from pkg.task.operators import Op, Operator
from pkg.task.stage import Stage

Body = dict[str, Any]


def _refusal(code: int, message: str, workaround: str) -> ErrorKind:
    return ErrorKind(code, "dm-master", Scope.INTERNAL, Level.MEDIUM, message, workaround)


NO_FAILING_STATEMENT = _refusal(
    38080,
    "the subtask of task {task} on source {source} stands at no statement that fails{now}",
    "say where the statement ends: `--binlog-pos mysql-bin.000003:1274`, with -s for one source",
)
BAD_POSITION = _refusal(
    38081,
    "{position} is no place of a statement to come on source {source}: {reason}",
    "give the place that the error names, where the statement ends: `--binlog-pos mysql-bin.000003:1274`; or leave "
    "it out: then it is that of the present error",
)
NO_OPERATOR = _refusal(
    38082,
    "nothing is decided about the statement at {position} on source {source}",
    "`binlog list {task}` shows what is",
)
WHICH_SOURCE = _refusal(
    38083,
    "{what} belongs to one source, and task {task} runs on {sources}",
    "say which one: `-s SOURCE`",
)
STATEMENTS_WANTED = _refusal(
    38084,
    "binlog {op} needs statements, and none was given",
    '`binlog {op} {task} "ALTER TABLE db.t ADD COLUMN c INT; …"`',
)

log = logging.getLogger(__name__)


class BinlogOrder(StrEnum):
    """What is asked of operators."""

    SKIP = "skip"
    REPLACE = "replace"
    INJECT = "inject"
    REVERT = "revert"
    LIST = "list"


_OPS = {BinlogOrder.SKIP: Op.SKIP, BinlogOrder.REPLACE: Op.REPLACE, BinlogOrder.INJECT: Op.INJECT}


@dataclass(frozen=True, slots=True)
class Request:
    """One `binlog` command, read."""

    order: BinlogOrder
    task: str
    position: Position | None  # None: that of the current error
    sqls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What was changed for one subtask, and whether it stands right there."""

    fact: SubtaskFact
    position: Position
    stands_at: Position | None
    is_paused: bool
    is_held: bool = False  # its tables wait with the statement: the stream has passed it

    @property
    def resumes(self) -> bool:
        """A subtask that stands at another statement stays as it is: it would only fail there again."""
        return self.is_paused and self.stands_at in (None, self.position)


class SteeringVerbs:
    """The verb about statements of the stream; every answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def binlog(
        self, order: BinlogOrder, task: str, sources: Sequence[str], binlog_pos: str, sqls: Sequence[str]
    ) -> Body:
        picture = self._coordinator.picture()
        chosen = chosen_subtasks(picture.cluster, task, sources)
        request = _request(order, task, binlog_pos, sqls, chosen)
        if order is BinlogOrder.LIST:
            return {"result": True, "msg": "", "sources": [_listed(picture, request, fact) for fact in chosen]}
        results = {fact.source: _changed(picture, request, fact) for fact in chosen}
        done = [one for one in results.values() if isinstance(one, Done)]
        outcomes = self._resumed([one for one in done if one.resumes], request.task)
        answers = []
        for source, one in results.items():
            if isinstance(one, DMError):
                outcome = Outcome(False, str(one))
            else:
                outcome = outcomes.get(source) or Outcome(True, _left_alone(picture, one))
            answers.append(source_answer(picture.cluster, source, outcome))
        return {"result": True, "msg": "", "sources": answers}

    def _resumed(self, done: Sequence[Done], task: str) -> dict[str, Outcome]:
        """Resume what is paused; whether each came past its statement, as far as it shows within the waiting time."""
        if not done:
            return {}
        names = tuple(one.fact.source for one in done)
        after = self._coordinator.give(OperateTask(TaskOrder.RESUME, task, names)).cluster
        ordered = [(after.subtasks[task, one.fact.source], one) for one in done]

        def look(picture: Picture) -> list[Outcome] | None:
            found = [_outcome(picture, fact, one) for fact, one in ordered]
            return [one for one in found if one is not None] if all(found) else None

        outcomes = self._coordinator.wait(look, WAIT_SECONDS)
        if outcomes is None:
            picture = self._coordinator.picture()
            outcomes = [_outcome(picture, fact, one) or _late(picture, fact, one) for fact, one in ordered]
        return dict(zip(names, outcomes, strict=True))


def chosen_subtasks(cluster: Cluster, task: str, sources: Sequence[str]) -> list[SubtaskFact]:
    """The task's subtasks, or those on ``sources``.  Raises TASK_UNKNOWN, SUBTASK_UNKNOWN."""
    subtasks = {fact.source: fact for fact in cluster.subtasks_of_task(task)}
    if not subtasks:
        raise TASK_UNKNOWN.error(task=task)
    unknown = sorted(set(sources) - set(subtasks))
    if unknown:
        raise SUBTASK_UNKNOWN.error(task=task, sources=f"[{' '.join(unknown)}]")
    return [subtasks[source] for source in dict.fromkeys(sources or subtasks)]


def refuse_several(what: str, task: str, chosen: Sequence[SubtaskFact]) -> None:
    """Raises WHICH_SOURCE."""
    if len(chosen) > 1:
        raise WHICH_SOURCE.error(what=what, task=task, sources=", ".join(fact.source for fact in chosen))


def observed_subtask(picture: Picture, fact: SubtaskFact) -> ObservedSubtask | None:
    """What the worker says of the subtask, if it does."""
    observation = observation_of(picture, fact.source)
    return observation.subtasks.get(fact.task) if observation else None


@contextmanager
def meta_connection(config: SubtaskConfig) -> Iterator[tuple[Connection, MetaTables]]:
    """A connection to the subtask's target, with the task's tables there."""
    tables = MetaTables(config.meta_schema, config.task_name)
    connection = connect(ConnectionOptions.from_config(config.target, side="downstream"), side="downstream")
    try:
        create_meta_tables(connection, tables)
        yield connection, tables
    finally:
        connection.close()


def _request(
    order: BinlogOrder, task: str, binlog_pos: str, sqls: Sequence[str], chosen: Sequence[SubtaskFact]
) -> Request:
    """Raises for what is wrong whatever the subtasks are doing."""
    position = None
    if binlog_pos:
        refuse_several(f"the place {binlog_pos}", task, chosen)
        try:
            position = Position.parse(binlog_pos)
        except ValueError as exc:
            raise BAD_POSITION.error(position=repr(binlog_pos), source=chosen[0].source, reason=str(exc)) from exc
    if order not in (BinlogOrder.REPLACE, BinlogOrder.INJECT):
        return Request(order, task, position, ())
    statements: tuple[str, ...] = ()
    for flavor in {SubtaskConfig.from_wire(fact.wire).flavor or "mysql" for fact in chosen}:
        statements = given_statements(sqls, flavor)
    if not statements:
        raise STATEMENTS_WANTED.error(op=order, task=task)
    return Request(order, task, position, statements)


def _listed(picture: Picture, request: Request, fact: SubtaskFact) -> Body:
    """What is decided about statements to come."""
    try:
        with meta_connection(SubtaskConfig.from_wire(fact.wire)) as (connection, tables):
            operators = load_operators(connection, tables, fact.source)
            stand = checkpoint_position(connection, tables, fact.source)
            held = held_places(picture, fact, observed_subtask(picture, fact))
    except DMError as exc:
        return source_answer(picture.cluster, fact.source, Outcome(False, str(exc))) | {"operators": []}
    shown = [
        {"op": str(one.op), "binlogPos": f"{one.position.name}:{one.position.offset}", "sqls": list(one.sqls)}
        for one in operators.values()
        if (stand is None or one.position > stand or one.position in held)
        and (request.position is None or one.position >= request.position)
    ]
    return source_answer(picture.cluster, fact.source, Outcome(True)) | {"operators": shown}


def _changed(picture: Picture, request: Request, fact: SubtaskFact) -> Done | DMError:
    """Store or remove the operator of one subtask; a refusal is about this one alone."""
    observed = observed_subtask(picture, fact)
    stands_at = failing_position(observed)
    is_paused = observed is not None and observed.stage == Stage.PAUSED
    try:
        held = held_places(picture, fact, observed)
        waits_at = None if observed is not None and observed.errors else lock_place(picture, fact)
        position = request.position or stands_at or waits_at
        if position is None:
            raise NO_FAILING_STATEMENT.error(task=fact.task, source=fact.source, now=_now(observed))
        with meta_connection(SubtaskConfig.from_wire(fact.wire)) as (connection, tables):
            stand = checkpoint_position(connection, tables, fact.source)
            if stands_at is not None and stand is not None and stands_at <= stand:
                held |= {stands_at}  # what the target refuses of it
            if position not in held:
                _refuse_passed(position, stand, stands_at, fact)
            _store(connection, tables, request, fact, position)
            if stand is not None:
                remove_passed_operators(connection, tables, fact.source, stand, held)
    except DMError as exc:
        return exc
    log.info(
        "statement decided",
        extra=fields(task=fact.task, source=fact.source, op=request.order, position=position, sqls=len(request.sqls)),
    )
    return Done(fact, position, stands_at, is_paused, is_held=position in held)


def _store(connection: Connection, tables: MetaTables, request: Request, fact: SubtaskFact, at: Position) -> None:
    if request.order is not BinlogOrder.REVERT:
        store_operator(connection, tables, fact.source, Operator(at, _OPS[request.order], request.sqls))
    elif not remove_operator(connection, tables, fact.source, at):
        raise NO_OPERATOR.error(position=at, source=fact.source, task=fact.task)


def _refuse_passed(position: Position, stand: Position | None, stands_at: Position | None, fact: SubtaskFact) -> None:
    """Raises BAD_POSITION where no statement can come by any more."""
    reason = ""
    if stand is not None and position.name.rpartition(".")[0] != stand.name.rpartition(".")[0]:
        reason = f"the source's binlog files are called like {stand.name}"
    elif stand is not None and position <= stand:
        reason = f"replication has passed it and stands at {stand}"
    elif stands_at is not None and position < stands_at:
        reason = f"the statement that fails ends at {stands_at}, and everything before it is done"
    if reason:
        raise BAD_POSITION.error(position=position, source=fact.source, reason=reason)


def failing_position(observed: ObservedSubtask | None) -> Position | None:
    """Where the statement ends at which the subtask stands by its error, if it is a statement."""
    for error in observed.errors if observed else ():
        try:
            return Position.parse(str(error.get("location", "")))
        except ValueError:
            continue
    return None


def _now(observed: ObservedSubtask | None) -> str:
    if observed is None:
        return " (its dm-worker has not reported)"
    if observed.errors:
        return f" (its error {observed.errors[0].get('ErrCode')} is another one)"
    return f" (it is {observed.stage})"


def _left_alone(picture: Picture, done: Done) -> str:
    """What to say of a subtask that was not resumed."""
    where = f"it holds at {done.position}"
    if done.stands_at not in (None, done.position):
        return f"{where}; the subtask stays paused at another statement, which ends at {done.stands_at}"
    observed = observed_subtask(picture, done.fact)
    if done.is_held and observed is not None and lock_place(picture, done.fact) != done.position:
        return f"{where}, where tables wait for others of {done.fact.source}; pause-task and resume-task take it over"
    return f"{where}; the subtask is {observed.stage}" if observed else f"{where}; the subtask does not run now"


def _outcome(picture: Picture, fact: SubtaskFact, done: Done) -> Outcome | None:
    """None until the resumed subtask is past its statement, or paused again."""
    outcome, observed = subtask_outcome(picture, fact), observed_subtask(picture, fact)
    if outcome is None or not outcome.done or done.stands_at is None or observed is None:
        return outcome
    is_past = lock_place(picture, fact) != done.position if done.is_held else _is_past(observed, done.position)
    return outcome if observed.stage == Stage.FINISHED or is_past else None


def _is_past(observed: ObservedSubtask, position: Position) -> bool:
    try:
        return Position.parse(str((observed.status.get("sync") or {}).get("syncerBinlog", ""))) >= position
    except ValueError:
        return False


def _late(picture: Picture, fact: SubtaskFact, done: Done) -> Outcome:
    outcome = subtask_outcome(picture, fact)
    if outcome is None or not outcome.done:
        return late_outcome(picture, fact)
    return Outcome(True, f"it runs, and the statement at {done.position} is under way; see `query-status {fact.task}`")
