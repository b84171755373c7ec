"""``watch``: a task as it goes on."""

from __future__ import annotations

import json
from datetime import datetime

import click

from dmctl.answer import Answer, Body, View
from dmctl.cli import root, source_option, verb
from dmctl.files import named
from dmctl.output import as_yaml
from dmctl.session import Session
from dmctl.settings import Format
from dmctl.waiting import duration_seconds, patient
from dmctl.watching import End, watch


@verb(root, "watch")
@click.argument("task", metavar="TASK|FILE")
@source_option
@click.option(
    "--interval", default="2s", show_default=True, callback=duration_seconds, metavar="TIME", help="How often to look."
)
def watch_task(session: Session, task: str, interval: float, source: tuple[str, ...] = ()) -> Answer:
    """Show a task live, until it ends: stage, progress, rate, time left, lag and errors of each source.

    On a terminal one picture that is drawn again; elsewhere one line per source and look; with --output json one
    document a line. Ctrl-C ends the view and not the task.

    \b
    dmctl watch my_task
    dmctl watch my_task --interval 10s -s mysql-01
    dmctl watch my_task --output json | jq -r '.sources[].subTaskStatus[].load.progress'

    \b
    Exit codes: 0 the task has finished · 1 it was stopped, or stands still by an error · 130 Ctrl-C
    """
    name, sources = named(task), session.sources(source)
    is_drawn = session.stdout.isatty() and session.settings.output in (None, Format.TABLE)
    last: list[Body] = []

    def ask() -> Body:
        return session.master.query_status(name, sources)

    with session.writer.watching() as draw:

        def show(body: Body) -> None:
            last[:] = [body]
            if is_drawn:
                draw(Answer(body | {"time": _clock()}, View.WATCHED, f"watch {name}"))
            else:
                _write(session, body, name)

        try:
            end, body = watch(patient(ask), name, show, interval)
        except KeyboardInterrupt:
            end, body = End(True, f"stopped watching; task {name} goes on"), last[0] if last else {}
            return _answer(session, name, body, end, is_drawn=is_drawn, interrupted=True)
    return _answer(session, name, body, end, is_drawn=is_drawn)


def _answer(
    session: Session, name: str, status: Body, end: End, *, is_drawn: bool, interrupted: bool = False
) -> Answer:
    body: Body = {"result": end.is_good, "msg": end.message, "time": _clock(), "status": status}
    if not is_drawn:
        session.writer.notice(end.message)
    view = View.WATCHED if is_drawn else View.SHOWN
    return Answer(body, view, f"watch {name}", interrupted=interrupted)


def _write(session: Session, body: Body, name: str) -> None:
    """The status as lines, in the format asked for."""
    match session.settings.output:
        case Format.JSON:
            text = json.dumps({"time": datetime.now().astimezone().isoformat("T", "seconds"), **body})
        case Format.YAML:
            text = "---\n" + as_yaml(body).rstrip()
        case _:
            from dmctl.views.watched import watched_lines  # rich is slow to import

            text = "\n".join(watched_lines(body, name, _clock()))
    session.stdout.write(text + "\n")
    session.stdout.flush()


def _clock() -> str:
    return f"{datetime.now():%H:%M:%S}"
