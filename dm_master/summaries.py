"""``task summary``: what the last full migration of each source came to, from the task's target."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from dm_master.coordinator import Coordinator
from dm_master.observed import Outcome
from dm_master.steering import chosen_subtasks
from dm_master.tasks import TaskVerbs, source_answer
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.summaries import Summary, load_summary
from pkg.errors import DMError
from pkg.task import SubtaskConfig

Body = dict[str, Any]


class SummaryVerbs:
    """The verb about summaries; its answer is in DM's JSON shape, with the document as text."""

    def __init__(self, coordinator: Coordinator, tasks: TaskVerbs) -> None:
        self._coordinator, self._tasks = coordinator, tasks

    def show(self, name: str, text: str, sources: Sequence[str]) -> Body:
        """Of a task that is there (``name``), or that was, by the text of its file."""
        if text:
            subtasks = self._tasks.prepare(text, sources).subtasks
        else:
            facts = chosen_subtasks(self._coordinator.picture().cluster, name, sources)
            subtasks = [SubtaskConfig.from_wire(fact.wire) for fact in facts]
        return {"result": True, "msg": "", "sources": [self._answer(one) for one in subtasks]}

    def _answer(self, subtask: SubtaskConfig) -> Body:
        cluster = self._coordinator.picture().cluster
        try:
            found = _summary(subtask)
        except DMError as exc:
            return source_answer(cluster, subtask.source_id, Outcome(False, str(exc)))
        if found is None:
            message = f"task {subtask.task_name} has no summary: its full migration has not ended yet, or it has none"
            return source_answer(cluster, subtask.source_id, Outcome(True, message))
        document = json.dumps(found, ensure_ascii=False)
        return source_answer(cluster, subtask.source_id, Outcome(True)) | {"document": document}


def _summary(subtask: SubtaskConfig) -> Summary | None:
    options = ConnectionOptions.from_config(subtask.target, side="downstream")
    with closing(connect(options, side="downstream")) as connection:
        tables = MetaTables(subtask.meta_schema, subtask.task_name)
        return load_summary(connection, tables, subtask.source_id)
