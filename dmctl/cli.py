"""The root command and how verbs join it.

A verb is a plain typed function ``(session, …) -> Answer`` with a docstring; ``verb`` makes it a command whose
``--help`` is that docstring, prints the answer and ends with its exit code.  Tests call the function itself.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from dmctl.answer import Answer, failure
from dmctl.session import Session
from dmctl.settings import Format, Settings, load_settings
from pkg.errors import DMError

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])
_NO_LIMIT = 1000  # a verb's first sentence is shown whole
HELP_OPTIONS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# Verbs of DM that later versions bring; docs/not-yet.md says what to do until then.
LATER = {
    "transfer-source": "moving a source to another worker by hand",
    "offline-member": "taking a member out of the cluster",
    "operate-leader": "several dm-masters",
    "validation": "continuous data validation",
}


class Verbs(click.Group):
    """A group that lists its verbs as DM does and knows what a mistyped one was meant to be."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(_unknown(name, self.list_commands(ctx), is_root=ctx.parent is None))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        verbs = [(name, self.commands[name]) for name in self.list_commands(ctx) if not self.commands[name].hidden]
        with formatter.section("Available Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_NO_LIMIT)) for name, command in verbs])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of registration: by what they are about


def _unknown(name: str, verbs: list[str], *, is_root: bool) -> str:
    if is_root and name in LATER:
        return f"{name} ({LATER[name]}) is not in this version yet; docs/not-yet.md says what to do until then"
    near = difflib.get_close_matches(name, verbs, n=1)
    return f"there is no command {name!r}" + (f"; did you mean {near[0]}?" if near else "; `dmctl help` lists them all")


def verb(group: click.Group, name: str | None = None, *, hidden: bool = False) -> Callable[[F], F]:
    """Register the function as a command of ``group``; the function itself stays what it was."""

    def register(function: F) -> F:
        @click.pass_obj
        @functools.wraps(function)
        def run(session: Session, /, *args: Any, **values: Any) -> None:
            try:
                answer: Answer = function(session, *args, **values)
            except DMError as exc:
                answer = failure(exc)
            session.writer.answer(answer)
            click.get_current_context().exit(int(answer.exit_code))

        command = name or function.__name__.replace("_", "-")
        group.command(command, hidden=hidden, context_settings=HELP_OPTIONS)(run)
        return function

    return register


def source_option(function: F) -> F:
    """``-s/--source``, several times or with commas."""
    return click.option(
        "-s", "--source", multiple=True, metavar="SOURCE", help="Only this source; repeat it or use commas."
    )(function)


@click.group(cls=Verbs, invoke_without_command=True, context_settings=HELP_OPTIONS)
@click.option("--master-addr", metavar="HOST:PORT[,…]", help="Where dm-master listens (or DM_MASTER_ADDR).")
@click.option("--rpc-timeout", metavar="TIME", help="How long to wait for an answer: 30s, 10m (the default), 1h.")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A TOML file with these options.",
)
@click.option("--ssl-ca", metavar="FILE", help="CA certificate that dm-master's certificate must come from.")
@click.option("--ssl-cert", metavar="FILE", help="Certificate that dmctl shows to dm-master.")
@click.option("--ssl-key", metavar="FILE", help="Key of that certificate.")
@click.option("--output", type=click.Choice([str(f) for f in Format]), help="Default: table on a terminal, else json.")
@source_option
@click.option("-V", "--version", "show_version", is_flag=True, help="Print the version.")
@click.pass_context
def root(ctx: click.Context, /, config_file: Path | None, show_version: bool, **flags: Any) -> None:
    """Control spark-dm: migrate MySQL and MariaDB data into TiDB and keep it replicated.

    \b
    dmctl --master-addr 127.0.0.1:8261 operate-source create source1.yaml
    dmctl --master-addr 127.0.0.1:8261 start-task task.yaml --wait
    dmctl --master-addr 127.0.0.1:8261 query-status my_task

    Without a command, dmctl opens a prompt (or reads commands from a pipe, one a line).

    \b
    Exit codes: 0 done · 1 refused or failed · 2 wrong usage · 130 interrupted by Ctrl-C
    """
    session: Session = ctx.obj
    settings: Settings = load_settings(config_file, session.settings) if config_file else session.settings
    ctx.obj = session.with_settings(settings.with_flags(flags))
    if show_version:
        ctx.invoked_subcommand = None
        ctx.invoke(root.commands["version"])
    elif ctx.invoked_subcommand is None and session.interactive:
        ctx.exit(0)
    elif ctx.invoked_subcommand is None:
        from dmctl.prompt import run_prompt

        ctx.exit(int(run_prompt(ctx.obj)))
