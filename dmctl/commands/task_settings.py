"""``task``: settings that change while a task runs, and the summary of its full migration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, View
from dmctl.arguments import names_a_file
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named, read_task
from dmctl.session import Session

F = TypeVar("F", bound=Callable[..., Any])


@root.group("task", cls=Verbs, context_settings=HELP_OPTIONS)
def task_group() -> None:
    """Change settings of a task while it runs; read what its full migration came to.

    \b
    dmctl task set my_task worker-count=16 batch=200
    dmctl task show my_task
    dmctl task summary my_task
    """


def _options(function: F) -> F:
    return click.argument("task", metavar="TASK|FILE")(source_option(function))


@verb(task_group, "set")
@_options
@click.argument("settings", nargs=-1, required=True, metavar="NAME=VALUE...")
def set_task(session: Session, task: str, settings: tuple[str, ...] = (), source: tuple[str, ...] = ()) -> Answer:
    """Change settings of a task that runs (or is paused).

    worker-count, batch and max-rows-per-second are of replication, max-bytes-per-second and max-threads-running of
    the full migration.

    \b
    dmctl task set my_task batch=200 max-rows-per-second=5000     at once; 0 rows per second: no limit
    dmctl task set my_task worker-count=16 -s mysql-01            at the end of a transaction
    dmctl task set my_task max-bytes-per-second=20MB              within a second or two, over all connections

    The settings stay until they are set again or the task is stopped: start-task takes those of the task file.
    """
    return _ask(session, "task set", task, source, settings)


@verb(task_group, "show")
@_options
def show_task(session: Session, task: str, source: tuple[str, ...] = ()) -> Answer:
    """The settings that `task set` changes, as they are now."""
    return _ask(session, "task show", task, source, ())


@verb(task_group, "summary")
@_options
def task_summary(session: Session, task: str, source: tuple[str, ...] = ()) -> Answer:
    """What the full migration of a task came to: rows, bytes, time per phase, slowest tables, warnings.

    It stays in the task's target, so that it can be read long after: of a task that was stopped by its file.

    \b
    dmctl task summary my_task
    dmctl task summary task.yaml --output json | jq '.sources[].summary.slowestTables'
    """
    sources = session.sources(source)
    if names_a_file(task):
        found = read_task(Path(task))
        body = session.master.show_summary(found.name, found.text, sources)
        return Answer(body, View.SUMMARY, f"task summary {found.name}")
    return Answer(session.master.show_summary(task, "", sources), View.SUMMARY, f"task summary {task}")


def _ask(session: Session, what: str, task: str, source: tuple[str, ...], settings: tuple[str, ...]) -> Answer:
    name = named(task)
    body = session.master.set_task(name, session.sources(source), settings)
    return Answer(body, View.SETTINGS, f"{what} {name}")
