"""``estimate``: what a full migration would come to, before anything moves."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import click

from dmctl.answer import Answer, View
from dmctl.cli import root, source_option, verb
from dmctl.files import read_task
from dmctl.session import Session
from dmctl.waiting import sample_seconds


@verb(root, "estimate")
@click.argument("task_file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@source_option
@click.option(
    "--sample", default="5s", show_default=True, callback=sample_seconds, metavar="TIME",
    help="Copy rows for so long; 0: none, and no time is said.",
)  # fmt: skip
@click.option("--read-only", is_flag=True, help="Write nothing to the target: the sample is only read.")
def estimate(
    session: Session, task_file: Path, sample: float, source: tuple[str, ...] = (), read_only: bool = False
) -> Answer:
    """Say what the full migration of a task would move, and about how long it takes, without starting it.

    Rows and bytes are the upstream's own statistics. The time is by a sample: for some seconds, rows of the largest
    table go into scratch tables of the task's meta-schema, which are dropped again. Tables that arrive with changes
    (mapped) or not at all (refused, left out) are named, with the reason.

    \b
    dmctl estimate task.yaml
    dmctl estimate task.yaml --sample 30s -s mysql-01
    dmctl estimate task.yaml --read-only            nothing is written: the time is then the shortest possible
    """
    task = read_task(task_file)
    session.warn(task.warnings)
    body = session.master.estimate_task(
        task.text, session.sources(source), sample_seconds=ceil(sample), read_only=read_only
    )
    return Answer(body, View.ESTIMATE, f"estimate {task.name}")
