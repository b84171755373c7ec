"""``binlog``: what to do with a statement that cannot be replicated as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, View
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named
from dmctl.session import Session

F = TypeVar("F", bound=Callable[..., Any])


@root.group("binlog", cls=Verbs, context_settings=HELP_OPTIONS)
def binlog() -> None:
    """Skip, replace or add to a DDL that cannot be replicated as it is.

    When a task pauses with an error such as

    \b
      the target refuses a DDL from (mysql-bin.000003, 1274): ALTER TABLE shop.t …

    the statement that ends at mysql-bin.000003:1274 waits for you. Decide what is done with it, and the task goes on:

    \b
    dmctl binlog skip my_task                                   nothing is run downstream
    dmctl binlog replace my_task "ALTER TABLE shop.t ADD c INT" this is run instead
    dmctl binlog inject my_task "ALTER TABLE shop.t DROP KEY k" this is run first, then the statement
    dmctl binlog list my_task                                   what is decided and still to come

    The tables' structures are followed as the upstream has them, whatever is run downstream.
    """


def _options(function: F) -> F:
    position = click.option(
        "-b",
        "--binlog-pos",
        default="",
        metavar="FILE:POS",
        help="Where the statement ends, as the error says it; without it: the statement that fails now.",
    )
    return click.argument("task", metavar="TASK|FILE")(position(source_option(function)))


def _sqls(function: F) -> F:
    return click.argument("sqls", nargs=-1, required=True, metavar="SQL...")(function)


@verb(binlog)
@_options
def skip(session: Session, task: str, binlog_pos: str = "", source: tuple[str, ...] = ()) -> Answer:
    """Run nothing downstream for a statement, and go on behind it.

    \b
    dmctl binlog skip my_task
    dmctl binlog skip my_task -s mysql-01 -b mysql-bin.000003:1274
    """
    return _operate(session, "skip", task, source, binlog_pos)


@verb(binlog)
@_options
@_sqls
def replace(
    session: Session, task: str, sqls: tuple[str, ...], binlog_pos: str = "", source: tuple[str, ...] = ()
) -> Answer:
    """Run other DDL downstream in place of a statement.

    It names tables as the upstream does, each with its database; routes apply. Several statements have ; between them.

    \b
    dmctl binlog replace my_task "ALTER TABLE shop.t ADD c INT; ALTER TABLE shop.t ADD KEY (c)"
    """
    return _operate(session, "replace", task, source, binlog_pos, _joined(sqls))


@verb(binlog)
@_options
@_sqls
def inject(
    session: Session, task: str, sqls: tuple[str, ...], binlog_pos: str = "", source: tuple[str, ...] = ()
) -> Answer:
    """Run other DDL downstream before a statement, then the statement itself.

    \b
    dmctl binlog inject my_task "ALTER TABLE shop.t DROP KEY k"
    """
    return _operate(session, "inject", task, source, binlog_pos, _joined(sqls))


@verb(binlog)
@_options
def revert(session: Session, task: str, binlog_pos: str = "", source: tuple[str, ...] = ()) -> Answer:
    """Take back what was decided about a statement that has not come by yet.

    \b
    dmctl binlog revert my_task -b mysql-bin.000003:1274
    """
    return _operate(session, "revert", task, source, binlog_pos)


@verb(binlog, "list")
@_options
def list_operators(session: Session, task: str, binlog_pos: str = "", source: tuple[str, ...] = ()) -> Answer:
    """What is decided about statements to come; with --binlog-pos those from there on.

    \b
    dmctl binlog list my_task
    """
    return _operate(session, "list", task, source, binlog_pos)


@verb(root, "handle-error", hidden=True)
@_options
@click.argument("op", type=click.Choice(["skip", "replace", "inject", "revert", "list"]))
@click.argument("sqls", nargs=-1, metavar="[SQL...]")
def handle_error(
    session: Session, task: str, op: str, sqls: tuple[str, ...], binlog_pos: str = "", source: tuple[str, ...] = ()
) -> Answer:
    """DM's former name of `binlog`.

    \b
    dmctl handle-error my_task skip
    """
    if bool(sqls) != (op in ("replace", "inject")):
        wants = "needs statements" if not sqls else "takes no statements"
        raise click.UsageError(f"handle-error {task} {op} {wants}")
    return _operate(session, op, task, source, binlog_pos, _joined(sqls))


def _operate(
    session: Session, op: str, task: str, source: tuple[str, ...], binlog_pos: str, sqls: Sequence[str] = ()
) -> Answer:
    name = named(task)
    body = session.master.operate_binlog(op, name, session.sources(source), binlog_pos, sqls)
    view = View.OPERATORS if op == "list" else View.RESULT
    return Answer(body, view, f"binlog {op} {name}")


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """The statements of a command line: quoted ones as they are, single words (DM takes them) as one text."""
    is_quoted = any(" " in word.strip() for word in words)
    return words if is_quoted or not words else (" ".join(words),)
