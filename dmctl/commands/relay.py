"""The relay log of a source: switch it on and off, pause, resume, purge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, Body, is_accepted, without_late
from dmctl.cli import root, source_option, verb
from dmctl.session import Session
from dmctl.wait import Failed, Goal, Pending, Reached, Verdict
from dmctl.waiting import Waiting, wait_after, wait_options

F = TypeVar("F", bound=Callable[..., Any])
_STAGES = {Goal.RUNNING: "Running", Goal.PAUSED: "Paused", Goal.GONE: ""}


def _switch_options(function: F) -> F:
    return source_option(click.argument("workers", nargs=-1, metavar="[WORKER...]")(wait_options(function)))


@verb(root)
@_switch_options
def start_relay(
    session: Session,
    workers: tuple[str, ...] = (),
    source: tuple[str, ...] = (),
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Keep a copy of a source's binlog (the relay log) on its worker; the tasks then read that.

    It runs on the worker that the source is bound to, and moves with it; a WORKER that is another one is refused.

    \b
    dmctl start-relay -s mysql-01
    dmctl start-relay -s mysql-01 --wait
    """
    return _switch(session, "start", workers, source, wait, wait_timeout)


@verb(root)
@_switch_options
def stop_relay(
    session: Session,
    workers: tuple[str, ...] = (),
    source: tuple[str, ...] = (),
    wait: bool = False,
    wait_timeout: float | None = None,
) -> Answer:
    """Keep no relay log any more; the tasks go on from the upstream, where they are.

    The files stay on the worker's disk: delete them by hand, or switch the relay log on again.

    \b
    dmctl stop-relay -s mysql-01
    """
    return _switch(session, "stop", workers, source, wait, wait_timeout)


@verb(root)
@source_option
@wait_options
def pause_relay(
    session: Session, source: tuple[str, ...] = (), wait: bool = False, wait_timeout: float | None = None
) -> Answer:
    """Stop pulling for a while; tasks apply what the relay log has, and then wait.

    \b
    dmctl pause-relay -s mysql-01
    dmctl pause-relay -s mysql-01,mysql-02 --wait
    """
    return _operate(session, "pause", source, wait, wait_timeout)


@verb(root)
@source_option
@wait_options
def resume_relay(
    session: Session, source: tuple[str, ...] = (), wait: bool = False, wait_timeout: float | None = None
) -> Answer:
    """Pull again after pause-relay, or after an error.

    \b
    dmctl resume-relay -s mysql-01 --wait       exit code 1 when it pauses again with an error
    """
    return _operate(session, "resume", source, wait, wait_timeout)


@verb(root)
@source_option
@click.option("-f", "--filename", required=True, metavar="FILE", help="The first binlog file that stays.")
@click.option("--sub-dir", default="", metavar="DIR", help="Where FILE is, as query-status shows it (the latest one).")
def purge_relay(session: Session, filename: str, source: tuple[str, ...] = (), sub_dir: str = "") -> Answer:
    """Delete the files of a relay log that are older than FILE.

    A file that a task or its checkpoint still needs stays, whatever FILE says.

    \b
    dmctl purge-relay -s mysql-01 -f mysql-bin.000006
    dmctl purge-relay -s mysql-01 -f mysql-bin.000006 --sub-dir 2ae76434-f79f-11e8-bde2-0242ac130008.000001
    """
    only = _one_source(session, "purge-relay", source)
    if not sub_dir:
        session.warn([f"no --sub-dir: {filename} is looked for in the latest sub-directory of the relay log"])
    body = session.master.purge_relay((only,), filename, sub_dir)
    return Answer(body, subject=f"purge-relay -s {only} -f {filename}")


def _switch(
    session: Session, op: str, workers: tuple[str, ...], source: tuple[str, ...], wait: bool, limit: float | None
) -> Answer:
    only = _one_source(session, f"{op}-relay", source)
    body = session.master.operate_relay(op, only, workers)
    answer = Answer(body, subject=f"{op}-relay -s {only}")
    return _then_wait(session, answer, (only,), Goal.RUNNING if op == "start" else Goal.GONE, wait, limit)


def _operate(session: Session, op: str, source: tuple[str, ...], wait: bool, limit: float | None) -> Answer:
    sources = session.sources(source)
    if not sources:
        raise click.UsageError(f"{op}-relay of which source? give it with -s")
    body = session.master.operate_worker_relay(op, sources)
    answer = Answer(body, subject=f"{op}-relay -s {','.join(sources)}")
    return _then_wait(session, answer, sources, Goal.RUNNING if op == "resume" else Goal.PAUSED, wait, limit)


def _one_source(session: Session, verb_name: str, source: tuple[str, ...]) -> str:
    sources = session.sources(source)
    if len(sources) != 1:
        raise click.UsageError(f"{verb_name} of which source? give exactly one with -s")
    return sources[0]


def _then_wait(
    session: Session, answer: Answer, sources: tuple[str, ...], goal: Goal, wait: bool, limit: float | None
) -> Answer:
    if not wait or not is_accepted(without_late(answer.body)):
        return answer
    names = ",".join(sources)
    waiting = Waiting(
        answer.subject,
        str(goal),
        status=lambda: session.master.query_status("", sources),
        verdict=lambda body: judge_relays(body, sources, goal),
        goes_on=f"dm-master goes on; see it with  query-status -s {names}",
    )
    return wait_after(session, answer.body, waiting, limit)


def judge_relays(status: Body, sources: tuple[str, ...], goal: Goal) -> Verdict:
    """Whether the relay log of each source is as ``goal`` says."""
    relays = {place.get("source"): place.get("relayStatus") or {} for place in _places(status)}
    missing = [source for source in sources if relays.get(source, {}).get("stage", "") != _STAGES[goal]]
    failed = [source for source in missing if goal is Goal.RUNNING and _has_failed(relays.get(source, {}))]
    if failed:
        return Failed(f"the relay log is paused by an error on {', '.join(failed)}")
    return Pending(f"relay log not yet {goal}: {', '.join(missing)}") if missing else Reached()


def _places(status: Body) -> list[Mapping[str, Any]]:
    return [source.get("sourceStatus") or {} for source in status.get("sources") or ()]


def _has_failed(relay: Mapping[str, Any]) -> bool:
    return relay.get("stage") == "Paused" and bool((relay.get("result") or {}).get("errors"))
