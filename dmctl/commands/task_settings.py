"""``task``: settings that change while a task runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, View
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named
from dmctl.session import Session

F = TypeVar("F", bound=Callable[..., Any])


@root.group("task", cls=Verbs, context_settings=HELP_OPTIONS)
def task_group() -> None:
    """Change settings of a task while it runs.

    \b
    dmctl task set my_task worker-count=16 batch=200
    dmctl task show my_task
    """


def _options(function: F) -> F:
    return click.argument("task", metavar="TASK|FILE")(source_option(function))


@verb(task_group, "set")
@_options
@click.argument("settings", nargs=-1, required=True, metavar="NAME=VALUE...")
def set_task(session: Session, task: str, settings: tuple[str, ...] = (), source: tuple[str, ...] = ()) -> Answer:
    """Change worker-count, batch or max-rows-per-second of a task that runs (or is paused).

    \b
    dmctl task set my_task batch=200 max-rows-per-second=5000     at once; 0 rows per second: no limit
    dmctl task set my_task worker-count=16 -s mysql-01            at the end of a transaction

    The settings stay until they are set again or the task is stopped: start-task takes those of the task file.
    """
    return _ask(session, "task set", task, source, settings)


@verb(task_group, "show")
@_options
def show_task(session: Session, task: str, source: tuple[str, ...] = ()) -> Answer:
    """The settings that `task set` changes, as they are now."""
    return _ask(session, "task show", task, source, ())


def _ask(session: Session, what: str, task: str, source: tuple[str, ...], settings: tuple[str, ...]) -> Answer:
    name = named(task)
    body = session.master.set_task(name, session.sources(source), settings)
    return Answer(body, View.SETTINGS, f"{what} {name}")
