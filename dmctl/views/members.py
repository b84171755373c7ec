"""``list-member``: masters and workers, each in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.results import result_view
from dmctl.views.texts import plain_table, stage_text


def members_view(answer: Answer) -> list[RenderableType]:
    """The leader, the masters, the workers; only the groups that were asked for are in the answer."""
    if not answer.body.get("result", True):
        return result_view(answer)
    parts: list[RenderableType] = []
    leader = _group(answer, "leader")
    master, worker = _group(answer, "master"), _group(answer, "worker")
    if leader is not None and master is None:
        parts.append(
            Text.assemble(
                "leader ", (str(leader.get("name") or leader.get("msg")), "bold"), f"  {leader.get('addr', '')}"
            )
        )
    if master is not None:
        parts.append(_masters(master, str((leader or {}).get("name", ""))))
    if worker is not None:
        parts += [Text()] if parts else []
        parts.append(_workers(worker))
    return parts


def _group(answer: Answer, name: str) -> Mapping[str, Any] | None:
    return next((member[name] for member in answer.body.get("members") or () if member.get(name)), None)


def _masters(group: Mapping[str, Any], leader: str) -> RenderableType:
    table = plain_table("Master", "Alive", "Leader", "Address")
    for master in group.get("masters") or ():
        alive = Text("● alive", style="green") if master.get("alive") else Text("● away", style="red")
        name = str(master.get("name", ""))
        table.add_row(
            Text(name),
            alive,
            Text("leader" if name == leader else "", style="bold"),
            Text(", ".join(master.get("clientURLs") or ())),
        )
    return table


def _workers(group: Mapping[str, Any]) -> RenderableType:
    workers = group.get("workers") or ()
    if not workers:
        return Text(
            "no dm-worker has joined yet: start one with  dm-worker --name w1 --join MASTER:8261", style="yellow"
        )
    table = plain_table("Worker", "Stage", "Source", "Address")
    for worker in workers:
        table.add_row(
            Text(str(worker.get("name", ""))),
            stage_text(str(worker.get("stage", ""))),
            Text(str(worker.get("source") or "-")),
            Text(str(worker.get("addr", ""))),
        )
    return table
