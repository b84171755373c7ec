"""What dm-master does in the target to the metadata of a task that does not run: fence what may be left, or forget it.

A dm-worker that is frozen, or cut off, runs on when it thaws, and a stopped task has no next run that would
fence it.  So stop-task moves the epoch forward, and ends connections of earlier runs (DESIGN.md, epochs).  What
--remove-meta forgets must not be that of a run which has begun since somebody looked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from pkg.adapters.dm_meta import forget_dm
from pkg.adapters.log import fields
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import FENCED, MetaTables, forget_source, stored_epoch
from pkg.adapters.mysql.connection import ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.owned_connections import OwnedConnections
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import RUN_BITS
from pkg.task.subtask import SubtaskConfig

CLAIMED_MEANWHILE = ErrorKind(
    38089,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the metadata of task {task} is not removed: a run of it has begun on source {source} in the meantime",
    workaround="nothing was removed; look at `query-status {task}`, and `stop-task {task}` first",
)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Deadline:
    """Stops the waiting after a while."""

    ends: float

    def is_set(self) -> bool:
        return time.monotonic() >= self.ends

    def wait(self, timeout: float | None = None) -> bool:
        left = max(0.0, self.ends - time.monotonic())
        time.sleep(left if timeout is None else min(timeout, left))
        return self.is_set()


def fence(subtask: SubtaskConfig, is_stopped: Callable[[], bool], seconds: float) -> str:
    """Fence every earlier run of the subtask; what one of them still executes in the target after ``seconds``, or "".

    ``is_stopped``: whether nobody has started the task again, whose run fences the earlier ones itself.
    Raises DMError where the target cannot be asked.
    """
    options = ConnectionOptions.from_config(subtask.target, side="downstream")
    tables = MetaTables(subtask.meta_schema, subtask.task_name)
    executed = ""

    def tell(text: str) -> None:
        nonlocal executed
        executed = text or executed

    with connect(options, side="downstream") as connection:
        server = Server.probe(connection)
        set_session(connection, server.downstream_session(options.session))
        epoch = stored_epoch(connection, tables, subtask.source_id)
        if epoch < 0 or not is_stopped():
            return ""
        owned = OwnedConnections(tables, subtask.source_id, server.flavor)
        deadline = _Deadline(time.monotonic() + seconds)
        try:
            owned.take_over(connection, epoch >> RUN_BITS, deadline, tell, only_from=epoch)
        except DMError as exc:
            if not exc.is_a(FENCED):
                raise
            log.info("a later run of task %s has fenced the earlier ones", subtask.task_name)
            return ""
    return executed if deadline.is_set() else ""


def forget(subtask: SubtaskConfig, is_stopped: Callable[[], bool]) -> None:
    """Drop what the task's meta tables know of this source; the epoch stays and fences.

    Raises CLAIMED_MEANWHILE where a run has begun since somebody found that there was none, and drops nothing then.
    """
    options = ConnectionOptions.from_config(subtask.target, side="downstream")
    tables, source = MetaTables(subtask.meta_schema, subtask.task_name), subtask.source_id
    with connect(options, side="downstream") as connection:
        create_meta_tables(connection, tables)
        epoch = stored_epoch(connection, tables, source)
        if not is_stopped() or not forget_source(connection, tables, source, epoch):
            raise CLAIMED_MEANWHILE.error(task=subtask.task_name, source=source)
        forget_dm(connection, tables, source)
    log.info("meta forgotten", extra=fields(task=subtask.task_name, source=source))
