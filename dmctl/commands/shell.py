"""Verbs about dmctl itself: version, help, shell completion."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

import click
from click.shell_completion import get_completion_class

from dmctl.answer import Answer, text_answer
from dmctl.cli import root, verb
from dmctl.session import Session

COMPLETE_VARIABLE = "_DMCTL_COMPLETE"


@verb(root)
def version(session: Session) -> Answer:
    """Print the version of dmctl."""
    number = _version()
    return text_answer(f"dmctl {number} (Python {platform.python_version()})", version=number)


def _version() -> str:
    try:
        return installed_version("spark-dm")
    except PackageNotFoundError:
        return "unknown (not installed as a package)"


@verb(root, "help")
@click.argument("command", nargs=-1)
def help_(session: Session, command: tuple[str, ...] = ()) -> Answer:
    """Explain a command.

    \b
    dmctl help
    dmctl help start-task
    dmctl help operate-source create
    """
    found: click.Command = root
    context = root.make_context("dmctl", [], resilient_parsing=True)
    for word in command:
        below = found.get_command(context, word) if isinstance(found, click.Group) else None
        if below is None:
            raise click.UsageError(f"there is no command {' '.join(command)!r}; `dmctl help` lists them all")
        found, context = below, below.make_context(word, [], parent=context, resilient_parsing=True)
    return text_answer(found.get_help(context))


@verb(root)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(session: Session, shell: str) -> Answer:
    """Print a script that completes dmctl's commands in your shell.

    \b
    source <(dmctl completion bash)                                       for this shell
    dmctl completion bash > /etc/bash_completion.d/dmctl                  for all
    dmctl completion fish > ~/.config/fish/completions/dmctl.fish
    """
    maker = get_completion_class(shell)
    assert maker is not None  # click knows the three shells of the choice
    return text_answer(maker(root, {}, "dmctl", COMPLETE_VARIABLE).source_template % _names())


def _names() -> dict[str, str]:
    return {"complete_func": "_dmctl_completion", "complete_var": COMPLETE_VARIABLE, "prog_name": "dmctl"}
