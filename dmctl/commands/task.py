"""The life of a task: check, start, pause, resume, stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, Body, View, is_accepted, without_late
from dmctl.cli import root, source_option, verb
from dmctl.files import named, read_task
from dmctl.session import Session
from dmctl.wait import Goal
from dmctl.waiting import task_waiting, wait_after, wait_options

F = TypeVar("F", bound=Callable[..., Any])
TASK_FILE = click.Path(path_type=Path, dir_okay=False)
START_TIME = (
    "Replicate from the first transaction at or after this time, e.g. '2026-01-31 08:00:00'. MySQL from 8.0.1 on: by "
    "the moment of its commit. MariaDB and older MySQL: by the start of the statement that committed it, so what was "
    "under way then counts as before and does not come: take a time when nothing was written, or name a position as "
    "`meta`."
)
_GOALS = {"pause": Goal.PAUSED, "resume": Goal.RUNNING, "delete": Goal.GONE}


@verb(root)
@click.argument("task_file", type=TASK_FILE, metavar="FILE")
@click.option(
    "-e", "--error", "errors", type=int, default=10, show_default=True, help="Show at most this many failures."
)
@click.option(
    "-w", "--warn", "warnings", type=int, default=10, show_default=True, help="Show at most this many warnings."
)
@click.option("--start-time", default="", metavar="TIME", help=START_TIME)
def check_task(session: Session, task_file: Path, errors: int, warnings: int, start_time: str) -> Answer:
    """Check a task against its servers without starting it.

    To check the text of a file alone, without any server, use check-config.

    \b
    dmctl check-task task.yaml
    """
    task = read_task(task_file)
    session.warn(task.warnings)
    body = session.master.check_task(task.text, errors=errors, warnings=warnings, start_time=start_time)
    return Answer(body, View.CHECK, f"check-task {task.name}")


@verb(root)
@click.argument("task_file", type=TASK_FILE, metavar="FILE")
@source_option
@click.option("--remove-meta", is_flag=True, help="Forget how far an earlier run came: begin from the start.")
@click.option("--start-time", default="", metavar="TIME", help=START_TIME)
@click.option(
    "--until",
    type=click.Choice([str(Goal.RUNNING), str(Goal.SYNCED), str(Goal.FINISHED)]),
    help="What --wait waits for (running); implies --wait. synced: replication is in step with the upstream.",
)
@wait_options
def start_task(
    session: Session,
    task_file: Path,
    source: tuple[str, ...] = (),
    remove_meta: bool = False,
    start_time: str = "",
    until: str | None = None,
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Start the task in FILE: on all its sources, or on those given by -s.

    A task that was stopped goes on from its checkpoint, unless --remove-meta says to begin anew.

    \b
    dmctl start-task task.yaml
    dmctl start-task task.yaml --wait                   until every subtask runs
    dmctl start-task task.yaml --until synced           until replication has caught up
    dmctl start-task task.yaml -s mysql-01 --remove-meta
    """
    task = read_task(task_file)
    session.warn(task.warnings)
    sources = session.sources(source)
    body = session.master.start_task(task.text, sources, remove_meta=remove_meta, start_time=start_time)
    subject = f"start-task {task.name}"
    if not (wait or until) or not is_accepted(without_late(body)):
        return Answer(body, subject=subject)
    waiting = task_waiting(session, subject, task.name, sources, Goal(until or Goal.RUNNING))
    return wait_after(session, body, waiting, wait_timeout)


def _task_options(function: F) -> F:
    batch = click.option(
        "--batch-size", type=int, default=5, hidden=True, expose_value=False
    )  # DM's; here one call at a time
    argument = click.argument("task", required=False, metavar="[TASK|FILE]")
    return argument(source_option(batch(wait_options(function))))


@verb(root)
@_task_options
def pause_task(
    session: Session,
    task: str | None,
    source: tuple[str, ...] = (),
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Pause a task: it keeps its place and does no work until resume-task.

    \b
    dmctl pause-task my_task
    dmctl pause-task my_task -s mysql-01 --wait
    dmctl pause-task -s mysql-01               every task of that source
    """
    return _operate(session, "pause", task, source, wait, wait_timeout)


@verb(root)
@_task_options
def resume_task(
    session: Session,
    task: str | None,
    source: tuple[str, ...] = (),
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Resume a task that was paused, by you or by an error.

    \b
    dmctl resume-task my_task
    dmctl resume-task my_task --wait           exit code 1 when it pauses again with an error
    """
    return _operate(session, "resume", task, source, wait, wait_timeout)


@verb(root)
@_task_options
def stop_task(
    session: Session,
    task: str | None,
    source: tuple[str, ...] = (),
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Stop a task and take it out of the cluster.

    What was migrated stays, and so do the checkpoints downstream: start-task with the same file goes on from there.

    \b
    dmctl stop-task my_task
    dmctl stop-task task.yaml --wait
    """
    return _operate(session, "delete", task, source, wait, wait_timeout)


def _operate(
    session: Session, op: str, task: str | None, source: tuple[str, ...], wait: bool, limit: float | None
) -> Answer:
    verb_name = {"delete": "stop-task"}.get(op, f"{op}-task")
    sources = session.sources(source)
    if task is None:
        return _operate_all(session, op, verb_name, sources)
    name = named(task)
    body = session.master.operate_task(op, name, sources)
    subject = f"{verb_name} {name}"
    if not wait or not is_accepted(without_late(body)):
        return Answer(body, subject=subject)
    return wait_after(session, body, task_waiting(session, subject, name, sources, _GOALS[op]), limit)


def _operate_all(session: Session, op: str, verb_name: str, sources: tuple[str, ...]) -> Answer:
    """DM's short form: every task of one source."""
    if len(sources) != 1:
        raise click.UsageError(
            f"{verb_name} what? give a task (or its file), or exactly one source with -s for all its tasks"
        )
    answers = session.master.query_status("", sources).get("sources") or ()
    names = [subtask["name"] for answer in answers for subtask in answer.get("subTaskStatus") or ()]
    unknown = [str(answer.get("msg")) for answer in answers if not answer.get("result", True)]
    if unknown and not names:
        return Answer({"result": False, "msg": "; ".join(unknown), "tasks": []}, subject=f"{verb_name} on {sources[0]}")
    tasks = [_task_result(name, session.master.operate_task(op, name, sources)) for name in names]
    message = "" if tasks else f"no task runs on source {sources[0]}"
    body: Body = {"result": all(is_accepted(task) for task in tasks), "msg": message, "tasks": tasks}
    return Answer(body, subject=f"{verb_name} on {sources[0]}")


def _task_result(name: str, body: Body) -> Body:
    return {"task": name, **{key: body.get(key) for key in ("op", "result", "msg", "sources")}}
