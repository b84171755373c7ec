"""``list-member``: the dm-masters and dm-workers of the cluster."""

from __future__ import annotations

import click

from dmctl.answer import Answer, View
from dmctl.arguments import split_sources
from dmctl.cli import root, verb
from dmctl.session import Session


@verb(root)
@click.option("-l", "--leader", is_flag=True, help="Only the leading dm-master.")
@click.option("-m", "--master", is_flag=True, help="Only dm-masters.")
@click.option("-w", "--worker", is_flag=True, help="Only dm-workers.")
@click.option(
    "-n", "--name", "names", multiple=True, metavar="NAME", help="Only members of this name; repeat it or use commas."
)
def list_member(
    session: Session, leader: bool = False, master: bool = False, worker: bool = False, names: tuple[str, ...] = ()
) -> Answer:
    """List the masters and workers, and which source each worker has.

    \b
    dmctl list-member
    dmctl list-member -w -n worker1
    """
    body = session.master.list_member(leader=leader, master=master, worker=worker, names=split_sources(names))
    return Answer(body, View.MEMBERS, "list-member")
