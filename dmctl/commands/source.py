"""``operate-source``: the upstream servers that dm-master knows."""

from __future__ import annotations

from pathlib import Path

import click

from dmctl.answer import Answer, Body, View, text_answer
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named, read_source
from dmctl.session import Session
from dmctl.wait import Pending, Reached, Verdict
from dmctl.waiting import Waiting, wait_after, wait_options
from pkg.task import sample

FILE = click.Path(path_type=Path, dir_okay=False)


def _print_sample(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        text = sample("source")
        ctx.ensure_object(Session).writer.answer(text_answer(text, cfg=text))
        ctx.exit(0)


sample_option = click.option(
    "-p",
    "--print-sample-config",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_sample,
    help="Print a commented source file and do nothing.",
)


@root.group("operate-source", cls=Verbs, context_settings=HELP_OPTIONS)
@sample_option
def operate_source() -> None:
    """Create, update, stop or show sources (upstream servers).

    A source file says how to reach one MySQL or MariaDB server. dm-master logs in there (is it the flavor
    that the file says, are GTIDs on where it wants them) and binds it to a free dm-worker. Privileges and binlog
    settings are checked when a task starts, or by check-task.

    \b
    dmctl operate-source -p > source1.yaml        a commented file to start from
    dmctl operate-source create source1.yaml      make it known
    dmctl operate-source show                     which worker has which source
    """


@verb(operate_source)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("-w", "--worker", default="", help="Bind the source to this free worker.")
@sample_option
@wait_options
def create(session: Session, files: tuple[Path, ...], worker: str, wait: bool, wait_timeout: float | None) -> Answer:
    """Make sources known to dm-master and bind them to free workers.

    All files are checked before the first one is sent. With --wait, returns when every source has a worker.

    \b
    dmctl operate-source create source1.yaml source2.yaml
    dmctl operate-source create source1.yaml -w worker1 --wait
    """
    subject = f"operate-source create {' '.join(map(str, files))}"
    sources = [read_source(path) for path in files]
    session.warn(warning for source in sources for warning in source.warnings)
    body = session.master.operate_source("create", [source.text for source in sources], (), worker)
    answer = Answer(body, subject=subject)
    return _then_wait(session, answer, [source.name for source in sources], wait, wait_timeout, bound=True)


@verb(operate_source)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@sample_option
def update(session: Session, files: tuple[Path, ...]) -> Answer:
    """Replace the configuration of sources that exist.

    \b
    dmctl operate-source update source1.yaml
    """
    sources = [read_source(path) for path in files]
    session.warn(warning for source in sources for warning in source.warnings)
    body = session.master.operate_source("update", [source.text for source in sources], ())
    return Answer(body, subject=f"operate-source update {' '.join(map(str, files))}")


@verb(operate_source)
@click.argument("names", nargs=-1, metavar="FILE|SOURCE...")
@source_option
@wait_options
def stop(
    session: Session, names: tuple[str, ...], source: tuple[str, ...], wait: bool, wait_timeout: float | None
) -> Answer:
    """Forget sources; refused while tasks use them.

    \b
    dmctl operate-source stop mysql-01
    dmctl operate-source stop source1.yaml
    """
    ids = [named(name, "source-id") for name in names]
    wanted = (*ids, *session.sources(source))
    if not wanted:
        raise click.UsageError("which source? give its source-id or its file")
    body = session.master.operate_source("stop", (), wanted)
    answer = Answer(body, subject=f"operate-source stop {' '.join(wanted)}")
    return _then_wait(session, answer, list(wanted), wait, wait_timeout, bound=False)


@verb(operate_source)
@click.argument("names", nargs=-1, metavar="[SOURCE...]")
@source_option
def show(session: Session, names: tuple[str, ...], source: tuple[str, ...]) -> Answer:
    """Show the sources and the workers that they are bound to.

    \b
    dmctl operate-source show
    dmctl operate-source show -s mysql-01
    """
    wanted = (*names, *session.sources(source))
    return Answer(session.master.operate_source("show", (), wanted), subject="operate-source show")


def _then_wait(
    session: Session, answer: Answer, sources: list[str], wait: bool, limit: float | None, *, bound: bool
) -> Answer:
    if not wait or answer.exit_code:
        return answer
    waiting = Waiting(
        answer.subject,
        "bound" if bound else "gone",
        status=lambda: session.master.operate_source("show", (), ()),
        verdict=lambda body: judge_sources(body, sources, bound=bound),
        goes_on="dm-master goes on; see it with  operate-source show",
        view=View.RESULT,
    )
    return wait_after(session, answer.body, waiting, limit)


def judge_sources(shown: Body, sources: list[str], *, bound: bool) -> Verdict:
    """Whether each source has a worker (or, after a stop, is not there any more)."""
    workers = {entry.get("source"): entry.get("worker") for entry in shown.get("sources") or ()}
    if bound:
        missing = [source for source in sources if not workers.get(source)]
        return Pending(f"no free worker yet for {', '.join(missing)}; see list-member") if missing else Reached()
    left = [source for source in sources if source in workers]
    return Pending(f"still there: {', '.join(left)}") if left else Reached()
