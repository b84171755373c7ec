"""The ``--wait`` options, and how a verb waits: live on a terminal, silently in a script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, Body, View, without_late
from dmctl.arguments import parse_duration
from dmctl.session import Session
from dmctl.wait import Failed, Goal, Reached, Verdict, judge, wait_for
from pkg.errors import DMError

F = TypeVar("F", bound=Callable[..., Any])


def duration_seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """30s, 10m, 1h30m: as seconds."""
    try:
        return None if value is None else parse_duration(value)
    except ValueError as exc:
        raise click.BadParameter(str(exc), ctx, param) from exc


def sample_seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A duration, or 0."""
    return 0.0 if value.strip() in ("0", "0s") else duration_seconds(ctx, param, value) or 0.0


def wait_options(function: F) -> F:
    """``--wait`` and ``--wait-timeout``."""
    limit = click.option(
        "--wait-timeout",
        callback=duration_seconds,
        metavar="TIME",
        help="Give up waiting after this time (exit code 1).",
    )
    wait = click.option("--wait", is_flag=True, help="Return when it has happened, not when it was accepted.")
    return wait(limit(function))


@dataclass(frozen=True, slots=True)
class Waiting:
    """What to wait for: how to ask, how to judge, what to tell who interrupts."""

    subject: str
    goal: str
    status: Callable[[], Body]
    verdict: Callable[[Body], Verdict]
    goes_on: str  # "task shop goes on; see it with  query-status shop"
    view: View = View.STATUS


def task_waiting(session: Session, subject: str, task: str, sources: tuple[str, ...], goal: Goal) -> Waiting:
    """Wait until ``task`` is as ``goal`` says, on ``sources`` or on all of its sources."""
    return Waiting(
        subject,
        str(goal),
        status=lambda: session.master.query_status(task, sources),
        verdict=lambda body: judge(body, task, sources, goal),
        goes_on=f"task {task} goes on; see it with  query-status {task}",
    )


def wait_after(session: Session, accepted: Body, waiting: Waiting, limit: float | None) -> Answer:
    """The accepted answer, completed by how the waiting ended (``waited``)."""
    accepted = without_late(accepted)
    try:
        with session.writer.watching() as show:
            verdict, status = wait_for(
                patient(waiting.status),
                waiting.verdict,
                lambda body: show(Answer(body, waiting.view, waiting.subject)),
                lambda missing: session.writer.notice(f"waiting: {missing}"),
                limit_seconds=limit,
            )
    except KeyboardInterrupt:
        reason = f"stopped waiting; {waiting.goes_on}"
        return _answer(accepted, waiting, reason, None, interrupted=True)
    if isinstance(verdict, Reached):
        return _answer(accepted, waiting, "", status)
    reason = verdict.reason if isinstance(verdict, Failed) else ""
    return _answer(accepted, waiting, f"{reason}; {waiting.goes_on}", status)


def patient(status: Callable[[], Body]) -> Callable[[], Body | None]:
    """A master that is away for a moment does not end the waiting."""

    def ask() -> Body | None:
        try:
            return status()
        except DMError as exc:
            if exc.resumable:
                return None
            raise

    return ask


def _answer(accepted: Body, waiting: Waiting, reason: str, status: Body | None, *, interrupted: bool = False) -> Answer:
    body: Body = accepted | {
        "result": interrupted or not reason,  # Ctrl-C undoes nothing: the order stays accepted
        "msg": reason or accepted.get("msg", ""),
        "waited": {"goal": waiting.goal, "reached": not reason, "status": status},
    }
    return Answer(body, View.WAITED, waiting.subject, interrupted=interrupted)
