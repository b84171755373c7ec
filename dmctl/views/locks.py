"""DDL locks on a terminal: one tree per lock, sources as branches, remedies below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.tree import Tree

from dmctl.answer import Answer
from dmctl.views.results import result_view

_MARKS = {"waits": "[green]●[/] waits", "done": "[green]✔[/] done", "awaited": "[yellow]○[/] awaited"}


def locks_view(answer: Answer) -> list[RenderableType]:
    locks = answer.body.get("locks") or []
    if not locks:
        return result_view(answer)
    return [_lock(lock) for lock in locks]


def _lock(lock: Mapping[str, Any]) -> Tree:
    head = escape(lock.get("ID") or f"{lock.get('task')}: {lock.get('target')}")
    tree = Tree(f"[bold]{head}[/]  {escape(lock.get('stage') or '')}")
    for ddl in lock.get("DDLs") or ():
        tree.add(f"[cyan]{escape(ddl)}[/]")
    if lock.get("why"):
        tree.add(f"[yellow]{escape(lock['why'])}[/]")
    parts = lock.get("parts")
    if parts:
        for part in parts:
            _part(tree, part, lock.get("owner") or "")
    else:
        _names(tree, lock)
    remedies = lock.get("remedies") or ()
    if remedies:
        ways = tree.add("ways out")
        for remedy in remedies:
            ways.add(f"[bold]{escape(remedy['command'])}[/]\n[dim]{escape(remedy['effect'])}[/]")
    return tree


def _names(tree: Tree, lock: Mapping[str, Any]) -> None:
    owner = lock.get("owner") or ""
    for key, mark in (("synced", _MARKS["waits"]), ("unsynced", _MARKS["awaited"])):
        for source in lock.get(key) or ():
            tree.add(f"{mark}  {escape(source)}{' (owner)' if source == owner else ''}")


def _part(tree: Tree, part: Mapping[str, Any], owner: str) -> None:
    state = str(part.get("state") or "")
    mark = _MARKS.get(state, f"[yellow]○[/] {escape(state)}")
    source = str(part.get("source"))
    behind = "at" if state in ("waits", "done") else "held back from"  # its reader is further on
    place = f" {behind} {part['location']}" if part.get("location") else ""
    since = f" since {part['since']}" if part.get("since") else ""
    worker = f" on {part['worker']}" if part.get("worker") else ""
    words = f"{source}{' (owner)' if source == owner else ''}{worker}{place}{since}"
    branch = tree.add(f"{mark}  {escape(words)}")
    for table in part.get("met") or ():
        branch.add(f"[green]●[/] {escape(table)} has met it")
    for table in part.get("unmet") or ():
        branch.add(f"[yellow]○[/] {escape(table)} has not")
    for ddl in part.get("otherDDLs") or ():
        branch.add(f"its DDL: [cyan]{escape(ddl)}[/]")
    if state not in ("waits", "done"):
        reader = f"read up to {part.get('readBinlog') or '?'} of {part.get('masterBinlog') or '?'}"
        lag = part.get("lagSeconds")
        behind = "nobody knows how far behind" if lag is None else f"{float(lag):.1f} s behind"
        branch.add(f"[dim]{escape(reader)}, {behind}[/]")
