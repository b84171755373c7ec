"""``query-status``: how tasks are doing."""

from __future__ import annotations

import click

from dmctl.answer import Answer, View
from dmctl.cli import root, source_option, verb
from dmctl.files import named
from dmctl.session import Session


@verb(root)
@click.argument("task", required=False, metavar="[TASK|FILE]")
@source_option
@click.option("--more", is_flag=True, help="All subtasks of all tasks in detail.")
def query_status(session: Session, task: str | None, source: tuple[str, ...] = (), more: bool = False) -> Answer:
    """Show how tasks are doing: all in short, or one in detail.

    The exit code is 0 when the question was answered, also when a task stands still because of an error.

    \b
    dmctl query-status                      one line per task
    dmctl query-status my_task              progress, rate, lag, errors and what to do about them
    dmctl query-status -s mysql-01          everything that runs on one source
    dmctl query-status my_task --output json | jq '.sources[].subTaskStatus[].stage'
    """
    name = named(task or "")
    body = session.master.query_status(name, session.sources(source), more=more)
    return Answer(body, View.STATUS, f"query-status {name}".strip())
