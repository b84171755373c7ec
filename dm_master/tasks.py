"""The verbs about tasks (start, pause, resume, stop, check): decide, order, wait for what follows."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from dm_master.cluster import Cluster, Moment
from dm_master.coordinator import Coordinator
from dm_master.observed import ObservedSubtask, Outcome, Picture, outcome_of
from dm_master.precheck.report import Report
from dm_master.scheduler import OperateTask, StartTask, TaskOrder, decide
from dm_master.status import observation_of
from dm_master.stopped_runs import fence, forget
from pkg.adapters.files import read_text
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import SubtaskFact, TaskFact
from pkg.task import ShardMode, SourceConfig, SubtaskConfig, TaskMode, load_task, split_task
from pkg.task.stage import Stage

Body = dict[str, Any]
Precheck = Callable[[Sequence[SubtaskConfig], Sequence[SubtaskConfig], bool], Report]
WAIT_SECONDS = 10.0
SILENT_SECONDS = 5.0
"""A dm-worker that has sent nothing for so long is named; it sends more often when it is well."""

META_IN_USE = ErrorKind(
    38067,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "--remove-meta is refused while task {task} exists",
    workaround="`stop-task {task}` first",
)

BEING_STARTED = ErrorKind(
    38088,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "task {task} is being started by an order of {seconds} s ago, which still asks the servers",
    workaround="wait for its answer; `query-status {task}` shows the task once it is there. Where it takes long, look "
    "whether the upstreams and the target answer",
)
NO_META = ErrorKind(
    38077,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "--remove-meta has no meaning for task {task}: with task-mode {mode} all that it knows is in its folder of files",
    workaround="remove the folder (`dir` in `loaders`) on the dm-worker's host, then start-task without --remove-meta",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task file, split by what the cluster knows of its sources."""

    name: str
    text: str
    mode: TaskMode
    subtasks: list[SubtaskConfig]


class TaskVerbs:
    """The verbs about tasks; every answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator, key: bytes | None, precheck: Precheck) -> None:
        self._coordinator, self._key, self._precheck = coordinator, key, precheck
        self._starts: dict[str, float] = {}  # when the start of each task began that is under way
        self._starts_lock = threading.Lock()

    def check(self, text: str, errors: int, warnings: int, start_time: str) -> Body:
        prepared = self._prepare(text, (), start_time)
        report = self._precheck(prepared.subtasks, other_writers(self._coordinator.picture(), prepared.name), False)
        return {"result": report.failure() is None, "msg": report.message(errors, warnings)}

    def prepare(self, text: str, sources: Sequence[str]) -> Prepared:
        """The subtasks that the file would have on these sources, or on all."""
        return self._prepare(text, sources, "")

    def start(self, text: str, sources: Sequence[str], *, remove_meta: bool, start_time: str) -> Body:
        prepared = self._prepare(text, sources, start_time)
        with self._alone(prepared.name):
            return self._start(prepared, remove_meta, start_time)

    @contextmanager
    def _alone(self, task: str) -> Iterator[None]:
        """No two orders start one task: what one removes the other's run may use.  Raises BEING_STARTED."""
        with self._starts_lock:
            since = self._starts.get(task)
            if since is not None:
                raise BEING_STARTED.error(task=task, seconds=f"{time.monotonic() - since:.0f}")
            self._starts[task] = time.monotonic()
        try:
            yield
        finally:
            with self._starts_lock:
                del self._starts[task]

    def _start(self, prepared: Prepared, remove_meta: bool, start_time: str) -> Body:
        cluster = self._coordinator.picture().cluster
        # A start time comes over the checkpoint; the unit looks at it where there is none.
        is_fresh = remove_meta or bool(start_time and prepared.mode is TaskMode.INCREMENTAL)
        told = [one.model_copy(update={"remove_meta": remove_meta}) for one in prepared.subtasks]
        wires = {one.source_id: one.to_wire().decode() for one in told}
        order = StartTask(TaskFact(prepared.name, prepared.text), wires, is_fresh)
        decide(cluster, order, Moment(0.0, 0))  # what would be refused anyhow is refused before any server is asked
        if remove_meta and cluster.subtasks_of_task(prepared.name):
            raise META_IN_USE.error(task=prepared.name)
        if remove_meta and not prepared.mode.has_target:
            raise NO_META.error(task=prepared.name, mode=prepared.mode)
        fresh = [one for one in prepared.subtasks if (prepared.name, one.source_id) not in cluster.subtasks]
        report = self._precheck(fresh, other_writers(self._coordinator.picture(), prepared.name), remove_meta)
        if report.failure() is not None:
            return {"result": False, "msg": report.message(), "sources": [], "checkResult": ""}
        if is_fresh:
            for subtask in fresh:
                forget(subtask, partial(self._is_stopped, prepared.name, subtask.source_id))
        after = self._coordinator.give(order).cluster
        answers = self._outcomes([after.subtasks[prepared.name, one.source_id] for one in fresh])
        return {"result": True, "msg": "", "sources": answers, "checkResult": report.message()}

    def operate(self, order: TaskOrder, task: str, sources: Sequence[str]) -> Body:
        picture = self._coordinator.picture()
        before = picture.cluster
        after = self._coordinator.give(OperateTask(order, task, tuple(sources))).cluster
        chosen = [fact for fact in before.subtasks_of_task(task) if not sources or fact.source in sources]
        if order is TaskOrder.DELETE:
            answers = self._departures(chosen, picture)
        else:
            answers = self._outcomes([after.subtasks[fact.key[0], fact.key[1]] for fact in chosen])
        return {"op": str(order), "result": True, "msg": "", "sources": answers}

    def _prepare(self, text: str, sources: Sequence[str], start_time: str) -> Prepared:
        task = load_task(text)
        target = task.target_database.embedded(read_text)
        task = task.model_copy(update={"target_database": target})
        cluster = self._coordinator.picture().cluster
        known = {name: SourceConfig.model_validate_json(fact.wire) for name, fact in cluster.sources.items()}
        subtasks = split_task(
            task, known, key=self._key, start_time=start_time or None, only_sources=frozenset(sources)
        )
        return Prepared(task.name, text, task.task_mode, subtasks)

    def _outcomes(self, ordered: Sequence[SubtaskFact]) -> list[Body]:
        """What became of each order, as far as it shows within the waiting time."""

        def look(picture: Picture) -> list[Outcome] | None:
            found = [subtask_outcome(picture, fact) for fact in ordered]
            return [one for one in found if one is not None] if all(found) else None

        outcomes = self._coordinator.wait(look, WAIT_SECONDS)
        picture = self._coordinator.picture()
        if outcomes is None:
            outcomes = [subtask_outcome(picture, fact) or late_outcome(picture, fact) for fact in ordered]
        return [source_answer(picture.cluster, fact.source, one) for fact, one in zip(ordered, outcomes, strict=True)]

    def _is_stopped(self, task: str, source: str) -> bool:
        return (task, source) not in self._coordinator.picture().cluster.subtasks

    def _departures(self, removed: Sequence[SubtaskFact], before: Picture) -> list[Body]:
        def look(picture: Picture) -> bool | None:
            return True if all(_observed(picture, fact) is None for fact in removed) else None

        self._coordinator.wait(look, WAIT_SECONDS)
        picture = self._coordinator.picture()
        late = Outcome(False, f"the subtask is still stopping after {WAIT_SECONDS:g} s; the order stands", is_late=True)
        outcomes, unreachable = [], ""  # all sources of a task have one target
        for fact in removed:
            if _observed(picture, fact) is not None:
                outcomes.append(late)
                continue
            executed = ""
            if not unreachable:
                executed, unreachable = self._fence(fact)
            # One that said that it ran the subtask has said that it does not any more.
            was_seen = _observed(before, fact) is not None
            left = LEFT_ITS_LOCKS if is_merged_with_others(fact, picture) else ""
            outcomes.append(fenced_outcome(fact.source, executed, "" if was_seen else unreachable, left))
        return [source_answer(before.cluster, fact.source, one) for fact, one in zip(removed, outcomes, strict=True)]

    def _fence(self, fact: SubtaskFact) -> tuple[str, str]:
        """Let no run of a stopped subtask write; what the target still executes, and why it cannot be asked."""
        subtask = SubtaskConfig.from_wire(fact.wire)
        if not subtask.task_mode.has_target:
            return "", ""
        try:
            return fence(subtask, partial(self._is_stopped, *fact.key), WAIT_SECONDS), ""
        except DMError as exc:
            log.warning("runs of task %s are not fenced in the target: %s", fact.task, exc)
            return "", exc.message


LEFT_ITS_LOCKS = (
    "the task's other sources do not wait for its DDL of merged tables from now on; started again from its checkpoint, "
    "it passes over those that they have run meanwhile where its rows need no change, and else waits "
    "(`dmctl shard-ddl-lock explain` says what to do)"
)
NOT_FENCED = (
    "stopped, but no dm-worker that ran source {source} could be asked, nor the target: a dm-worker that is frozen or "
    "cut off may write on when it comes back, until it hears of the order ({reason}). When the target answers, a "
    "start-task and a stop-task of the task fence it"
)


def fenced_outcome(source: str, executed: str, unreachable: str, left: str = "") -> Outcome:
    """What to say of a stopped subtask: of what the target still executes, or why nobody knows what still runs."""
    if executed:
        text = f"the target still executes {executed}; nothing of the task is written behind it"
        return Outcome(False, text, is_late=True)
    return Outcome(False, NOT_FENCED.format(source=source, reason=unreachable)) if unreachable else Outcome(True, left)


def is_merged_with_others(stopped: SubtaskFact, picture: Picture) -> bool:
    """Whether sources that stay in the task wait for each other's DDL, and waited for that of the stopped one."""
    stays = bool(picture.cluster.subtasks_of_task(stopped.task))
    return stays and SubtaskConfig.from_wire(stopped.wire).shard_mode is not ShardMode.NONE


def _observed(picture: Picture, fact: SubtaskFact) -> ObservedSubtask | None:
    """The subtask as the dm-worker of its source sees it."""
    observation = observation_of(picture, fact.source)
    return observation.subtasks.get(fact.task) if observation else None


def other_writers(picture: Picture, task: str) -> list[SubtaskConfig]:
    """The subtasks of other tasks that have a target and are not done."""
    facts = [fact for fact in picture.cluster.subtasks.values() if fact.task != task]
    subtasks = [SubtaskConfig.from_wire(fact.wire) for fact in facts if not _is_finished(picture, fact)]
    return [one for one in subtasks if one.task_mode.has_target]


def _is_finished(picture: Picture, fact: SubtaskFact) -> bool:
    observed = _observed(picture, fact)
    return observed is not None and observed.stage == Stage.FINISHED


def subtask_outcome(picture: Picture, fact: SubtaskFact) -> Outcome | None:
    """What became of an order about a subtask; None while it is open."""
    current = picture.cluster.subtasks.get((fact.task, fact.source))
    if current is None or current.revision != fact.revision:
        return Outcome(False, "another order has come in between")
    if not picture.cluster.worker_of(fact.source):
        return Outcome(True, f"source {fact.source} is not bound to a dm-worker; the order is carried out when it is")
    observation = observation_of(picture, fact.source)
    return outcome_of(fact, observation.subtasks.get(fact.task)) if observation else None


def late_outcome(picture: Picture, fact: SubtaskFact) -> Outcome:
    """What to say of an order that is open after the waiting time."""
    observed = _observed(picture, fact)
    now = f"it is {observed.stage}" if observed else "its dm-worker has not reported"
    return Outcome(
        False,
        f"fail to get expected result {fact.stage} within {WAIT_SECONDS:g} s, {now}{_move(picture, fact.source)}; "
        f"the order stands, please check status: `query-status {fact.task}`",
        is_late=True,
    )


def _move(picture: Picture, source: str) -> str:
    """That the source's worker seems lost, or that the source has just come from another one."""
    worker = picture.cluster.worker_of(source)
    silent = picture.ages.get(worker, 0.0)
    if silent >= SILENT_SECONDS:
        return (
            f"; dm-worker {worker} of source {source} has not answered for {silent:.0f} s: if it is lost, the source "
            "moves to a free one when its lease ends"
        )
    bound = picture.cluster.bounds.get(source)
    last = bound.last_worker if bound else ""
    if last and last != worker and last not in picture.cluster.leases:
        return f"; source {source} has moved to dm-worker {worker} from {last}, which was lost"
    return ""


def source_answer(cluster: Cluster, source: str, outcome: Outcome) -> Body:
    """DM's answer about one source."""
    return {
        "result": outcome.done,
        "msg": outcome.message,
        "source": source,
        "worker": cluster.worker_of(source),
        **({"late": True} if outcome.is_late else {}),
    }
