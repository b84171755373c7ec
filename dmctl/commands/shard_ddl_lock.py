"""``shard-ddl-lock``: who waits for whom with a DDL of tables that are merged, and how to resolve it by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, View
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named
from dmctl.session import Session

F = TypeVar("F", bound=Callable[..., Any])


@root.group("shard-ddl-lock", cls=Verbs, context_settings=HELP_OPTIONS)
def shard_ddl_lock() -> None:
    """Show and resolve the locks of shard DDL.

    A DDL on tables that are merged runs downstream once, when all of them have had it. Until then the tables that have
    had it wait in a lock, and their later rows are applied when it is resolved. Locks resolve by themselves; these
    verbs are for one that does not, because a shard never gets the DDL, or gets another one.

    \b
    dmctl shard-ddl-lock list
    dmctl shard-ddl-lock explain my_task
    dmctl shard-ddl-lock unlock 'my_task-`shop`.`orders`'
    """


@verb(root, "show-ddl-locks", hidden=True)
@click.argument("task", required=False, default="", metavar="[TASK|FILE]")
@source_option
def show_ddl_locks(session: Session, task: str = "", source: tuple[str, ...] = ()) -> Answer:
    """The former name of `shard-ddl-lock list`."""
    return list_locks(session, task, source)


def _unlock_options(function: F) -> F:
    owner = click.option("-o", "--owner", default="", metavar="SOURCE", help="This source runs it: one that waits.")
    kinds = click.Choice(["exec", "skip"])
    action = click.option("-a", "--action", type=kinds, default="exec", help="What the owner does (exec).")
    force = click.option("-f", "--force-remove", is_flag=True, help="Forget the lock, whatever became of its DDL.")
    return click.argument("lock_id", metavar="LOCK-ID")(owner(action(force(function))))


@verb(root, "unlock-ddl-lock", hidden=True)
@_unlock_options
def unlock_ddl_lock(
    session: Session, lock_id: str, owner: str = "", action: str = "exec", force_remove: bool = False
) -> Answer:
    """The former name of `shard-ddl-lock unlock`."""
    return unlock(session, lock_id, owner, action, force_remove)


@verb(shard_ddl_lock, "list")
@click.argument("task", required=False, default="", metavar="[TASK|FILE]")
@source_option
def list_locks(session: Session, task: str = "", source: tuple[str, ...] = ()) -> Answer:
    """The locks of a task, or of all: the DDL, who has met it, who is awaited.

    \b
    dmctl shard-ddl-lock list my_task
    dmctl shard-ddl-lock list -s mysql-01
    """
    body = session.master.show_locks(named(task), session.sources(source), explain=False)
    return Answer(body, View.LOCKS, subject="shard-ddl-lock list")


@verb(shard_ddl_lock)
@click.argument("task", required=False, default="", metavar="[TASK|FILE]")
@source_option
def explain(session: Session, task: str = "", source: tuple[str, ...] = ()) -> Answer:
    """A picture of each lock: which table of which source has met it and where, who is awaited and how far that one
    is, and the commands that could resolve it, each with what it does to the data.

    Groups that wait inside one source, before there is a lock, are shown too.

    \b
    dmctl shard-ddl-lock explain my_task
    """
    body = session.master.show_locks(named(task), session.sources(source), explain=True)
    return Answer(body, View.LOCKS, subject="shard-ddl-lock explain")


@verb(shard_ddl_lock)
@_unlock_options
def unlock(session: Session, lock_id: str, owner: str = "", action: str = "exec", force_remove: bool = False) -> Answer:
    """Resolve a lock that waits: its owner executes or skips the DDL, and who comes later skips it.

    See `shard-ddl-lock explain` for what this does to the data.

    \b
    dmctl shard-ddl-lock unlock 'my_task-`shop`.`orders`'
    dmctl shard-ddl-lock unlock 'my_task-`shop`.`orders`' --action skip     changed downstream by hand
    dmctl shard-ddl-lock unlock 'my_task-`shop`.`orders`' --force-remove
    """
    body = session.master.unlock(lock_id, owner=owner, action=action, remove=force_remove)
    return Answer(body, subject=f"shard-ddl-lock unlock {lock_id}")
