"""From the words of a command line to an exit code: every error ends here as a message and a number."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

import click

from dmctl.answer import Exit, failure
from dmctl.arguments import normalise
from dmctl.commands import root
from dmctl.session import Master, Session, open_session
from dmctl.settings import Settings
from pkg.errors import DMError

_ANYWHERE = ("master-addr", "rpc-timeout", "config", "ssl-ca", "ssl-cert", "ssl-key", "output")


def run(words: Sequence[str], settings: Settings, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """One command line on these streams; a reader that went away (``| head``) ends it quietly."""
    session = open_session(settings, connect_to_master, stdin, stdout, stderr)
    try:
        return run_words(session, words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())  # the interpreter flushes stdout once more at exit
        return Exit.REFUSED
    finally:
        session.close()


def run_words(session: Session, words: Sequence[str]) -> int:
    """Carry out one command in ``session``; a line of the prompt comes here, too."""
    try:
        return int(root.main(_normal(words), prog_name="dmctl", obj=session, standalone_mode=False) or Exit.DONE)
    except (click.exceptions.Abort, KeyboardInterrupt):
        session.writer.notice("interrupted; what dm-master already accepted goes on")
        return Exit.INTERRUPTED
    except click.ClickException as exc:
        exc.show(session.stderr)
        return Exit.USAGE
    except DMError as exc:
        answer = failure(exc)  # from the options before the verb; a verb's own errors end in `verb`
        session.writer.answer(answer)
        return answer.exit_code


def _normal(words: Sequence[str]) -> list[str]:
    try:
        return normalise(words, long_names(root), _ANYWHERE)
    except ValueError as exc:
        raise click.UsageError(str(exc)) from exc


def connect_to_master(settings: Settings) -> Master:
    """The gRPC client; loaded only when a verb needs the master, so that help and completion are quick."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # our own errors say what happened; gRPC's C core would print, too
    from dmctl.client import connect

    return connect(settings)


def long_names(command: click.Command) -> set[str]:
    """The long option names of a command and of all below it, without dashes."""
    names = {option.removeprefix("--") for param in command.params for option in param.opts if option.startswith("--")}
    names.add("help")
    if isinstance(command, click.Group):
        for below in command.commands.values():
            names |= long_names(below)
    return names
