"""Why the scheduler says no: DM's codes for it."""

from __future__ import annotations

from pkg.errors import ErrorKind, Level, Scope


def _refusal(code: int, message: str, workaround: str) -> ErrorKind:
    return ErrorKind(code, "scheduler", Scope.INTERNAL, Level.MEDIUM, message, workaround)


WORKER_UNKNOWN = _refusal(46004, "dm-worker with name {worker} not exists", "see `list-member --worker`")
WORKER_NOT_FREE = _refusal(
    46006,
    "dm-worker {worker} is {stage}, a source can be bound to a free worker only",
    "see `list-member --worker`, or leave the worker out: a free one is found",
)
SOURCE_EXISTS = _refusal(
    46007,
    "source config with ID {source} already exists{bound}",
    "change it with `operate-source update`, or give the new source another source-id",
)
SOURCE_UNKNOWN = _refusal(46008, "source config with ID {source} not exists", "see `operate-source show`")
SOURCES_UNBOUND = _refusal(
    46009,
    "sources {sources} have not bound",
    "a free dm-worker is needed for each: start one with `dm-worker --join`, see `list-member --worker`",
)
SOURCE_HAS_TASKS = _refusal(
    46010, "source {source} need to operate has existing tasks {tasks}", "stop them first: `stop-task TASK`"
)
SOURCE_IN_USE = _refusal(
    46011,
    "source {source} cannot be changed while tasks {tasks} run on it",
    "pause them first: `pause-task TASK`, also those that an error has paused, which may go on by themselves",
)
SUBTASKS_EXIST = _refusal(
    46014,
    "subtasks with name {task} for sources {sources} already exist",
    "see `query-status {task}`; `stop-task {task}` before it is started anew, `resume-task {task}` to go on",
)
TASK_UNKNOWN = _refusal(46018, "task with name {task} not exist", "see `query-status`")
SUBTASK_UNKNOWN = _refusal(
    46017, "task {task} has no subtask on sources {sources}", "see `query-status {task}` for the sources it runs on"
)
RELAY_ELSEWHERE = _refusal(
    46027,
    "dm-worker {worker} cannot hold the relay log of source {source}, which is bound to {where}: a relay log is where "
    "its source is bound",
    "leave the worker out",
)
NO_RELAY = _refusal(
    46033, "relay is disabled for this source: {source}", "switch it on first: `start-relay -s {source}`"
)
PURGE_IN_PROGRESS = _refusal(
    46034,
    "the relay log of source {source} is being purged up to {filename}",
    "try again when that is done; `query-status -s {source}` says whether its dm-worker is there",
)
