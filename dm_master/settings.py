"""``task set``: settings that change while a task runs.

They are kept in the subtask's desired state, so they outlive every process and move with the source; the task
file as it was given stays what it is, and is what the next ``start-task`` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dm_master.coordinator import Coordinator
from dm_master.observed import Outcome, Picture
from dm_master.scheduler import SetTask, chosen_subtasks
from dm_master.status import observation_of
from dm_master.tasks import WAIT_SECONDS, source_answer
from pkg.facts import SubtaskFact
from pkg.task import SubtaskConfig, TaskConfig
from pkg.task.blocks import LoadConfig, SyncConfig
from pkg.task.live import LiveSettings, live_fields, live_of, read_changes
from pkg.task.subtask import load_of, sync_of

Body = dict[str, Any]


def settings_of(fact: SubtaskFact) -> LiveSettings:
    return live_of(SubtaskConfig.from_wire(fact.wire))


class SettingsVerbs:
    """The verb about live settings; its answer is in DM's JSON shape."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def set(self, task: str, sources: Sequence[str], words: Sequence[str]) -> Body:
        """Change the settings; without ``words`` only say what they are."""
        changes = read_changes(words, task)
        if changes:
            picture = self._coordinator.give(SetTask(task, changes, tuple(sources)))
        else:
            picture = self._coordinator.picture()
        facts = chosen_subtasks(picture.cluster, task, sources)
        if changes:
            picture = self._taken(facts)
        return {"result": True, "msg": "", "sources": [_answer(picture, fact, bool(changes)) for fact in facts]}

    def _taken(self, facts: Sequence[SubtaskFact]) -> Picture:
        """The picture in which every worker has the settings, or the one after the waiting time."""

        def look(picture: Picture) -> Picture | None:
            return picture if all(_outcome(picture, fact) is not None for fact in facts) else None

        return self._coordinator.wait(look, WAIT_SECONDS) or self._coordinator.picture()


def _outcome(picture: Picture, fact: SubtaskFact) -> Outcome | None:
    """Whether the source's worker has the settings; None while it is open."""
    if not picture.cluster.worker_of(fact.source):
        return Outcome(True, f"source {fact.source} is not bound to a dm-worker; the settings hold when it is")
    observation = observation_of(picture, fact.source)
    observed = observation.subtasks.get(fact.task) if observation else None
    return Outcome(True) if observed is not None and observed.revision >= fact.revision else None


def _answer(picture: Picture, fact: SubtaskFact, is_changed: bool) -> Body:
    text = f"its dm-worker has not taken the settings within {WAIT_SECONDS:g} s; the order stands"
    late = Outcome(False, text, is_late=True)
    outcome = (_outcome(picture, fact) or late) if is_changed else Outcome(True)
    settings = [{"name": name, "value": value} for name, value in settings_of(fact).as_dict().items()]
    return source_answer(picture.cluster, fact.source, outcome) | {"settings": settings}


def with_settings(task: TaskConfig, values: Body, settings: Mapping[str, LiveSettings]) -> Body:
    """The task file's ``values`` with the settings of its subtasks, where they are others than the file's."""
    for instance, shown in zip(task.mysql_instances, values["mysql-instances"], strict=True):
        sync, load = sync_of(task, instance), load_of(task, instance)
        given = LiveSettings.of(sync, load)
        wanted = settings.get(instance.source_id, given)
        if live_fields(wanted, "sync") != live_fields(given, "sync"):
            _show_own(shown, "syncer", sync.model_copy(update=live_fields(wanted, "sync")))
        if live_fields(wanted, "load") != live_fields(given, "load"):
            _show_own(shown, "loader", load.model_copy(update=live_fields(wanted, "load")))
    return _without_unused(_without_unused(values, "syncer"), "loader")


def _show_own(shown: Body, kind: str, block: SyncConfig | LoadConfig) -> None:
    """The instance's settings themselves, instead of the name of a block."""
    for name in (f"{kind}-config-name", f"{kind}-thread"):
        shown.pop(name, None)
    shown[kind] = block.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _without_unused(values: Body, kind: str) -> Body:
    """Blocks that no instance names any more are errors in a task file."""
    used = {shown.get(f"{kind}-config-name") for shown in values["mysql-instances"]}
    kept = {name: block for name, block in (values.get(f"{kind}s") or {}).items() if name in used}
    values.pop(f"{kind}s", None)
    return values | ({f"{kind}s": kept} if kept else {})
