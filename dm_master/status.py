"""``query-status``: the answer in DM's JSON shape, from a picture of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dm_master.cluster import Cluster
from dm_master.ddl_locks import lock_id_of
from dm_master.looking import relay_now, silence, subtask_now
from dm_master.observed import Observation, ObservedSubtask, Picture
from pkg.errors import ErrorKind, Level, Scope
from pkg.facts import SubtaskFact
from pkg.task.stage import Stage
from pkg.unit import UnitName

Body = dict[str, Any]

NO_SUCH_TASK = ErrorKind(
    38065,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "task {task} has no source or not exist",
    workaround="`query-status` without a name lists the tasks",
)
NO_SUCH_SOURCES = ErrorKind(
    38066,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "sources {sources} haven't been added{where}",
    workaround="`operate-source show` lists the sources",
)


def query_status(picture: Picture, task: str, sources: Sequence[str], *, question: int = 0, more: bool = False) -> Body:
    """One line per task when nothing was named and every source answers, else all there is to say per source.

    ``question`` is the number under which the workers were asked for what ``picture`` has.
    """
    names = chosen_sources(picture, task, sources)
    answers = [_source_answer(picture, source, task, question) for source in names]
    if not task and not sources and not more and all(_is_well(answer) for answer in answers):
        cluster = picture.cluster
        return {"result": True, "msg": "", "tasks": [_summary(picture, name) for name in sorted(cluster.tasks)]}
    return {"result": True, "msg": "", "sources": answers}


def chosen_sources(picture: Picture, task: str, sources: Sequence[str]) -> list[str]:
    """The sources that a status is about; of a task that was stopped those where it still ends.

    Raises NO_SUCH_TASK, NO_SUCH_SOURCES.
    """
    cluster = picture.cluster
    ordered = {fact.source for fact in cluster.subtasks_of_task(task)}
    known = sorted(source for source in cluster.sources if not task or source in ordered or _has(picture, source, task))
    if task and not known:
        raise NO_SUCH_TASK.error(task=task)
    unknown = sorted(set(sources) - set(known))
    if unknown:
        where = f" to task {task}" if task else ""
        raise NO_SUCH_SOURCES.error(sources=f"[{' '.join(unknown)}]", where=where)
    return sorted(set(sources)) if sources else known


def _has(picture: Picture, source: str, task: str) -> bool:
    observation = observation_of(picture, source)
    return observation is not None and task in observation.subtasks


def observation_of(picture: Picture, source: str) -> Observation | None:
    """What the worker that has ``source`` says about it; None before it has said anything under this binding."""
    bound = picture.cluster.bounds.get(source)
    observed = picture.observed.get(bound.worker) if bound and bound.worker else None
    if bound is None or observed is None or (observed.source, observed.bind_epoch) != (source, bound.bind_epoch):
        return None
    return observed


def _source_answer(picture: Picture, source: str, task: str, number: int) -> Body:
    cluster = picture.cluster
    worker, observed = cluster.worker_of(source), observation_of(picture, source)
    place: Body = {"source": source, "worker": worker}
    if observed is None:
        reason = (
            f"dm-worker {worker} has not reported on source {source} yet; see `list-member --name {worker}`"
            if worker
            else f"source {source} is not bound to a dm-worker; see `list-member --worker` for one that is offline"
        )
        place |= _relay(cluster, source, None, number, 0.0)
        return {"result": False, "msg": reason, "sourceStatus": place, "subTaskStatus": []}
    ordered = [fact for fact in cluster.subtasks_of_source(source) if task in ("", fact.task)]
    age = picture.ages.get(worker, 0.0)
    silent = silence(observed, number, age)
    if silent:
        silent = f"dm-worker {worker}: {silent}"
    relay = _relay(cluster, source, observed, number, age)
    leaving = observed.subtasks.keys() - {fact.task for fact in cluster.subtasks_of_source(source)}
    left = [observed.subtasks[name] for name in sorted(leaving) if task in ("", name)]
    return {
        "result": not silent,
        "msg": silent and f"{silent}; what stands here is that old",
        "sourceStatus": place | {"result": dict(observed.source_result)} | relay,
        "subTaskStatus": [
            _subtask(picture, fact, subtask_now(one, number, age, silent) if one is not None else None)
            for fact in ordered
            for one in (observed.subtasks.get(fact.task),)
        ]
        + [subtask_now(one, number, age, silent) | {"expectedStage": str(Stage.STOPPED)} for one in left],
    }


def _relay(cluster: Cluster, source: str, observed: Observation | None, number: int, age_seconds: float) -> Body:
    """DM's `relayStatus`, when there is (or should be) a relay log."""
    ordered, relay = cluster.relays.get(source), observed.relay if observed else None
    expected = {"expectedStage": str(ordered.stage)} if ordered else {}
    if relay is not None:
        return {"relayStatus": {**relay_now(relay, number, age_seconds), **expected}}
    return {"relayStatus": {"stage": str(Stage.NEW), **expected}} if ordered else {}


def _subtask(picture: Picture, ordered: SubtaskFact, status: Body | None) -> Body:
    if status is None:
        return {
            "name": ordered.task,
            "stage": str(Stage.NEW),
            "expectedStage": str(ordered.stage),
            "msg": f"no sub task with name {ordered.task} has started",
        }
    waits_in = lock_id_of(picture.cluster, ordered.task, ordered.source)
    return {**status, "expectedStage": str(ordered.stage), "unresolvedDDLLockID": waits_in}


def _is_well(answer: Body) -> bool:
    """Whether the summary says enough: a failed relay log shows in the status of the tasks that read it."""
    place = answer["sourceStatus"]
    parts = [place] if answer["subTaskStatus"] else [place, place.get("relayStatus") or {}]
    return bool(answer["result"]) and not any((part.get("result") or {}).get("errors") for part in parts)


def _summary(picture: Picture, task: str) -> Body:
    subtasks = picture.cluster.subtasks_of_task(task)
    observed = [_observed_subtask(picture, fact) for fact in subtasks]
    relays = [relay_trouble(picture, fact.source) for fact in subtasks]
    return {
        "taskName": task,
        "taskStatus": task_status(task, observed, relays),
        "sources": [fact.source for fact in subtasks],
    }


def _observed_subtask(picture: Picture, fact: SubtaskFact) -> ObservedSubtask | None:
    observation = observation_of(picture, fact.source)
    return observation.subtasks.get(fact.task) if observation else None


def relay_trouble(picture: Picture, source: str) -> str:
    """Error or Paused when the relay log of ``source`` does not go on; "" when it does or when there is none."""
    observation = observation_of(picture, source)
    relay = observation.relay if observation else None
    if relay is None or relay.stage != Stage.PAUSED:
        return ""
    return "Error" if relay.errors else str(Stage.PAUSED)


def task_status(task: str, subtasks: Iterable[ObservedSubtask | None], relays: Iterable[str] = ()) -> str:
    """One word for a task, or the sentence that DM's users grep for; ``relays`` is what ails each subtask's relay."""
    known = list(subtasks)
    stages = [one.stage if one else str(Stage.NEW) for one in known]
    if any(one and one.stage == Stage.PAUSED and one.errors for one in known):
        return f"Error - Some error occurred in subtask. Please run `query-status {task}` to get more details."
    for one, trouble in zip(known, relays, strict=False):
        if trouble and one and (one.stage, one.status.get("unit")) == (Stage.RUNNING, UnitName.SYNC):
            return f"Error - Relay status is {trouble}. Please run `query-status {task}` to get more details."
    if Stage.PAUSED in stages:
        return str(Stage.PAUSED)
    if len(set(stages)) == 1 and stages[0] in (Stage.NEW, Stage.FINISHED, Stage.STOPPED):
        return stages[0]
    return str(Stage.RUNNING)
